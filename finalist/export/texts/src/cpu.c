/* Which sets of instructions the CPU has, and which of them are to be used. */
#include <string.h>

#include "internal.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* Whether the operating system saves these registers (XCR0). */
static int saved(unsigned wanted)
{
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & wanted) == wanted;
}

static int all(unsigned flags, unsigned wanted)
{
    return (flags & wanted) == wanted;
}

/* Intel, "Software Developer's Manual", volume 2, CPUID; volume 1, 13.2 and 14.3. */
static unsigned found(void)
{
    const unsigned xmm_ymm = 0x6, zmm = 0xe6;
    unsigned features = FINALIST_SIMD128, a, b, c, d, b7, c7, d7, amd = 0;
    if (__get_cpuid(0, &a, &b, &c, &d)) {
        if (b == signature_INTEL_ebx && c == signature_INTEL_ecx)
            features |= FINALIST_INTEL;
        amd = b == signature_AMD_ebx && c == signature_AMD_ecx;
    }
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return features;
    if (all(c, bit_AES | bit_SSSE3 | bit_SSE4_1))
        features |= FINALIST_AES;
    if (!all(c, bit_OSXSAVE | bit_AVX) || !saved(xmm_ymm) || !__get_cpuid_count(7, 0, &a, &b7, &c7, &d7))
        return features;
    if (all(b7, bit_AVX2 | bit_BMI | bit_BMI2) && all(c, bit_MOVBE))
        features |= FINALIST_AVX2;
    const unsigned avx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
    if (features & FINALIST_AVX2 && all(b7, avx512) && saved(zmm))
        features |= FINALIST_AVX512;
    /* What old compilers have no names for: VAES; GFNI, AVX-512 VBMI and VBMI2. */
    if (all(c7, 1u << 9))
        features |= FINALIST_VAES;
    if (all(c7, 1u << 8 | 1u << 6 | 1u << 1))
        features |= FINALIST_GFNI;
    /* Of AMD's CPUs those with VP2INTERSECT have units of 512 bits, those before two of 256 for one operation. */
    if (amd && all(d7, 1u << 8))
        features |= FINALIST_ZEN5;
    return features;
}
#elif defined(__aarch64__) && defined(__ARM_NEON)
static unsigned found(void)
{
    return FINALIST_SIMD128;
}
#else
static unsigned found(void)
{
    return 0;
}
#endif

/* The best first. */
static const struct level {
    const char *name;
    unsigned features;
} known[] = {
    {"vaes512", FINALIST_SIMD128 | FINALIST_AVX2 | FINALIST_AVX512 | FINALIST_AES | FINALIST_VAES},
    {"vaes", FINALIST_SIMD128 | FINALIST_AVX2 | FINALIST_AES | FINALIST_VAES},
    {"aes", FINALIST_SIMD128 | FINALIST_AES},
    {"avx512_intel", FINALIST_SIMD128 | FINALIST_AVX2 | FINALIST_AVX512 | FINALIST_GFNI | FINALIST_INTEL},
    {"avx512_zen5", FINALIST_SIMD128 | FINALIST_AVX2 | FINALIST_AVX512 | FINALIST_GFNI | FINALIST_ZEN5},
    {"avx512_gfni", FINALIST_SIMD128 | FINALIST_AVX2 | FINALIST_AVX512 | FINALIST_GFNI},
    {"avx512", FINALIST_SIMD128 | FINALIST_AVX2 | FINALIST_AVX512},
    {"avx2_vaes", FINALIST_SIMD128 | FINALIST_AVX2 | FINALIST_AES | FINALIST_VAES},
    {"avx2", FINALIST_SIMD128 | FINALIST_AVX2},
    {"simd128", FINALIST_SIMD128},
    {"portable", 0},
};
enum { LEVELS = sizeof known / sizeof known[0] };

#define UNKNOWN (~0u)

unsigned finalist_lacking = UNKNOWN;

static unsigned lacking(unsigned features)
{
    return ~(features | FINALIST_KNOWN);
}

static unsigned lacking_here(void)
{
    return lacking(found());
}

void finalist_find_features(void)
{
    unsigned before = UNKNOWN; /* what another thread has chosen since stays */
    __atomic_compare_exchange_n(&finalist_lacking, &before, lacking_here(), 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

const char *const *finalist_levels(void)
{
    static const char *names[LEVELS + 1];
    const unsigned features = found();
    size_t count = 0;
    for (size_t i = 0; i < LEVELS; i++)
        if ((features & known[i].features) == known[i].features)
            __atomic_store_n(&names[count++], known[i].name, __ATOMIC_RELAXED);
    return names;
}

int finalist_use(const char *level)
{
    const char *const *name = finalist_levels();
    unsigned without = lacking_here();
    if (level) {
        while (*name && strcmp(*name, level))
            name++;
        if (!*name)
            return -1;
        for (size_t i = 0; i < LEVELS; i++)
            if (!strcmp(known[i].name, level))
                without = lacking(known[i].features);
    }
    __atomic_store_n(&finalist_lacking, without, __ATOMIC_RELAXED);
    finalist_forget();
    return 0;
}
