"""KASUMI (SAGE 1999; 3GPP TS 35.202)."""

from finalist.ciphers.data import constants
from finalist.language import BIG, Cipher, Facts, Table, join, rol, rounds, u16, words

BOXES = constants("kasumi")
S7, S9 = Table(BOXES["S7"], name="S7"), Table(BOXES["S9"], name="S9")
C = (0x0123, 0x4567, 0x89AB, 0xCDEF, 0xFEDC, 0xBA98, 0x7654, 0x3210)


def FL(x, kl):
    left, right = x
    right = right ^ rol(left & kl[0], 1)
    return left ^ rol(right | kl[1], 1), right


def FI(x, ki):
    """Section 3.4, on nine bits and seven; KI is seven bits and nine."""
    nine, seven = x[7:16], x[0:7]
    nine = S9[nine] ^ seven.extend(9)
    seven = S7[seven] ^ nine[0:7]
    seven, nine = seven ^ ki[9:16], nine ^ ki[0:9]
    nine = S9[nine] ^ seven.extend(9)
    seven = S7[seven] ^ nine[0:7]
    return join(nine, seven)


def FO(x, ko, ki):
    left, right = x
    for j in range(3):
        left, right = right, FI(left ^ ko[j], ki[j]) ^ right
    return left, right


def feistel(block, keys, order):
    """Eight rounds; the halves are exchanged after each, the last too."""
    left, right = block[:2], block[2:]
    for r in order:
        kl, ko, ki = keys[r]
        f = FL(FO(left, ko, ki), kl) if r % 2 else FO(FL(left, kl), ko, ki)
        left, right = [right[0] ^ f[0], right[1] ^ f[1]], left
    return left, right


class Kasumi(Cipher):
    """KASUMI (SAGE 1999): MISTY1's functions, rearranged for mobile telephones."""

    facts = Facts(
        title="KASUMI",
        year=1999,
        designers="SAGE (ETSI), after Mitsuru Matsui",
        structure="Feistel network",
        state="broken",
        analysis="related keys, in practical time (Dunkelman, Keller, Shamir, CRYPTO 2010)",
    )
    aliases = ("a5-3",)
    block = words(4, u16, BIG)
    key_bits = (128,)

    def expand_key(self, K):
        """KL, KO and KI of the eight rounds: table 1."""
        K_prime = [k ^ c for k, c in zip(K, C, strict=True)]
        keys = []
        for i in range(8):
            at, prime = (lambda n, i=i: K[(i + n) % 8]), (lambda n, i=i: K_prime[(i + n) % 8])
            kl = [rol(at(0), 1), prime(2)]
            ko = [rol(at(1), 5), rol(at(5), 8), rol(at(6), 13)]
            keys.append([kl, ko, [prime(4), prime(3), prime(7)]])
        return keys

    def encrypt(self, block, keys):
        left, right = feistel(block, keys, rounds(8))
        return [*left, *right]

    def decrypt(self, block, keys):
        right, left = feistel([*block[2:], *block[:2]], keys, rounds(7, -1, -1))
        return [*left, *right]
