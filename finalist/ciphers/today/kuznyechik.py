"""Kuznyechik (Shishkin and others 2014; GOST R 34.12-2015, RFC 7801)."""

from finalist.ciphers.data import constants
from finalist.language import Cipher, Facts, Table, gf_matrix, gf_multiply, rounds, u8, words

PI = Table(constants("kuznyechik")["PI"], name="PI")
PI_INV = PI.inverse()
FIELD = 0x1C3  # x^8 + x^7 + x^6 + x + 1
#: Section 4.2: what a15, the first byte, to a0 are multiplied by in l.
COEFFICIENTS = (148, 32, 133, 16, 194, 192, 1, 251, 1, 192, 194, 16, 133, 32, 148, 1)


def sum_of(a):
    """The function l."""
    total = 0
    for coefficient, byte in zip(COEFFICIENTS, a, strict=True):
        total ^= gf_multiply(coefficient, byte, FIELD)
    return total


def R(a):
    """One step of the shift register: l(a) comes in at the left."""
    return [sum_of(a), *a[:15]]


def R_inverse(a):
    return [*a[1:], sum_of([*a[1:], a[0]])]


def sixteen(step):
    """Sixteen steps as the matrix that they are, in two halves of eight rows."""
    columns = []
    for place in range(16):
        state = [int(n == place) for n in range(16)]
        for _ in range(16):
            state = step(state)
        columns.append(state)
    rows = list(zip(*columns, strict=True))
    return gf_matrix(rows[:8], FIELD), gf_matrix(rows[8:], FIELD)


L_HALVES, L_INV_HALVES = sixteen(R), sixteen(R_inverse)


def L(a, halves=L_HALVES):
    return [*halves[0](*a), *halves[1](*a)]


def S(a, box=PI):
    return [box[byte] for byte in a]


def X(k, a):
    return [x ^ y for x, y in zip(a, k, strict=True)]


def constant_of(i):
    """C_i = L(Vec_128(i))."""
    state = [0] * 15 + [i]
    for _ in range(16):
        state = R(state)
    return state


class Kuznyechik(Cipher):
    """Kuznyechik (Shishkin and others 2014): a substitution-permutation network on 16 bytes."""

    facts = Facts(
        title="Kuznyechik",
        year=2014,
        designers="Vasily Shishkin and others (FSB, InfoTeCS)",
        structure="substitution-permutation network",
        state="standard",
        analysis="GOST R 34.12-2015; 5 of 10 rounds (AlTawy, Youssef, IEICE 2015); an undeclared structure in"
        " the S-box (Perrin, ToSC 2019)",
    )
    aliases = ("grasshopper",)
    block = words(16, u8)
    key_bits = (256,)

    def expand_key(self, key):
        a1, a0 = key[:16], key[16:]
        keys = [a1, a0]
        for i in range(1, 33):
            a1, a0 = X(L(S(X(constant_of(i), a1))), a0), a1
            if i % 8 == 0:
                keys += [a1, a0]
        return keys

    def encrypt(self, block, keys):
        a = block
        for r in rounds(9):
            a = L(S(X(keys[r], a)))
        return X(keys[9], a)

    def decrypt(self, block, keys):
        a = X(keys[9], block)
        for r in rounds(8, -1, -1):
            a = X(keys[r], S(L(a, L_INV_HALVES), PI_INV))
        return a
