"""CAST-256 (Adams and others 1998; RFC 2612)."""

from finalist.ciphers.data import constants
from finalist.language import BIG, Cipher, Facts, Table, constant, rol, rounds, u32, words

BOXES = constants("cast_256")
S1, S2, S3, S4 = (Table(BOXES[name], 32, name=name) for name in ("S1", "S2", "S3", "S4"))

TM = [[(0x5A827999 + (8 * i + j) * 0x6ED9EBA1) % 2**32 for j in range(8)] for i in range(24)]
TR = [[(19 + (8 * i + j) * 17) % 32 for j in range(8)] for i in range(24)]


def f1(D, kr, km):
    d, c, b, a = rol(km + D, kr).bytes()
    return ((S1[a] ^ S2[b]) - S3[c]) + S4[d]


def f2(D, kr, km):
    d, c, b, a = rol(km ^ D, kr).bytes()
    return ((S1[a] - S2[b]) + S3[c]) ^ S4[d]


def f3(D, kr, km):
    d, c, b, a = rol(km - D, kr).bytes()
    return ((S1[a] + S2[b]) ^ S3[c]) - S4[d]


def Q(block, keys):
    """The forward quad-round."""
    (A, B, C, D), (kr, km) = block, keys
    C = C ^ f1(D, kr[0], km[0])
    B = B ^ f2(C, kr[1], km[1])
    A = A ^ f3(B, kr[2], km[2])
    D = D ^ f1(A, kr[3], km[3])
    return A, B, C, D


def Qbar(block, keys):
    """The reverse quad-round."""
    (A, B, C, D), (kr, km) = block, keys
    D = D ^ f1(A, kr[3], km[3])
    A = A ^ f3(B, kr[2], km[2])
    B = B ^ f2(C, kr[1], km[1])
    C = C ^ f1(D, kr[0], km[0])
    return A, B, C, D


def W(kappa, tr, tm):
    """The forward octave."""
    A, B, C, D, E, F, G, H = kappa
    G = G ^ f1(H, tr[0], tm[0])
    F = F ^ f2(G, tr[1], tm[1])
    E = E ^ f3(F, tr[2], tm[2])
    D = D ^ f1(E, tr[3], tm[3])
    C = C ^ f2(D, tr[4], tm[4])
    B = B ^ f3(C, tr[5], tm[5])
    A = A ^ f1(B, tr[6], tm[6])
    H = H ^ f2(A, tr[7], tm[7])
    return A, B, C, D, E, F, G, H


class CAST256(Cipher):
    """CAST-256 (Adams and others 1998): CAST-128's three round functions, on one word of four in turn."""

    called = "cast-256"
    aliases = ("cast256", "cast6")
    facts = Facts(
        title="CAST-256",
        year=1998,
        designers="Carlisle Adams and others (Entrust)",
        structure="generalised Feistel network",
        state="unbroken",
        analysis="28 of 48 rounds (Bogdanov, Leander, Nyberg, Wang, ASIACRYPT 2012)",
    )
    block = words(4, u32, BIG)
    key_bits = (128, 160, 192, 224, 256)

    def expand_key(self, key):
        """The pairs (Kr, Km) of the twelve quad-rounds."""
        kappa = [*key, *[constant(0, 32)] * (8 - len(key))]
        K = []
        for i in range(12):
            kappa = W(kappa, TR[2 * i], TM[2 * i])
            kappa = W(kappa, TR[2 * i + 1], TM[2 * i + 1])
            A, B, C, D, E, F, G, H = kappa
            K.append(([A & 31, C & 31, E & 31, G & 31], [H, F, D, B]))
        return K

    def expand_decryption_key(self, K):
        return K[::-1]

    def encrypt(self, block, K):
        for i in rounds(6):
            block = Q(block, K[i])
        for i in rounds(6, 12):
            block = Qbar(block, K[i])
        return block

    def decrypt(self, block, K):
        return self.encrypt(block, K)
