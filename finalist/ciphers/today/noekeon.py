"""NOEKEON (Daemen, Peeters, Van Assche, Rijmen 2000), by itself in direct-key mode."""

from finalist.language import BIG, Cipher, Facts, constant, gf_multiply, rol, ror, rounds, u32, words

LAST = 16
RC = [0x80]
for _ in range(LAST):
    RC.append(gf_multiply(RC[-1], 2, 0x11B))


def spread(x):
    return x ^ ror(x, 8) ^ rol(x, 8)


def theta(k, a):
    a0, a1, a2, a3 = a
    t = spread(a0 ^ a2)
    a1, a3 = a1 ^ t, a3 ^ t
    a0, a1, a2, a3 = a0 ^ k[0], a1 ^ k[1], a2 ^ k[2], a3 ^ k[3]
    t = spread(a1 ^ a3)
    return [a0 ^ t, a1, a2 ^ t, a3]


def pi1(a):
    return [a[0], rol(a[1], 1), rol(a[2], 5), rol(a[3], 2)]


def pi2(a):
    return [a[0], ror(a[1], 1), ror(a[2], 5), ror(a[3], 2)]


def gamma(a):
    a0, a1, a2, a3 = a
    a1 = a1 ^ ~a3 & ~a2
    a0 = a0 ^ a2 & a1
    a0, a3 = a3, a0
    a2 = a2 ^ a0 ^ a1 ^ a3
    a1 = a1 ^ ~a3 & ~a2
    a0 = a0 ^ a2 & a1
    return [a0, a1, a2, a3]


def with_constant(a, r):
    return [a[0] ^ RC[r], *a[1:]]


def noekeon(k, a, order):
    for r in order:
        a = pi2(gamma(pi1(theta(k, with_constant(a, r)))))
    return theta(k, with_constant(a, LAST))


class Noekeon(Cipher):
    """NOEKEON (Daemen, Peeters, Van Assche, Rijmen 2000): a self-inverse network on bit slices.

    Parameter: ``indirect``, 1 for the mode in which the key is first encrypted under the key zero.
    """

    facts = Facts(
        title="NOEKEON",
        year=2000,
        designers="Joan Daemen, Michaël Peeters, Gilles Van Assche, Vincent Rijmen",
        structure="substitution-permutation network",
        state="weak",
        analysis="related keys in direct mode (Knudsen, Raddum, NESSIE 2001)",
    )
    parameters = {"indirect": (0, 1)}
    indirect = 0
    block = words(4, u32, BIG)
    key_bits = (128,)

    def expand_key(self, key):
        return noekeon([constant(0, 32)] * 4, key, range(LAST)) if self.indirect else key

    def expand_decryption_key(self, k):
        return theta([constant(0, 32)] * 4, k)

    def encrypt(self, block, k):
        return noekeon(k, block, rounds(LAST))

    def decrypt(self, block, k):
        a = block
        for r in rounds(LAST, 0, -1):
            a = pi2(gamma(pi1(with_constant(theta(k, a), r))))
        return with_constant(theta(k, a), 0)
