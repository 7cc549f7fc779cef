"""SAFER+: its tables, biases and linear layer; subkeys and rounds of the Bluetooth standard's sample data."""

from __future__ import annotations

from finalist.ciphers.safer_plus import (
    EXP,
    LOG,
    SaferPlus,
    bias,
    inverse_linear_layer,
    inverse_substitute,
    linear_layer,
    substitute,
)
from tests.ciphers.values import digest, keys_of, of_bytes, same, shown, tracing

ZERO = "00" * 16
SUBKEYS = {
    1: ZERO,
    2: "4697b1baa3b7100ac537b3c95a28ac64",
    3: "ecabaac66795580df89af66e66dc053d",
    16: "b60316733b1e8e70bd861b477e2456f1",
    17: "884697b1baa3b7100ac537b3c95a28ac",
}
#: What goes into each round for a zero key and a zero block.
ROUNDS = [
    ZERO,
    "78d19f9307d2476a523ec7a8a026042a",
    "600265247668dda0e81c07bbb30ed503",
    "d7552ef7cc9dbde568d80c2215bc4277",
    "fb06bef32b52ab8f2a4f2b6ef7f6d0cd",
    "b46b711ebb3cf69e847a75f0ab884bdd",
    "c585f308ff19404294f06b292e978994",
    "2665fadb13acf952bf74b4ab12264b9f",
]


def test_tables() -> None:
    assert EXP.data.values[:6] == (1, 45, 226, 147, 190, 69)
    assert (EXP.data.values[128], LOG.data.values[0], LOG.data.values[1]) == (0, 128, 0)
    assert (digest(EXP), digest(LOG)) == ("50acc714c6e9280b", "0c1194a013d92821")


def test_biases() -> None:
    assert digest([bias(p, j) for p in range(2, 34) for j in range(16)]) == "35aee567001224d0"


def test_linear_layer_is_the_matrix() -> None:
    """The rows of M and of its inverse, from the layers on unit vectors."""
    units = [[int(i == row) for i in range(16)] for row in range(16)]
    assert [byte % 256 for byte in linear_layer(units[0])] == [
        2,
        2,
        1,
        1,
        16,
        8,
        2,
        1,
        4,
        2,
        4,
        2,
        1,
        1,
        4,
        4,
    ]
    M = [byte % 256 for unit in units for byte in linear_layer(unit)]
    M_inverse = [byte % 256 for unit in units for byte in inverse_linear_layer(unit)]
    assert (digest(M), digest(M_inverse)) == ("29007eb52452273f", "3908807759b81278")


def test_subkeys() -> None:
    with tracing():
        K = keys_of(SaferPlus, ZERO)
        assert {p: shown(K[p - 1]) for p in SUBKEYS} == SUBKEYS


def test_rounds() -> None:
    with tracing():
        K = keys_of(SaferPlus, ZERO)
        b = [of_bytes(ZERO)]
        for r in range(7):
            b.append(linear_layer(substitute(b[-1], K[2 * r], K[2 * r + 1])))
        assert [shown(state) for state in b] == ROUNDS


def test_the_layers_are_undone() -> None:
    with tracing():
        b, P, Q = (of_bytes(text) for text in (ROUNDS[1], SUBKEYS[2], SUBKEYS[3]))
        assert same(inverse_linear_layer(linear_layer(b)), b)
        assert same(inverse_substitute(substitute(b, P, Q), P, Q), b)
