"""DFC, the Decorrelated Fast Cipher, as submitted (Gilbert, Girault, Hoogvorst and others 1998)."""

from fractions import Fraction

from finalist.language import BIG, Cipher, Facts, Table, constant, join, multiply_add, rounds, u8, u64, words


def digits_of_e(count):
    """The first ``count`` 32-bit words of the fraction of e = 2.718..."""
    e, term, k = Fraction(0), Fraction(1), 0
    while term > Fraction(1, 1 << 32 * (count + 1)):
        e, k = e + term, k + 1
        term /= k
    fraction = int((e - 2) * (1 << 32 * count))
    return [fraction >> 32 * (count - 1 - n) & 0xFFFFFFFF for n in range(count)]


def joined(big_endian_words):
    """32-bit numbers as one number, the first most significant."""
    return sum(word << 32 * place for place, word in enumerate(reversed(big_endian_words)))


P = 2**64 + 13
EES = digits_of_e(67)
RT = Table(EES[:64], name="RT")
KD, KC = joined(EES[64:66]), EES[66]
KA = [0, *(joined(EES[n : n + 2]) for n in (0, 2, 4))]
KB = [0, *(joined(EES[n : n + 2]) for n in (6, 8, 10))]
KS = joined(EES[12:20]).to_bytes(32, "big")


def RF(key, x):
    """The round function: decorrelation module, then the confusion permutation CP."""
    a, b = key
    y = multiply_add(a, x, b, P)
    left, right = y[32:64], y[0:32]
    return join(left ^ KC, right ^ RT[left[26:32]]) + KD


def feistel(keys, block, turns):
    x, y = block
    for key, _ in zip(keys, turns, strict=True):
        x, y = y, RF(key, y) ^ x
    return y, x


class DFC(Cipher):
    """DFC (Gilbert, Girault, Hoogvorst, Noilhan, Pornin, Poupard, Stern, Vaudenay 1998)."""

    facts = Facts(
        title="DFC",
        year=1998,
        designers="Henri Gilbert, Marc Girault, Philippe Hoogvorst, Serge Vaudenay and others (ENS)",
        structure="Feistel network with multiplication modulo 2^64 + 13",
        state="weak",
        analysis="weak keys (Coppersmith 1998); 6 of 8 rounds (Knudsen, Rijmen, FSE 1999)",
    )
    block = words(2, u64, BIG)
    key_bits = range(8, 257, 8)
    key_words = words(1, u8)

    def expand_key(self, key):
        padding = [constant(byte, 8) for byte in KS]
        padded = [*key, *padding][:32]
        pk1, pk2, pk3, pk4, pk5, pk6, pk7, pk8 = (join(*reversed(padded[n : n + 4])) for n in range(0, 32, 4))

        def derived(a, b):
            """Four keys of a Feistel permutation from two 64-bit words."""
            return [(a ^ ka, b ^ kb) for ka, kb in zip(KA, KB, strict=True)]

        odd = derived(join(pk8, pk1), join(pk4, pk5))
        even = derived(join(pk7, pk2), join(pk3, pk6))
        round_keys, last = [], (constant(0, 64), constant(0, 64))
        for i in range(8):
            last = feistel(even if i % 2 else odd, last, range(4))
            round_keys.append(last)
        return round_keys

    def encrypt(self, block, round_keys):
        return feistel(round_keys, block, rounds(8))

    def decrypt(self, block, round_keys):
        return feistel(round_keys[::-1], block, rounds(8))
