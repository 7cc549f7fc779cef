/* Each cipher, on each level that this CPU has: the published vectors; key lengths that are refused; messages
 * of no, one and many blocks, around what any kernel takes, in place and at odd addresses, and in parts; the modes of
 * operation against ones put together here of single blocks; what is refused; a long chain there and back. What single blocks
 * are is settled by the portable programs, which have to reproduce the vectors first. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finalist.h"

/* Lengths in blocks on both sides of every number that kernels take; the last is the most there is. */
static const size_t lengths[] = {0,  1,  2,  3,   4,   5,   7,   8,   9,   15,  16,  17,  24,  31,  32,
                                 33, 48, 63, 64, 65, 95, 96, 97, 127, 128, 129, 191, 255, 256, 257, 300,
                                 511, 512, 513, 769, 1024, 1025};
enum { LENGTHS = sizeof lengths / sizeof lengths[0], MOST = 1025, EDGE = 32, SHOWN = 5 };

static const struct cipher *now;
static const char *on;
static int wrong;

static void fail(const char *what, size_t where)
{
    if (++wrong <= SHOWN)
        fprintf(stderr, "%s, %s: %s, %zu\n", now->name, on, what, where);
}

static void *room(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "no memory\n");
        exit(2);
    }
    return memory;
}

/* Bytes of hex as memory. */
static size_t parse(const char *hex, uint8_t *to)
{
    size_t count = 0;
    for (unsigned byte; sscanf(hex + 2 * count, "%2x", &byte) == 1; count++)
        to[count] = (uint8_t)byte;
    return count;
}

/* Bytes that repeat after 251, a prime, so not in step with blocks. */
static void fill(uint8_t *to, size_t bytes, size_t seed)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)((i + seed) % 251 * ((i + seed) % 251) + seed);
}

/* -- blocks ------------------------------------------------------------------------------------------- */

static void must(int refused)
{
    if (refused)
        fail("a call that returns an error code", (size_t)refused);
}

/* A block by whichever function there is: what a mode adds to blocks is zero here. */
static void one_block(void *context, int decrypting, const uint8_t *in, uint8_t *out)
{
    const size_t size = now->block_bytes;
    uint8_t *zeros = room(size), *state = room(size);
    if (decrypting ? now->decrypt_blocks != 0 : now->encrypt_blocks != 0)
        must((decrypting ? now->decrypt_blocks : now->encrypt_blocks)(context, in, out, 1));
    else if (decrypting ? now->cbc_decrypt != 0 : now->cbc_encrypt != 0)
        must((decrypting ? now->cbc_decrypt : now->cbc_encrypt)(context, state, in, out, 1));
    else {
        memcpy(state, in, size);
        must(now->ctr(context, state, zeros, out, size));
    }
    free(zeros);
    free(state);
}

/* -- vectors ------------------------------------------------------------------------------------------- */

static void one_vector(const struct vector *v, size_t number, int decrypting, void *context)
{
    const size_t size = now->block_bytes, length = strlen(v->plain) / 2, all = v->offset + length;
    const char *const from = decrypting ? v->secret : v->plain, *const to = decrypting ? v->plain : v->secret;
    uint8_t *key = room(strlen(v->key) / 2 + 1), *given = room(all), *wanted = room(length), *got = room(all);
    const size_t key_bytes = parse(v->key, key);
    parse(from, given + v->offset);
    parse(to, wanted);
    if ((decrypting ? now->set_decrypt_key : now->set_encrypt_key)(context, key, key_bytes))
        fail("the key of this vector is refused", number);
    else {
        if (now->stateful)
            must((decrypting ? now->decrypt_blocks : now->encrypt_blocks)(context, given, got, all / size));
        else
            for (size_t at = 0; at < all; at += size)
                one_block(context, decrypting, given + at, got + at);
        if (memcmp(got + v->offset, wanted, length))
            fail(decrypting ? "decryption of this vector" : "encryption of this vector", number);
    }
    free(key);
    free(given);
    free(wanted);
    free(got);
}

