"""PRESENT with 80-bit keys (Bogdanov and others 2007): sixteen 4-bit S-boxes and a bit permutation.

The paper numbers bits from the right, and prints blocks and keys with the highest bit first: big-endian.
"""

from finalist.language import BIG, Cipher, Table, bit_permutation, join, rounds, u16, u64, words

S = Table([0xC, 5, 6, 0xB, 9, 0, 0xA, 0xD, 3, 0xE, 0xF, 8, 4, 7, 1, 2], name="S")
S_INV = S.inverse()

#: Bit i moves to 16 i mod 63, so output bit i is input bit 4 i mod 63; bit 63 stays.
P = bit_permutation([4 * i % 63 for i in range(63)] + [63])
P_INV = bit_permutation([16 * i % 63 for i in range(63)] + [63])


def substitute(state, box):
    return join(*(box[state[i : i + 4]] for i in range(0, 64, 4)))


class Present(Cipher):
    """PRESENT-80."""

    block = words(1, u64, BIG)
    key_bits = (80,)
    key_words = words(5, u16, BIG)  # 80 bits are no whole number of the block's words

    #: Key, plaintext, ciphertext: the paper's appendix I.
    vectors = [
        ("00000000000000000000", "0000000000000000", "5579c1387b228445"),
        ("ffffffffffffffffffff", "0000000000000000", "e72c46c0f5945049"),
        ("00000000000000000000", "ffffffffffffffff", "a112ffc72f68417b"),
        ("ffffffffffffffffffff", "ffffffffffffffff", "3333dcd3213210d2"),
    ]

    def expand_key(self, key):
        high, low = join(*reversed(key[0:4])), key[4]  # bits 79..16 and 15..0
        round_keys = [high]
        for i in range(1, 32):
            # Left by 61: bits 79..35 move down by 19, bits 18..0 come in at the top.
            high, low = join(high[19:64], low, high[0:3]), high[3:19]
            high = join(high[0:60], S[high[60:64]]) ^ i >> 1
            low = low ^ (i & 1) << 15
            round_keys.append(high)
        return round_keys

    def encrypt(self, block, round_keys):
        (state,) = block
        for r in rounds(31):
            (state,) = P(substitute(state ^ round_keys[r], S))
        return state ^ round_keys[31]

    def decrypt(self, block, round_keys):
        (state,) = block
        state = state ^ round_keys[31]
        for r in rounds(30, -1, -1):
            (state,) = P_INV(state)
            state = substitute(state, S_INV) ^ round_keys[r]
        return state
