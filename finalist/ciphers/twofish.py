"""Twofish (Schneier, Kelsey, Whiting, Wagner, Hall, Ferguson 1998)."""

from finalist.language import (
    LITTLE,
    Cipher,
    Facts,
    Table,
    constant,
    gf_matrix,
    join,
    rol,
    ror,
    rounds,
    tabulate,
    u32,
    words,
)


def permutation(t0, t1, t2, t3):
    """Section 4.3.5: a byte permutation from four 4-bit permutations."""

    def q(x):
        a, b = x >> 4, x & 15
        for ta, tb in ((t0, t1), (t2, t3)):
            a, b = a ^ b, a ^ (b >> 1 | b << 3 & 15) ^ (8 * a & 15)
            a, b = ta[a], tb[b]
        return 16 * b + a

    return [q(x) for x in range(256)]


def nibbles(text):
    return [int(digit, 16) for digit in text]


Q0 = permutation(
    *map(nibbles, ("817D6F320B59ECA4", "ECB81235F4A6709D", "BA5E6D90C8F32471", "D7F4126E9B3085CA"))
)
Q1 = permutation(
    *map(nibbles, ("28BDF76E31940AC5", "1E2B4C376DA5F908", "4C75169A0ED82B3F", "B951C3DE647F208A"))
)
Q = [Table(Q0, name="q0"), Table(Q1, name="q1")]

#: Which permutation each byte lane of h applies after how many key words (section 4.3.2, figure 2).
LANES = [[1, 0, 0, 1, 1], [0, 0, 1, 1, 0], [1, 1, 0, 0, 0], [0, 1, 1, 0, 1]]

MDS = gf_matrix(
    [
        [0x01, 0xEF, 0x5B, 0x5B],
        [0x5B, 0xEF, 0xEF, 0x01],
        [0xEF, 0x5B, 0x01, 0xEF],
        [0xEF, 0x01, 0xEF, 0x5B],
    ],
    0x169,
)
RS = gf_matrix(
    [
        [0x01, 0xA4, 0x55, 0x87, 0x5A, 0x58, 0xDB, 0x9E],
        [0xA4, 0x56, 0x82, 0xF3, 0x1E, 0xC6, 0x68, 0xE5],
        [0x02, 0xA1, 0xFC, 0xC1, 0x47, 0xAE, 0x3D, 0x19],
        [0xA4, 0x55, 0x87, 0x5A, 0x58, 0xDB, 0x9E, 0x03],
    ],
    0x14D,
)


def lane(number, y, L):
    """One byte of h before the MDS matrix: permutations, with a key byte after all but the last."""
    for k in reversed(range(len(L))):
        y = Q[LANES[number][k + 1]][y] ^ L[k].bytes()[number]
    return Q[LANES[number][0]][y]


def h(y, L):
    """Section 4.3.2, on the four bytes y."""
    return join(*MDS(*(lane(n, y[n], L) for n in range(4))))


def subkey_words(key):
    """Section 4.3.3: K[0..39] from the even and the odd key words."""
    K = []
    for i in range(20):
        a = h([constant(2 * i, 8)] * 4, key[0::2])
        b = rol(h([constant(2 * i + 1, 8)] * 4, key[1::2]), 8)
        K += [a + b, rol(a + 2 * b, 9)]
    return K


def g(x, s):
    return join(*MDS(*(box[byte] for box, byte in zip(s, x.bytes(), strict=True))))


def F(r0, r1, r, keys):
    """Section 4.2: two g, the pseudo-Hadamard transform, two round keys."""
    K, s = keys
    t0, t1 = g(r0, s), g(rol(r1, 8), s)
    return t0 + t1 + K[2 * r + 8], t0 + 2 * t1 + K[2 * r + 9]


class Twofish(Cipher):
    """Twofish (Schneier, Kelsey, Whiting, Wagner, Hall, Ferguson 1998): keyed S-boxes in a Feistel."""

    facts = Facts(
        title="Twofish",
        year=1998,
        designers="Bruce Schneier, John Kelsey, Doug Whiting, David Wagner, Chris Hall, Niels Ferguson",
        structure="Feistel network with keyed S-boxes",
        state="unbroken",
        analysis="6 of 16 rounds (Ferguson, Impossible differentials in Twofish, 1999)",
    )
    block = words(4, u32, LITTLE)
    key_bits = (128, 192, 256)

    def expand_key(self, key):
        pairs = zip(key[0::2], key[1::2], strict=True)
        S = [join(*RS(*even.bytes(), *odd.bytes())) for even, odd in pairs]
        S.reverse()
        boxes = [tabulate(lambda y, n=n: lane(n, y, S), 8) for n in range(4)]
        return subkey_words(key), boxes

    def encrypt(self, block, keys):
        K, _ = keys
        r0, r1, r2, r3 = (p ^ k for p, k in zip(block, K[0:4], strict=True))
        for r in rounds(16):
            f0, f1 = F(r0, r1, r, keys)
            r0, r1, r2, r3 = ror(r2 ^ f0, 1), rol(r3, 1) ^ f1, r0, r1
        return tuple(a ^ k for a, k in zip((r2, r3, r0, r1), K[4:8], strict=True))

    def decrypt(self, block, keys):
        K, _ = keys
        r2, r3, r0, r1 = (c ^ k for c, k in zip(block, K[4:8], strict=True))
        for r in rounds(15, -1, -1):
            f0, f1 = F(r2, r3, r, keys)
            r0, r1, r2, r3 = r2, r3, rol(r0, 1) ^ f0, ror(r1 ^ f1, 1)
        return tuple(a ^ k for a, k in zip((r0, r1, r2, r3), K[0:4], strict=True))
