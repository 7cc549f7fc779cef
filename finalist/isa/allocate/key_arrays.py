"""Where the arrays of the expanded key lie on processors with little memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from finalist.ir.graph import Node, every_node, origin
from finalist.ir.ops import Op
from finalist.ir.program import Program
from finalist.ir.types import ArrayType
from finalist.isa.target.memory import Memory, Place

_BYTE, _PARTS = 8, 4


def read_as_a_whole(programs: Iterable[Program], width: int) -> set[str]:
    """The arrays of the key that are read at indices which depend on data."""
    found = set()
    for p in programs:
        own = dict(zip(p.key_params, p.key_names, strict=True))
        own |= dict(zip(map(origin, p.expand.results), p.key_names, strict=True))
        for node in (*every_node(p.kernel), *every_node(p.expand)):
            read = node.op in (Op.LOAD, Op.STORE) and node.inputs[1].op is not Op.CONST
            if read and node.inputs[1].width <= width:
                found.add(own.get(origin(node.inputs[0]), ""))
    return found


def steps_of(program: Program, width: int) -> dict[Node, int]:
    """Bytes from one entry to the next of the arrays of the key that will lie side by side, by the kernel's
    parameter and by the array that the key schedule fills: as `placed` has them in any memory."""
    types = dict(zip(program.key_names, program.key_types, strict=True))
    places = placed(Memory(), types, read_as_a_whole([program], width))
    filled = map(origin, program.expand.results)
    found: dict[Node, int] = {}
    for place, *arrays in zip(places, program.key_params, filled, strict=True):
        if place.apart:
            found.update(dict.fromkeys(arrays, place.step))
    return found


def placed(memory: Memory, types: Mapping[str, ArrayType], whole: Set[str]) -> list[Place]:
    """Places for the arrays of the key: of words in parts, ``name_0`` and so on, those side by side that are
    not read as a ``whole``."""
    found: dict[str, Place] = {}
    for name, type_ in types.items():
        stem, line, number = name.rpartition("_")
        parts = [f"{stem}_{k}" for k in range(_PARTS)]
        alike = all(types.get(part) == type_ and part not in whole for part in parts)
        if line and number == "0" and type_.width == _BYTE and alike:
            found.update(zip(parts, memory.interleaved(parts, type_), strict=True))
        elif name not in found:
            found[name] = memory.array(name, type_)
    return [found[name] for name in types]
