/* What the files of this library share among themselves; no part of its interface. */
#ifndef FINALIST_INTERNAL_H
#define FINALIST_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "finalist.h"

/* For what files declare of one another: its address is known when they are linked. */
#define FINALIST_HIDDEN __attribute__((visibility("hidden")))

/* Sets of instructions, as bits. 128-bit vectors are part of x86-64 (SSE2) and AArch64 (NEON). */
#define FINALIST_SIMD128 1u
#define FINALIST_AVX2 2u   /* with BMI, BMI2 and MOVBE, which came with it */
#define FINALIST_AVX512 4u /* F, BW, DQ and VL */
#define FINALIST_AES 8u    /* AES-NI, SSSE3 and SSE4.1 */
#define FINALIST_VAES 16u
#define FINALIST_GFNI 32u  /* GFNI, AVX-512 VBMI and VBMI2 */
#define FINALIST_INTEL 64u /* whose gathers, permutes and clocks differ from others' */
#define FINALIST_ZEN5 128u /* AMD's with units of 512 bits */
/* No set: that the CPU's have been looked for. */
#define FINALIST_KNOWN 0x10000u

/* Bytes of a block, at most, of code that has no functions of counter mode and CBC though it serves them. */
#define FINALIST_SINGLE_BYTES 32

/* One kernel with its modes of operation. What it has no function for is null; counter mode and CBC are then
 * `crypt` block by block, where `blocks` is one. `crypt`, `stream` and a step's `expand` return 0, so that they
 * can be tail calls of functions that return it. */
struct finalist_code {
    size_t blocks; /* that its smallest call works on; fewer are padded to as many */
    int (*crypt)(const void *key, const uint8_t *in, uint8_t *out, size_t blocks);
    int (*stream)(void *key, const uint8_t *in, uint8_t *out, size_t blocks); /* leaves a state in the key */
    void (*ctr)(const void *key, uint8_t *counter, const uint8_t *in, uint8_t *out, size_t bytes);
    void (*cbc)(const void *key, uint8_t *iv, const uint8_t *in, uint8_t *out, size_t blocks);
};

/* In place of a number of bytes: of an expanded key that follows its context's head at once. */
#define FINALIST_ADJACENT SIZE_MAX

/* A program and from how many blocks on it serves: `least` of a message, `pays` of one with setting up its key.
 * Of a rest that fills no call it does `rest` blocks and more, before a key is set up for the step before it. Its
 * expanded key lies `at` bytes from where these are aligned, or is adjacent; `same` has a bit for each step that has
 * that one, too. */
struct finalist_step {
    size_t least, pays, rest, at;
    const struct finalist_code *code;
    int (*expand)(void *expanded, const uint8_t *key);
    unsigned same;
};

/* Of a message of any number of blocks; one of more is not asked about. */
#define FINALIST_ALL UINT32_MAX

/* What is set of a key: a bit for each step that has it, the first step's code, and the blocks of a message, at most,
 * that the first step does all of. `index`: its own among the sets of its way. */
struct finalist_set {
    const struct finalist_code *code;
    uint32_t by_first;
    uint16_t ready, index;
};

/* Messages for which the key of the last step alone is set: of `from` bytes and more, that fill whole calls of it or leave
 * more than `rest` bytes; `within` is the mask of what is left. `at`, `expand` and `same` are those of the step, whose
 * key is not adjacent. */
struct finalist_last {
    size_t from, within, rest, at;
    int (*expand)(void *expanded, const uint8_t *key);
    unsigned same;
};

/* How one operation is done under keys of one length where the CPU has these sets of instructions. The first step
 * takes a block at a time, from none on; those after it ever more, from ever more on. For a message of at most
 * `first_until` bytes the key of the first is set alone, with those that are the same: the first of the sets. After it
 * there is one for each combination of steps. The sets come first: a pointer to the first is one to the way. */
#define FINALIST_STEPS 3
struct finalist_way {
    struct finalist_set set[1 << FINALIST_STEPS];
    unsigned needs, steps;
    size_t key_bytes, first_until;
    struct finalist_step step[FINALIST_STEPS];
    struct finalist_last last;
    const char *about;
};

/* The sets of a way, whose first step has this code and its key in common with others, by the blocks at most that it
 * does all of. */
#define FINALIST_SETS(code, same, alone, one, two, one_two, three, one_three, two_three, all) \
    {{code, alone, same, 0}, {code, one, 1, 1}, {code, two, 2, 2}, {code, one_two, 3, 3}, \
     {code, three, 4, 4}, {code, one_three, 5, 5}, {code, two_three, 6, 6}, {code, all, 7, 7}}

/* Bytes that an expanded key is aligned at: a cache line, and the widest vector. */
#define FINALIST_LINE 64u

