"""GIFT-64 and GIFT-128 (Banik and others 2017), by itself GIFT-128."""

from finalist.language import BIG, Cipher, Facts, LinearMap, Table, join, rounds, u16, u64, words

S = Table([1, 0xA, 4, 0xC, 6, 0xF, 3, 9, 2, 0xD, 0xB, 7, 5, 0, 8, 0xE], name="S")
S_INV = S.inverse()
ROUNDS = {64: 28, 128: 40}


def target(i, n):
    """Section 2.1: where bit i of n goes."""
    return 4 * (i // 16) + n // 4 * ((3 * (i % 16 // 4) + i % 4) % 4) + i % 4


def bit_moves(n, inverse):
    """The permutation as maps of all words to each: those bits that it has, the lowest word first."""
    move = {target(i, n): i for i in range(n)} if inverse else {i: target(i, n) for i in range(n)}
    starts = range(0, n, 64)
    return [
        LinearMap(
            [tuple((1 << move[start + bit] >> low) % 2**64 for bit in range(64)) for start in starts],
            [64],
        )
        for low in starts
    ]


P = {n: bit_moves(n, inverse=False) for n in ROUNDS}
P_INV = {n: bit_moves(n, inverse=True) for n in ROUNDS}


def substituted(word, box):
    return join(*(box[word[i : i + 4]] for i in range(0, 64, 4)))


def permuted(state, maps):
    return [map_(*state)[0] for map_ in maps]


def spread(bits, place):
    """Each of sixteen bits at this place of a group of four."""
    columns = tuple(1 << 4 * bit + place for bit in range(16))
    return LinearMap([columns], [64])(bits)[0]


class GIFT(Cipher):
    """GIFT (Banik and others 2017): 4-bit S-boxes and a bit permutation; keys go on half of the bits.

    Parameter: ``block_bits``, 64 or 128.
    """

    facts = Facts(
        title="GIFT",
        year=2017,
        designers="Subhadeep Banik and others",
        structure="substitution-permutation network",
        state="unbroken",
        analysis="27 of 40 rounds of GIFT-128 (Zong and others, ToSC 2021); 26 of 28 of GIFT-64 with "
        "related keys (Sun, Wang, Wang, SAC 2021)",
    )
    parameters = {"block_bits": (64, 128)}
    block_bits = 128
    block = words(2, u64, BIG)
    key_bits = (128,)
    key_words = words(8, u16, BIG)

    @classmethod
    def shape(cls):
        return {"block": words(cls.block_bits // 64, u64, BIG)}

    @property
    def last(self):
        """The number of rounds."""
        return ROUNDS[self.block_bits]

    def expand_key(self, key):
        """Round keys as words of the state, the lowest first, with the round constants in them."""
        k, c, keys = key[::-1], 0, []
        for _ in range(self.last):
            c = c << 1 & 63 | (c >> 5 ^ c >> 4 ^ 1) & 1
            constant = sum((c >> bit & 1) << 4 * bit + 3 for bit in range(6))
            if self.block_bits == 64:
                rk = [spread(k[1], 1) ^ spread(k[0], 0)]
            else:
                rk = [spread(k[4 + n], 2) ^ spread(k[n], 1) for n in range(2)]
            rk[0] = rk[0] ^ constant
            rk[-1] = rk[-1] ^ 1 << 63
            keys.append(rk)
            k = [*k[2:], join(k[0][12:16], k[0][0:12]), join(k[1][2:16], k[1][0:2])]
        return keys

    def encrypt(self, block, keys):
        state = block[::-1]
        for r in rounds(self.last):
            state = permuted([substituted(word, S) for word in state], P[self.block_bits])
            state = [word ^ k for word, k in zip(state, keys[r], strict=True)]
        return state[::-1]

    def decrypt(self, block, keys):
        state = block[::-1]
        for r in rounds(self.last - 1, -1, -1):
            state = [word ^ k for word, k in zip(state, keys[r], strict=True)]
            state = [substituted(word, S_INV) for word in permuted(state, P_INV[self.block_bits])]
        return state[::-1]
