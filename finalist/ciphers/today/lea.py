"""LEA (Hong and others 2013; KS X 3246)."""

from finalist.language import LITTLE, Cipher, Facts, rol, ror, rounds, u32, words

#: Hexadecimal digits of the square root of 766995, where 76, 69, 95 are the letters L, E, A.
DELTA = (
    0xC3EFE9DB,
    0x44626B02,
    0x79E27C8A,
    0x78DF30EC,
    0x715EA49E,
    0xC785DA0A,
    0xE04EF22A,
    0xE5C40957,
)
TURNS = (1, 3, 6, 11, 13, 17)


def turned(constant, by):
    by %= 32
    return (constant << by | constant >> 32 - by) % 2**32


class LEA(Cipher):
    """LEA (Hong and others 2013): additions, rotations and XOR on four words."""

    facts = Facts(
        title="LEA",
        year=2013,
        designers="Deukjo Hong, Jung-Keun Lee, Dong-Chan Kim, Daesung Kwon, Kwon Ho Ryu, Dong-Geon Lee",
        structure="generalised Feistel network of additions, rotations and XOR",
        state="unbroken",
        analysis="14 of 24, 14 of 28 and 15 of 32 rounds (Song, Huang, Yang, ACISP 2016)",
    )
    block = words(4, u32, LITTLE)
    key_bits = (128, 192, 256)

    @property
    def last(self):
        """The number of rounds."""
        return self.key_size // 16 + 16

    def expand_key(self, key):
        T, n = list(key), len(key)
        keys = []
        for i in range(self.last):
            count = min(n, 6)
            places = [(6 * i + j) % n if n == 8 else j for j in range(count)]
            for j, place in enumerate(places):
                T[place] = rol(T[place] + turned(DELTA[i % n], i + j), TURNS[j])
            rk = [T[place] for place in places]
            keys.append([rk[0], rk[1], rk[2], rk[1], rk[3], rk[1]] if n == 4 else rk)
        return keys

    def encrypt(self, block, keys):
        x0, x1, x2, x3 = block
        for r in rounds(self.last):
            k = keys[r]
            x0, x1, x2, x3 = (
                rol((x0 ^ k[0]) + (x1 ^ k[1]), 9),
                ror((x1 ^ k[2]) + (x2 ^ k[3]), 5),
                ror((x2 ^ k[4]) + (x3 ^ k[5]), 3),
                x0,
            )
        return x0, x1, x2, x3

    def decrypt(self, block, keys):
        x0, x1, x2, x3 = block
        for r in rounds(self.last - 1, -1, -1):
            k, y = keys[r], x3
            y1 = (ror(x0, 9) - (y ^ k[0])) ^ k[1]
            y2 = (rol(x1, 5) - (y1 ^ k[2])) ^ k[3]
            y3 = (rol(x2, 3) - (y2 ^ k[4])) ^ k[5]
            x0, x1, x2, x3 = y, y1, y2, y3
        return x0, x1, x2, x3
