"""What LLVM has functions for in place of instructions, on words that may not be known."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from finalist.ir.ops import Op
from finalist.prove.bits import Word, bits_of, known
from finalist.prove.objects import Objects
from finalist.prove.words import NotCoveredError, Words

#: What says something to the optimiser alone.
_SILENT = re.compile(r"llvm\.(lifetime|dbg|assume|experimental\.noalias)\b")
_NAME = re.compile(r"llvm\.(\w+)\b")


def of_memory(memory: Objects, name: str, values: Sequence[Word | list[Word]]) -> bool:
    """Whether it is a function of LLVM's that copies or sets memory, or says something only; it is done then.

    Raises NotCoveredError where a place or a number of bytes is not known.
    """
    if _SILENT.match(name):
        return True
    found = re.match(r"(?:llvm\.)?(memcpy|memmove|memset)\b", name)
    if not found:
        return False
    to, given, count = (known(one) for one in values[:3] if not isinstance(one, list))
    if not (isinstance(to, int) and isinstance(count, int)):
        raise NotCoveredError(f"{found[1]} to a place, or of a size, that is not known")
    if found[1] == "memset":
        memory.fill(to, [known(bits_of(given, 8))] * count)
        return True
    if not isinstance(given, int):
        raise NotCoveredError(f"{found[1]} from a place that is not known")
    if count:
        memory.at(count, given)
    memory.fill(to, [memory.byte(given + k) for k in range(count)])
    return True


def word(words: Words, name: str, values: list[Word], width: int) -> Word:
    """What a function of LLVM's makes of words, ``width``: bits of its result. Raises NotCoveredError."""
    found = _NAME.match(name)
    function = _FUNCTIONS.get(found[1]) if found else None
    if function is None:
        raise NotCoveredError(f"no meaning of {name}")
    return known(function(words, values, width))


def _funnel(op: Op) -> Callable[[Words, list[Word], int], Word]:
    """``fshl``, ``fshr``: the upper or lower word of two that are shifted together; a rotation of one."""

    def shifted(words: Words, values: list[Word], width: int) -> Word:
        high, low, amount = values
        if bits_of(high, width) == bits_of(low, width):
            return words.apply(op, [high, amount], width)
        amount = known(amount)
        if not isinstance(amount, int):
            raise NotCoveredError("two words shifted together by an amount that is not known")
        both = bits_of(low, width) + bits_of(high, width)
        start = amount % width if op is Op.ROR else (width - amount % width)
        return known(both[start : start + width])

    return shifted


def _bswap(words: Words, values: list[Word], width: int) -> Word:
    bits = bits_of(values[0], width)
    return tuple(bit for low in range(width - 8, -1, -8) for bit in bits[low : low + 8])


def _least(greatest: bool) -> Callable[[Words, list[Word], int], Word]:
    def chosen(words: Words, values: list[Word], width: int) -> Word:
        less = bits_of(words.apply(Op.LT, values, width), 1)[0]
        return words.select(less ^ greatest, values[0], values[1], width)

    return chosen


_FUNCTIONS: dict[str, Callable[[Words, list[Word], int], Word]] = {
    "fshl": _funnel(Op.ROL),
    "fshr": _funnel(Op.ROR),
    "bswap": _bswap,
    "bitreverse": lambda _, values, width: bits_of(values[0], width)[::-1],
    "umin": _least(False),
    "umax": _least(True),
}
