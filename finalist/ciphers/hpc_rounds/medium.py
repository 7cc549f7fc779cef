"""HPC-Medium."""

from finalist.ciphers.hpc_rounds import ALL, PI19


def mixed(s, KX, sp, i, bits):
    """A round of HPC-Medium on 128 bits."""
    s0, s1 = s
    k = KX[s0]
    s1 = s1 + k
    s0 = s0 ^ (k << 8)
    s1 = s1 ^ s0
    s0 = ((s0 - (s1 >> 11)) ^ (s1 << 2)) - sp[i ^ 4]
    s0 = s0 + ((s0 << 32) ^ (PI19 + bits))
    s0 = s0 ^ (s0 >> 17)
    s0 = s0 ^ (s0 >> 34)
    s0 = (s0 ^ sp[i]) + (sp[i] << 5 & ALL)
    s0, s1 = s0 ^ sp[i] >> 4, s1 + (sp[i] >> 4)
    s0 = s0 + (s0 << (22 + (s0 & 31)))
    s0 = s0 ^ (s0 >> 23)
    s0 = s0 - sp[i ^ 7]
    k, kk = KX[s0], KX[(s0 & 255) + 3 * i + 1]
    s1 = s1 ^ k
    s0 = s0 ^ (kk << 8)
    kk = kk ^ k
    s1 = s1 + (kk >> 5)
    s0 = s0 - (kk << 12)
    s0 = s0 ^ (kk & ALL - 255)
    s1 = s1 + s0
    s0 = ((s0 + (s1 << 3)) ^ sp[i ^ 2]) + KX[bits + 16 + i]
    s0 = s0 + (s0 << 22)
    s0 = (s0 ^ (s1 >> 4)) + sp[i ^ 1]
    s0 = s0 ^ (s0 >> (33 + i))
    return s0, s1


def unmixed(s, KX, sp, i, bits):
    s0, s1 = s
    s0 = s0 ^ (s0 >> (33 + i))
    s0 = (s0 - sp[i ^ 1]) ^ (s1 >> 4)
    s0 = s0 - ((s0 - (s0 << 22)) << 22)
    s0 = ((s0 - KX[bits + 16 + i]) ^ sp[i ^ 2]) - (s1 << 3)
    s1 = s1 - s0
    k, kk = KX[s0], KX[(s0 & 255) + 3 * i + 1]  # what follows leaves the low eight bits alone
    m = kk ^ k
    s0 = s0 ^ (m & ALL - 255)
    s0 = s0 + (m << 12)
    s1 = s1 - (m >> 5)
    s0 = s0 ^ (kk << 8)
    s1 = s1 ^ k
    s0 = s0 + sp[i ^ 7]
    s0 = s0 ^ (s0 >> 23) ^ (s0 >> 46)
    n = 22 + (s0 & 31)
    s0 = s0 - ((s0 - (s0 << n)) << n)
    s0, s1 = s0 ^ sp[i] >> 4, s1 - (sp[i] >> 4)
    s0 = (s0 - (sp[i] << 5 & ALL)) ^ sp[i]
    s0 = s0 ^ (s0 >> 17)
    t = s0 - ((s0 << 32) ^ (PI19 + bits))
    s0 = s0 - ((t << 32) ^ (PI19 + bits))
    s0 = ((s0 + sp[i ^ 4]) ^ (s1 << 2)) + (s1 >> 11)
    s1 = s1 ^ s0
    k = KX[s0]
    s0 = s0 ^ (k << 8)
    s1 = s1 - k
    return s0, s1
