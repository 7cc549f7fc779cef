"""Words: unsigned integers of 1 to 64 bits, as values of the definition under trace."""

from __future__ import annotations

import operator
from typing import NoReturn, SupportsIndex

from finalist.ir.graph import Node, TableData
from finalist.ir.ops import Op
from finalist.ir.types import WordType
from finalist.language.trace import builder, fail

Operand = "Word | int"


class Word:
    """A word of the traced program. Arithmetic is modulo 2^width; all operators take equal widths.

    ``x[lo:hi]`` is the word of bits lo .. hi-1, ``x[i]`` bit i.
    """

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node

    @property
    def width(self) -> int:
        """Number of bits."""
        return self.node.width

    def __add__(self, other: Word | int) -> Word:
        return _binary(Op.ADD, self, other)

    def __sub__(self, other: Word | int) -> Word:
        return _binary(Op.SUB, self, other)

    def __mul__(self, other: Word | int) -> Word:
        return _binary(Op.MUL, self, other)

    def __mod__(self, other: Word | int) -> Word:
        """The remainder; a word modulo zero is the word itself."""
        return _binary(Op.REM, self, other)

    def __and__(self, other: Word | int) -> Word:
        return _binary(Op.AND, self, other)

    def __or__(self, other: Word | int) -> Word:
        return _binary(Op.OR, self, other)

    def __xor__(self, other: Word | int) -> Word:
        return _binary(Op.XOR, self, other)

    __radd__, __rmul__, __rand__, __ror__, __rxor__ = __add__, __mul__, __and__, __or__, __xor__

    def __rsub__(self, other: int) -> Word:
        return _binary(Op.SUB, as_word(other, self.width), self)

    def __neg__(self) -> Word:
        return 0 - self

    def __invert__(self) -> Word:
        return Word(builder().make(Op.NOT, (self.node,)))

    def __lshift__(self, amount: Word | int) -> Word:
        return _shift(Op.SHL, self, amount)

    def __rshift__(self, amount: Word | int) -> Word:
        return _shift(Op.SHR, self, amount)

    def __eq__(self, other: object) -> Word:  # type: ignore[override]
        return _binary(Op.EQ, self, _comparable(other))

    def __ne__(self, other: object) -> Word:  # type: ignore[override]
        return ~(self == other)

    def __lt__(self, other: Word | int) -> Word:
        return _binary(Op.LT, self, other)

    def __gt__(self, other: Word | int) -> Word:
        return _binary(Op.LT, as_word(other, self.width), self)

    def __le__(self, other: Word | int) -> Word:
        return ~(self > other)

    def __ge__(self, other: Word | int) -> Word:
        return ~(self < other)

    def __hash__(self) -> NoReturn:
        raise fail(f"a word is no key of a dict and no member of a set; accepted: a list, {_ARRAYS}")

    def __getitem__(self, bits: slice | int) -> Word:
        low, high = _range(bits, self.width)
        if not 0 <= low < high <= self.width:
            raise fail(f"bits {low}:{high} of a word of {self.width} bits; accepted: 0 <= lo < hi <= width")
        return Word(builder().slice(self.node, low, high - low))

    def bytes(self) -> tuple[Word, ...]:
        """The bytes, lowest first; the width must be a multiple of 8."""
        if self.width % 8:
            raise fail(f"a word of {self.width} bits has no whole number of bytes")
        return tuple(self[low : low + 8] for low in range(0, self.width, 8))

    def extend(self, width: int) -> Word:
        """The same number as a wider word."""
        if not self.width <= width <= 64:
            raise fail(f"extend to {width} bits; accepted: {self.width} to 64")
        return Word(builder().extend(self.node, width))

    # -- what Python has for numbers and lists, and words have not ----------------------------------

    def __bool__(self) -> NoReturn:
        raise fail("a word has no truth value while the definition is traced; use select() or when()")

    def __index__(self) -> NoReturn:
        raise fail(
            f"a word is no Python index; use {_ARRAYS} (it has no value while the definition is traced:"
            " `finalist trace` shows values)"
        )

    def __float__(self) -> NoReturn:
        raise fail("a word is no float; accepted: integer arithmetic modulo 2^n")

    def __iter__(self) -> NoReturn:
        raise fail("a word is no sequence; use .bytes() or x[lo:hi]")

    __reversed__ = __iter__

    def __len__(self) -> NoReturn:
        raise fail("a word has no len(); its bits are x.width, its bytes x.bytes()")

    def __contains__(self, other: object) -> NoReturn:
        raise fail("a word is no sequence to look into; use .bytes() or x[lo:hi]")

    def __setitem__(self, bits: object, value: object) -> NoReturn:
        raise fail("a word does not change; put a new one together with join(x[0:lo], new, x[hi:width])")

    def __floordiv__(self, other: object) -> NoReturn:
        raise fail(f"words have no division; accepted: {_QUOTIENTS}")

    __truediv__ = __rfloordiv__ = __rtruediv__ = __divmod__ = __rdivmod__ = __floordiv__

    def __pow__(self, other: object) -> NoReturn:
        raise fail("words have no power; accepted: x * x, gf_multiply for constants, a Table of the powers")

    __rpow__ = __pow__

    def __matmul__(self, other: object) -> NoReturn:
        raise fail("words have no matrix product; accepted: gf_matrix(rows, polynomial)(a, b, ...)")

    __rmatmul__ = __matmul__

    def __rmod__(self, other: int) -> Word:
        return _binary(Op.REM, as_word(other, self.width), self)

    def __rlshift__(self, other: int) -> Word:
        return _shift(Op.SHL, as_word(other, self.width), self)

    def __rrshift__(self, other: int) -> Word:
        return _shift(Op.SHR, as_word(other, self.width), self)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):  # what Python itself asks for
            raise AttributeError(name)
        raise fail(f"a word has no {name}; accepted: width, bytes(), extend(width), operators, {_FUNCTIONS}")

    #: NumPy's numbers leave operators with a word to the word.
    __array_ufunc__ = None

    # -- for people ---------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<word of {self.width} bits>"

    def __str__(self) -> str:
        """What it is made of, for who prints it; its value is not known while the definition is traced."""
        return f"{expression(self.node)} (a word of {self.width} bits; `finalist trace` shows values)"

    def __format__(self, how: str) -> str:
        return str(self)


