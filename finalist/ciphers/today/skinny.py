"""SKINNY-64 and SKINNY-128 (Beierle and others 2016), by itself SKINNY-128."""

from finalist.language import Cipher, Facts, Table, constant, gf_matrix, join, rounds, u8, words

S4 = Table([0xC, 6, 9, 0, 1, 0xA, 2, 0xB, 3, 8, 5, 0xD, 4, 0xE, 7, 0xF], name="S4")


def s8(x):
    """Section 2.3: two NORs and a move of the bits, four times, the last time with another move."""
    for turn in range(4):
        b = [x >> i & 1 for i in range(8)]
        b[4] ^= 1 - (b[7] | b[6])
        b[0] ^= 1 - (b[3] | b[2])
        order = (5, 3, 0, 4, 6, 7, 1, 2) if turn < 3 else (0, 2, 1, 3, 4, 5, 6, 7)
        x = sum(b[source] << place for place, source in enumerate(order))
    return x


S8 = Table([s8(x) for x in range(256)], name="S8")
BOXES = {64: (S4, S4.inverse()), 128: (S8, S8.inverse())}
FIELDS = {64: 0x10, 128: 0x100}  # no field: the matrices are of 0 and 1
MIX = {n: gf_matrix([[1, 0, 1, 1], [1, 0, 0, 0], [0, 1, 1, 0], [1, 0, 1, 0]], f) for n, f in FIELDS.items()}
MIX_INV = {
    n: gf_matrix([[0, 1, 0, 0], [0, 1, 1, 1], [0, 1, 0, 1], [1, 0, 0, 1]], f) for n, f in FIELDS.items()
}
PT = (9, 15, 8, 13, 10, 14, 12, 11, 0, 1, 2, 3, 4, 5, 6, 7)
ROUNDS = {64: (32, 36, 40), 128: (40, 48, 56)}


def cells(bytes_, n):
    """Sixteen cells of a block of n bits, row by row: bytes, or nibbles of which the higher is first."""
    return list(bytes_) if n == 128 else [half for byte in bytes_ for half in (byte[4:8], byte[0:4])]


def bytes_of(state, n):
    return state if n == 128 else [join(state[i + 1], state[i]) for i in range(0, 16, 2)]


def lfsr2(x):
    s = x.width
    return join(x[s - 1] ^ x[s - 2 if s == 4 else 5], x[0 : s - 1])


def lfsr3(x):
    s = x.width
    return join(x[1:s], x[0] ^ x[s - 1 if s == 4 else 6])


def shift_rows(state, by=1):
    """Row i to the right by i cells."""
    return [state[4 * i + (j - by * i) % 4] for i in range(4) for j in range(4)]


def mix_columns(state, matrix):
    columns = [matrix(*state[j::4]) for j in range(4)]
    return [columns[j][i] for i in range(4) for j in range(4)]


class Skinny(Cipher):
    """SKINNY (Beierle and others 2016): a tweakable network whose key is a tweakey of one to three blocks.

    Parameter: ``block_bits``, 64 or 128.
    """

    facts = Facts(
        title="SKINNY",
        year=2016,
        designers="Christof Beierle and others",
        structure="tweakable substitution-permutation network",
        state="unbroken",
        analysis="32 of 56 rounds of SKINNY-128-384 with related tweakeys (Dong, Qin, Sun, Wang, EUROCRYPT "
        "2022)",
    )
    parameters = {"block_bits": (64, 128)}
    block_bits = 128
    block = words(16, u8)
    key_bits = (128, 256, 384)

    @classmethod
    def shape(cls):
        n = cls.block_bits
        return {"block": words(n // 8, u8), "key_bits": (n, 2 * n, 3 * n)}

    @property
    def last(self):
        """The number of rounds."""
        return ROUNDS[self.block_bits][self.key_size // self.block_bits - 1]

    def expand_key(self, key):
        """What each round adds to the two upper rows of the state."""
        n = self.block_bits
        tks = [cells(key[at : at + n // 8], n) for at in range(0, len(key), n // 8)]
        keys, rc = [], 0
        for _ in range(self.last):
            rc = rc << 1 & 63 | (rc >> 5 ^ rc >> 4 ^ 1) & 1
            rows = [constant(0, n // 16)] * 8
            for tk in tks:
                rows = [a ^ b for a, b in zip(rows, tk, strict=False)]
            rows[0], rows[4] = rows[0] ^ rc & 15, rows[4] ^ rc >> 4
            keys.append(rows)
            tks = [[tk[place] for place in PT] for tk in tks]
            for tk, lfsr in zip(tks[1:], (lfsr2, lfsr3), strict=False):
                tk[:8] = map(lfsr, tk[:8])
        return keys

    def with_key(self, state, key):
        """AddConstants and AddRoundTweakey: the third constant is 2, in the third row."""
        return [*(a ^ k for a, k in zip(state, key, strict=False)), state[8] ^ 2, *state[9:]]

    def encrypt(self, block, keys):
        n, state = self.block_bits, cells(block, self.block_bits)
        for r in rounds(self.last):
            state = self.with_key([BOXES[n][0][cell] for cell in state], keys[r])
            state = mix_columns(shift_rows(state), MIX[n])
        return bytes_of(state, n)

    def decrypt(self, block, keys):
        n, state = self.block_bits, cells(block, self.block_bits)
        for r in rounds(self.last - 1, -1, -1):
            state = shift_rows(mix_columns(state, MIX_INV[n]), -1)
            state = [BOXES[n][1][cell] for cell in self.with_key(state, keys[r])]
        return bytes_of(state, n)
