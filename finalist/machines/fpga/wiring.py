"""Which operations move bits and no more, and how many bits meet in those of a linear map."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from finalist.ir.ops import Op


def is_wiring(op: object, attr: Any) -> bool:
    """Whether the operation only picks bits (moves by constants aside)."""
    if op is Op.LINEAR:
        return len(attr) == 1 and max(_row_weights(attr), default=0) <= 1
    return op in (Op.SLICE, Op.JOIN, Op.EXTEND)


def row_weight(matrices: tuple[tuple[int, ...], ...], bit: int) -> int:
    """How many input bits meet in this output bit of a linear map."""
    weights = _row_weights(matrices)
    return weights[bit] if bit < len(weights) else 0


@lru_cache(maxsize=1024)
def _row_weights(matrices: tuple[tuple[int, ...], ...]) -> tuple[int, ...]:
    """Those of all output bits up to the highest that is not always zero."""
    columns = [column for matrix in matrices for column in matrix]
    height = max((column.bit_length() for column in columns), default=0)
    return tuple(sum(column >> bit & 1 for column in columns) for bit in range(height))
