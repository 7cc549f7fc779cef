/* What is tested of a cipher: see check.c. */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>

/* A published vector, in hex; of a stream cipher so many bytes after the start of the key stream. */
struct vector {
    const char *origin, *key, *plain, *secret;
    size_t offset;
};

/* A cipher's functions, with contexts of any type; what the library has no function for is null. A stream cipher has
 * no modes; its contexts change. */
struct cipher {
    const char *name;
    size_t block_bytes, encrypt_key_bytes, decrypt_key_bytes;
    int stateful;
    const size_t *key_lengths; /* in bytes; then 0 */
    const struct vector *vectors;
    size_t vector_count;
    int (*set_encrypt_key)(void *context, const uint8_t *key, size_t key_bytes);
    int (*set_decrypt_key)(void *context, const uint8_t *key, size_t key_bytes);
    int (*set_encrypt_key_for)(void *context, const uint8_t *key, size_t key_bytes, size_t message);
    int (*set_decrypt_key_for)(void *context, const uint8_t *key, size_t key_bytes, size_t message);
    int (*encrypt_blocks)(void *context, const uint8_t *in, uint8_t *out, size_t blocks);
    int (*decrypt_blocks)(void *context, const uint8_t *in, uint8_t *out, size_t blocks);
    int (*ctr)(void *context, uint8_t *counter, const uint8_t *in, uint8_t *out, size_t bytes);
    int (*ctr_part)(void *context, const uint8_t *counter, uint64_t before, const uint8_t *in, uint8_t *out,
                    size_t bytes);
    int (*cbc_encrypt)(void *context, uint8_t *iv, const uint8_t *in, uint8_t *out, size_t blocks);
    int (*cbc_decrypt)(void *context, uint8_t *iv, const uint8_t *in, uint8_t *out, size_t blocks);
};

/* All tests of a cipher on one level; how many went wrong. */
int check(const struct cipher *cipher, const char *level);

/* The clock that costs are measured by. */
void print_clock(void);

/* A line for each operation and key length of a cipher on one level, with tabs between: "cost", cipher, level,
 * operation, bits of the key, core cycles of key set-up, core cycles a byte of many blocks. */
void print_costs(const struct cipher *cipher, const char *level);

#endif