static void vectors(void *encryption, void *decryption)
{
    for (size_t i = 0; i < now->vector_count; i++) {
        if (now->set_encrypt_key)
            one_vector(now->vectors + i, i, 0, encryption);
        if (now->set_decrypt_key)
            one_vector(now->vectors + i, i, 1, decryption);
    }
}

static int accepted(size_t key_bytes)
{
    for (const size_t *length = now->key_lengths; *length; length++)
        if (*length == key_bytes)
            return 1;
    return 0;
}

/* Every length up to 300 bytes: those that the header lists, and no other, are taken. */
static void key_lengths(int (*set)(void *, const uint8_t *, size_t), void *context)
{
    uint8_t key[300] = {0};
    for (size_t bytes = 0; set && bytes <= sizeof key; bytes++)
        if ((set(context, key, bytes) != 0) == accepted(bytes))
            fail("a key of so many bytes", bytes);
}

/* -- what is refused ---------------------------------------------------------------------------------- */

static void blocks_are_refused(int (*crypt)(void *, const uint8_t *, uint8_t *, size_t), void *context, int null)
{
    uint8_t *in = room(now->block_bytes), *out = room(now->block_bytes);
    memset(out, 0xa5, now->block_bytes);
    if (!crypt(null ? 0 : context, in, out, 1) || memcmp(in, out, now->block_bytes))
        fail("a call without a key", (size_t)null);
    if (crypt(context, in, 0, 1) == 0 || crypt(context, 0, out, 1) == 0)
        fail("a call without a buffer", 1);
    free(in);
    free(out);
}

static void mode_is_refused(int (*mode)(void *, uint8_t *, const uint8_t *, uint8_t *, size_t), void *context)
{
    uint8_t *state = room(now->block_bytes), *in = room(now->block_bytes), *out = room(now->block_bytes);
    memset(out, 0xa5, now->block_bytes);
    if (!mode(context, state, in, out, 1) || out[0])
        fail("a mode without a key", 0);
    if (!mode(context, 0, in, out, 0) || !mode(0, state, in, out, 0))
        fail("a mode without a state or a context", 0);
    free(state);
    free(in);
    free(out);
}

static void part_is_refused(void *context)
{
    uint8_t *counter = room(now->block_bytes), in = 0, out = 0xa5;
    if (!now->ctr_part(context, counter, 1, &in, &out, 1) || out)
        fail("a part without a key", 0);
    if (!now->ctr_part(0, counter, 1, &in, &out, 0))
        fail("a part without a context", 0);
    free(counter);
}

/* A context is zeros after a key that was refused: nothing takes it, and what comes out is zeros. */
static void refusals(int (*set)(void *, const uint8_t *, size_t), void *context,
                     int (*crypt)(void *, const uint8_t *, uint8_t *, size_t))
{
    const size_t bytes = now->key_lengths[0];
    uint8_t *key = room(bytes);
    if (!set(context, 0, bytes) || !set(0, key, bytes) || !set(context, key, 0))
        fail("a key that is null, or a context, or no bytes", bytes);
    if (finalist_programs(context) || finalist_programs(0))
        fail("the programs of a key that was refused", 0);
    if (crypt) {
        blocks_are_refused(crypt, context, 0);
        blocks_are_refused(crypt, context, 1);
    }
    free(key);
}

static void all_refusals(void *encryption, void *decryption)
{
    if (now->set_encrypt_key)
        refusals(now->set_encrypt_key, encryption, now->encrypt_blocks);
    if (now->set_decrypt_key)
        refusals(now->set_decrypt_key, decryption, now->decrypt_blocks);
    if (now->ctr)
        mode_is_refused(now->ctr, encryption);
    if (now->ctr_part)
        part_is_refused(encryption);
    if (now->cbc_encrypt)
        mode_is_refused(now->cbc_encrypt, encryption);
    if (now->cbc_decrypt)
        mode_is_refused(now->cbc_decrypt, decryption);
}

/* -- messages ------------------------------------------------------------------------------------------ */

/* What messages have to become: of MOST blocks, by single blocks of the portable programs. */
struct expected {
    uint8_t *plain, *ecb, *decrypted, *ctr, *cbc, *uncbc, *counters, *first;
};

