"""Words that lie side by side in memory, loaded two at a time where the units of memory bind a loop.

``LDW *+B14(4272), K0`` and ``LDW *+B14(4276), K1`` -> ``LDDW *+KEYS(0), K1:K0``: with a word in a register
that is held through the loop, since a wide load reaches only so far from one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from finalist.ir.ops import Op
from finalist.isa.code import Ins
from finalist.isa.schedule.modulo.balance import binding
from finalist.isa.target.instruction import Instruction
from finalist.isa.target.meaning import Leaf, Term, constant, register
from finalist.isa.target.processor import Processor


@dataclass(frozen=True, slots=True)
class Wide:
    """A load of two words of ``size`` bytes: its operands for where to count from and how far, and for the
    words, the lower half first."""

    instruction: Instruction
    size: int
    base: str
    offset: str
    halves: tuple[str, str]

    def accepts(self, offset: int) -> bool:
        """Whether it reaches so far."""
        return self.instruction.by_name[self.offset].accepts(offset)


@dataclass(frozen=True, slots=True)
class Load:
    """The instruction ``index`` of a body loads ``word`` from ``offset`` bytes behind the word ``base``, or
    from that address."""

    index: int
    word: int
    base: int | None
    offset: int


def widened(
    body: Sequence[Ins],
    processor: Processor,
    held: Callable[[int], int],
    aligned: Mapping[int, int],
    *,
    ascending: bool,
) -> list[Ins]:
    """The body with wide loads, if no unit binds but those that load.

    ``held``: makes the word that holds a number through the loop; ``aligned``: words that are multiples of so
    many bytes; ``ascending``: whether the lower half of two words is at the lower address.
    """
    instead: dict[int, Ins] = {}
    gone: set[int] = set()
    units = binding(body, processor)
    for wide in _wide(processor):
        if units and units <= {way.unit for way in wide.instruction.ways}:
            bases = _Bases(wide, held)
            for low, high in _pairs(body, wide.size, aligned):
                words = (low.word, high.word) if ascending else (high.word, low.word)
                first = min(low.index, high.index)
                instead[first] = _made(wide, body[first], words, bases.of(low))
                gone |= {low.index, high.index}
    return [instead.get(k, ins) for k, ins in enumerate(body) if k not in gone or k in instead]


class _Bases:
    """Words to count addresses from: each serves as far as a wide load reaches."""

    def __init__(self, wide: Wide, held: Callable[[int], int]) -> None:
        self.wide, self.held, self.first = wide, held, -1

    def of(self, load: Load) -> tuple[int, int]:
        """The word to count from, and how far."""
        if load.base is not None:
            return load.base, load.offset
        if self.first < 0 or not self.wide.accepts(load.offset - self.first):
            self.first = load.offset
        return self.held(self.first), load.offset - self.first


def _wide(processor: Processor) -> Iterator[Wide]:
    """The wide loads of a processor."""
    for one, _, *effects in processor.doubles:
        low, high = sorted(effects, key=lambda effect: effect.value.depth)
        loaded = _loaded(low.value)
        if loaded is not None and loaded == _loaded(high.value) and loaded.args[0].op is Op.ADD:
            base, offset = (str(arg.attr) for arg in loaded.args[0].args)
            yield Wide(one, loaded.attr // 2, base, offset, (low.target, high.target))


def _loaded(value: Term) -> Term | None:
    """The load that a word is a part of."""
    while value.op in (Op.SLICE, Op.SHR):
        value = value.args[0]
    return value if value.op is Op.LOAD else None


def _pairs(body: Sequence[Ins], size: int, aligned: Mapping[int, int]) -> Iterator[tuple[Load, Load]]:
    """Loads of words side by side, of which the first is at a multiple of two words, by address."""
    found: dict[tuple[object, int | None], dict[int, list[Load]]] = {}
    stored = set()
    for index, ins in enumerate(body):
        if ins.instruction.effect == "store":
            stored.add(ins.access)
        load = _load(index, ins, size)
        known = load is not None and (load.base is None or aligned.get(load.base, 1) % (2 * size) == 0)
        if load is not None and known and ins.access not in stored:
            found.setdefault((ins.access, load.base), {}).setdefault(load.offset, []).append(load)
    for places in found.values():
        for offset in sorted(places):
            if offset % (2 * size) == 0:
                yield from zip(places[offset], places.get(offset + size, ()), strict=False)


def _load(index: int, ins: Ins, size: int) -> Load | None:
    """What an instruction loads, if it is a word at a known distance."""
    if len(ins.written) != 1 or ins.instruction.effect != "load" or ins.condition is not None:
        return None
    values: dict[str, Term | int] = {
        o.name: register(int(x)) if o.is_register else constant(int(x))
        for o, x in zip(ins.instruction.operands, ins.operands, strict=True)
    }
    (effect,) = ins.instruction.effects(values)
    if effect.value.op is not Op.LOAD or effect.value.attr != size:
        return None
    (place,) = effect.value.args
    if place.number is not None:
        return Load(index, ins.written[0], None, place.number)
    base, *rest = place.args
    if base.op is Leaf.REGISTER and rest and rest[0].number is not None:
        return Load(index, ins.written[0], int(base.attr), rest[0].number)
    return None


def _made(wide: Wide, first: Ins, words: tuple[int, int], place: tuple[int, int]) -> Ins:
    values = dict(zip((*wide.halves, wide.base, wide.offset), (*words, *place), strict=True))
    operands: list[int | str] = [values[o.name] for o in wide.instruction.operands]
    return Ins(wide.instruction, operands, first.phase, first.note, first.access)
