"""Which modes of operation a program has functions for; their names, and what callers have to know."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from finalist.errors import ScheduleError, UnknownNameError, unknown
from finalist.ir.program import Counter, Program
from finalist.ir.types import storage_bits
from finalist.machines.base import MODES
from finalist.machines.native.shape import Shape

_FEEDBACK = "cfb"


def modes_of(program: Program, shape: Shape) -> tuple[str, ...]:
    """The modes that a program has."""
    return tuple(mode for mode in MODES if not _obstacle(mode, program, shape))


def check_modes(modes: Iterable[str], program: Program, shape: Shape) -> None:
    """Raises UnknownNameError or ScheduleError for a mode that there is not, or not for this program."""
    for mode in modes:
        if mode not in MODES and not segment_bytes(mode, program.block.bytes // shape.planes):
            raise UnknownNameError(unknown("mode", mode, MODES))
        obstacle = _obstacle(mode, program, shape)
        if obstacle:
            what = f"{program.cipher} {program.operation}"
            raise ScheduleError(f"mode={mode} is not legal for {what}: {obstacle}")


def segment_bytes(mode: str, block_bytes: int) -> int:
    """Bytes of a segment of a mode of cipher feedback: ``cfb``, a block; ``cfbN``, N bits; 0 for others."""
    name, bits = mode[: len(_FEEDBACK)], mode[len(_FEEDBACK) :]
    if name != _FEEDBACK or not bits:
        return block_bytes if name == _FEEDBACK else 0
    count, rest = divmod(int(bits), 8) if bits.isdecimal() else (0, 0)
    return count if not rest and count < block_bytes and bits == str(8 * count) else 0


def _obstacle(mode: str, program: Program, shape: Shape) -> str:
    """Why there is no such mode of this program; empty if there is."""
    if mode == "ecb":
        return ""
    if program.stateful:
        return "a stream cipher has no modes"
    if mode != "cbc" and program.operation != "encrypt":
        return "it decrypts by encryption; accepted: encrypt"
    if shape.blocks > 1 and (mode == "ofb" or (mode == "cbc" and program.operation == "encrypt")):
        return "it encrypts block after block; accepted: blocks=1"
    return ""


def functions_of(mode: str, operation: str, blocks: int) -> tuple[str, ...]:
    """The functions of a mode, by their names without the cipher's.

    Cipher feedback encrypts block after block, so that only kernels of one block have both directions.
    """
    if mode in ("ctr", "ofb"):
        return (mode,)
    if mode.startswith(_FEEDBACK):
        return (*((f"{mode}_encrypt",) if blocks == 1 else ()), f"{mode}_decrypt")
    return (f"cbc_{operation}" if mode == "cbc" else operation,)


def contract(cipher: str, mode: str, functions: tuple[str, ...], block_bytes: int) -> str:
    """What a caller of a mode's functions has to know, as lines of a comment."""
    named = ", ".join(f"{cipher}_{function}" for function in functions)
    if mode == "ecb":
        return f" * {named}: any number of blocks, 0 included, each by itself.\n"
    if mode == "cbc":
        return (
            f" * {named}: cipher block chaining, any number of blocks, 0 included; `iv` is"
            f" {block_bytes} bytes\n * and becomes the last ciphertext block.\n"
        )
    if mode == "ctr":
        return (
            f" * {named}: counter mode, any number of bytes, 0 included; `counter` is"
            f" {block_bytes} bytes, a big-endian\n"
            " * number: the first block's, and after the call that of the first block that was not begun.\n"
        )
    kind = "output feedback, both ways"
    segment = segment_bytes(mode, block_bytes)
    if segment:
        kind = f"cipher feedback, segments of {segment} byte{'s' if segment > 1 else ''}"
    rest = "" if segment == 1 else ", or ends in what is left of the last block's key stream"
    return (
        f" * {named}: {kind}, any number of bytes,\n"
        f" * 0 included; `iv` is {block_bytes} bytes and becomes what the next call begins with{rest}.\n"
    )


#: What an array of the kernel is called in the text.
Named = Callable[[str], str]


def counting_name(name: str) -> str:
    """What it is called, after the cipher's name in the text."""
    return f"{name}_count"


def counting(name: str, program: Program, named: Named) -> str:
    """The C function; its arguments are the expanded key and a number of blocks."""
    types = {p.name: p.width for p in program.key_params}
    lines = [line for counter in program.counters for line in _moved_on(counter, named, types)]
    head = f"static inline void {counting_name(name)}({name}_key *k, uint64_t blocks)\n{{\n"
    return head + "".join(f"    {line}\n" for line in lines) + "}\n"


def _moved_on(counter: Counter, named: Named, types: dict[str, int]) -> list[str]:
    """Statements that count one on, in as many words as it has; none is wider than 64 bits."""
    places = [f"k->{named(array)}[{counter.entry}]" for array in counter.arrays]
    added = "blocks" if counter.step == 1 else f"{counter.step}u * blocks"
    widths = [types[array] for array in counter.arrays]
    lows = [sum(widths[:n]) for n in range(len(widths))]
    limbs = (f"(uint64_t){place} << {low}" if low else place for place, low in zip(places, lows, strict=True))
    total = f"const uint64_t n = ({' | '.join(limbs)}) + {added};" if len(places) > 1 else ""
    if not total:
        return [f"{places[0]} = {_cut(f'{places[0]} + {added}', widths[0])};"]
    stores = [
        f"{place} = {_cut(f'n >> {low}' if low else 'n', width)};"
        for place, low, width in zip(places, lows, widths, strict=True)
    ]
    return ["{", f"    {total}", *(f"    {line}" for line in stores), "}"]


def _cut(value: str, width: int) -> str:
    """The lowest bits of an expression, in the type of an entry."""
    bits = storage_bits(width)
    if width != bits:
        value = f"({value}) & 0x{(1 << width) - 1:x}u"
    return value if bits == 64 else f"(uint{bits}_t)({value})"
