"""SAFER+ (Massey, Khachatrian, Kuregian 1998)."""

from finalist.language import Cipher, Facts, Table, rol, rounds, u8, words

POWERS = [pow(45, i, 257) % 256 for i in range(256)]
EXP = Table(POWERS, name="EXP")
LOG = EXP.inverse("LOG")
#: The Armenian shuffle: byte j comes from place SHUFFLE[j].
SHUFFLE = (8, 11, 12, 15, 2, 1, 6, 5, 10, 9, 14, 13, 0, 7, 4, 3)
#: Bytes 0, 3, 4, 7, 8, 11, 12, 15 take a round's first key by XOR, its second by +; the others the reverse.
XOR_FIRST = [j % 4 in (0, 3) for j in range(16)]


def bias(p, j):
    """Byte j of the bias of subkey p: an exponential, up to p = 17 that of an exponential."""
    power = POWERS[(17 * p + j + 1) % 256]
    return POWERS[power] if p <= 17 else power


def substitute(b, P, Q):
    """The exponential or the logarithm of each byte, between keys."""
    return [EXP[b[j] ^ P[j]] + Q[j] if XOR_FIRST[j] else LOG[b[j] + P[j]] ^ Q[j] for j in range(16)]


def inverse_substitute(b, P, Q):
    return [LOG[b[j] - Q[j]] ^ P[j] if XOR_FIRST[j] else EXP[b[j] ^ Q[j]] - P[j] for j in range(16)]


def pht(b):
    """The pseudo-Hadamard transform of each pair."""
    return [y for u, v in zip(b[0::2], b[1::2], strict=True) for y in (2 * u + v, u + v)]


def inverse_pht(b):
    return [y for u, v in zip(b[0::2], b[1::2], strict=True) for y in (u - v, 2 * v - u)]


def linear_layer(b):
    b = pht(b)
    for _ in range(3):
        b = pht([b[j] for j in SHUFFLE])
    return b


def inverse_linear_layer(b):
    b = inverse_pht(b)
    for _ in range(3):
        b = inverse_pht([b[SHUFFLE.index(j)] for j in range(16)])
    return b


class SaferPlus(Cipher):
    """SAFER+ (Massey, Khachatrian, Kuregian 1998): exponentials, logarithms, pseudo-Hadamard transforms."""

    called = "safer-plus"
    aliases = ("safer+", "saferplus")
    facts = Facts(
        title="SAFER+",
        year=1998,
        designers="James Massey, Gurgen Khachatrian, Melsik Kuregian (Cylink)",
        structure="substitution-permutation network",
        state="weak",
        analysis="key schedule of 192- and 256-bit keys (Kelsey, Schneier, Wagner, AES2 1999)",
    )
    block = words(16, u8)
    key_bits = (128, 192, 256)

    @property
    def count(self):
        """The number of rounds."""
        return self.key_size // 16

    def expand_key(self, key):
        parity = key[0]
        for byte in key[1:]:
            parity = parity ^ byte
        register = [*key, parity]
        K = [key[:16]]
        for p in range(2, 2 * self.count + 2):
            register = [rol(byte, 3) for byte in register]
            K.append([register[(p - 1 + j) % len(register)] + bias(p, j) for j in range(16)])
        return K

    def encrypt(self, block, K):
        b = block
        for r in rounds(self.count):
            b = linear_layer(substitute(b, K[2 * r], K[2 * r + 1]))
        k = K[2 * self.count]
        return [b[j] ^ k[j] if XOR_FIRST[j] else b[j] + k[j] for j in range(16)]

    def decrypt(self, block, K):
        k = K[2 * self.count]
        b = [block[j] ^ k[j] if XOR_FIRST[j] else block[j] - k[j] for j in range(16)]
        for r in rounds(self.count - 1, -1, -1):
            b = inverse_substitute(inverse_linear_layer(b), K[2 * r], K[2 * r + 1])
        return b