/* What every key context is, but for how many bytes it has. They are of a character type, so that whoever
 * copies a context has copied what was written there as words. `own` is the context that was set: this one, or of a
 * copy the first, whose expanded keys are aligned; copies are as good and may be slower. It is not written where the only
 * key that is set is adjacent. */
struct finalist_key {
    const struct finalist_set *set;
    const void *own;
    union {
        uint64_t alignment;
        uint8_t bytes[8];
    } expanded;
};

/* The bytes that a context has to have for so many of expanded keys, whatever it is aligned at. */
#define FINALIST_KEY_BYTES(expanded_keys) \
    (offsetof(struct finalist_key, expanded) + FINALIST_LINE - sizeof(uint64_t) + (expanded_keys))

/* The sets of instructions that are not to be used, as bits; all before they are looked for. */
extern FINALIST_HIDDEN unsigned finalist_lacking;
FINALIST_HIDDEN void finalist_find_features(void);
/* Let the first ways be looked for again, after `finalist_lacking` has changed. */
FINALIST_HIDDEN void finalist_forget(void);

static inline unsigned finalist_not_in_use(void)
{
    return __atomic_load_n(&finalist_lacking, __ATOMIC_RELAXED);
}

/* Blocks, or bytes, of a message of any length. */
#define FINALIST_ANY ((size_t)-1)

/* What `finalist_use` finds the ways of an operation by, to have those for this CPU looked for again. */
struct finalist_here {
    const struct finalist_ways *ways;
    struct finalist_here *next;
    int listed;
};

/* The ways of an operation, the best first; for each number of bytes below `lengths` the one for such keys on this CPU,
 * once it has been looked for, else null; and the bytes of its contexts and of a block. `adjacent`: whether the first
 * steps' expanded keys follow the context's head at once, wherever in a cache line that is, as they may where no vectors
 * are loaded from them. */
struct finalist_ways {
    const struct finalist_way *first, *end;
    const struct finalist_way **by_length;
    size_t lengths;
    struct finalist_here *here;
    size_t context_bytes, block_bytes;
    int adjacent;
};

/* The way for keys of so many bytes; null if there is none, or if none has been looked for. */
static inline const struct finalist_way *finalist_way_for(const struct finalist_ways *ways, size_t key_bytes)
{
    return key_bytes < ways->lengths ? __atomic_load_n(&ways->by_length[key_bytes], __ATOMIC_RELAXED) : 0;
}

/* The way of a key that is set; null of one that is not. */
static inline const struct finalist_way *finalist_way_of(const struct finalist_key *key)
{
    const struct finalist_set *set = key->set;
    return set ? (const struct finalist_way *)(set - set->index) : 0;
}

/* Inlined into all its callers: for constant arguments little of it is left. */
#define FINALIST_ALWAYS_INLINE __attribute__((always_inline))

/* In or after a branch that is as good as never taken: that compilers keep it, and do not carry out both ways. */
#define FINALIST_KEEP_BRANCH __asm__ __volatile__("")

/* Where a context's expanded keys are aligned. */
static inline uint8_t *finalist_aligned(const void *context)
{
    const uintptr_t first = (uintptr_t)context + offsetof(struct finalist_key, expanded);
    return (uint8_t *)((first + FINALIST_LINE - 1) & -(uintptr_t)FINALIST_LINE);
}

/* Where an expanded key that is adjacent begins. */
static inline uint8_t *finalist_adjacent(const void *context)
{
    return (uint8_t *)(uintptr_t)context + offsetof(struct finalist_key, expanded);
}

/* Where the others begin. Of a context that is no copy that is known without reading it: else reading a first round key
 * would wait for that, which takes a block three cycles. */
static inline uint8_t *finalist_expanded(const void *context)
{
    const struct finalist_key *key = context;
    uint8_t *begin = finalist_aligned(context);
    if (__builtin_expect(key->own != key, 0)) {
        FINALIST_KEEP_BRANCH;
        begin = (uint8_t *)(uintptr_t)key + (finalist_aligned(key->own) - (const uint8_t *)key->own);
    }
    return begin;
}

/* Where a step's expanded key begins. */
static inline uint8_t *finalist_key_of(const void *context, const struct finalist_step *step)
{
    return step->at == FINALIST_ADJACENT ? finalist_adjacent(context) : finalist_expanded(context) + step->at;
}

/* What the functions below leave to others: a key that the first way is not for, one with several steps to set, and
 * messages of several steps or with something amiss. */
int finalist_set_other(void *context, const uint8_t *key, size_t key_bytes, size_t message,
                       const struct finalist_ways *ways);
int finalist_set_several(struct finalist_key *context, const uint8_t *key, const struct finalist_way *way, size_t blocks);
int finalist_crypt_in_steps(const void *context, const uint8_t *in, uint8_t *out, size_t blocks, size_t size);
int finalist_stream_in_steps(void *context, const uint8_t *in, uint8_t *out, size_t blocks, size_t size);

