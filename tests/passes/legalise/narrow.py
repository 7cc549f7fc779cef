"""What legalising owes: the same meaning on limbs, and no word that is wider than they are."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from finalist.ir import interpreter
from finalist.ir.builder import Builder, mask
from finalist.ir.graph import Graph, Node, every_node
from finalist.ir.interpreter import dtype
from finalist.ir.types import TupleType, WordType
from finalist.ir.verify import verify
from finalist.passes.legalise import legalised
from finalist.passes.legalise.pages import MOST

Values = npt.NDArray[Any]

#: Widths of a limb, and of words that are one limb and a little, many limbs, or none of them whole.
LIMBS = (32, 16, 8)
WORDS = (33, 40, 48, 49, 63, 64)


def sizes(bits: int, width: int) -> list[int]:
    return [min(width, bits - low) for low in range(0, bits, width)]


def cut(value: Values, bits: int, width: int) -> list[Values]:
    """The limbs of words, or of the entries of arrays."""
    wide = value.astype("u8")
    lows = range(0, bits, width)
    parts = [(wide >> np.uint64(low)) & np.uint64(mask(min(width, bits - low))) for low in lows]
    return [part.astype(dtype(size)) for part, size in zip(parts, sizes(bits, width), strict=True)]


def joined(limbs: Sequence[Values], bits: int, width: int) -> Values:
    total = np.zeros((), "u8")
    for place, (limb, size) in enumerate(zip(limbs, sizes(bits, width), strict=True)):
        assert int(limb.max(initial=0)) <= mask(size)
        total = total | limb.astype("u8") << np.uint64(place * width)
    return total


def lengths(type_: Any, width: int) -> list[int]:
    """The entries of each page of an array; of a word 0, once."""
    length = getattr(type_, "length", 0)
    full, rest = divmod(length, 1 << width)
    if not full or length == 1 << width:
        return [length]
    return [1 << width] * full + [1 << max(rest - 1, 0).bit_length()] * bool(rest)


def paged(limb: Values, type_: Any, width: int) -> list[Values]:
    """A limb's array as pages, the last with anything behind its end."""
    parts = lengths(type_, width)
    if len(parts) == 1:
        return [limb]
    behind = np.full((*limb.shape[:-1], sum(parts) - limb.shape[-1]), 0x5A, limb.dtype)
    return np.split(np.concatenate([limb, behind], axis=-1), np.cumsum(parts)[:-1], axis=-1)


def whole(pages: Iterator[Values], type_: Any, width: int) -> Values:
    """A limb's array from its pages."""
    parts = lengths(type_, width)
    if len(parts) == 1:
        return next(pages)
    found = [next(pages) for _ in parts]
    rows = np.broadcast_shapes(*(page.shape[:-1] for page in found))
    wide = [np.broadcast_to(page, (*rows, page.shape[-1])) for page in found]
    return np.concatenate(wide, axis=-1)[..., : type_.length]


def assert_narrow(graph: Graph, width: int) -> None:
    """No word, entry or constant is wider, in regions as outside of them."""
    for node in (*graph.params, *every_node(graph), *graph.results):
        region = getattr(node.attr, "params", ())
        for part in (node, *node.inputs, *region):
            types = part.type.items if isinstance(part.type, TupleType) else (part.type,)
            assert all(type_.width <= width for type_ in types), f"{part!r} in {node!r} ({node.line})"


def keeps(graph: Graph, width: int, values: Sequence[Values]) -> Graph:
    """The legalised graph, which must give the same on these values of the parameters."""
    after = legalised(graph, width, MOST)
    verify(after)
    assert_narrow(after, width)
    given = [
        page
        for p, v in zip(graph.params, values, strict=True)
        for limb in cut(v, p.width, width)
        for page in paged(limb, p.type, width)
    ]
    assert [p.type for p in after.params] == [
        type(p.type)(**{**_fields(p.type), "width": size, **({"length": length} if length else {})})
        for p in graph.params
        for size in sizes(p.width, width)
        for length in lengths(p.type, width)
    ]
    found = iter(interpreter.run(after, given))
    for place, (result, want) in enumerate(zip(graph.results, interpreter.run(graph, values), strict=True)):
        limbs = [whole(found, result.type, width) for _ in sizes(result.width, width)]
        got, want = np.broadcast_arrays(joined(limbs, result.width, width), want.astype("u8"))
        wrong = np.argwhere(got != want)
        assert not len(wrong), (
            f"result {place}, row {wrong[0]}: {got[tuple(wrong[0])]:#x} for {want[tuple(wrong[0])]:#x}"
        )
    assert next(found, None) is None
    return after


def _fields(type_: Any) -> dict[str, int]:
    return {name: getattr(type_, name) for name in type_.__slots__}


def params(make: Builder, *widths: int) -> list[Node]:
    return [make.param("memory", WordType(width), f"p{k}") for k, width in enumerate(widths)]


def edges(bits: int, width: int, extra: int = 10) -> list[int]:
    """Numbers at which carries begin and end, and some others."""
    source = random.Random(f"{bits} {width}")
    plain = [0, 1, 2, 3, mask(bits), mask(bits) - 1, mask(bits) >> 1, 1 << (bits - 1), 0x5555555555555555]
    for low in range(width, bits, width):
        plain += [(1 << low) - 1, 1 << low, (1 << low) + 1, mask(bits) ^ mask(low), mask(bits) ^ 1 << low]
    plain += [source.getrandbits(bits) for _ in range(extra)]
    return sorted({number & mask(bits) for number in plain})


def crossed(*columns: tuple[Sequence[int], int]) -> list[Values]:
    """Every combination of the columns' numbers; each column is its numbers and their width."""
    grids = np.meshgrid(*(np.array(numbers, "u8") for numbers, _ in columns), indexing="ij")
    return [g.reshape(-1).astype(dtype(bits)) for g, (_, bits) in zip(grids, columns, strict=True)]
