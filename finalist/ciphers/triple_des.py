"""Triple DES in the mode encrypt, decrypt, encrypt (NIST SP 800-67)."""

from finalist.ciphers.des import des, key_schedule
from finalist.language import BIG, Cipher, Facts, rounds, u64, words


class TripleDES(Cipher):
    """Triple DES (Tuchman 1979; SP 800-67) with two or three keys."""

    called = "triple-des"
    aliases = ("3des", "tdes", "tdea", "des3", "des-ede3")
    facts = Facts(
        title="Triple DES",
        year=1979,
        designers="Walter Tuchman (IBM)",
        structure="three times DES",
        state="withdrawn",
        analysis="collisions of its 64-bit blocks (Bhargavan, Leurent, Sweet32, CCS 2016); SP 800-67 "
        "disallows it since 2024",
    )
    block = words(1, u64, BIG)
    key_bits = (128, 192)

    def expand_key(self, key):
        k1, k2 = key[0], key[1]
        k3 = key[2] if self.key_size == 192 else k1
        return [key_schedule(k) for k in (k1, k2, k3)]

    def encrypt(self, block, keys):
        x = des(block[0], keys[0], rounds(16))
        x = des(x, keys[1], rounds(15, -1, -1))
        return des(x, keys[2], rounds(16))

    def decrypt(self, block, keys):
        x = des(block[0], keys[2], rounds(15, -1, -1))
        x = des(x, keys[1], rounds(16))
        return des(x, keys[0], rounds(15, -1, -1))
