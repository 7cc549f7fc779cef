"""Linear and affine maps of a byte as `vec_map` has them."""

from __future__ import annotations

from finalist.ir.graph import Matrix, TableData
from finalist.passes.matrices import apply_matrix


def map_values(matrix: Matrix, constant: int = 0) -> tuple[int, ...]:
    """What each value of the lower and upper four bits adds, and the rows.

    Row 7 - k, eight bytes in all, says which bits of the operand bit k of the result is the sum of. The
    ``constant`` is in what the lower bits add; rows have no place for it.
    """
    lower, upper = ([apply_matrix(matrix[low : low + 4], value) for value in range(16)] for low in (0, 4))
    rows = (
        sum((column >> bit & 1) << place for place, column in enumerate(matrix)) for bit in reversed(range(8))
    )
    return (*(value ^ constant for value in lower), *upper, *rows)


def map_table(matrix: Matrix, name: str) -> TableData:
    """What `vec_map` takes."""
    return TableData(map_values(matrix), 8, name, "a linear map of a byte")
