"""Blowfish (Schneier 1993)."""

from finalist.language import BIG, Array, Cipher, Facts, join, loop, rounds, u8, u32, words


def digits_of_pi(count):
    """The first ``count`` 32-bit words of the fraction of pi = 16 atan(1/5) - 4 atan(1/239)."""
    one = 1 << 32 * (count + 2)

    def arctangent_of_one_over(x):
        power = one // x
        total, n, sign = power, 1, 1
        while power:
            power //= x * x
            n, sign = n + 2, -sign
            total += sign * (power // n)
        return total

    pi = 16 * arctangent_of_one_over(5) - 4 * arctangent_of_one_over(239)
    return [pi >> 32 * (count + 1 - n) & 0xFFFFFFFF for n in range(count)]


PI = digits_of_pi(18 + 4 * 256)


def F(x, S):
    d, c, b, a = x.bytes()
    return ((S[0][a] + S[1][b]) ^ S[2][c]) + S[3][d]


def feistel(left, right, P, S, turns):
    """Sixteen rounds; ``turns`` gives the number of the key that each takes."""
    for i in turns:
        left = left ^ P[i]
        right = right ^ F(left, S)
        left, right = right, left
    return right, left


def blowfish(left, right, P, S, turns):
    left, right = feistel(left, right, P, S, turns)
    return left ^ P[17], right ^ P[16]


class Blowfish(Cipher):
    """Blowfish (Schneier 1993): a Feistel network with key-dependent S-boxes."""

    facts = Facts(
        title="Blowfish",
        year=1993,
        designers="Bruce Schneier",
        structure="Feistel network with S-boxes made from the key",
        state="weak",
        analysis="weak keys (Vaudenay, FSE 1996); collisions of its 64-bit blocks (Bhargavan, Leurent, "
        "Sweet32, CCS 2016)",
    )
    block = words(2, u32, BIG)
    key_bits = range(32, 449, 8)
    key_words = words(1, u8)

    def expand_key(self, key):
        P = Array(18, 32, PI[:18])
        S = [Array(256, 32, PI[n : n + 256]) for n in range(18, len(PI), 256)]
        for i in range(18):
            first, second, third, fourth = (key[(4 * i + n) % len(key)] for n in range(4))
            P[i] = P[i] ^ join(fourth, third, second, first)
        block = Array(2, 32)
        for table in (P, *S):
            for place in loop(0, len(table) // 2):
                block[0], block[1] = blowfish(block[0], block[1], P, S, range(16))
                table[2 * place], table[2 * place + 1] = block[0], block[1]
        return {"P": P, "S": S}

    def encrypt(self, block, keys):
        left, right = block
        return blowfish(left, right, keys["P"], keys["S"], rounds(16))

    def decrypt(self, block, keys):
        P = keys["P"]
        left, right = block
        left, right = feistel(left, right, P, keys["S"], rounds(17, 1, -1))
        return left ^ P[0], right ^ P[1]
