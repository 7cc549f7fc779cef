"""RC5-w/r/b (Rivest 1994), by itself RC5-32/12."""

from finalist.ciphers.rc6 import round_keys
from finalist.language import LITTLE, Cipher, Facts, rol, ror, rounds, u8, u16, u32, u64, words

WORDS = {16: u16, 32: u32, 64: u64}


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

    def expand_key(self, key):
        """That of RC6, which has it from here: two words for each round, and two before them."""
        return round_keys(key, self.w, 2 * self.r + 2)

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
