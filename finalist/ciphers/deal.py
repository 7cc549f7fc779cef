"""DEAL (Knudsen 1998)."""

from finalist.ciphers.des import des, key_schedule
from finalist.language import BIG, Cipher, Facts, constant, rounds, u64, words

FIXED_KEY = 0x0123456789ABCDEF
#: As in the submission's code and its vectors; the paper's text reads otherwise for the last two.
OFFSETS = (0x80 << 56, 0x40 << 56, 0x20 << 56, 0x10 << 56)


class DEAL(Cipher):
    """DEAL (Knudsen 1998): a Feistel network whose round function is the whole of DES."""

    facts = Facts(
        title="DEAL",
        year=1998,
        designers="Lars Knudsen, Richard Outerbridge",
        structure="Feistel network of DES encryptions",
        state="weak",
        analysis="2^56-fold cheaper than its key lengths say (Lucks, FSE 1999); equivalent keys (Kelsey, "
        "Schneier, SAC 1999)",
    )
    block = words(2, u64, BIG)
    key_bits = (128, 192, 256)

    def expand_key(self, key):
        """Section 2: DES in CBC mode under a fixed key over the repeated key, with offsets."""
        fixed = key_schedule(constant(FIXED_KEY, 64))
        parts = len(key)
        last, round_keys = None, []
        for j in range(8 if parts == 4 else 6):
            x = key[j % parts]
            if j >= parts:
                x = x ^ OFFSETS[j - parts]
            last = des(x if last is None else x ^ last, fixed, range(16))
            round_keys.append(key_schedule(last))
        return round_keys

    def encrypt(self, block, round_keys):
        left, right = block
        for j in rounds(len(round_keys)):
            left, right = des(left, round_keys[j], range(16)) ^ right, left
        return left, right

    def decrypt(self, block, round_keys):
        left, right = block
        for j in rounds(len(round_keys) - 1, -1, -1):
            left, right = right, left ^ des(right, round_keys[j], range(16))
        return left, right