/* Set a context for a way, and of its steps for those that pay with a message of so many bytes, or for all. */
static inline FINALIST_ALWAYS_INLINE int finalist_set_way(struct finalist_key *context, const uint8_t *key,
                                                          const struct finalist_way *way,
                                                          const struct finalist_ways *ways, size_t message)
{
    context->set = way->set;
    if (!ways->adjacent)
        context->own = context; /* what is adjacent is found without */
    if (__builtin_expect(message > way->first_until, 0)) { /* not in the cache line of the shorter path */
        context->own = context;
        const struct finalist_last *last = &way->last;
        /* FINALIST_ANY + 1 is 0, so less than `from`; and 0 - 1 is the largest number, where no bytes are left. */
        if (message + 1 > last->from && (message & last->within) - 1 >= last->rest) {
            context->set = way->set + last->same;
            return last->expand(finalist_aligned(context) + last->at, key);
        }
        const size_t blocks = message / ways->block_bytes + (message % ways->block_bytes != 0);
        return finalist_set_several(context, key, way, message == FINALIST_ANY ? message : blocks);
    }
    return way->step->expand(ways->adjacent ? finalist_adjacent(context) : finalist_aligned(context), key);
}

/* The same for the first of the ways that is for keys of so many bytes and needs nothing that there is not. Returns 0,
 * or -1 if there is none for the length; then the context is wiped. Part of its callers, as a key may be set and a
 * block done in some twenty cycles; the bytes of a block are a constant there, so that nothing is divided. Up to the call
 * of `expand`, whose parameters are the first of these in their order, that is one cache line of code: as two lines it
 * took a cycle more. */
static inline FINALIST_ALWAYS_INLINE int finalist_set_key(void *context, const uint8_t *key, size_t key_bytes,
                                                          size_t message, const struct finalist_ways *ways)
{
    if (!context)
        return finalist_set_other(context, key, key_bytes, message, ways);
    FINALIST_KEEP_BRANCH;
    if (!key)
        return finalist_set_other(context, key, key_bytes, message, ways);
    const struct finalist_way *way = finalist_way_for(ways, key_bytes);
    if (!way)
        return finalist_set_other(context, key, key_bytes, message, ways);
    return finalist_set_way(context, key, way, ways, message);
}

/* Whether nothing is amiss, and the first step does a message of so many blocks alone. */
static inline int finalist_by_first(const struct finalist_key *key, const uint8_t *in, const uint8_t *out,
                                    size_t blocks)
{
    if (!in)
        return 0;
    FINALIST_KEEP_BRANCH;
    if (!out)
        return 0;
    FINALIST_KEEP_BRANCH;
    return key && key->set && blocks - 1 < key->set->by_first;
}

/* Where the first step's expanded key begins. */
static inline uint8_t *finalist_first_key(const void *context, const struct finalist_ways *ways)
{
    return ways->adjacent ? finalist_adjacent(context) : finalist_expanded(context);
}

/* Whole messages. Returns 0; or -1 if the context has no key, or a pointer is null: then the output, where there is any,
 * is wiped. */
static inline int finalist_crypt(const void *context, const uint8_t *in, uint8_t *out, size_t blocks,
                                 const struct finalist_ways *ways)
{
    const struct finalist_key *key = context;
    if (!finalist_by_first(key, in, out, blocks))
        return finalist_crypt_in_steps(context, in, out, blocks, ways->block_bytes);
    const uint8_t *expanded = finalist_first_key(context, ways);
    return key->set->code->crypt(expanded, in, out, blocks);
}

/* The same of a stream cipher, whose expanded key is its state. */
static inline int finalist_stream(void *context, const uint8_t *in, uint8_t *out, size_t blocks,
                                  const struct finalist_ways *ways)
{
    const struct finalist_key *key = context;
    if (!finalist_by_first(key, in, out, blocks))
        return finalist_stream_in_steps(context, in, out, blocks, ways->block_bytes);
    uint8_t *expanded = finalist_first_key(context, ways);
    return key->set->code->stream(expanded, in, out, blocks);
}

/* The same of modes of operation, and of parts; `size` is the bytes of a block. */
int finalist_count(const void *context, uint8_t *counter, const uint8_t *in, uint8_t *out, size_t bytes,
                   size_t size);
/* A part of a message, so many blocks after its beginning; `own` is memory for a counter. */
int finalist_count_part(const void *context, const uint8_t *counter, uint8_t *own, uint64_t before,
                        const uint8_t *in, uint8_t *out, size_t bytes, size_t size);
int finalist_chain(const void *context, uint8_t *iv, const uint8_t *in, uint8_t *out, size_t blocks, size_t size);
int finalist_unchain(const void *context, uint8_t *iv, const uint8_t *in, uint8_t *out, size_t blocks,
                     size_t size);

#endif
