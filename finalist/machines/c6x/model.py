"""The two processors as data: TMS320C62x (as the C6201) and TMS320C64x.

Two sides, A and B, of four units each: .L (logic, sums, comparisons), .S (shifts, fields of bits, branches),
.M (products), .D (memory). Loads, products and branches take effect cycles later, and what they overwrite can
be read until then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache

from finalist.ir.ops import Op
from finalist.isa.target.instruction import Instruction, Meaning, Way
from finalist.isa.target.meaning import Flow, Term, load, store
from finalist.isa.target.memory import Interleaved
from finalist.isa.target.operand import Operand
from finalist.isa.target.processor import Predicates, Processor
from finalist.isa.target.registers import RegisterFile
from finalist.machines.c6x.meanings import BASE, LATER, Entry
from finalist.machines.c6x.table import Form, delay_slots, document, forms
from finalist.machines.c6x.ways import ways_of

CPUS = ("c62x", "c64x")
#: The bits of an address's mode: a register plus a number, or plus a register.
_MODES = {"imm": 1 << 9, "rb": 5 << 9}
#: Registers by what conventions make of them (TMS320C6000 EABI, SPRAB89): where to return to, and the data
#: page pointer, from which programs count addresses: memory that they use begins there, at address 0.
RETURN, DATA_PAGE = 3, 14
#: The order in which instructions number the registers that conditions test.
_CONDITIONS = (("b", 0), ("b", 1), ("b", 2), ("a", 1), ("a", 2), ("a", 0))
#: Words of four bytes that a short displacement reaches; a displacement from the data page pointer is longer.
_NEAR = 32
#: Paths from one side to the other.
_CROSS = frozenset({"X1", "X2"})
#: Counts of shifts are of six bits; on the earlier processor it is not defined what higher ones do.
_COUNTS = 64


@lru_cache(maxsize=2 * len(CPUS))
def processor(cpu: str, banked: bool = False) -> Processor:
    """One of the processors, by name; ``banked``: with the banks of its memory, which is flat without."""
    if banked:
        return replace(processor(cpu), interleaved=_banks(cpu))
    data = document()["machines"][cpu]
    later = cpu == "c64x"
    numbered = {name.lower(): count for name, count in data["registers"].items()}
    files = {
        "a": RegisterFile("A", numbered["a"], 32),
        "b": RegisterFile("B", numbered["b"], 32, reserved=(RETURN, DATA_PAGE)),
    }
    tested = {(name[0].lower(), int(name[1:])) for name in data["condition_registers"]}
    paths = [path + side for side in "12" for path in "XT"]
    # What results are written by, where there is less of it than of units.
    ports = ["W1", "W2"] if cpu == "c62x" else ["P1", "P2"]
    return Processor(
        cpu,
        files,
        tuple(_instructions(cpu)),
        issue=data["execute_packet"]["max_instructions"],
        units=dict.fromkeys([*data["units"], *paths, *ports], 1),
        exposed=True,
        parallel=0,
        predicates=Predicates(31, 28, tuple(one for one in _CONDITIONS if one in tested), skipped=1),
        data=1 << 18,
        reserved=numbered["a"] // 2,
        reach=1 << 17,
        fetch=data["execute_packet"]["fetch_packet_words"],
        crossing=data["execute_packet"]["may_cross_fetch_packet"],
        base=4 * _NEAR,
        prelude=PRELUDE,
        reads=data["register_reads_same_register_per_cycle"],
        aligned=True,
        across=1 if later else 0,
        paths=_CROSS,
        shared=_CROSS if later else frozenset(),
        copies={"a": block} if (block := data["data_banks"]["block"]) else {},
    )


def _banks(cpu: str) -> Interleaved:
    """The banks of data memory: two blocks of four of 16 bits on the C6201 (Programmer's Guide, SPRU198),
    eight of 32 bits in the first cache of the C64x (Two-Level Internal Memory, SPRU610)."""
    told = document()["machines"][cpu]["data_banks"]
    return Interleaved(told["bytes"], told["count"], told["block"], told["same_word_together"])


def _instructions(cpu: str) -> Iterator[Instruction]:
    yield from _flow(cpu)
    for entry in (*BASE, *(LATER if cpu == "c64x" else ())):
        yield _instruction(entry, cpu)
    for mnemonic, size in {"LDBU": 1, "LDHU": 2, "LDW": 4}.items():
        yield from _memory(mnemonic, size, cpu, "rd")
    for mnemonic, size in {"STB": 1, "STH": 2, "STW": 4}.items():
        yield from _memory(mnemonic, size, cpu, "rs")
    for form in forms("LDDW", cpu):
        yield _access("LDDW", 8, form, "hi:lo", "imm")


def _flow(cpu: str) -> Iterator[Instruction]:
    """The end of a run, which is the return to whoever called, and cycles in which nothing is done."""
    (form,) = (form for form in forms("B", cpu) if form.operands == ("xreg",))
    code = form.code | form.side | RETURN << form.fields[0]
    ways = (Way("S2", name=".S2", code=code),)
    yield Instruction(
        f"B {{way}} B{RETURN}", (), 0, lambda: Term(Flow.HALT), ways, 1 + delay_slots("B"), predicable=True
    )
    for count in range(1, document()["machines"][cpu]["nop_max"] + 1):
        syntax = f"NOP {count}" if count > 1 else "NOP"
        yield Instruction(syntax, (), count - 1 << 13, lambda: Term(Flow.IDLE), (Way(""),), cycles=count)


def _instruction(entry: Entry, cpu: str) -> Instruction:
    """An instruction with all ways to issue it."""
    ways: list[Way] = []
    for number, order in enumerate(entry.orders):
        names = order.split()
        syntax = f"{entry.mnemonic} {{way}} " + ",".join(
            ":".join(f"{{{part}}}" for part in name.split(":")) for name in names
        )
        if not number:
            first = syntax
        for form in forms(entry.mnemonic, cpu):
            if _alike(form, names):
                ways += ways_of(form, names, syntax if number else "")
    ways = _different(ways)
    operands = _common(entry, ways)
    latency = 1 + delay_slots(entry.mnemonic)
    if entry.mnemonic == "B":
        latency = 1 + delay_slots("B")
    return Instruction(
        first,
        operands,
        0,
        entry.meaning,
        tuple(_with_ports(way, operands, latency, cpu) for way in ways),
        latency,
        predicable=True,
        below={entry.count: _COUNTS} if entry.count and cpu == "c62x" else {},
    )


def _alike(form: Form, names: list[str]) -> bool:
    """Whether a form's operands are of the kinds that names say."""
    if len(form.operands) != len(names):
        return False
    for name, kind in zip(names, form.operands, strict=True):
        wanted = "pair" if ":" in name else "reg" if name.startswith("r") else "to" if name == "to" else "num"
        found = "pair" if "pair" in kind else "reg" if kind in ("reg", "xreg", "treg") else "num"
        found = "to" if kind.startswith("label") else found
        if wanted != found:
            return False
    return not any(kind.endswith("negated") or kind.startswith("ucst5[16") for kind in form.operands)


def _different(ways: list[Way]) -> list[Way]:
    """Ways without those that are the same on the same unit: a form for the cross path has one without it."""
    found: dict[object, Way] = {}
    for way in ways:
        found.setdefault((way.unit, way.paths, tuple(sorted(way.files.items())), way.syntax), way)
    return list(found.values())


def _common(entry: Entry, ways: list[Way]) -> tuple[Operand, ...]:
    """The operands as they are in any of the ways, what is written first."""
    found: dict[str, Operand] = {}
    for way in ways:
        for name, o in way.operands.items():
            found[name] = _joined(found[name], o) if name in found and o.kind == "imm" else found.get(name, o)
    if entry.listed:
        found["imm"] = Operand("imm", "imm", found["imm"].high, found["imm"].low, values=entry.listed)
    return tuple(sorted(found.values(), key=lambda o: (not o.written, o.name != "lo" and o.written)))


def _joined(a: Operand, b: Operand) -> Operand:
    """Numbers that one of two operands accepts, which overlap."""
    if (a.signed, a.bits) == (b.signed, b.bits):
        return a
    least = min(_least(o) for o in (a, b))
    bits = max(o.bits + (not o.signed) for o in (a, b))
    return Operand(a.name, "imm", bits - 1, 0, signed=True, least=least)


def _least(o: Operand) -> int:
    if o.least is not None:
        return o.least
    return -(1 << o.bits - 1) if o.signed else 0


def _with_ports(way: Way, operands: tuple[Operand, ...], latency: int, cpu: str) -> Way:
    """A way with what its result is written by."""
    side = way.unit[1:]
    if cpu == "c62x" and any(o.pair for o in operands):
        return _replaced(way, (*way.paths, "W" + side), ())
    if cpu == "c64x" and way.unit.startswith("M"):
        return _replaced(way, way.paths, (("P" + side, latency - 1),))
    return way


def _replaced(way: Way, paths: tuple[str, ...], later: tuple[tuple[str, int], ...]) -> Way:
    return Way(way.unit, paths, way.files, way.name, way.code, way.operands, way.syntax, later)


# -- memory ------------------------------------------------------------------------------------------


def _memory(mnemonic: str, size: int, cpu: str, data: str) -> Iterator[Instruction]:
    """A load or store at a register plus a number, plus a register, and at an address of the data page."""
    for form in sorted(forms(mnemonic, cpu), key=lambda form: not _on_page(form)):  # B14 is a base, too
        if _on_page(form):
            yield _access(mnemonic, size, form, data, "B14")
        else:
            yield _access(mnemonic, size, form, data, "imm")
            yield _access(mnemonic, size, form, data, "rb")


def _on_page(form: Form) -> bool:
    return any("b14" in kind for kind in form.operands)


def _access(mnemonic: str, size: int, form: Form, data: str, how: str) -> Instruction:
    texts = {"imm": "*+{ra}({imm})", "rb": "*+{ra}[{rb}]", "B14": f"*+B{DATA_PAGE}({{imm}})"}
    words = ":".join(f"{{{name}}}" for name in data.split(":"))
    syntax = f"{mnemonic} {{way}} " + ",".join((words, texts[how]) if data == "rs" else (texts[how], words))
    names = [data, ""] if data == "rs" else ["", data]
    place = form.fields[1] if data == "rs" else form.fields[0]
    operands = _data(data)
    if how == "B14":
        operands.append(Operand("imm", "imm", place + 14, place, scale=size, least=_NEAR * size))
    else:
        operands.append(Operand("ra", "use", place + 4, place))
        imm = Operand("imm", "imm", 17, 13, scale=size)
        operands.append(imm if how == "imm" else Operand("rb", "use", 17, 13))
    ways = []
    for way in ways_of(form, names, ""):
        files = {name: file for name, file in way.files.items() if name in [o.name for o in operands]}
        ways.append(Way(way.unit, way.paths, files, way.name, way.code | _MODES.get(how, 0)))
    latency = 1 if data == "rs" else 1 + delay_slots(mnemonic)
    return Instruction(
        syntax, tuple(operands), 0, _reach(size, data, how), tuple(ways), latency, predicable=True
    )


def _data(names: str) -> list[Operand]:
    """The operand for a word of memory, or the two for a pair."""
    *high, low = names.split(":")
    word = Operand(low, "use" if low == "rs" else "def", 27, 23)
    return [word, *(Operand(name, "def", pair=low) for name in high)]


def _reach(size: int, data: str, how: str) -> Callable[..., Meaning]:
    """What a load or store means."""
    scale = size.bit_length() - 1

    def at(ra: Term, rb: Term) -> Term:
        return ra + (rb << scale if scale else rb)

    loads: dict[str, Callable[..., Meaning]] = {
        "imm": lambda ra, imm: load(size, ra + imm),
        "rb": lambda ra, rb: load(size, at(ra, rb)),
        "B14": lambda imm: load(size, imm),
    }
    stores: dict[str, Callable[..., Meaning]] = {
        "imm": lambda rs, ra, imm: store(size, ra + imm, rs),
        "rb": lambda rs, ra, rb: store(size, at(ra, rb), rs),
        "B14": lambda rs, imm: store(size, imm, rs),
    }
    if data == "hi:lo":
        return lambda ra, imm: _halves(Term(Op.LOAD, (ra + imm,), size, width=8 * size))
    return (loads if data == "rd" else stores)[how]


def _halves(word: Term) -> Meaning:
    return {"lo": word.low(), "hi": (word >> word.width // 2).low()}


#: Places are in the data section at their addresses; what a program needs of the others is in its comments.
PRELUDE = """\
        .macro .order how
        .endm
        .macro .part name
        .endm
        .macro .place name, address, size, count
        .data
        .org \\address
        .set entry_bytes, \\size
        .text
        .endm
        .macro .values list:vararg
        .data
        .irp value, \\list
        .if entry_bytes == 1
        .byte \\value
        .elseif entry_bytes == 2
        .short \\value
        .else
        .int \\value
        .endif
        .endr
        .text
        .endm
"""
