"""The Hasty Pudding Cipher (Schroeppel 1998): Short, Medium and Long, on blocks of one to eight words."""

from finalist.ciphers.hpc_rounds import ALL, PI19, long, medium, short
from finalist.language import BIG, Array, Cipher, Facts, loop, rol, rounds, u64, words

E19 = 2718281828459045235
R220 = 14142135623730950488


def stir(KX, s, i, turn, revised):
    """One step of the stirring function on the eight words of its state."""
    s[0] = s[0] ^ ((KX[i] ^ KX[i + 83]) + KX[s[0]])
    if revised:
        s[2] = s[2] + KX[i]
    s[1] = s[1] + s[0]
    s[3] = s[3] ^ s[2]
    s[5] = s[5] - s[4]
    s[7] = s[7] ^ s[6]
    s[3] = s[3] + (s[0] >> 13)
    s[4] = s[4] ^ (s[1] << 11)
    s[5] = s[5] ^ (s[3] << (s[1] & 31))
    s[6] = s[6] + (s[2] >> 17)
    s[7] = s[7] | (s[3] + s[4])
    s[2] = s[2] - s[5]
    s[0] = s[0] - (s[6] ^ i.extend(64))
    s[1] = s[1] ^ (s[5] + PI19)
    s[2] = s[2] + (s[7] >> turn)
    s[2] = s[2] ^ s[1]
    s[4] = s[4] - s[3]
    s[6] = s[6] ^ s[5]
    s[0] = s[0] + s[7]
    KX[i] = s[2] + s[6]


#: By the number of a sub-cipher its rounds.
SUB_CIPHERS = {2: short, 3: medium, 4: long}


class HPC(Cipher):
    """HPC (Schroeppel 1998), first-round key schedule: shifts, sums and words of a large key table.

    ``block_bits``: up to 64 is HPC-Short, to 128 Medium, to 512 Long; sizes that are no whole words, Tiny and
    Extended are not here. ``revision`` 1999 (May 1999) stirs in one word more; ``spice``, zero here, is a key
    without set-up.
    """

    facts = Facts(
        title="HPC",
        year=1998,
        designers="Richard Schroeppel",
        structure="mixing of two words with key words at data-dependent places",
        state="weak",
        analysis="equivalent keys (Wagner, 1999; D'Halluin, Bijnens, Preneel, Rijmen, ASIACRYPT 1999)",
    )
    aliases = ("hasty-pudding",)
    block = words(2, u64, BIG)
    key_bits = (128, 192, 256)
    parameters = {"revision": (1998, 1999), "block_bits": tuple(range(64, 513, 64))}
    spice = (0,) * 8
    revision = 1998
    block_bits = 128

    @classmethod
    def shape(cls):
        return {"block": words(cls.block_bits // 64, u64, BIG)}

    @property
    def sub_cipher(self):
        """Its number."""
        return 2 if self.block_bits <= 64 else 3 if self.block_bits <= 128 else 4

    def whitening(self, first):
        """The indices of the words of KX that are added to a block; Long's last word is s7 in any case."""
        count = self.block_bits // 64
        return [self.block_bits + first + n & 255 for n in (*range(count - 1), 7 if count > 2 else count - 1)]

    def expand_key(self, key):
        """KX, 256 words; indices wrap around, as an array's do."""
        KX = Array(256, 64)
        number = self.sub_cipher
        KX[0] = PI19 + number
        KX[1] = E19 * self.key_size & ALL
        KX[2] = (R220 << number | R220 >> 64 - number) & ALL
        for i in loop(3, 256):
            KX[i] = KX[i - 1] + (KX[i - 2] ^ rol(KX[i - 3], 41))
        for w, word in enumerate(key):
            KX[w] = KX[w] ^ word
        s = Array.holding([KX[248 + n] for n in range(8)])
        for turn in range(3):
            for i in loop(0, 256):
                stir(KX, s, i, turn, self.revision >= 1999)
        return KX

    def encrypt(self, block, KX):
        mixed = SUB_CIPHERS[self.sub_cipher].mixed
        s = [word + KX[i] for word, i in zip(block, self.whitening(0), strict=True)]
        for i in rounds(8):
            s = mixed(s, KX, self.spice, i, self.block_bits)
        return [word + KX[i] for word, i in zip(s, self.whitening(8), strict=True)]

    def decrypt(self, block, KX):
        unmixed = SUB_CIPHERS[self.sub_cipher].unmixed
        s = [word - KX[i] for word, i in zip(block, self.whitening(8), strict=True)]
        for i in rounds(7, -1, -1):
            s = unmixed(s, KX, self.spice, i, self.block_bits)
        return [word - KX[i] for word, i in zip(s, self.whitening(0), strict=True)]
