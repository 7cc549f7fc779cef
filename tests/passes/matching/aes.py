"""The AES in other people's words: definitions that say the same, or almost the same, in other ways."""

from __future__ import annotations

from finalist.ciphers.catalogue import cipher
from finalist.language import BIG, Cipher, Table, gf_matrix, gf_multiply, join, rol, rounds, u8, u32, words

FIELD = 0x11B


def _box(a: int) -> int:
    inverse = next((b for b in range(256) if gf_multiply(a, b, FIELD) == 1), 0)
    total = 0x63
    for shift in range(5):
        total ^= (inverse << shift | inverse >> 8 - shift) & 0xFF
    return total


BOX = [_box(a) for a in range(256)]
UNBOX = [BOX.index(a) for a in range(256)]
S, SI = Table(BOX, name="box"), Table(UNBOX, name="unbox")


def _times(factors: tuple[int, ...], box: list[int]) -> Table:
    """The S-box times a column of the matrix, its first row in the highest byte."""
    return Table([sum(gf_multiply(f, s, FIELD) << 24 - 8 * k for k, f in enumerate(factors)) for s in box])


#: The tables that every fast implementation in C has, written out by hand.
TE = [_times((2, 1, 1, 3)[-k:] + (2, 1, 1, 3)[:-k] if k else (2, 1, 1, 3), BOX) for k in range(4)]
TD = [_times((14, 9, 13, 11)[-k:] + (14, 9, 13, 11)[:-k] if k else (14, 9, 13, 11), UNBOX) for k in range(4)]


def _byte(word, k):
    """Byte k from the top."""
    return word[24 - 8 * k : 32 - 8 * k]


def _looked_up(tables, s, step):
    """One column from the bytes of four, row by row."""
    total = tables[0][_byte(s[0], 0)]
    for k in (1, 2, 3):
        total = total ^ tables[k][_byte(s[k * step % 4], k)]
    return total


def _last(table, s, step):
    return join(*(table[_byte(s[k * step % 4], k)] for k in (3, 2, 1, 0)))


class Columns(Cipher):
    """Big-endian words, tables by hand, the equivalent inverse cipher: as it stands in most libraries."""

    block = words(4, u32, BIG)
    key_bits = (128, 192, 256)

    @property
    def last(self):
        return self.key_size // 32 + 6

    def expand_key(self, key):
        nk, w, rcon = len(key), list(key), 1
        for i in range(nk, 4 * (self.last + 1)):
            t = w[i - 1]
            if i % nk == 0:
                t = _last(S, [rol(t, 8)] * 4, 1) ^ (rcon << 24)
                rcon = gf_multiply(rcon, 2, FIELD)
            elif nk > 6 and i % nk == 4:
                t = _last(S, [t] * 4, 1)
            w.append(w[i - nk] ^ t)
        return [w[4 * r : 4 * r + 4] for r in range(self.last + 1)]

    def expand_decryption_key(self, keys):
        def mixed(word):
            parts = [TD[k][S[_byte(word, k)]] for k in range(4)]
            return parts[0] ^ parts[1] ^ parts[2] ^ parts[3]

        inner = [[mixed(word) for word in key] for key in keys[1:-1]]
        return [keys[-1], *reversed(inner), keys[0]]

    def encrypt(self, block, keys):
        s = [a ^ k for a, k in zip(block, keys[0], strict=True)]
        for r in rounds(1, self.last):
            s = [_looked_up(TE, s[c:] + s[:c], 1) ^ keys[r][c] for c in range(4)]
        return [_last(S, s[c:] + s[:c], 1) ^ keys[self.last][c] for c in range(4)]

    def decrypt(self, block, keys):
        s = [a ^ k for a, k in zip(block, keys[0], strict=True)]
        for r in rounds(1, self.last):
            s = [_looked_up(TD, s[c:] + s[:c], -1) ^ keys[r][c] for c in range(4)]
        return [_last(SI, s[c:] + s[:c], -1) ^ keys[self.last][c] for c in range(4)]


def _doubled(x):
    """The product with 2, as it is written for processors without tables."""
    return (x << 1) ^ ((x >> 7) * 0x1B)


def varied(
    box: Table = S,
    rows: tuple[int, ...] = (0, 1, 2, 3),
    matrix: tuple[int, ...] | None = None,
    flipped: int = 0,
) -> type[Cipher]:
    """MixColumns by shifts; with an S-box, rotations of the rows, a matrix of one's own.

    In round ``flipped`` one bit of the state is added to another, after the linear layer.
    """
    mix = gf_matrix([matrix[-r:] + matrix[:-r] if r else matrix for r in range(4)], FIELD) if matrix else None

    def mixed(column):
        if mix is not None:
            return list(mix(*column))
        every = column[0] ^ column[1] ^ column[2] ^ column[3]
        return [a ^ every ^ _doubled(a ^ b) for a, b in zip(column, column[1:] + column[:1], strict=True)]

    class Varied(cipher("rijndael")):
        called = "varied"
        block = words(16, u8)

        def encrypt(self, block, keys):
            s = [a ^ k for a, k in zip(block, keys[0], strict=True)]
            for r in rounds(1, self.last + 1):
                s = [box[a] for a in s]
                s = [s[(4 * c + 4 * rows[n] + n) % 16] for c in range(4) for n in range(4)]
                if r < self.last:
                    s = [b for c in range(0, 16, 4) for b in mixed(s[c : c + 4])]
                if r == flipped:
                    s[3] = s[3] ^ (s[9] & 0x10)
                s = [a ^ k for a, k in zip(s, keys[r], strict=True)]
            return s

    return Varied
