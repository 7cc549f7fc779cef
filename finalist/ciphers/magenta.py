"""MAGENTA (Jacobson, Huber 1998)."""

from finalist.language import Cipher, Facts, Table, gf_multiply, rounds, u8, words

FIELD = 0x165  # x^8 + x^6 + x^5 + x^2 + 1

POWERS = [1]
for _ in range(254):
    POWERS.append(gf_multiply(POWERS[-1], 2, FIELD))
f = Table([*POWERS, 0], name="f")

#: Which parts of the key the rounds use.
ORDER = {128: (1, 1, 2, 2, 1, 1), 192: (1, 2, 3, 3, 2, 1), 256: (1, 2, 3, 4, 4, 3, 2, 1)}


def xor(x, y):
    return [a ^ b for a, b in zip(x, y, strict=True)]


def A(x, y):
    return f[x ^ f[y]]


def PI(x):
    return [z for a, b in zip(x[:8], x[8:], strict=True) for z in (A(a, b), A(b, a))]


def T(x):
    return PI(PI(PI(PI(x))))


def S(x):
    """First the bytes at even places, then those at odd ones."""
    return x[0::2] + x[1::2]


def E(x):
    """Three times T, each with the result before it fed back; half of the last one."""
    c = T(x)
    for _ in range(2):
        c = T(xor(x, S(c)))
    return S(c)[:8]


class MAGENTA(Cipher):
    """MAGENTA (Jacobson, Huber 1998): a Feistel network around a shuffle of many equal S-boxes."""

    facts = Facts(
        title="MAGENTA",
        year=1998,
        designers="Michael Jacobson, Klaus Huber (Deutsche Telekom)",
        structure="Feistel network",
        state="broken",
        analysis=(
            "2^64 chosen plaintexts and time, or 2^33 known plaintexts and 2^97 time (Biham, Biryukov,"
            " Ferguson, Knudsen, Schneier, Shamir 1998)"
        ),
    )
    block = words(16, u8)
    key_bits = (128, 192, 256)

    def expand_key(self, key):
        return [key[8 * part - 8 : 8 * part] for part in ORDER[self.key_size]]

    def encrypt(self, block, K):
        l, r = block[:8], block[8:]
        for i in rounds(len(K)):
            l, r = r, xor(l, E(r + K[i]))
        return l + r

    def decrypt(self, block, K):
        """The order of the keys reads the same backwards."""
        swapped = self.encrypt(block[8:] + block[:8], K)
        return swapped[8:] + swapped[:8]
