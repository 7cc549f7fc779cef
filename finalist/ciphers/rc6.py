"""RC6-w/r/b (Rivest, Robshaw, Sidney, Yin 1998), by itself RC6-32/20."""

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
WORDS = {8: u8, 16: u16, 32: u32, 64: u64}


def odd(fraction, w):
    """Odd((e - 2) 2^w), or of the golden ratio: the odd integer nearest to it."""
    return fraction >> 64 - w | 1


def key_array(key, w):
    """L, the key's bytes as words of w bits, the last filled up with zeros."""
    u = w // 8
    padded = [*key, *[constant(0, 8)] * (-len(key) % u)]
    return [join(*padded[n : n + u]) for n in range(0, len(padded), u)]


def round_keys(key, w, t):
    """S of t words: the key schedule of RC5, too."""
    L = key_array(key, w)
    c = len(L)
    S = [constant((odd(E, w) + i * odd(PHI, w)) % 2**w, w) for i in range(t)]
    a = b = constant(0, w)
    for s in range(3 * max(c, t)):
        i, j = s % t, s % c
        a = S[i] = rol(S[i] + a + b, 3)
        b = L[j] = rol(L[j] + a + b, a + b)
    return S


class RC6(Cipher):
    """RC6 (Rivest, Robshaw, Sidney, Yin 1998): multiplication and data-dependent rotation.

    Parameters: ``w``, bits of a word, of which a block has four; ``r``, rounds.
    """

    facts = Facts(
        title="RC6",
        year=1998,
        designers="Ron Rivest, Matt Robshaw, Ray Sidney, Yiqun Lisa Yin",
        structure="generalised Feistel network with data-dependent rotations",
        state="unbroken",
        analysis="15 of 20 rounds (Knudsen, Meier, FSE 2000)",
    )
    aliases = ("rc-6",)
    parameters = {"w": (8, 16, 32, 64), "r": range(1, 256)}
    w, r = 32, 20
    block = words(4, u32, LITTLE)
    key_bits = range(8, 2041, 8)
    key_words = words(1, u8)

    @classmethod
    def shape(cls):
        return {"block": words(4, WORDS[cls.w], LITTLE)}

    @property
    def lg_w(self):
        return self.w.bit_length() - 1

    def expand_key(self, key):
        return round_keys(key, self.w, 2 * self.r + 4)

    def encrypt(self, block, S):
        a, b, c, d = block
        b, d = b + S[0], d + S[1]
        for r in rounds(1, self.r + 1):
            t = rol(b * (2 * b + 1), self.lg_w)
            u = rol(d * (2 * d + 1), self.lg_w)
            a = rol(a ^ t, u) + S[2 * r]
            c = rol(c ^ u, t) + S[2 * r + 1]
            a, b, c, d = b, c, d, a
        return a + S[2 * self.r + 2], b, c + S[2 * self.r + 3], d

    def decrypt(self, block, S):
        a, b, c, d = block
        a, c = a - S[2 * self.r + 2], c - S[2 * self.r + 3]
        for r in rounds(self.r, 0, -1):
            a, b, c, d = d, a, b, c
            u = rol(d * (2 * d + 1), self.lg_w)
            t = rol(b * (2 * b + 1), self.lg_w)
            c = ror(c - S[2 * r + 1], t) ^ u
            a = ror(a - S[2 * r], u) ^ t
        return a, b - S[0], c, d - S[1]
