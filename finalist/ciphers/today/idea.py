"""IDEA (Lai, Massey 1991)."""

from finalist.language import BIG, Cipher, Facts, constant, join, mulhi, rounds, select, u16, words


def mul(a, b):
    """The product modulo 2^16 + 1, where the word 0 stands for 2^16, which is -1.

    low + 2^16 high = low - high, and one more where that is negative (Lai, Massey 1990, low-high lemma);
    with a 0 both are 0, and -a or -b is 1 - a - b.
    """
    low, high = a * b, mulhi(a, b)
    product = low - high + (low < high).extend(16)
    return product + select((a == 0) | (b == 0), 1 - b - a, constant(0, 16))


def mul_inverse(a):
    """a^(2^16 - 1), the inverse modulo 2^16 + 1."""
    power = a
    for _ in range(15):
        power = mul(mul(power, power), a)
    return power


def mixed(x, k):
    """The multiplication-addition structure, on the sums of the halves; applied twice it is undone."""
    x1, x2, x3, x4 = x
    s = mul(x1 ^ x3, k[0])
    t = mul((x2 ^ x4) + s, k[1])
    s = s + t
    return x1 ^ t, x2 ^ s, x3 ^ t, x4 ^ s


def keyed(x, k):
    return mul(x[0], k[0]), x[1] + k[1], x[2] + k[2], mul(x[3], k[3])


class IDEA(Cipher):
    """IDEA (Lai, Massey 1991): multiplication modulo 2^16 + 1, addition modulo 2^16 and XOR in turn."""

    facts = Facts(
        title="IDEA",
        year=1991,
        designers="Xuejia Lai, James Massey",
        structure="Lai-Massey scheme",
        state="weak",
        analysis="classes of weak keys (Biryukov, Nakahara, Preneel, Vandewalle, ICICS 2002); the whole "
        "cipher in 2^126.1 (Khovratovich, Leurent, Rechberger, EUROCRYPT 2012); a block of 64 "
        "bits",
    )
    block = words(4, u16, BIG)
    key_bits = (128,)

    def expand_key(self, key):
        """52 subkeys: the key's words, and those of the key rotated left by 25 bits again and again."""
        Z = list(key)
        while len(Z) < 52:
            key = [join(key[(n + 2) % 8][7:16], key[(n + 1) % 8][0:7]) for n in range(8)]
            Z += key
        return Z[:52]

    def expand_decryption_key(self, Z):
        """Of each group of four the inverses, of two the same; in the order of encryption."""
        inverses = []
        for n in range(0, 52, 6):
            a, b, c, d = Z[n : n + 4]
            inverses += [mul_inverse(a), -b, -c, mul_inverse(d), *Z[n + 4 : n + 6]]
        return inverses

    def encrypt(self, block, Z):
        x = block
        for r in rounds(8):
            x1, x2, x3, x4 = mixed(keyed(x, Z[6 * r : 6 * r + 4]), Z[6 * r + 4 : 6 * r + 6])
            x = x1, x3, x2, x4
        x1, x2, x3, x4 = x
        return keyed((x1, x3, x2, x4), Z[48:52])

    def decrypt(self, block, Z):
        x1, x2, x3, x4 = keyed(block, Z[48:52])
        x = x1, x3, x2, x4
        for r in rounds(7, -1, -1):
            x1, x2, x3, x4 = x
            x = keyed(mixed((x1, x3, x2, x4), Z[6 * r + 4 : 6 * r + 6]), Z[6 * r : 6 * r + 4])
        return x
