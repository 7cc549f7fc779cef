/*
 * Runs a program once, under valgrind, with key and block marked as undefined.
 *
 * memcheck then follows them through the compiled code as it follows any undefined value, and reports each
 * branch and each address that depends on one. Linked with the program's own object file, so that the code
 * that is watched is the code that a user would have.
 *
 * Compiled with NAME, OPERATION, KEY_BYTES, BLOCK_BYTES and BLOCKS defined. Reads the key and BLOCKS blocks
 * from standard input; writes how many reports came from the key schedule and from the kernel, whether
 * valgrind was there, and the output in hex.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <valgrind/memcheck.h>

#define GLUED(a, b) a##_##b
#define GLUE(a, b) GLUED(a, b)
#define EXPAND_KEY GLUE(NAME, expand_key)
#define CRYPT GLUE(NAME, OPERATION)

void EXPAND_KEY(const uint8_t *key, void *expanded);
void CRYPT(void *expanded, const uint8_t *in, uint8_t *out, size_t blocks);
extern const size_t GLUE(NAME, key_bytes);

static uint8_t key[KEY_BYTES], in[BLOCKS * BLOCK_BYTES], out[BLOCKS * BLOCK_BYTES];

int main(void)
{
    const size_t alignment = 64;
    void *expanded = aligned_alloc(alignment, (GLUE(NAME, key_bytes) + alignment - 1) / alignment * alignment);
    if (!expanded || fread(key, 1, sizeof key, stdin) != sizeof key || fread(in, 1, sizeof in, stdin) != sizeof in)
        return 2;
    VALGRIND_MAKE_MEM_UNDEFINED(key, sizeof key);
    VALGRIND_MAKE_MEM_UNDEFINED(in, sizeof in);
    const unsigned before = VALGRIND_COUNT_ERRORS;
    EXPAND_KEY(key, expanded);
    const unsigned between = VALGRIND_COUNT_ERRORS;
    /* A word from a secret place of a table is secret, though memcheck only knows that each entry was not. */
    VALGRIND_MAKE_MEM_UNDEFINED(expanded, GLUE(NAME, key_bytes));
    CRYPT(expanded, in, out, BLOCKS);
    const unsigned after = VALGRIND_COUNT_ERRORS;
    VALGRIND_MAKE_MEM_DEFINED(out, sizeof out);
    printf("%u %u %u\n", between - before, after - between, (unsigned)RUNNING_ON_VALGRIND);
    for (size_t i = 0; i < sizeof out; i++)
        printf("%02x", out[i]);
    printf("\n");
    free(expanded);
    return 0;
}
