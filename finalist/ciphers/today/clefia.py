"""CLEFIA (Shirai and others 2007; RFC 6114)."""

from finalist.ciphers.data import constants
from finalist.language import BIG, Cipher, Facts, Table, gf_matrix, gf_multiply, join, rounds, u32, words

FIELD = 0x11D  # x^8 + x^4 + x^3 + x^2 + 1
SS = [[int(digit, 16) for digit in row] for row in ("E6CA872FB14059D3", "640D2BA39CEF8751")]
SS += [[int(digit, 16) for digit in row] for row in ("B85EA64CF72310D9", "A26D345E0789BFC1")]


def s0(x):
    """Section 4.3.1: four boxes of four bits, with a map of GF(2^4) between them."""
    t0, t1 = SS[0][x >> 4], SS[1][x & 15]
    u0, u1 = t0 ^ gf_multiply(2, t1, 0x13), gf_multiply(2, t0, 0x13) ^ t1
    return SS[2][u0] << 4 | SS[3][u1]


S0 = Table([s0(x) for x in range(256)], name="S0")
S1 = Table(constants("clefia")["S1"], name="S1")
M0 = gf_matrix([[1, 2, 4, 6], [2, 1, 6, 4], [4, 6, 1, 2], [6, 4, 2, 1]], FIELD)
M1 = gf_matrix([[1, 8, 2, 10], [8, 1, 10, 2], [2, 10, 1, 8], [10, 2, 8, 1]], FIELD)


def F(rk, x, matrix, boxes):
    t = reversed((rk ^ x).bytes())
    return join(*reversed(matrix(*(boxes[n % 2][byte] for n, byte in enumerate(t)))))


def F0(rk, x):
    return F(rk, x, M0, (S0, S1))


def F1(rk, x):
    return F(rk, x, M1, (S1, S0))


def step(T, rk):
    """One round of GFN, without the move of the words."""
    T = list(T)
    for n in range(0, len(T), 2):
        T[n + 1] = T[n + 1] ^ (F1 if n % 4 else F0)(rk[n // 2], T[n])
    return T


def GFN(T, rk, order):
    """Section 5.2: of four branches or eight. The words are where they were after the last round."""
    half = len(T) // 2
    for r in order:
        T = step(T, rk[half * r : half * r + half])
        T = T[1:] + T[:1]
    return T[-1:] + T[:-1]


def GFN_inverse(T, rk, order):
    for r in order:
        T = step(T, rk[2 * r : 2 * r + 2])
        T = T[3:] + T[:3]
    return T[1:] + T[:1]


def double_swap(X):
    """X[7-63] | X[121-127] | X[0-6] | X[64-120], bits counted from the left."""
    a, b, c, d = X
    return [
        join(b[25:32], a[0:25]),
        join(d[0:7], b[0:25]),
        join(c[7:32], a[25:32]),
        join(d[7:32], c[0:7]),
    ]


def con(initial, count):
    """CON, section 5.3: T goes through GF(2^16), multiplied by 2^-1 each time."""
    found, T = [], initial
    for _ in range(count):
        inverted = T ^ 0xFFFF
        found.append((T ^ 0xB7E1) << 16 | (inverted << 1 | inverted >> 15) & 0xFFFF)
        found.append((inverted ^ 0x243F) << 16 | (T << 8 | T >> 8) & 0xFFFF)
        T = (T ^ 0x1A831 if T & 1 else T) >> 1
    return found


CON = {128: con(0x428A, 30), 192: con(0x7137, 42), 256: con(0xB5C0, 46)}


def xor(x, y):
    return [a ^ b for a, b in zip(x, y, strict=True)]


class Clefia(Cipher):
    """CLEFIA (Shirai and others 2007): four branches, two S-boxes, two matrices in turn."""

    facts = Facts(
        title="CLEFIA",
        year=2007,
        designers="Taizo Shirai, Kyoji Shibutani, Toru Akishita, Shiho Moriai, Tetsu Iwata",
        structure="generalised Feistel network",
        state="unbroken",
        analysis="13 of 18 rounds (Boura, Naya-Plasencia, Suder, ASIACRYPT 2014); ISO/IEC 29192-2",
    )
    block = words(4, u32, BIG)
    key_bits = (128, 192, 256)

    @property
    def last(self):
        """The number of rounds."""
        return self.key_size // 16 + 10

    def expand_key(self, key):
        constants = CON[self.key_size]
        if self.key_size == 128:
            L, sums, whitening, used = [GFN(key, constants, range(12))], [key], key, 24
        else:
            KL, KR = key[:4], (key[4:] + [~k for k in key[:2]])[:4]
            both = GFN(KL + KR, constants, range(10))
            L, sums, whitening, used = [both[:4], both[4:]], [KR, KL], xor(KL, KR), 40
        rk = []
        for i in range(self.last // 2):
            which = i // 2 % len(L)
            T = xor(L[which], constants[used + 4 * i : used + 4 * i + 4])
            L[which] = double_swap(L[which])
            rk += xor(T, sums[which]) if i % 2 else T
        return {"WK": whitening, "RK": rk}

    def encrypt(self, P, keys):
        WK = keys["WK"]
        T = GFN([P[0], P[1] ^ WK[0], P[2], P[3] ^ WK[1]], keys["RK"], rounds(self.last))
        return [T[0], T[1] ^ WK[2], T[2], T[3] ^ WK[3]]

    def decrypt(self, C, keys):
        WK = keys["WK"]
        order = rounds(self.last - 1, -1, -1)
        T = GFN_inverse([C[0], C[1] ^ WK[2], C[2], C[3] ^ WK[3]], keys["RK"], order)
        return [T[0], T[1] ^ WK[0], T[2], T[3] ^ WK[1]]
