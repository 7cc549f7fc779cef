"""FROG (Georgoudis, Leroux, Chaves 1998), on blocks of 16 bytes."""

from finalist.ciphers.data import constants
from finalist.language import Array, Cipher, Facts, constant, loop, rounds, select, u8, when, words

RANDOM_SEED = constants("frog")["randomSeed"]
BLOCK = 16
#: A record of the internal key: XOR bytes, a substitution, and the places of a "bomb permutation".
XOR, SUBSTITUTION, BOMB, RECORD = 0, BLOCK, BLOCK + 256, 2 * BLOCK + 256
ROUNDS = 8


def make_permutation(key, start, n):
    """The n bytes from ``start`` become a permutation of 0 .. n-1."""
    use = Array(n, 8, range(n))
    j = Array(1, 16)
    for i in loop(0, n - 1):
        left = n - i
        j[0] = (j[0] + key[start + i].extend(16)) % left[0:16]
        place = j[0].extend(32)
        key[start + i] = use[place]
        for k in loop(place, left - 1):
            use[k] = use[k + 1]
    key[start + n - 1] = use[0]


def make_cycle(key, start):
    """The permutation from ``start`` becomes one single cycle through all places of a block."""
    used = Array(BLOCK, 8)
    j, k, place = Array(1, 8), Array(1, 8), Array(1, 8)
    for _ in loop(0, BLOCK - 1):
        with when(key[start + j[0].extend(32)] == 0):
            k[0] = j[0] + 1 & BLOCK - 1
            for _ in loop(0, BLOCK):
                k[0] = select(used[k[0]] == 1, k[0] + 1 & BLOCK - 1, k[0])
            key[start + j[0].extend(32)] = k[0]
            place[0] = k[0]
            for _ in loop(0, BLOCK):
                following = key[start + place[0].extend(32)]
                place[0] = select(following == k[0], place[0], following)
            key[start + place[0].extend(32)] = constant(0, 8)
        used[j[0]] = constant(1, 8)
        j[0] = key[start + j[0].extend(32)]


def make_internal_key(key):
    for n in loop(0, ROUNDS):
        start = n * RECORD
        make_permutation(key, start + SUBSTITUTION, 256)
        make_permutation(key, start + BOMB, BLOCK)
        make_cycle(key, start + BOMB)
        for i in loop(0, BLOCK):
            place = key[start + BOMB + i]
            forbidden, instead = (i + 1)[0:8] & BLOCK - 1, (i + 2)[0:8] & BLOCK - 1
            key[start + BOMB + i] = select(place == forbidden, instead, place)


def iteration(b, key, start):
    for i in range(BLOCK):
        b[i] = key[start + SUBSTITUTION + (b[i] ^ key[start + XOR + i]).extend(32)]
        b[(i + 1) % BLOCK] = b[(i + 1) % BLOCK] ^ b[i]
        bomb = key[start + BOMB + i]
        b[bomb] = b[bomb] ^ b[i]


class FROG(Cipher):
    """FROG (Georgoudis, Leroux, Chaves 1998): a program for a byte machine that the key writes."""

    facts = Facts(
        title="FROG",
        year=1998,
        designers="Dianelos Georgoudis, Damian Leroux, Billy Simon Chaves (TecApro)",
        structure="byte substitutions at places that the key chooses",
        state="broken",
        analysis="2^58 chosen plaintexts for 2^-33 of all keys (Wagner, Ferguson, Schneier, AES2 1999)",
    )
    block = words(BLOCK, u8)
    key_bits = (128, 192, 256)

    def expand_key(self, key):
        length = len(key)
        given, seed = Array.holding(key), Array(len(RANDOM_SEED), 8, RANDOM_SEED)
        simple, internal = Array(ROUNDS * RECORD, 8), Array(ROUNDS * RECORD, 8)
        for i in loop(0, ROUNDS * RECORD):
            simple[i] = seed[i] ^ given[i]  # the places in both wrap around
        make_internal_key(simple)
        buffer = Array.holding([key[0] ^ length, *key[1:BLOCK]])
        for n in loop(0, ROUNDS * RECORD // BLOCK):
            for r in loop(0, ROUNDS):
                iteration(buffer, simple, r * RECORD)
            for place, byte in enumerate(buffer):
                internal[n * BLOCK + place] = byte
        make_internal_key(internal)
        return internal

    def expand_decryption_key(self, key):
        inverse = Array(ROUNDS * 256, 8)
        for r in loop(0, ROUNDS):
            for x in loop(0, 256):
                y = key[r * RECORD + SUBSTITUTION + x]
                inverse[r * 256 + y.extend(32)] = x[0:8]
        return key, inverse

    def encrypt(self, block, key):
        b = Array.holding(block)
        for r in rounds(ROUNDS):
            iteration(b, key, constant(r * RECORD, 32))
        return list(b)

    def decrypt(self, block, keys):
        key, inverse = keys
        b = Array.holding(block)
        for r in rounds(ROUNDS - 1, -1, -1):
            start = constant(r * RECORD, 32)
            for i in reversed(range(BLOCK)):
                bomb = key[start + BOMB + i]
                b[bomb] = b[bomb] ^ b[i]
                b[(i + 1) % BLOCK] = b[(i + 1) % BLOCK] ^ b[i]
                b[i] = inverse[r * 256 + b[i].extend(32)] ^ key[start + XOR + i]
        return list(b)
