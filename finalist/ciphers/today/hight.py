"""HIGHT (Hong and others 2006; ISO/IEC 18033-3)."""

from finalist.language import Cipher, Facts, rol, rounds, u8, words


def deltas():
    """Seven bits of a shift register by x^7 + x^3 + 1, from 5a on, one step a subkey."""
    state = 0x5A
    for _ in range(128):
        yield state
        state = state >> 1 | ((state ^ state >> 3) & 1) << 6


DELTA = list(deltas())


def F0(x):
    return rol(x, 1) ^ rol(x, 2) ^ rol(x, 7)


def F1(x):
    return rol(x, 3) ^ rol(x, 4) ^ rol(x, 6)


class HIGHT(Cipher):
    """HIGHT (Hong and others 2006): eight bytes, of which every other one is changed in each round."""

    facts = Facts(
        title="HIGHT",
        year=2006,
        designers="Deukjo Hong and others (KISA, ETRI, Korea University)",
        structure="generalised Feistel network of additions, rotations and XOR",
        state="weak",
        analysis="all rounds with related keys (Koo, Hong, Kwon, ICISC 2010); a block of 64 bits",
    )
    block = words(8, u8)
    key_bits = (128,)

    def expand_key(self, MK):
        WK = MK[12:] + MK[:4]
        SK = []
        for i in range(8):
            SK += [MK[(j - i) % 8] + DELTA[16 * i + j] for j in range(8)]
            SK += [MK[(j - i) % 8 + 8] + DELTA[16 * i + j + 8] for j in range(8)]
        return WK, SK

    def encrypt(self, P, keys):
        WK, SK = keys
        X = [P[0] + WK[0], P[1], P[2] ^ WK[1], P[3], P[4] + WK[2], P[5], P[6] ^ WK[3], P[7]]
        for i in rounds(32):
            k = SK[4 * i : 4 * i + 4]
            X = [
                X[7] ^ F0(X[6]) + k[3],
                X[0],
                X[1] + (F1(X[0]) ^ k[0]),
                X[2],
                X[3] ^ F0(X[2]) + k[1],
                X[4],
                X[5] + (F1(X[4]) ^ k[2]),
                X[6],
            ]
        X = X[1:] + X[:1]
        return [X[0] + WK[4], X[1], X[2] ^ WK[5], X[3], X[4] + WK[6], X[5], X[6] ^ WK[7], X[7]]

    def decrypt(self, C, keys):
        WK, SK = keys
        X = [C[0] - WK[4], C[1], C[2] ^ WK[5], C[3], C[4] - WK[6], C[5], C[6] ^ WK[7], C[7]]
        X = X[7:] + X[:7]
        for i in rounds(31, -1, -1):
            k = SK[4 * i : 4 * i + 4]
            X = [
                X[1],
                X[2] - (F1(X[1]) ^ k[0]),
                X[3],
                X[4] ^ F0(X[3]) + k[1],
                X[5],
                X[6] - (F1(X[5]) ^ k[2]),
                X[7],
                X[0] ^ F0(X[7]) + k[3],
            ]
        return [X[0] - WK[0], X[1], X[2] ^ WK[1], X[3], X[4] - WK[2], X[5], X[6] ^ WK[3], X[7]]
