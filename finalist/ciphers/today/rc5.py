"""RC5-w/r/b (Rivest 1994), by itself RC5-32/12."""

from finalist.language import (
    LITTLE,
    Cipher,
    Facts,
    constant,
    join,
    rol,
    ror,
    rounds,
    u8,
    u16,
    u32,
    u64,
    words,
)

E, PHI = 0xB7E151628AED2A6A, 0x9E3779B97F4A7C15  # 64 bits of the fractions of e and the golden ratio
WORDS = {16: u16, 32: u32, 64: u64}


def odd(fraction, w):
    """Odd((e - 2) 2^w), or of the golden ratio: the odd integer nearest to it."""
    return fraction >> 64 - w | 1


class RC5(Cipher):
    """RC5 (Rivest 1994): additions and data-dependent rotations.

    Parameters: ``w``, bits of a word, of which a block has two; ``r``, rounds.
    """

    facts = Facts(
        title="RC5",
        year=1994,
        designers="Ron Rivest",
        structure="Feistel-like network with data-dependent rotations",
        state="broken",
        analysis="12 rounds on words of 32 bits with 2^44 chosen plaintexts (Biryukov, Kushilevitz,"
        " EUROCRYPT 1998); a block of 64 bits",
    )
    aliases = ("rc-5",)
    parameters = {"w": (16, 32, 64), "r": range(1, 256)}
    w, r = 32, 12
    block = words(2, u32, LITTLE)
    key_bits = range(8, 2041, 8)
    key_words = words(1, u8)

    @classmethod
    def shape(cls):
        return {"block": words(2, WORDS[cls.w], LITTLE)}

    def key_array(self, key):
        """L, the key's bytes as words, the last filled up with zeros."""
        u = self.w // 8
        padded = [*key, *[constant(0, 8)] * (-len(key) % u)]
        return [join(*padded[n : n + u]) for n in range(0, len(padded), u)]

    def expand_key(self, key):
        w, t = self.w, 2 * self.r + 2
        L = self.key_array(key)
        c = len(L)
        S = [constant((odd(E, w) + i * odd(PHI, w)) % 2**w, w) for i in range(t)]
        a = b = constant(0, w)
        for s in range(3 * max(c, t)):
            i, j = s % t, s % c
            a = S[i] = rol(S[i] + a + b, 3)
            b = L[j] = rol(L[j] + a + b, a + b)
        return S

    def encrypt(self, block, S):
        a, b = block[0] + S[0], block[1] + S[1]
        for r in rounds(1, self.r + 1):
            a = rol(a ^ b, b) + S[2 * r]
            b = rol(b ^ a, a) + S[2 * r + 1]
        return a, b

    def decrypt(self, block, S):
        a, b = block
        for r in rounds(self.r, 0, -1):
            b = ror(b - S[2 * r + 1], a) ^ a
            a = ror(a - S[2 * r], b) ^ b
        return a - S[0], b - S[1]
