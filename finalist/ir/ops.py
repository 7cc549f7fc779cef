"""The closed list of operations: each with its operands and its meaning in one line.

Words are unsigned, 1 to 64 bits; ``n`` is the width of the result. Nothing is undefined: shifts past
the width give zero, rotations are taken modulo the width, array indices modulo the length.
The interpreter (`finalist.ir.interpreter`) executes exactly these meanings.
"""

from __future__ import annotations

import enum


class Op(enum.Enum):
    """One operation of the graph; ``signature`` and ``meaning`` document it."""

    # values
    CONST = ("const", "[value]", "the constant `value`")
    PARAM = ("param", "[kind]", "an input of the graph, a loop index, or a value carried into a region")
    # bitwise
    AND = ("and", "a b", "a & b")
    OR = ("or", "a b", "a | b")
    XOR = ("xor", "a b", "a ^ b")
    NOT = ("not", "a", "~a")
    BOOL = ("bool", "x0 .. xk [truth]", "bit j = bit (x0[j] + 2*x1[j] + ...) of the truth table")
    # arithmetic modulo 2^n
    ADD = ("add", "a b", "a + b mod 2^n")
    SUB = ("sub", "a b", "a - b mod 2^n")
    MUL = ("mul", "a b", "a * b mod 2^n")
    MULHI = ("mulhi", "a b", "floor(a * b / 2^n)")
    REM = ("rem", "a b", "a mod b; a if b = 0")
    # shifts and rotations; the amount is a word of any width
    SHL = ("shl", "a amount", "a * 2^amount mod 2^n; 0 if amount >= n")
    SHR = ("shr", "a amount", "floor(a / 2^amount); 0 if amount >= n")
    ROL = ("rol", "a amount", "a rotated left by amount mod n")
    ROR = ("ror", "a amount", "a rotated right by amount mod n")
    # decisions
    EQ = ("eq", "a b", "1 if a = b, else 0 (one bit)")
    LT = ("lt", "a b", "1 if a < b, unsigned, else 0 (one bit)")
    SELECT = ("select", "c a b", "a if the bit c is 1, else b")
    # widths
    SLICE = ("slice", "a [lo]", "bits lo .. lo+n-1 of a")
    JOIN = ("join", "a0 a1 ..", "the parts side by side, a0 lowest")
    EXTEND = ("extend", "a", "a with zero bits above")
    # functions on small domains
    LOOKUP = ("lookup", "x [table]", "table[x]; the table has 2^(width of x) entries")
    LINEAR = ("linear", "x0 x1 .. [matrices]", "XOR over i of M_i * x_i over GF(2); columns as words")
    APPLY = ("apply", "x c0 c1 .. [region]", "the region's result on x and the captured key words")
    # arrays; each version of an array is overwritten at most once
    ARRAY = ("array", "[values]", "a fresh array with these entries")
    LOAD = ("load", "array i", "array[i mod length]")
    STORE = ("store", "array i x", "the array with entry i mod length replaced by x")
    WINDOW = ("window", "array i [n]", "of an array of the key n entries from i on, places mod length")
    # structured control flow
    LOOP = ("loop", "start stop v0 ..", "v.. = region(i, v..) for i = start .. stop-1, in order")
    WHEN = ("when", "c v0 ..", "region(v..) if the bit c is 1, else v..")
    RESULT = ("result", "node [k]", "the k-th value of a tuple, of what an instruction, loop or when gives")
    # registers wider than a word
    TUPLE = ("tuple", "a0 a1 ..", "the words together, as one value")
    INSTRUCTION = (
        "instruction",
        "t0 t1 .. [instruction]",
        "its meaning's results on the words of the tuples",
    )

    def __init__(self, label: str, signature: str, meaning: str) -> None:
        self.label = label
        self.signature = signature
        self.meaning = meaning
        operands = signature.partition("[")[0].split()
        #: Number of operands; None for any number.
        self.arity = None if ".." in operands else len(operands)

    def __repr__(self) -> str:
        return f"Op.{self.name}"

    #: Members are single objects; Enum's own hash, of the name, costs passes a tenth of their time.
    __hash__ = object.__hash__


BITWISE = frozenset({Op.AND, Op.OR, Op.XOR, Op.NOT, Op.BOOL})
COMMUTATIVE = frozenset({Op.AND, Op.OR, Op.XOR, Op.ADD, Op.MUL, Op.MULHI, Op.EQ})
SAME_WIDTH = frozenset({Op.AND, Op.OR, Op.XOR, Op.ADD, Op.SUB, Op.MUL, Op.MULHI, Op.REM})
SHIFTS = frozenset({Op.SHL, Op.SHR, Op.ROL, Op.ROR})
COMPARISONS = frozenset({Op.EQ, Op.LT})
CONTROL = frozenset({Op.LOOP, Op.WHEN})
#: Operations that take an array and leave it as it is.
READING = frozenset({Op.LOAD, Op.WINDOW})
#: Operations whose every occurrence is a value of its own, even with equal operands.
UNIQUE = frozenset({Op.PARAM, Op.ARRAY, Op.STORE, Op.LOOP, Op.WHEN})
