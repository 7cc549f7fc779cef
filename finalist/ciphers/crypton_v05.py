"""CRYPTON v0.5 (Lim 1998), the version submitted to the AES contest."""

from finalist.language import LITTLE, Cipher, Facts, Table, constant, join, rol, rounds, u32, words

P0 = [15, 9, 6, 8, 9, 9, 4, 12, 6, 2, 6, 10, 1, 3, 5, 15]
P1 = [10, 15, 4, 7, 5, 2, 14, 6, 9, 3, 12, 8, 13, 1, 11, 0]
P2 = [0, 4, 8, 4, 2, 15, 8, 13, 1, 1, 15, 7, 2, 11, 14, 15]


def box(x):
    """A byte permutation: three rounds of a Feistel network on nibbles."""
    left, right = x >> 4, x & 15
    left ^= P0[right]
    right ^= P1[left]
    left ^= P2[right]
    return left << 4 | right


S0 = Table([box(x) for x in range(256)], name="S0")
S1 = S0.inverse("S1")

#: Pi's masks: byte k of word s is m[(s + k) mod 4], where m = fc, f3, cf, 3f.
M = (0x3FCFF3FC, 0xFC3FCFF3, 0xF3FC3FCF, 0xCFF3FC3F)

#: The key schedule's constants: fractions of the square roots of the primes 3 to 11 and 13 to 23.
P = (0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F)
Q = (0x9B05688C, 0x1F83D9AB, 0x5BE0CD19, 0xCBBB9D5D)
ROTATIONS = ((8, 16), (16, 24), (24, 8))


def gamma(A, S, s):
    """Byte i of row j through S-box i + j + s."""
    return [join(*(S[(i + j + s) % 4][a] for i, a in enumerate(A[j].bytes()))) for j in range(4)]


def pi(A, s):
    """Each bit is the sum of three of the four bits of its column, as the masks say."""

    def row(k):
        a, b, c, d = (A[j] & M[(j + k + s) % 4] for j in range(4))
        return a ^ b ^ c ^ d

    return [row(k) for k in range(4)]


def tau(A):
    """Transposition: byte j of row i is byte i of row j."""
    return [join(*column) for column in zip(*(row.bytes() for row in A), strict=True)]


def sigma(A, K):
    return [a ^ k for a, k in zip(A, K, strict=True)]


def rho(A, S, s, K):
    return sigma(tau(pi(gamma(A, S, s), s)), K)


def phi(A, s):
    return tau(pi(tau(A), s))


def mixed(U, V):
    """The eight expanded keys, from the two transformed halves of the user's key."""
    T0, T1 = U[0] ^ U[1] ^ U[2] ^ U[3], V[0] ^ V[1] ^ V[2] ^ V[3]
    return [u ^ T1 for u in U], [v ^ T0 for v in V]


class CryptonV05(Cipher):
    """CRYPTON v0.5 (Lim 1998): a substitution-permutation network on 4x4 bytes."""

    called = "crypton-v05"
    facts = Facts(
        title="CRYPTON v0.5",
        year=1998,
        designers="Chae Hoon Lim (Future Systems)",
        structure="substitution-permutation network",
        state="weak",
        analysis="2^32 weak 256-bit keys (Borst 1998; Vaudenay); replaced by version 1.0",
    )
    block = words(4, u32, LITTLE)
    key_bits = (128, 192, 256)
    S = (S0, S1, S0, S1)
    d = 1  # how far the S-boxes and masks of even rounds are shifted

    def shift(self, r):
        return 0 if r % 2 else self.d

    def expand_key(self, key):
        W = [*key, *[constant(0, 32)] * (8 - len(key))]
        U = tau(gamma(sigma(pi(W[0::2], 0), P), self.S, 0))
        V = tau(gamma(sigma(pi(W[1::2], 1), Q), self.S, 1))
        K = [*mixed(U, V)]
        for r in range(11):
            (a, b), c = ROTATIONS[r % 3], 0x01010101 << r // 2
            k0, k1, k2, k3 = K[r]
            if r % 4 in (0, 3):
                K.append([rol(k0, a), k1 ^ c, rol(k2, b), k3 ^ c])
            else:
                K.append([k0 ^ c, rol(k1, a), k2 ^ c, rol(k3, b)])
        return [*K[:12], phi(K[12], self.d)]

    def expand_decryption_key(self, K):
        return [K[12], *(phi(K[12 - r], self.shift(r)) for r in range(1, 12)), K[0]]

    def encrypt(self, block, K):
        A = sigma(block, K[0])
        for r in rounds(1, 12):
            A = rho(A, self.S, self.shift(r), K[r])
        return sigma(tau(gamma(A, self.S, self.shift(12))), K[12])

    def decrypt(self, block, K):
        return self.encrypt(block, K)
