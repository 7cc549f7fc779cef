"""PRESENT (Bogdanov and others 2007; ISO/IEC 29192-2)."""

from finalist.language import BIG, Cipher, Facts, Table, bit_permutation, join, rounds, u16, u64, words

S = Table([0xC, 5, 6, 0xB, 9, 0, 0xA, 0xD, 3, 0xE, 0xF, 8, 4, 7, 1, 2], name="S")
S_INV = S.inverse()
LAST = 31
#: Bit i moves to 16 i mod 63, so output bit i is input bit 4 i mod 63; bit 63 stays.
P = bit_permutation([4 * i % 63 for i in range(63)] + [63])
P_INV = bit_permutation([16 * i % 63 for i in range(63)] + [63])


def substituted(state, box):
    return join(*(box[state[i : i + 4]] for i in range(0, 64, 4)))


def rotated(register):
    """The key register, in words of 16 bits from the highest, rotated left by 61."""
    n = len(register)
    return [join(register[(k + 4) % n][3:16], register[(k + 3) % n][0:3]) for k in range(n)]


class Present(Cipher):
    """PRESENT (Bogdanov and others 2007): sixteen 4-bit S-boxes and a bit permutation."""

    facts = Facts(
        title="PRESENT",
        year=2007,
        designers="Andrey Bogdanov and others",
        structure="substitution-permutation network",
        state="weak",
        analysis="28 of 31 rounds (Flórez-Gutiérrez, Naya-Plasencia, EUROCRYPT 2020); a block of 64 bits",
    )
    block = words(1, u64, BIG)
    key_bits = (80, 128)
    key_words = words(5, u16, BIG)

    def expand_key(self, register):
        """Appendix I: after each rotation S-boxes on the highest bits, the round's number further down."""
        wide = self.key_size == 128
        keys = [join(*reversed(register[:4]))]
        for i in range(1, LAST + 1):
            register = rotated(register)
            top = register[0]
            boxed = S[top[8:12]] if wide else top[8:12]
            register[0] = join(top[0:8], boxed, S[top[12:16]])
            if wide:  # bits 66 to 62
                register[3], register[4] = register[3] ^ i >> 2, register[4] ^ (i & 3) << 14
            else:  # bits 19 to 15
                register[3], register[4] = register[3] ^ i >> 1, register[4] ^ (i & 1) << 15
            keys.append(join(*reversed(register[:4])))
        return keys

    def encrypt(self, block, keys):
        (state,) = block
        for r in rounds(LAST):
            (state,) = P(substituted(state ^ keys[r], S))
        return state ^ keys[LAST]

    def decrypt(self, block, keys):
        state = block[0] ^ keys[LAST]
        for r in rounds(LAST - 1, -1, -1):
            (state,) = P_INV(state)
            state = substituted(state, S_INV) ^ keys[r]
        return state
