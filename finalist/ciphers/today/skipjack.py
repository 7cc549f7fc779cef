"""SKIPJACK (NSA 1987; SKIPJACK and KEA Algorithm Specifications, NIST 1998)."""

from finalist.ciphers.data import constants
from finalist.language import BIG, Cipher, Facts, Table, join, rounds, u8, u16, words

F = Table(constants("skipjack")["F"], name="F")


def G(w, cv):
    """A Feistel network of four rounds on the two bytes of a word."""
    g2, g1 = w.bytes()
    for k in cv:
        g1, g2 = g2, F[g2 ^ k] ^ g1
    return join(g2, g1)


def G_inverse(w, cv):
    g2, g1 = w.bytes()
    for k in reversed(cv):
        g1, g2 = F[g1 ^ k] ^ g2, g1
    return join(g2, g1)


def by_rule_a(step):
    """Eight steps by rule A, eight by rule B, and that again."""
    return step % 16 < 8


class Skipjack(Cipher):
    """SKIPJACK (NSA 1987): four words, one of which goes through a small Feistel network in each step."""

    facts = Facts(
        title="SKIPJACK",
        year=1987,
        designers="NSA",
        structure="unbalanced Feistel network",
        state="withdrawn",
        analysis="31 of 32 rounds (Biham, Biryukov, Shamir, EUROCRYPT 1999); withdrawn by SP 800-131A (2015)",
    )
    block = words(4, u16, BIG)
    key_bits = (80,)
    key_words = words(10, u8)

    def expand_key(self, cv):
        return cv

    def encrypt(self, block, cv):
        w1, w2, w3, w4 = block
        for k in rounds(32):
            g = G(w1, [cv[(4 * k + n) % 10] for n in range(4)])
            if by_rule_a(k):
                w1, w2, w3, w4 = g ^ w4 ^ k + 1, g, w2, w3
            else:
                w1, w2, w3, w4 = w4, g, w1 ^ w2 ^ k + 1, w3
        return w1, w2, w3, w4

    def decrypt(self, block, cv):
        w1, w2, w3, w4 = block
        for k in rounds(31, -1, -1):
            g = G_inverse(w2, [cv[(4 * k + n) % 10] for n in range(4)])
            if by_rule_a(k):
                w1, w2, w3, w4 = g, w3, w4, w1 ^ w2 ^ k + 1
            else:
                w1, w2, w3, w4 = g, g ^ w3 ^ k + 1, w4, w1
        return w1, w2, w3, w4