typedef int (*block_function)(void *, const uint8_t *, uint8_t *, size_t);
typedef int (*mode_function)(void *, uint8_t *, const uint8_t *, uint8_t *, size_t);

static void add_one(uint8_t *counter)
{
    for (size_t i = now->block_bytes; i-- && !++counter[i];)
        continue;
}

static void xor_to(uint8_t *out, const uint8_t *a, const uint8_t *b)
{
    for (size_t i = 0; i < now->block_bytes; i++)
        out[i] = a[i] ^ b[i];
}

/* Counters that overflow soon, in so many of their last bytes, and the last one of them: after the first block,
 * or in the middle of what a kernel takes. */
struct overflow {
    size_t bytes;
    uint8_t last;
};

static struct expected expect(void *encryption, void *decryption, struct overflow near)
{
    const size_t size = now->block_bytes, all = MOST * size;
    struct expected e = {room(all), room(all), room(all), room(all), room(all), room(all),
                         room(all + size), room(size)};
    uint8_t *chain = room(size), *block = room(size);
    fill(e.plain, all, 3);
    fill(e.first, size, 100);
    memset(e.first + size - near.bytes, 0xff, near.bytes);
    e.first[size - 1] = near.last;
    memcpy(e.counters, e.first, size);
    memcpy(chain, e.first, size);
    for (size_t i = 0; i < MOST; i++) {
        const uint8_t *in = e.plain + i * size;
        if (now->set_decrypt_key)
            one_block(decryption, 1, in, e.decrypted + i * size);
        xor_to(e.uncbc + i * size, e.decrypted + i * size, i ? in - size : e.first);
        if (!now->set_encrypt_key)
            continue;
        one_block(encryption, 0, in, e.ecb + i * size);
        one_block(encryption, 0, e.counters + i * size, block);
        xor_to(e.ctr + i * size, in, block);
        memcpy(e.counters + (i + 1) * size, e.counters + i * size, size);
        add_one(e.counters + (i + 1) * size);
        xor_to(block, in, chain);
        one_block(encryption, 0, block, chain);
        memcpy(e.cbc + i * size, chain, size);
    }
    free(chain);
    free(block);
    return e;
}

static void forget(struct expected e)
{
    uint8_t *all[] = {e.plain, e.ecb, e.decrypted, e.ctr, e.cbc, e.uncbc, e.counters, e.first};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
}

/* Memory with untouchable bytes on both sides. */
static uint8_t *fenced, *source;

static uint8_t *fence(size_t offset, size_t bytes)
{
    memset(fenced, 0xa5, 2 * EDGE + 16 + bytes);
    return fenced + EDGE + offset;
}

static int broken(size_t offset, size_t bytes)
{
    for (size_t i = 0; i < EDGE + offset; i++)
        if (fenced[i] != 0xa5)
            return 1;
    for (size_t i = EDGE + offset + bytes; i < 2 * EDGE + 16 + bytes; i++)
        if (fenced[i] != 0xa5)
            return 1;
    return 0;
}

/* One call, where there is such a function: from another buffer, or in place; the result, and the bytes around
 * it. */
static void call(const char *what, void *context, block_function crypt, mode_function mode, const uint8_t *first,
                 const uint8_t *last, const uint8_t *in, const uint8_t *wanted, size_t bytes, size_t count,
                 size_t offset, int in_place)
{
    if (!crypt && !mode)
        return;
    uint8_t *out = fence(offset, bytes), *from = in_place ? out : source + (offset * 7 + 3) % 16;
    uint8_t *state = room(now->block_bytes);
    if (first)
        memcpy(state, first, now->block_bytes);
    memcpy(from, in, bytes);
    must(mode ? mode(context, state, from, out, count) : crypt(context, from, out, count));
    if (memcmp(out, wanted, bytes))
        fail(what, bytes);
    if (broken(offset, bytes))
        fail("bytes around the output have changed", bytes);
    if (!in_place && memcmp(from, in, bytes))
        fail("the input has changed", bytes);
    if (last && memcmp(state, last, now->block_bytes))
        fail("the block to go on from is wrong", bytes);
    free(state);
}

