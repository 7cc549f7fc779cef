"""MARS (Burwick, Coppersmith and others at IBM 1998), with the key schedule of August 1999."""

from finalist.ciphers.data import constants
from finalist.language import LITTLE, Cipher, Facts, Table, constant, rol, ror, rounds, u32, words

BOX = constants("mars")["S"]
S = Table(BOX, 32, name="S")
S0, S1 = Table(BOX[:256], 32, name="S0"), Table(BOX[256:], 32, name="S1")
B = Table(BOX[265:269], 32, name="B")  # a table of its own in the submission: four words of S


def expansion(x, add_key, multiply_key):
    """The E-function, the only keyed part."""
    m = x + add_key
    r = rol(x, 13) * multiply_key
    l = S[m[0:9]]
    r = rol(r, 5)
    m = rol(m, r)
    l = l ^ r
    r = rol(r, 5)
    l = l ^ r
    return rol(l, r), m, r


def forward_mixing(d, i):
    a, b, c, e = d
    low, second, third, high = a.bytes()
    b = (b ^ S0[low]) + S1[second]
    c = c + S0[third]
    e = e ^ S1[high]
    a = rol(a, 8)
    if i in (0, 4):
        a = a + e
    if i in (1, 5):
        a = a + b
    return b, c, e, a


def undo_forward_mixing(d, i):
    b, c, e, a = d
    if i in (0, 4):
        a = a - e
    if i in (1, 5):
        a = a - b
    a = ror(a, 8)
    low, second, third, high = a.bytes()
    return a, (b - S1[second]) ^ S0[low], c - S0[third], e ^ S1[high]


def backwards_mixing(d, i):
    a, b, c, e = d
    if i in (2, 6):
        a = a - e
    if i in (3, 7):
        a = a - b
    low, second, third, high = a.bytes()
    return b ^ S1[low], c - S0[high], (e - S1[third]) ^ S0[second], rol(a, 24)


def undo_backwards_mixing(d, i):
    b, c, e, a = d
    a = ror(a, 24)
    low, second, third, high = a.bytes()
    b, c, e = b ^ S1[low], c + S0[high], (e ^ S0[second]) + S1[third]
    if i in (2, 6):
        a = a + e
    if i in (3, 7):
        a = a + b
    return a, b, c, e


def core(d, i, K):
    a, b, c, e = d
    l, m, r = expansion(a, K[2 * i + 4], K[2 * i + 5])
    c = c + m
    b, e = (b + l, e ^ r) if i < 8 else (b ^ r, e + l)
    return b, c, e, rol(a, 13)


def undo_core(d, i, K):
    b, c, e, a = d
    a = ror(a, 13)
    l, m, r = expansion(a, K[2 * i + 4], K[2 * i + 5])
    b, e = (b - l, e ^ r) if i < 8 else (b ^ r, e - l)
    return a, b, c - m, e


def long_runs(w):
    """M, all bits at once as implementations do: bits 2..30 in runs of ten, equal to both neighbours."""
    m = ~(w ^ w << 1) & ~(w ^ w >> 1) & 0x7FFFFFFE
    for step in (1, 2, 4):
        m = m & m >> step
    for step in (1, 2, 4):
        m = m | m << step
    return m & 0x7FFFFFFC


def fix_multiplication_key(key, before):
    """No multiplication key has two ones at its end missing, or long runs of equal bits."""
    w = key | 3
    return w ^ rol(B[key[0:2]], before) & long_runs(w)


class MARS(Cipher):
    """MARS (IBM 1998): a keyed core of multiplications and rotations between unkeyed mixing layers."""

    facts = Facts(
        title="MARS",
        year=1998,
        designers="Carolynn Burwick, Don Coppersmith and others (IBM)",
        structure="unkeyed mixing around a generalised Feistel network",
        state="unbroken",
        analysis="11 of 16 core rounds (Kelsey, Kohno, Schneier, FSE 2000)",
    )
    block = words(4, u32, LITTLE)
    key_bits = range(128, 449, 32)

    def expand_key(self, key):
        T = [*key, constant(len(key), 32)]
        T += [constant(0, 32)] * (15 - len(T))
        K = []
        for j in range(4):
            for i in range(15):
                T[i] = T[i] ^ rol(T[i - 7] ^ T[i - 2], 3) ^ (4 * i + j)
            for i in list(range(15)) * 4:
                T[i] = rol(T[i] + S[T[i - 1][0:9]], 9)
            K += [T[4 * i % 15] for i in range(10)]
        for i in range(5, 36, 2):
            K[i] = fix_multiplication_key(K[i], K[i - 1])
        return K

    def encrypt(self, block, K):
        d = tuple(p + k for p, k in zip(block, K[0:4], strict=True))
        for i in rounds(8):
            d = forward_mixing(d, i)
        for i in rounds(16):
            d = core(d, i, K)
        for i in rounds(8):
            d = backwards_mixing(d, i)
        return tuple(a - k for a, k in zip(d, K[36:40], strict=True))

    def decrypt(self, block, K):
        d = tuple(c + k for c, k in zip(block, K[36:40], strict=True))
        for i in rounds(7, -1, -1):
            d = undo_backwards_mixing(d, i)
        for i in rounds(15, -1, -1):
            d = undo_core(d, i, K)
        for i in rounds(7, -1, -1):
            d = undo_forward_mixing(d, i)
        return tuple(a - k for a, k in zip(d, K[0:4], strict=True))
