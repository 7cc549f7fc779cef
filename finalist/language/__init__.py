"""What a cipher definition is written in. A definition is traced, never executed any other way."""

from finalist.language.cipher import (
    BIG,
    LITTLE,
    Cipher,
    Facts,
    Intermediate,
    StreamCipher,
    u8,
    u16,
    u32,
    u64,
    words,
)
from finalist.language.control import Array, loop, rounds, when
from finalist.language.modular import inverse, multiply_add
from finalist.language.tables import (
    LinearMap,
    Table,
    bit_permutation,
    gf_matrix,
    gf_multiply,
    tabulate,
)
from finalist.language.word import Word, constant, join, mulhi, rol, ror, select

__all__ = [
    "BIG",
    "LITTLE",
    "Array",
    "Cipher",
    "Facts",
    "Intermediate",
    "LinearMap",
    "StreamCipher",
    "Table",
    "Word",
    "bit_permutation",
    "constant",
    "gf_matrix",
    "gf_multiply",
    "inverse",
    "join",
    "loop",
    "mulhi",
    "multiply_add",
    "rol",
    "ror",
    "rounds",
    "select",
    "tabulate",
    "u8",
    "u16",
    "u32",
    "u64",
    "when",
    "words",
]
