"""HPC-Long."""

from finalist.ciphers.hpc_rounds import ALL, PI19


def spread(s):
    """s0 to s7 of HPC-Long: the last word of a block is s7, those before it are s0, s1, s2 and on."""
    return [*s[:-1], *[None] * (8 - len(s)), s[-1]]


def mixed(s, KX, sp, i, bits):
    """A round of HPC-Long on 192 to 512 bits."""
    s0, s1, s2, s3, s4, s5, s6, s7 = spread(s)
    k, kk = KX[s0], KX[(s0 & 255) + 3 * i + 1]
    s1 = s1 + k
    s0 = s0 ^ (kk << 8)
    kk = kk ^ k
    s1 = s1 + (kk >> 5)
    s0 = s0 - (kk << 12)
    s7 = (s7 + kk) ^ s0
    s1 = (s1 + s7) ^ (s7 << 13)
    s0 = s0 - (s7 >> 11) + sp[i]
    s1 = s1 ^ sp[i ^ 1]
    s0 = s0 + (s1 << (9 + i))
    s1 = s1 + ((s0 >> 3) ^ (PI19 + bits))
    s0 = (s0 ^ (s1 >> 4)) + sp[i ^ 2]
    s1 = ((s1 + sp[i ^ 4]) ^ sp[i ^ 4] >> 3) - (sp[i ^ 4] << 5 & ALL)
    s0 = s0 ^ s1
    if bits > 448:
        s6 = (s6 + s0) ^ (s3 << 11)
        s1 = s1 + (s6 >> 13)
        s6 = s6 + (s5 << 7)
        s4 = s4 ^ s6
    if bits > 384:
        s5 = (s5 ^ s1) + (s4 << 15)
        s0 = s0 - (s5 >> 7)
        s5 = s5 ^ (s3 >> 9)
        s2 = s2 ^ s5
    if bits > 320:
        s4 = (s4 - s2) ^ (s1 >> 10)
        s0 = s0 ^ (s4 << 3)
        s4 = s4 - (s2 << 6)
        s3 = s3 + s4
    if bits > 256:
        s3 = (s3 ^ s2) - (s0 >> 7)
        s2 = s2 ^ (s3 << 15)
        s3 = s3 ^ (s1 << 5)
        s1 = s1 + s3
    if bits > 192:
        s2 = (s2 ^ s1) + (s0 << 13)
        s1 = s1 - (s2 >> 5)
        s2 = s2 - (s1 >> 8)
        s0 = s0 ^ s2
    s1 = s1 ^ KX[bits + 17 + 32 * i & 255]
    s1 = s1 + (s0 << 19)
    s0 = s0 - (s1 >> 27)
    s1 = s1 ^ sp[i ^ 7]
    s7 = s7 - s1
    s0 = s0 + (s1 & s1 >> 5)
    s1 = s1 ^ (s0 >> (s0 & 31))
    s0 = s0 ^ KX[s1]
    return s0, s1, *(s2, s3, s4, s5, s6)[: len(s) - 3], s7


def unmixed(s, KX, sp, i, bits):
    s0, s1, s2, s3, s4, s5, s6, s7 = spread(s)
    s0 = s0 ^ KX[s1]
    s1 = s1 ^ (s0 >> (s0 & 31))
    s0 = s0 - (s1 & s1 >> 5)
    s7 = s7 + s1
    s1 = s1 ^ sp[i ^ 7]
    s0 = s0 + (s1 >> 27)
    s1 = s1 - (s0 << 19)
    s1 = s1 ^ KX[bits + 17 + 32 * i & 255]
    if bits > 192:
        s0 = s0 ^ s2
        s2 = s2 + (s1 >> 8)
        s1 = s1 + (s2 >> 5)
        s2 = (s2 - (s0 << 13)) ^ s1
    if bits > 256:
        s1 = s1 - s3
        s3 = s3 ^ (s1 << 5)
        s2 = s2 ^ (s3 << 15)
        s3 = (s3 + (s0 >> 7)) ^ s2
    if bits > 320:
        s3 = s3 - s4
        s4 = s4 + (s2 << 6)
        s0 = s0 ^ (s4 << 3)
        s4 = (s4 ^ (s1 >> 10)) + s2
    if bits > 384:
        s2 = s2 ^ s5
        s5 = s5 ^ (s3 >> 9)
        s0 = s0 + (s5 >> 7)
        s5 = (s5 - (s4 << 15)) ^ s1
    if bits > 448:
        s4 = s4 ^ s6
        s6 = s6 - (s5 << 7)
        s1 = s1 - (s6 >> 13)
        s6 = (s6 ^ (s3 << 11)) - s0
    s0 = s0 ^ s1
    s1 = ((s1 + (sp[i ^ 4] << 5 & ALL)) ^ sp[i ^ 4] >> 3) - sp[i ^ 4]
    s0 = (s0 - sp[i ^ 2]) ^ (s1 >> 4)
    s1 = s1 - ((s0 >> 3) ^ (PI19 + bits))
    s0 = s0 - (s1 << (9 + i))
    s1 = s1 ^ sp[i ^ 1]
    s0 = s0 - sp[i] + (s7 >> 11)
    s1 = (s1 ^ (s7 << 13)) - s7
    k, kk = KX[s0], KX[(s0 & 255) + 3 * i + 1]  # the low eight bits are those of before
    s7 = (s7 ^ s0) - (kk ^ k)
    s0 = s0 + ((kk ^ k) << 12)
    s1 = s1 - ((kk ^ k) >> 5)
    s0 = s0 ^ (kk << 8)
    s1 = s1 - k
    return s0, s1, *(s2, s3, s4, s5, s6)[: len(s) - 3], s7