/* All messages of so many blocks, or in counter mode of some bytes less. */
static void message(struct expected e, void *encryption, void *decryption, size_t blocks, size_t part, size_t offset,
                    int place)
{
    const size_t bytes = blocks * now->block_bytes;
    const uint8_t *cbc_last = blocks ? e.cbc + bytes - now->block_bytes : e.first;
    const uint8_t *uncbc_last = blocks ? e.plain + bytes - now->block_bytes : e.first;
    call("encryption of so many bytes", encryption, now->encrypt_blocks, 0, 0, 0, e.plain, e.ecb, bytes, blocks,
         offset, place);
    call("decryption of so many bytes", decryption, now->decrypt_blocks, 0, 0, 0, e.plain, e.decrypted, bytes, blocks,
         offset, place);
    call("counter mode on so many bytes", encryption, 0, now->ctr, e.first, e.counters + bytes, e.plain, e.ctr, bytes,
         bytes, offset, place);
    call("counter mode on so many bytes", encryption, 0, now->ctr, e.first, e.counters + bytes, e.plain, e.ctr, part,
         part, offset, place);
    call("CBC encryption of so many bytes", encryption, 0, now->cbc_encrypt, e.first, cbc_last, e.plain, e.cbc, bytes,
         blocks, offset, place);
    call("CBC decryption of so many bytes", decryption, 0, now->cbc_decrypt, e.first, uncbc_last, e.plain, e.uncbc,
         bytes, blocks, offset, place);
}

static void messages(struct expected e, void *encryption, void *decryption)
{
    const size_t size = now->block_bytes;
    for (size_t i = 0; i < 2 * LENGTHS; i++) {
        const size_t blocks = lengths[i / 2], bytes = blocks * size, offset = i % 16;
        const int place = i % 2;
        /* In counter mode a block is not whole, if there is one and its bytes can be told apart. */
        const size_t part = bytes && size > 1 ? bytes - 1 - i % (size - 1) : bytes;
        message(e, encryption, decryption, blocks, part, offset, place);
    }
}

/* Keys that are set for messages of some length serve others, too. */
static void keys_for(struct expected e, void *encryption, void *decryption, const uint8_t *key, size_t key_bytes)
{
    static const size_t set_for[] = {0, 1, 9, 40, 200, MOST}, tried[] = {0, 1, 2, 17, 65, 300, MOST};
    const size_t size = now->block_bytes;
    for (size_t i = 0; i < sizeof set_for / sizeof set_for[0]; i++) {
        finalist_wipe(encryption, now->encrypt_key_bytes); /* of what was there before */
        finalist_wipe(decryption, now->decrypt_key_bytes);
        if (now->set_encrypt_key_for)
            must(now->set_encrypt_key_for(encryption, key, key_bytes, set_for[i] * size));
        if (now->set_decrypt_key_for)
            must(now->set_decrypt_key_for(decryption, key, key_bytes, set_for[i] * size));
        for (size_t k = 0; k < sizeof tried / sizeof tried[0]; k++)
            message(e, encryption, decryption, tried[k], tried[k] * size, k, i % 2);
    }
}

/* Nothing is written around a context, whatever it is aligned at. */
static void placed(int (*set)(void *, const uint8_t *, size_t), size_t bytes, const uint8_t *key, size_t key_bytes)
{
    enum { LINE = 64 };
    const size_t all = bytes + 2 * LINE + EDGE;
    uint8_t *memory = room(all + LINE), *line = memory + (size_t)(-(uintptr_t)memory % LINE);
    for (size_t at = EDGE; set && at < EDGE + LINE; at += sizeof(uint64_t)) {
        memset(line, 0xa5, all);
        must(set(line + at, key, key_bytes));
        for (size_t i = 0; i < all; i++)
            if ((i < at || i >= at + bytes) && line[i] != 0xa5) {
                fail("bytes around a context have changed, which is aligned at", at);
                break;
            }
    }
    free(memory);
}

