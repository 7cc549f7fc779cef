"""How values lie in memory."""

from __future__ import annotations

import pytest

from finalist.llvm.types import (
    POINTER,
    VOID,
    Array,
    Int,
    Struct,
    Type,
    Vector,
    align_of,
    offset_of,
    size_of,
    width_of,
)

BYTE, WORD = Int(8), Int(32)


@pytest.mark.parametrize(
    ("kind", "size", "align"),
    [
        (Int(1), 1, 1),
        (Int(24), 4, 4),
        (Int(64), 8, 8),
        (Int(128), 16, 16),
        (POINTER, 8, 8),
        (Array(3, WORD), 12, 4),
        (Array(0, WORD), 0, 4),
        (Vector(4, WORD), 16, 16),
        (Struct((BYTE, WORD, BYTE)), 12, 4),
        (Struct((BYTE, WORD, BYTE), packed=True), 6, 1),
        (Struct(()), 0, 1),
    ],
)
def test_sizes(kind: Type, size: int, align: int) -> None:
    assert (size_of(kind), align_of(kind)) == (size, align)


def test_offsets() -> None:
    one = Struct((BYTE, WORD, Array(3, BYTE), Int(64)))
    assert [offset_of(one, k) for k in range(5)] == [0, 4, 8, 16, 24]
    assert [offset_of(Struct(one.items, packed=True), k) for k in range(5)] == [0, 1, 5, 8, 16]


@pytest.mark.parametrize("kind", [VOID, Array(2, BYTE)])
def test_what_is_no_word(kind: Type) -> None:
    with pytest.raises(ValueError, match="is no word"):
        width_of(kind)
