"""Speck128 (Beaulieu, Shors, Smith, Treatman-Clark, Weeks, Wingers 2013): add, rotate, XOR on 64-bit words.

The paper prints a block as the words x y and a key as l[m-2] .. l[0] k[0], the highest first. In memory
the lowest word comes first and each word little-endian, so its printed vectors read backwards, byte by
byte: the key 0f0e..0908 0706..0100 is 00 01 .. 0f, and y is the block's first word.
"""

from finalist.language import LITTLE, Cipher, rol, ror, rounds, u64, words


def step(x, y, k):
    x = (ror(x, 8) + y) ^ k
    return x, rol(y, 3) ^ x


def undo_step(x, y, k):
    y = ror(x ^ y, 3)
    return rol((x ^ k) - y, 8), y


class Speck(Cipher):
    """Speck128 with keys of two, three and four words."""

    block = words(2, u64, LITTLE)
    key_bits = (128, 192, 256)

    #: Key, plaintext, ciphertext in memory order: the paper's appendix C.
    vectors = [
        (
            "000102030405060708090a0b0c0d0e0f",
            "206d616465206974206571756976616c",
            "180d575cdffe60786532787951985da6",
        ),
        (
            "000102030405060708090a0b0c0d0e0f1011121314151617",
            "656e7420746f20436869656620486172",
            "86183ce05d18bcf9665513133acfe41b",
        ),
        (
            "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            "706f6f6e65722e20496e2074686f7365",
            "438f189c8db4ee4e3ef5c00504010941",
        ),
    ]

    @property
    def last(self):
        """The number of rounds."""
        return 30 + self.key_size // 64

    def expand_key(self, key):
        k, *l = key
        round_keys = [k]
        for i in range(self.last - 1):
            new, k = step(l[i], k, i)  # the round function itself, keyed with i
            l.append(new)
            round_keys.append(k)
        return round_keys

    def encrypt(self, block, round_keys):
        y, x = block
        for r in rounds(self.last):
            x, y = step(x, y, round_keys[r])
        return y, x

    def decrypt(self, block, round_keys):
        y, x = block
        for r in rounds(self.last - 1, -1, -1):
            x, y = undo_step(x, y, round_keys[r])
        return y, x