/* A copy of a context is as good, wherever it lies. */
static void copied(struct expected e, const void *encryption)
{
    const size_t bytes = now->encrypt_key_bytes, blocks = lengths[LENGTHS - 1], size = now->block_bytes;
    uint8_t *memory = room(bytes + 16), *out = room(blocks * size);
    if (now->encrypt_blocks) {
        memcpy(memory + 8, encryption, bytes);
        must(now->encrypt_blocks(memory + 8, e.plain, out, blocks));
        if (memcmp(out, e.ecb, blocks * size))
            fail("encryption by a copy of a context", blocks);
    }
    free(memory);
    free(out);
}

/* A message in place and in parts, the last one first, each by itself: so many blocks of ECB, counter mode and CBC
 * decryption, of as many blocks a part as `lengths` has. */
static void part(struct expected e, uint8_t *ecb, uint8_t *ctr, uint8_t *uncbc, void *encryption, void *decryption,
                 size_t before, size_t blocks)
{
    const size_t size = now->block_bytes, at = before * size, bytes = blocks * size;
    uint8_t *state = room(size);
    memcpy(state, e.first, size);
    if (now->encrypt_blocks)
        must(now->encrypt_blocks(encryption, ecb + at, ecb + at, blocks));
    if (now->ctr_part)
        must(now->ctr_part(encryption, state, before, ctr + at, ctr + at, before + blocks < MOST ? bytes : bytes - 1));
    if (memcmp(state, e.first, size))
        fail("the counter of a message has changed", blocks);
    memcpy(state, before ? e.plain + at - size : e.first, size);
    if (now->cbc_decrypt)
        must(now->cbc_decrypt(decryption, state, uncbc + at, uncbc + at, blocks));
    free(state);
}

static void in_parts(struct expected e, void *encryption, void *decryption)
{
    const size_t all = MOST * now->block_bytes;
    uint8_t *ecb = room(all), *ctr = room(all), *uncbc = room(all);
    memcpy(ecb, e.plain, all);
    memcpy(ctr, e.plain, all);
    memcpy(uncbc, e.plain, all);
    for (size_t end = MOST, i = 0; end; i++) {
        const size_t blocks = lengths[1 + i % (LENGTHS - 1)] < end ? lengths[1 + i % (LENGTHS - 1)] : end;
        end -= blocks;
        part(e, ecb, ctr, uncbc, encryption, decryption, end, blocks);
    }
    if (now->encrypt_blocks && memcmp(ecb, e.ecb, all))
        fail("encryption in parts", MOST);
    if (now->ctr_part && memcmp(ctr, e.ctr, all - 1))
        fail("counter mode in parts", MOST);
    if (now->cbc_decrypt && memcmp(uncbc, e.uncbc, all))
        fail("CBC decryption in parts", MOST);
    free(ecb);
    free(ctr);
    free(uncbc);
}

/* The counter of a part a long way from the beginning: it carries through all bytes of the block. And none. */
static void far_part(struct expected e, void *encryption)
{
    const size_t size = now->block_bytes;
    const uint64_t before = 0x0123456789abcdef;
    uint8_t *counter = room(size), *far = room(size), *wanted = room(size), *got = room(size);
    memset(counter, 0xff, size);
    for (size_t i = 0; i < size && i < 8; i++)
        far[size - 1 - i] = (uint8_t)(before >> 8 * i);
    if (now->ctr_part) {
        must(now->ctr(encryption, far, e.plain, wanted, size));
        must(now->ctr_part(encryption, counter, before + 1, e.plain, got, size));
        if (memcmp(got, wanted, size))
            fail("a part far from the beginning", size);
        if (!now->ctr_part(encryption, 0, 1, e.plain, got, size) || got[0])
            fail("a part without a counter", size);
    }
    free(counter);
    free(far);
    free(wanted);
    free(got);
}

