"""E2 (Aoki and others at NTT 1998)."""

from finalist.language import (
    BIG,
    Cipher,
    Facts,
    Table,
    constant,
    gf_matrix,
    gf_multiply,
    inverse,
    join,
    rounds,
    u32,
    words,
)

FIELD = 0x11B  # x^8 + x^4 + x^3 + x + 1


def box(x):
    """x^127 in GF(2^8), then the affine map 97 x + 225 modulo 256."""
    power = x
    for _ in range(6):
        power = gf_multiply(gf_multiply(power, power, FIELD), x, FIELD)
    return (97 * power + 225) % 256


s = Table([box(x) for x in range(256)], name="s")
ROWS = ("01111110", "10110111", "11011011", "11101101", "11011100", "11100110", "01110011", "10111001")
P_MATRIX = gf_matrix([[int(entry) for entry in row] for row in ROWS], FIELD)
V = bytes.fromhex("0123456789abcdef")


def S(x):
    return [s[byte] for byte in x]


def P(x):
    return P_MATRIX(*x)


def xor(x, y):
    return [a ^ b for a, b in zip(x, y, strict=True)]


def F(x, k):
    """S, P and S between keys; BRL, a rotation by one byte."""
    b0, *others = S(xor(P(S(xor(x, k[:8]))), k[8:]))
    return [*others, b0]


def BP(x):
    return [x[5 * i % 16] for i in range(16)]


def BP_inverse(x):
    return [x[13 * i % 16] for i in range(16)]


def big_endian(x):
    """Bytes as words of 32 bits."""
    return [join(*reversed(x[i : i + 4])) for i in range(0, len(x), 4)]


def bytes_of(x):
    """Words of 32 bits as bytes, the highest first."""
    return [byte for word in x for byte in reversed(word.bytes())]


def multiply(x, y):
    """Words of 32 bits, those of y made odd."""
    return bytes_of([a * (b | 1) for a, b in zip(big_endian(x), big_endian(y), strict=True)])


def divide(x, y):
    return bytes_of([a * inverse(b | 1) for a, b in zip(big_endian(x), big_endian(y), strict=True)])


def G(X, v):
    """One step of the key schedule: X and v as they become, and the four values that it yields."""
    X, L = [P(S(x)) for x in X], []
    for x in X:
        v = xor(P(S(v)), x)
        L.append(v)
    return X, v, L


class E2(Cipher):
    """E2 (NTT 1998): a Feistel network between layers of multiplications."""

    facts = Facts(
        title="E2",
        year=1998,
        designers="Kazumaro Aoki and others (NTT)",
        structure="Feistel network",
        state="unbroken",
        analysis="9 of 12 rounds without IT and FT distinguished (Matsui, Tokita, FSE 1999)",
    )
    block = words(4, u32, BIG)
    key_bits = (128, 192, 256)

    def expand_key(self, key):
        key, v = bytes_of(key), [constant(byte, 8) for byte in V]
        parts = [key[i : i + 8] for i in range(0, len(key), 8)]
        X = [*parts, *[S(S(S(v))), S(S(S(S(v))))][len(parts) - 2 :]]
        X, v, _ = G(X, v)
        q = []
        for _ in range(8):
            X, v, L = G(X, v)
            q += L
        return [[q[2 * m + n % 2][n // 2] for m in range(16)] for n in range(16)]

    def expand_decryption_key(self, K):
        """The keys of the rounds in reverse; the initial transformation's and the final one's exchanged."""
        return [*K[11::-1], *K[:11:-1]]

    def encrypt(self, block, K):
        X = BP(multiply(xor(bytes_of(block), K[12]), K[13]))
        L, R = X[:8], X[8:]
        for r in rounds(12):
            L, R = R, xor(L, F(R, K[r]))
        return big_endian(xor(divide(BP_inverse(R + L), K[14]), K[15]))

    def decrypt(self, block, K):
        return self.encrypt(block, K)
