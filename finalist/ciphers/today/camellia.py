"""Camellia (Aoki and others 2000; RFC 3713)."""

from finalist.ciphers.data import constants
from finalist.language import BIG, Cipher, Facts, Table, constant, gf_matrix, join, rol, rounds, u64, words

BOX = constants("camellia")["SBOX1"]


def rotated(x, by):
    """A byte rotated left."""
    return (x << by | x >> 8 - by) & 0xFF


S1 = Table(BOX, name="S1")
S2 = Table([rotated(y, 1) for y in BOX], name="S2")
S3 = Table([rotated(y, 7) for y in BOX], name="S3")
S4 = Table([BOX[rotated(x, 1)] for x in range(256)], name="S4")
#: Section 2.4.1: y1 to y8 as sums of t1 to t8.
ROWS = ("10110111", "11011011", "11101101", "01111110", "11000111", "01101011", "00111101", "10011110")
P = gf_matrix([[int(entry) for entry in row] for row in ROWS], 0x100)
SIGMA = (
    0xA09E667F3BCC908B,
    0xB67AE8584CAA73B2,
    0xC6EF372FE94F82BE,
    0x54FF53A5F1D36F1C,
    0x10E527FADE682D1D,
    0xB05688C2B3E6C1FD,
)


def F(x, k):
    x = reversed((x ^ k).bytes())
    t = [box[byte] for box, byte in zip((S1, S2, S3, S4, S2, S3, S4, S1), x, strict=True)]
    return join(*reversed(P(*t)))


def FL(x, k):
    left, right = x[32:64], x[0:32]
    right = right ^ rol(left & k[32:64], 1)
    return join(right, left ^ (right | k[0:32]))


def FL_inverse(y, k):
    left, right = y[32:64], y[0:32]
    left = left ^ (right | k[0:32])
    return join(right ^ rol(left & k[32:64], 1), left)


def rotate(pair, by):
    """128 bits, rotated left by less than that."""
    left, right = pair if by < 64 else pair[::-1]
    by %= 64
    return [left, right] if not by else [left << by | right >> 64 - by, right << by | left >> 64 - by]


def rotations(*pairs):
    """Keys rotated, one after the other."""
    return [word for pair, by in pairs for word in rotate(pair, by)]


class Camellia(Cipher):
    """Camellia (Aoki and others 2000): a Feistel network with two more functions after every six rounds."""

    facts = Facts(
        title="Camellia",
        year=2000,
        designers="Kazumaro Aoki and others (NTT, Mitsubishi)",
        structure="Feistel network",
        state="unbroken",
        analysis="11 of 18 rounds (Boura, Naya-Plasencia, Suder, ASIACRYPT 2014)",
    )
    block = words(2, u64, BIG)
    key_bits = (128, 192, 256)

    @property
    def last(self):
        """The number of rounds."""
        return 18 if self.key_size == 128 else 24

    def expand_key(self, key):
        zero = constant(0, 64)
        KL, KR = key[:2], {2: [zero, zero], 3: [key[-1], ~key[-1]], 4: key[2:]}[len(key)]
        D1, D2 = KL[0] ^ KR[0], KL[1] ^ KR[1]
        D2 = D2 ^ F(D1, SIGMA[0])
        D1 = D1 ^ F(D2, SIGMA[1]) ^ KL[0]
        D2 = D2 ^ KL[1] ^ F(D1, SIGMA[2])
        D1 = D1 ^ F(D2, SIGMA[3])
        KA = [D1, D2]
        if self.key_size == 128:
            k = rotations((KA, 0), (KL, 15), (KA, 15), (KL, 45), (KA, 45))
            k += rotations((KA, 60), (KL, 94), (KA, 94), (KL, 111))
            k[9] = rotate(KL, 60)[1]
            ke, kw = rotations((KA, 30), (KL, 77)), (rotate(KL, 0), rotate(KA, 111))
        else:
            D1, D2 = KA[0] ^ KR[0], KA[1] ^ KR[1]
            D2 = D2 ^ F(D1, SIGMA[4])
            D1 = D1 ^ F(D2, SIGMA[5])
            KB = [D1, D2]
            k = rotations((KB, 0), (KR, 15), (KA, 15), (KB, 30), (KL, 45), (KA, 45))
            k += rotations((KR, 60), (KB, 60), (KL, 77), (KR, 94), (KA, 94), (KL, 111))
            ke, kw = rotations((KR, 30), (KL, 60), (KA, 77)), (rotate(KL, 0), rotate(KB, 111))
        return {"k": k, "ke": ke, "kw": kw}

    def expand_decryption_key(self, keys):
        """The same keys, from the last to the first."""
        return {"k": keys["k"][::-1], "ke": keys["ke"][::-1], "kw": keys["kw"][::-1]}

    def encrypt(self, block, keys):
        k, ke, (first, last) = keys["k"], keys["ke"], keys["kw"]
        D1, D2 = block[0] ^ first[0], block[1] ^ first[1]
        for r in rounds(self.last):
            if r % 6 == 0 and r:
                D1, D2 = FL(D1, ke[r // 3 - 2]), FL_inverse(D2, ke[r // 3 - 1])
            D1, D2 = D2 ^ F(D1, k[r]), D1
        return D2 ^ last[0], D1 ^ last[1]

    def decrypt(self, block, keys):
        return self.encrypt(block, keys)