/* Each block the next one's key and input, and all of it back again. */
static void chain(const uint8_t *key, size_t key_bytes, void *encryption, void *decryption)
{
    enum { TURNS = 64 };
    const size_t size = now->block_bytes;
    uint8_t *block = room(size * (TURNS + 1)), *own = room(key_bytes + size);
    memcpy(own, key, key_bytes);
    for (size_t i = 0; i < TURNS; i++) {
        uint8_t *in = block + i * size, back[64];
        must(now->set_encrypt_key(encryption, own, key_bytes));
        must(now->set_decrypt_key(decryption, own, key_bytes));
        one_block(encryption, 0, in, in + size);
        if (size <= sizeof back) {
            one_block(decryption, 1, in + size, back);
            if (memcmp(back, in, size))
                fail("a block is not what it was after encryption and decryption", i);
        }
        for (size_t k = 0; k < key_bytes; k++)
            own[k] ^= in[size + k % size];
    }
    free(block);
    free(own);
}

static int set_keys(void *encryption, void *decryption, const uint8_t *key, size_t bytes)
{
    int refused = now->set_encrypt_key && now->set_encrypt_key(encryption, key, bytes);
    refused |= now->set_decrypt_key && now->set_decrypt_key(decryption, key, bytes);
    if (refused)
        fail("a key of so many bytes is refused", bytes);
    return !refused;
}

static void all_messages(void *encryption, void *decryption, const uint8_t *key, size_t bytes,
                         struct overflow near)
{
    must(finalist_use("portable"));
    if (!set_keys(encryption, decryption, key, bytes))
        return;
    near.bytes = near.bytes < now->block_bytes ? near.bytes : now->block_bytes;
    struct expected e = expect(encryption, decryption, near);
    must(finalist_use(on));
    if (set_keys(encryption, decryption, key, bytes)) {
        messages(e, encryption, decryption);
        in_parts(e, encryption, decryption);
        far_part(e, encryption);
        copied(e, encryption);
        placed(now->set_encrypt_key, now->encrypt_key_bytes, key, bytes);
        placed(now->set_decrypt_key, now->decrypt_key_bytes, key, bytes);
        keys_for(e, encryption, decryption, key, bytes);
        if (now->set_encrypt_key && now->set_decrypt_key)
            chain(key, bytes, encryption, decryption);
    }
    forget(e);
}

/* Every key length with one way of overflowing, the first with all. */
static void block_cipher(void *encryption, void *decryption)
{
    const struct overflow overflows[] = {{8, 0xff}, {16, 0xf5}, {4, 0xf5}, {1, 0xff}};
    for (const size_t *length = now->key_lengths; *length; length++) {
        const size_t first = (size_t)(length - now->key_lengths);
        uint8_t *key = room(*length);
        fill(key, *length, 17);
        for (size_t i = first; i < (first ? first + 1 : 4); i++)
            all_messages(encryption, decryption, key, *length, overflows[i % 4]);
        free(key);
    }
}

/* A message in pieces is the message in one; in place; and back, where there is a way back. */
static void stream(int (*set)(void *, const uint8_t *, size_t), block_function crypt, void *context,
                   const uint8_t *key, size_t key_bytes, const uint8_t *in, uint8_t *whole)
{
    const size_t all = MOST * now->block_bytes;
    uint8_t *parts = room(all);
    must(set(context, key, key_bytes));
    must(crypt(context, in, whole, MOST));
    must(set(context, key, key_bytes));
    memcpy(parts, in, all);
    for (size_t done = 0, next = 0; done < MOST; done += next) {
        next = lengths[(done + 1) % LENGTHS] < MOST - done ? lengths[(done + 1) % LENGTHS] : MOST - done;
        next = next ? next : 1;
        uint8_t *at = parts + done * now->block_bytes;
        must(crypt(context, at, at, next));
    }
    if (memcmp(whole, parts, all))
        fail("a message in pieces, key of so many bytes", key_bytes);
    free(parts);
}