#: Levels of operations that a printed word shows.
_SHOWN = 3
_SYMBOLS = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.REM: "%", Op.AND: "&", Op.OR: "|", Op.XOR: "^"}
_SYMBOLS |= {Op.SHL: "<<", Op.SHR: ">>", Op.EQ: "==", Op.LT: "<"}


def expression(node: Node, levels: int = _SHOWN) -> str:
    """A node as a definition would write it, with what it takes down to so many levels, then ``...``."""
    if node.op is Op.CONST:
        return f"{node.attr:#x}" if node.attr > 9 else str(node.attr)
    if node.name:
        return node.name
    if not levels:
        return "..."
    parts = [expression(child, levels - 1) for child in node.inputs]
    if node.op in _SYMBOLS:
        return f"({parts[0]} {_SYMBOLS[node.op]} {parts[1]})"
    if node.op is Op.SLICE:
        return f"{parts[0]}[{node.attr}:{node.attr + node.width}]"
    if node.op is Op.LOAD:
        return f"{parts[0]}[{parts[1]}]"
    name = node.attr.name if isinstance(node.attr, TableData) else node.op.label
    return f"{name}({', '.join(parts)})"


_ARRAYS = "a Table or an Array"
_QUOTIENTS = "x >> n for powers of two, x % y for the remainder, a Table of quotients"
_FUNCTIONS = "rol, ror, mulhi, select, join"


def as_word(value: Word | SupportsIndex, width: int) -> Word:
    """The value as a word; an integer becomes a constant that must fit."""
    if isinstance(value, Word):
        return value
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise fail(f"{value!r} is no word; accepted: a word of {width} bits or an integer")
    value = operator.index(value)
    if not -(1 << (width - 1)) <= value < 1 << width:
        raise fail(f"the constant {value:#x} does not fit a word of {width} bits")
    return Word(builder().const(value, width))


def _comparable(value: object) -> Word | SupportsIndex:
    if not isinstance(value, Word | SupportsIndex):
        raise fail(f"{value!r} can't be compared with a word")
    return value


def _binary(op: Op, a: Word, b: Word | SupportsIndex) -> Word:
    if not isinstance(a, Word):
        raise fail(f"{op.label} of {a!r}; accepted: a word")
    b = as_word(b, a.width)
    if a.width != b.width:
        raise fail(f"{op.label} of words of {a.width} and {b.width} bits; accepted: equal widths")
    return Word(builder().make(op, (a.node, b.node)))


