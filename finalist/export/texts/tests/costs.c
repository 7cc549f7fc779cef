/* What key set-up and blocks cost: the least of many runs, for disturbances only add time. The clock counts at a rate
 * of its own, so beside every figure it is held against a chain of additions that take a core cycle each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "finalist.h"

#if defined(__x86_64__)
#define CLOCK "rdtsc"
static uint64_t ticks(void)
{
    return __builtin_ia32_rdtsc();
}
#elif defined(__aarch64__)
#define CLOCK "cntvct_el0"
static uint64_t ticks(void)
{
    uint64_t now;
    __asm__ __volatile__("isb\n\tmrs %0, cntvct_el0" : "=r"(now));
    return now;
}
#else
#define CLOCK "clock_gettime, nanoseconds"
static uint64_t ticks(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
#endif

enum { CHAIN = 20000, RUNS = 60, KEYS = 16, MESSAGE = 1 << 14 };

/* The least ticks that a core cycle has taken so far. */
static double tick_rate(void)
{
    static double least = 1e30;
    for (int run = 0; run < 5; run++) {
        unsigned long x = 1;
        const uint64_t begun = ticks();
        for (int i = 0; i < CHAIN / 8; i++)
            for (int k = 0; k < 8; k++) {
                x += 3;
                __asm__ __volatile__("" : "+r"(x));
            }
        const double rate = (double)(ticks() - begun) / CHAIN;
        least = rate > 0 && rate < least ? rate : least;
    }
    return least;
}

void print_clock(void)
{
    for (int i = 0; i < RUNS; i++)
        tick_rate();
    printf("clock\t%s\t%.3f\n", CLOCK, tick_rate());
}

static double least_of(double least, uint64_t begun, double count)
{
    const double now = (double)(ticks() - begun) / count;
    return now < least ? now : least;
}

static void *memory(size_t bytes)
{
    void *made = calloc(1, bytes);
    if (!made)
        exit(2);
    return made;
}

/* So many blocks at once in whichever mode does them side by side, if there is one. */
static int bulk(const struct cipher *cipher, int decrypting, void *context, uint8_t *state, uint8_t *text)
{
    const size_t blocks = MESSAGE / cipher->block_bytes;
    if (decrypting ? cipher->decrypt_blocks != 0 : cipher->encrypt_blocks != 0)
        return (decrypting ? cipher->decrypt_blocks : cipher->encrypt_blocks)(context, text, text, blocks);
    if (!decrypting && cipher->ctr)
        return cipher->ctr(context, state, text, text, blocks * cipher->block_bytes);
    return (decrypting ? cipher->cbc_decrypt : cipher->cbc_encrypt)(context, state, text, text, blocks);
}

static void operation(const struct cipher *cipher, const char *level, int decrypting, size_t key_bytes)
{
    int (*set)(void *, const uint8_t *, size_t) = decrypting ? cipher->set_decrypt_key : cipher->set_encrypt_key;
    void *context = memory(decrypting ? cipher->decrypt_key_bytes : cipher->encrypt_key_bytes);
    uint8_t *key = memory(key_bytes), *text = memory(MESSAGE), *state = memory(cipher->block_bytes);
    double setup = 1e30, bytes = 1e30;
    int refused = 0;
    for (size_t i = 0; i < key_bytes; i++)
        key[i] = (uint8_t)(17 * i + 5);
    for (int run = 0; run < RUNS; run++) {
        uint64_t begun = ticks();
        for (int i = 0; i < KEYS; i++)
            refused |= set(context, key, key_bytes);
        setup = least_of(setup, begun, KEYS);
        begun = ticks();
        refused |= bulk(cipher, decrypting, context, state, text);
        bytes = least_of(bytes, begun, (double)(MESSAGE / cipher->block_bytes * cipher->block_bytes));
        tick_rate();
    }
    if (!refused)
        printf("cost\t%s\t%s\t%s\t%zu\t%.0f\t%.2f\n", cipher->name, level, decrypting ? "decrypt" : "encrypt",
               8 * key_bytes, setup / tick_rate(), bytes / tick_rate());
    free(context);
    free(key);
    free(text);
    free(state);
}

void print_costs(const struct cipher *cipher, const char *level)
{
    if (finalist_use(level))
        return;
    for (const size_t *length = cipher->key_lengths; *length; length++) {
        if (cipher->set_encrypt_key)
            operation(cipher, level, 0, *length);
        if (cipher->set_decrypt_key)
            operation(cipher, level, 1, *length);
    }
    if (finalist_use(0))
        exit(2);
}