static void stream_cipher(void *encryption, void *decryption)
{
    const size_t all = MOST * now->block_bytes;
    uint8_t *plain = room(all), *secret = room(all), *back = room(all);
    fill(plain, all, 3);
    for (const size_t *length = now->key_lengths; *length; length++) {
        uint8_t *key = room(*length);
        fill(key, *length, 17);
        if (now->set_encrypt_key)
            stream(now->set_encrypt_key, now->encrypt_blocks, encryption, key, *length, plain, secret);
        if (now->set_decrypt_key)
            stream(now->set_decrypt_key, now->decrypt_blocks, decryption, key, *length, secret, back);
        if (now->set_encrypt_key && now->set_decrypt_key && memcmp(plain, back, all))
            fail("there and back, key of so many bytes", *length);
        placed(now->set_encrypt_key, now->encrypt_key_bytes, key, *length);
        placed(now->set_decrypt_key, now->decrypt_key_bytes, key, *length);
        free(key);
    }
    free(plain);
    free(secret);
    free(back);
}

static void wiped(void *context, size_t bytes)
{
    memset(context, 0xa5, bytes);
    finalist_wipe(context, bytes);
    for (size_t i = 0; i < bytes; i++)
        if (((uint8_t *)context)[i])
            fail("a wiped byte is not zero", i);
}

/* Whether the cipher has been tested by these programs, on another level. */
static int again(const char *programs)
{
    static const struct cipher *last;
    static const char *seen[16];
    static size_t count;
    count = last == now ? count : 0;
    last = now;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(seen[i], programs))
            return 1;
    if (count < sizeof seen / sizeof seen[0])
        seen[count++] = programs;
    return 0;
}

static int all_of_it(void *encryption, void *decryption)
{
    vectors(encryption, decryption);
    if (now->stateful)
        stream_cipher(encryption, decryption);
    else
        block_cipher(encryption, decryption);
    key_lengths(now->set_encrypt_key, encryption);
    key_lengths(now->set_decrypt_key, decryption);
    wiped(encryption, now->encrypt_key_bytes);
    wiped(decryption, now->decrypt_key_bytes);
    all_refusals(encryption, decryption);
    return wrong;
}

/* Whether what serves a key is of a level, or of one that comes after it: a cipher may have no programs there. */
static int serves(const char *programs, const char *level)
{
    const char *const *name = finalist_levels();
    while (*name && strcmp(*name, level))
        name++;
    for (; *name; name++)
        if (!strncmp(programs, *name, strlen(*name)) && programs[strlen(*name)] == ':')
            return 1;
    return 0;
}

/* That under keys of each length what serves is of the level that was asked for. */
static void of_level(int (*set)(void *, const uint8_t *, size_t), void *context)
{
    const uint8_t key[300] = {0};
    for (const size_t *length = now->key_lengths; *length; length++)
        if (set(context, key, *length) || !serves(finalist_programs(context), on))
            fail("programs are not of the level that was asked for; a key's bytes", *length);
}

int check(const struct cipher *cipher, const char *level)
{
    void *encryption = room(cipher->encrypt_key_bytes), *decryption = room(cipher->decrypt_key_bytes);
    fenced = room(2 * EDGE + 16 + MOST * cipher->block_bytes);
    source = room(16 + MOST * cipher->block_bytes);
    now = cipher;
    on = level;
    wrong = 0;
    uint8_t *key = room(cipher->key_lengths[0]);
    int (*set)(void *, const uint8_t *, size_t) =
        cipher->set_encrypt_key ? cipher->set_encrypt_key : cipher->set_decrypt_key;
    void *context = cipher->set_encrypt_key ? encryption : decryption;
    must(finalist_use(0) || set(context, key, cipher->key_lengths[0]));
    const char *best = finalist_programs(context);
    if (finalist_use(level) || set(context, key, cipher->key_lengths[0]))
        fail("no such level on this CPU, or no key of so many bytes", cipher->key_lengths[0]);
    else {
        const char *programs = finalist_programs(context);
        of_level(set, context);
        const char *verdict = again(programs) ? "as above" : all_of_it(encryption, decryption) ? "WRONG" : "right";
        printf("%s, %s: %zu vectors, %s; %s\n", cipher->name, level, cipher->vector_count, programs, verdict);
    }
    must(finalist_use(0) || set(context, key, cipher->key_lengths[0]));
    if (finalist_programs(context) != best)
        fail("after other levels the best is not what is taken; a key's bytes", cipher->key_lengths[0]);
    free(key);
    free(encryption);
    free(decryption);
    free(fenced);
    free(source);
    return wrong;
}