def _shift(op: Op, word: Word, amount: Word | int) -> Word:
    if not isinstance(word, Word):
        raise fail(f"{op.label} of {word!r}; accepted: a word")
    if isinstance(amount, int):
        limit = word.width
        if not 0 <= amount < limit:
            raise fail(f"{op.label} of {limit} bits by {amount}; accepted: 0 to {limit - 1}")
        amount = Word(builder().const(amount, 8))
    elif not isinstance(amount, Word):
        raise fail(f"{op.label} by {amount!r}; accepted: an integer or a word")
    return Word(builder().make(op, (word.node, amount.node)))


def _range(bits: slice | int, width: int) -> tuple[int, int]:
    if isinstance(bits, int):
        return bits, bits + 1
    if not isinstance(bits, slice):
        raise fail("bits are taken as x[lo:hi] with integers")
    low = 0 if bits.start is None else bits.start
    high = width if bits.stop is None else bits.stop
    if bits.step is not None or not isinstance(low, int) or not isinstance(high, int):
        raise fail("bits are taken as x[lo:hi] with integers")
    return low, high


def rol(word: Word, amount: Word | int) -> Word:
    """Rotate left; a word amount is taken modulo the width."""
    return _shift(Op.ROL, word, amount)


def ror(word: Word, amount: Word | int) -> Word:
    """Rotate right; a word amount is taken modulo the width."""
    return _shift(Op.ROR, word, amount)


def mulhi(a: Word, b: Word | int) -> Word:
    """The high half of the double-width product."""
    return _binary(Op.MULHI, a, b)


def select(condition: Word, yes: Word, no: Word | int) -> Word:
    """``yes`` where the one-bit condition is 1, else ``no``."""
    words = isinstance(condition, Word) and isinstance(yes, Word)
    no = as_word(no, yes.width) if words else no
    if not words or not isinstance(no, Word) or condition.width != 1 or yes.width != no.width:
        raise fail("select takes a one-bit condition and two words of one width")
    return Word(builder().make(Op.SELECT, (condition.node, yes.node, no.node)))


def join(*parts: Word) -> Word:
    """The parts side by side as one word, the first lowest."""
    if not all(isinstance(part, Word) for part in parts) or not 1 <= sum(p.width for p in parts) <= 64:
        raise fail("join takes words of 64 bits together")
    return parts[0] if len(parts) == 1 else Word(builder().make(Op.JOIN, [p.node for p in parts]))


def constant(value: int, width: int) -> Word:
    """A constant word."""
    word = as_word(value, word_type(width).width)
    if word.width != width:
        raise fail(f"a word of {word.width} bits, where a constant of {width} bits is wanted")
    return word


def word_type(width: int) -> WordType:
    """The type of words of this width."""
    if not isinstance(width, int) or not 1 <= width <= 64:
        raise fail(f"a word has 1 to 64 bits, not {width!r}")
    return WordType(width)


def multiply_add(a: Word, x: Word, b: Word, modulus: int) -> Word:
    """((a x + b) mod ``modulus``) mod 2^n of words of n bits; ``modulus``: 2^n + c, c of less than n/2 bits.

    Reduction modulo a pseudo-Mersenne number without a division (Crandall 1992). With a x + b = Q 2^n + R,
    t = c (2^n - 1 - Q) + c (c + 1) + R is congruent to it; with t = Q' 2^n + R' so is R' - c Q', to which
    one modulus more is added if it is negative.
    """
    width = a.width
    c = modulus - (1 << width)
    if not 0 < c < 1 << width // 2 - 1:
        accepted = f"2^{width} + c with 0 < c < 2^{width // 2 - 1}, for words of {width} bits"
        raise fail(f"modulus {modulus}; accepted: {accepted}")
    low = a * x + b
    high = mulhi(a, x) + (low < b).extend(width)
    product = ~high * c
    t = product + c * (c + 1)
    t_low = t + low
    q = mulhi(~high, c) + (t < product).extend(width) + (t_low < low).extend(width)
    rest = t_low - c * q
    return select(t_low < c * q, rest + c, rest)


def inverse(b: Word) -> Word:
    """1 / b modulo 2^n, of an odd word of n bits; of an even one, which has none, meaningless.

    Newton's iteration (Dussé, Kaliski 1990): three bits of b b = 1 are right, twice as many after a step.
    """
    y, right = b, 3
    while right < b.width:
        y, right = y * (2 - b * y), 2 * right
    return y
