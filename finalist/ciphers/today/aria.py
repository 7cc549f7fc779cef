"""ARIA (Kwon and others 2003; RFC 5794)."""

from finalist.ciphers.data import constants
from finalist.language import Cipher, Facts, Table, constant, join, rounds, u8, words

BOXES = constants("aria")
S1, S2 = Table(BOXES["S1"], name="S1"), Table(BOXES["S2"], name="S2")
S3, S4 = S1.inverse("S3"), S2.inverse("S4")
#: Section 2.4.3: the bytes of x that each byte of A(x) is the sum of.
SOURCES = (
    "3 4 6 8 9 13 14",
    "2 5 7 8 9 12 15",
    "1 4 6 10 11 12 15",
    "0 5 7 10 11 13 14",
    "0 2 5 8 11 14 15",
    "1 3 4 9 10 14 15",
    "0 2 7 9 10 12 13",
    "1 3 6 8 11 12 13",
    "0 1 4 7 10 13 15",
    "0 1 5 6 11 12 14",
    "2 3 5 6 8 13 15",
    "2 3 4 7 9 12 14",
    "1 2 6 7 9 11 12",
    "0 3 6 7 8 10 13",
    "0 3 4 5 9 11 14",
    "1 2 4 5 8 10 15",
)
CONSTANTS = [
    bytes.fromhex(text)
    for text in (
        "517cc1b727220a94fe13abe8fa9a6ee0",
        "6db14acc9e21c820ff28b1d5ef5de2b0",
        "db92371d2126e9700324977504e8c90e",
    )
]


def xor(x, y):
    return [a ^ b for a, b in zip(x, y, strict=True)]


def SL(x, boxes):
    return [boxes[n % 4][byte] for n, byte in enumerate(x)]


def SL1(x):
    return SL(x, (S1, S2, S3, S4))


def SL2(x):
    return SL(x, (S3, S4, S1, S2))


def A(x):
    y = []
    for sources in SOURCES:
        first, *others = (x[int(n)] for n in sources.split())
        for other in others:
            first = first ^ other
        y.append(first)
    return y


def FO(d, rk):
    return A(SL1(xor(d, rk)))


def FE(d, rk):
    return A(SL2(xor(d, rk)))


def halves(x):
    """Sixteen bytes as two words of 64 bits."""
    return [join(*x[7::-1]), join(*x[:7:-1])]


def rotate(x, by):
    """Such a pair, rotated left by so many bits, which are no multiple of 64."""
    left, right = x if by < 64 else x[::-1]
    by %= 64
    return [left << by | right >> 64 - by, right << by | left >> 64 - by]


def in_bytes(x):
    return [byte for half in x for byte in reversed(half.bytes())]


class ARIA(Cipher):
    """ARIA (Kwon and others 2003): an S-box layer and a linear map that is its own inverse."""

    facts = Facts(
        title="ARIA",
        year=2003,
        designers="Daesung Kwon and others (NSRI)",
        structure="substitution-permutation network",
        state="unbroken",
        analysis="8 of 16 rounds (Akshima, Chang, Ghosh, Goel, Sanadhya, INDOCRYPT 2015)",
    )
    block = words(16, u8)
    key_bits = (128, 192, 256)

    @property
    def last(self):
        """The number of rounds."""
        return self.key_size // 32 + 8

    def expand_key(self, key):
        KL, KR = key[:16], [*key[16:], *[constant(0, 8)] * (32 - len(key))]
        first = (self.key_size - 128) // 64
        CK = [CONSTANTS[(first + n) % 3] for n in range(3)]
        W = [KL]
        W.append(xor(FO(W[0], CK[0]), KR))
        W.append(xor(FE(W[1], CK[1]), W[0]))
        W.append(xor(FO(W[2], CK[2]), W[1]))
        left = [128 - 19] * 4 + [128 - 31] * 4 + [61] * 4 + [31] * 4 + [19]
        W = [halves(w) for w in W]
        return [in_bytes(xor(W[n % 4], rotate(W[(n + 1) % 4], left[n]))) for n in range(self.last + 1)]

    def expand_decryption_key(self, ek):
        return [ek[-1], *map(A, ek[-2:0:-1]), ek[0]]

    def encrypt(self, block, ek):
        state = block
        for r in rounds(self.last - 1):
            state = FE(state, ek[r]) if r % 2 else FO(state, ek[r])
        return xor(SL2(xor(state, ek[-2])), ek[-1])

    def decrypt(self, block, ek):
        return self.encrypt(block, ek)
