"""Rijndael (Daemen, Rijmen 1998), by itself with 128-bit blocks: the AES of FIPS 197."""

from finalist.language import Cipher, Facts, Intermediate, Table, gf_matrix, gf_multiply, rounds, u8, words

FIELD = 0x11B  # x^8 + x^4 + x^3 + x + 1


def affine_inverse(a: int) -> int:
    """Section 4.2.1: the inverse in GF(2^8) (0 for 0), then an affine map over GF(2)."""
    inverse = 1
    for _ in range(254):  # a^254 = a^-1, and 0 for 0
        inverse = gf_multiply(inverse, a, FIELD)
    turned = (inverse << shift | inverse >> 8 - shift for shift in range(5))
    result = 0x63
    for word in turned:
        result ^= word & 0xFF
    return result


S = Table([affine_inverse(a) for a in range(256)], name="S")
S_INV = S.inverse()
MIX = gf_matrix([[2, 3, 1, 1], [1, 2, 3, 1], [1, 1, 2, 3], [3, 1, 1, 2]], FIELD)
MIX_INV = gf_matrix([[14, 11, 13, 9], [9, 14, 11, 13], [13, 9, 14, 11], [11, 13, 9, 14]], FIELD)

#: Table 2: how far each row moves, by the number of columns; of 5 and 7, which it leaves out, section 12.1.
SHIFTS = {4: (0, 1, 2, 3), 5: (0, 1, 2, 3), 6: (0, 1, 2, 3), 7: (0, 1, 2, 4), 8: (0, 1, 3, 4)}


def sub_bytes(state):
    return [S[a] for a in state]


def inv_sub_bytes(state):
    return [S_INV[a] for a in state]


def shift_rows(state):
    """Byte n is row n mod 4 of column n div 4; row r moves left by as many columns as `SHIFTS` says."""
    size = len(state)
    return [state[(n + 4 * SHIFTS[size // 4][n % 4]) % size] for n in range(size)]


def inv_shift_rows(state):
    size = len(state)
    return [state[(n - 4 * SHIFTS[size // 4][n % 4]) % size] for n in range(size)]


def mix_columns(state, matrix=MIX):
    return [byte for c in range(0, len(state), 4) for byte in matrix(*state[c : c + 4])]


def add_round_key(state, round_key):
    return [a ^ k for a, k in zip(state, round_key, strict=True)]


FIPS_197 = Intermediate(
    "FIPS 197, appendix C",
    line="round[{round:2}].{name:<10}{value}",
    encrypt_head="PLAINTEXT:          {input}\nKEY:                {key}\n\nCIPHER (ENCRYPT):",
    encrypt={
        "encrypt.block": "input",
        "rounds": "start",
        "sub_bytes": "s_box",
        "shift_rows": "s_row",
        "mix_columns": "m_col",
        "add_round_key.round_key": "k_sch",
        "encrypt": "output",
    },
    decrypt_head="CIPHERTEXT:         {input}\nKEY:                {key}\n\nINVERSE CIPHER (DECRYPT):",
    decrypt={
        "decrypt.block": "iinput",
        "rounds": "istart",
        "inv_shift_rows": "is_row",
        "inv_sub_bytes": "is_box",
        "add_round_key.round_key": "ik_sch",
        "add_round_key": "ik_add",
        "decrypt": "ioutput",
    },
)


class Rijndael(Cipher):
    """Rijndael (Daemen, Rijmen 1998): a substitution-permutation network on 4x4 bytes.

    Parameter: ``block_bits``, the size of a block, whose state then has more columns.
    """

    facts = Facts(
        title="Rijndael",
        year=1998,
        designers="Joan Daemen, Vincent Rijmen",
        structure="substitution-permutation network",
        state="standard",
        analysis=(
            "FIPS 197; the best attack on the whole cipher gains a factor of 4 (Bogdanov, Khovratovich,"
            " Rechberger, ASIACRYPT 2011)"
        ),
    )
    aliases = ("aes",)
    intermediate = FIPS_197
    parameters = {"block_bits": (128, 160, 192, 224, 256)}
    block_bits = 128
    block = words(16, u8)
    key_bits = (128, 192, 256)

    @classmethod
    def shape(cls):
        return {"block": words(cls.block_bits // 8, u8), "key_bits": range(128, 257, 32)}

    @property
    def last(self):
        """Nr, the number of rounds."""
        return max(self.block_bits, self.key_size) // 32 + 6

    def expand_key(self, key):
        nb, nk = self.block_bits // 32, self.key_size // 32
        w = [key[4 * i : 4 * i + 4] for i in range(nk)]
        rcon = 1
        for i in range(nk, nb * (self.last + 1)):
            t = w[i - 1]
            if i % nk == 0:
                t = sub_bytes([t[1], t[2], t[3], t[0]])
                t[0] = t[0] ^ rcon
                rcon = gf_multiply(rcon, 2, FIELD)
            elif nk > 6 and i % nk == 4:
                t = sub_bytes(t)
            w.append([a ^ b for a, b in zip(w[i - nk], t, strict=True)])
        return [sum(w[nb * r : nb * r + nb], []) for r in range(self.last + 1)]

    def encrypt(self, block, round_keys):
        state = add_round_key(block, round_keys[0])
        for r in rounds(1, self.last):
            state = mix_columns(shift_rows(sub_bytes(state)))
            state = add_round_key(state, round_keys[r])
        return add_round_key(shift_rows(sub_bytes(state)), round_keys[self.last])

    def decrypt(self, block, round_keys):
        state = add_round_key(block, round_keys[self.last])
        for r in rounds(self.last - 1, 0, -1):
            state = inv_sub_bytes(inv_shift_rows(state))
            state = mix_columns(add_round_key(state, round_keys[r]), MIX_INV)
        return add_round_key(inv_sub_bytes(inv_shift_rows(state)), round_keys[0])
