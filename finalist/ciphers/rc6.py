"""RC6-32/20 (Rivest, Robshaw, Sidney, Yin 1998)."""

from finalist.language import LITTLE, Cipher, Facts, constant, rol, ror, rounds, u32, words

P32, Q32 = 0xB7E15163, 0x9E3779B9  # odd integers nearest to (e-2) 2^32 and (golden ratio - 1) 2^32


class RC6(Cipher):
    """RC6-32/20 (Rivest, Robshaw, Sidney, Yin 1998): multiplication and data-dependent rotation."""

    facts = Facts(
        title="RC6",
        year=1998,
        designers="Ron Rivest, Matt Robshaw, Ray Sidney, Yiqun Lisa Yin",
        structure="generalised Feistel network with data-dependent rotations",
        state="unbroken",
        analysis="15 of 20 rounds (Knudsen, Meier, FSE 2000)",
    )
    aliases = ("rc-6",)
    block = words(4, u32, LITTLE)
    key_bits = range(32, 2041, 32)

    def expand_key(self, key):
        L, c = list(key), len(key)
        S = [constant((P32 + i * Q32) % 2**32, 32) for i in range(44)]
        a = b = constant(0, 32)
        for s in range(3 * max(c, 44)):
            i, j = s % 44, s % c
            a = S[i] = rol(S[i] + a + b, 3)
            b = L[j] = rol(L[j] + a + b, a + b)
        return S

    def encrypt(self, block, S):
        a, b, c, d = block
        b, d = b + S[0], d + S[1]
        for r in rounds(1, 21):
            t = rol(b * (2 * b + 1), 5)
            u = rol(d * (2 * d + 1), 5)
            a = rol(a ^ t, u) + S[2 * r]
            c = rol(c ^ u, t) + S[2 * r + 1]
            a, b, c, d = b, c, d, a
        return a + S[42], b, c + S[43], d

    def decrypt(self, block, S):
        a, b, c, d = block
        a, c = a - S[42], c - S[43]
        for r in rounds(20, 0, -1):
            a, b, c, d = d, a, b, c
            u = rol(d * (2 * d + 1), 5)
            t = rol(b * (2 * b + 1), 5)
            c = ror(c - S[2 * r + 1], t) ^ u
            a = ror(a - S[2 * r], u) ^ t
        return a, b - S[0], c, d - S[1]
