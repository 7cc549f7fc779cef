"""RC2 (Rivest 1987; RFC 2268)."""

from finalist.ciphers.data import constants
from finalist.language import LITTLE, Array, Cipher, Facts, Table, join, rol, ror, rounds, u8, u16, words

PITABLE = Table(constants("rc2")["PITABLE"], name="PITABLE")
TURNS = (1, 2, 3, 5)
MASHED = (4, 10)  # the mixing rounds that a mashing round follows


def mix(R, K, j):
    for i in range(4):
        R[i] = rol(R[i] + K[j + i] + (R[i - 1] & R[i - 2]) + (~R[i - 1] & R[i - 3]), TURNS[i])


def unmix(R, K, j):
    for i in (3, 2, 1, 0):
        R[i] = ror(R[i], TURNS[i]) - K[j + i] - (R[i - 1] & R[i - 2]) - (~R[i - 1] & R[i - 3])


def mash(R, K):
    for i in range(4):
        R[i] = R[i] + K[R[i - 1][0:6]]


def unmash(R, K):
    for i in (3, 2, 1, 0):
        R[i] = R[i] - K[R[i - 1][0:6]]


class RC2(Cipher):
    """RC2 (Rivest 1987): sixteen mixing rounds, two mashing rounds that look keys up.

    Parameter: ``effective_bits``, T1 of the RFC, to which the key is reduced; 0 for the key's own length.
    """

    facts = Facts(
        title="RC2",
        year=1987,
        designers="Ron Rivest",
        structure="source-heavy unbalanced Feistel network",
        state="weak",
        analysis="related keys (Kelsey, Schneier, Wagner, ICICS 1997); a block of 64 bits",
    )
    aliases = ("rc-2",)
    parameters = {"effective_bits": range(1025)}
    effective_bits = 0
    block = words(4, u16, LITTLE)
    key_bits = range(8, 1025, 8)
    key_words = words(1, u8)

    def expand_key(self, key):
        T, T1 = len(key), self.effective_bits or self.key_size
        T8 = (T1 + 7) // 8
        TM = 255 >> 8 * T8 - T1
        L = list(key)
        for i in range(T, 128):
            L.append(PITABLE[L[i - 1] + L[i - T]])
        L[128 - T8] = PITABLE[L[128 - T8] & TM]
        for i in range(127 - T8, -1, -1):
            L[i] = PITABLE[L[i + 1] ^ L[i + T8]]
        return Array.holding([join(L[2 * i], L[2 * i + 1]) for i in range(64)])

    def encrypt(self, block, K):
        R = list(block)
        for r in rounds(16):
            mix(R, K, 4 * r)
            if r in MASHED:
                mash(R, K)
        return R

    def decrypt(self, block, K):
        R = list(block)
        for r in rounds(15, -1, -1):
            if r in MASHED:
                unmash(R, K)
            unmix(R, K, 4 * r)
        return R
