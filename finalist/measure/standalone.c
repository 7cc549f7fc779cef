/*
 * A program by itself, for code that can't run in the process that asks for it (of another word size, say).
 *
 *   answers             reads records of key and block from standard input, writes the blocks that come out
 *   setup CALLS RUNS    prints the least ticks of CALLS key set-ups in a row, and of twice as many
 *   call CALLS RUNS     the same of calls on one block
 *   clock               prints the clock's name, the ticks of a core cycle, and whether it is little-endian
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const size_t KEY_STRUCT_BYTES;
void EXPAND(const uint8_t *key, void *expanded);
void CRYPT(const void *key, const uint8_t *in, uint8_t *out, size_t blocks);

typedef void (*kernel)(const void *key, const uint8_t *in, uint8_t *out, size_t blocks);
typedef void (*setup)(const uint8_t *key, void *expanded);
const char *finalist_clock_source(void);
double finalist_clock_ticks_per_cycle(size_t runs);
void finalist_clock_kernel(kernel crypt, const void *key, const uint8_t *in, uint8_t *out,
                           size_t blocks, size_t calls, size_t runs, uint64_t *ticks);
void finalist_clock_setup(setup expand, const uint8_t *keys, size_t apart, void *expanded, size_t calls,
                          size_t runs, uint64_t *ticks);

#define KEYS 64 /* that clock.c has take turns */
static uint8_t keys[KEYS][KEY_BYTES], in[BLOCK_BYTES], out[BLOCK_BYTES];

static int answers(void *expanded)
{
    uint8_t *key = keys[0];
    while (fread(key, 1, KEY_BYTES, stdin) == KEY_BYTES && fread(in, 1, BLOCK_BYTES, stdin) == BLOCK_BYTES) {
        EXPAND(key, expanded);
        CRYPT(expanded, in, out, 1);
        if (fwrite(out, 1, BLOCK_BYTES, stdout) != BLOCK_BYTES)
            return 1;
    }
    return 0;
}

static unsigned long long least(const uint64_t *ticks, size_t runs)
{
    uint64_t best = ticks[0];
    for (size_t run = 1; run < runs; run++)
        best = ticks[run] < best ? ticks[run] : best;
    return best;
}

static int timed(void *expanded, int of_setup, size_t calls, size_t runs)
{
    uint64_t *ticks = malloc(runs * sizeof *ticks);
    if (!ticks || !runs)
        return 1;
    EXPAND(keys[0], expanded);
    for (int twice = 1; twice <= 2; twice++) {
        if (of_setup)
            finalist_clock_setup(EXPAND, keys[0], KEY_BYTES, expanded, twice * calls, runs, ticks);
        else
            finalist_clock_kernel(CRYPT, expanded, in, out, 1, twice * calls, runs, ticks);
        printf("%llu\n", least(ticks, runs));
    }
    free(ticks);
    return 0;
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    void *expanded = aligned_alloc(64, (KEY_STRUCT_BYTES + 63) / 64 * 64);
    if (!expanded)
        return 1;
    for (size_t n = 0; n < KEYS; n++)
        for (size_t i = 0; i < KEY_BYTES; i++)
            keys[n][i] = (uint8_t)(37 * i + 11 + 89 * n * (n + i));
    if (!strcmp(what, "answers"))
        return answers(expanded);
    if (count == 4 && (!strcmp(what, "setup") || !strcmp(what, "call")))
        return timed(expanded, what[0] == 's', strtoul(arguments[2], 0, 10), strtoul(arguments[3], 0, 10));
    const union { uint16_t word; uint8_t bytes[2]; } order = {1};
    printf("%s\n%f\n%d\n", finalist_clock_source(), finalist_clock_ticks_per_cycle(64), order.bytes[0]);
    return 0;
}
