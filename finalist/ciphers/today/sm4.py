"""SM4 (Lü and others 2006; GB/T 32907-2016)."""

from finalist.ciphers.data import constants
from finalist.language import BIG, Cipher, Facts, Table, join, rol, rounds, u32, words

S = Table(constants("sm4")["S"], name="S")
FK = (0xA3B1BAC6, 0x56AA3350, 0x677D9197, 0xB27022DC)
#: Byte j of CK_i, the highest first, is 7 (4 i + j) modulo 256.
CK = [int.from_bytes((4 * i + j) * 7 % 256 for j in range(4)) for i in range(32)]


def tau(a):
    return join(*(S[byte] for byte in a.bytes()))


def T(x):
    b = tau(x)
    return b ^ rol(b, 2) ^ rol(b, 10) ^ rol(b, 18) ^ rol(b, 24)


def T_of_keys(x):
    """T' of the key schedule."""
    b = tau(x)
    return b ^ rol(b, 13) ^ rol(b, 23)


class SM4(Cipher):
    """SM4 (Lü and others 2006): each round changes one word of four by the other three."""

    facts = Facts(
        title="SM4",
        year=2006,
        designers="Shuwang Lü and others",
        structure="generalised Feistel network",
        state="standard",
        analysis="GB/T 32907-2016; 24 of 32 rounds (Liu, Liang, Wang, Wang, Security and Communication "
        "Networks, 2017)",
    )
    aliases = ("sms4",)
    block = words(4, u32, BIG)
    key_bits = (128,)

    def expand_key(self, key):
        K = [k ^ f for k, f in zip(key, FK, strict=True)]
        for i in range(32):
            K.append(K[i] ^ T_of_keys(K[i + 1] ^ K[i + 2] ^ K[i + 3] ^ CK[i]))
        return K[4:]

    def expand_decryption_key(self, rk):
        return rk[::-1]

    def encrypt(self, block, rk):
        x0, x1, x2, x3 = block
        for i in rounds(32):
            x0, x1, x2, x3 = x1, x2, x3, x0 ^ T(x1 ^ x2 ^ x3 ^ rk[i])
        return x3, x2, x1, x0

    def decrypt(self, block, rk):
        return self.encrypt(block, rk)
