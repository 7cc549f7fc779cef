/* Keys, and whole messages under them: many blocks at a time while there are enough, then fewer, then one by one. */
#include <string.h>

#include "internal.h"

void finalist_wipe(void *memory, size_t bytes)
{
    if (!bytes)
        return;
    memset(memory, 0, bytes);
    __asm__ __volatile__("" : : "r"(memory) : "memory");
}

static int is_ready(const void *context, const struct finalist_step *step)
{
    return (((const struct finalist_key *)context)->set->ready & step->same) != 0;
}

/* Set up the key of a step, and so of all that have the same; those that are ready with it. */
static unsigned make_ready(struct finalist_key *context, const uint8_t *key, const struct finalist_step *step,
                           unsigned ready)
{
    if (!(ready & step->same))
        step->expand(finalist_key_of(context, step), key);
    return ready | step->same;
}

/* The last step that pays for so many blocks, of those before another one. */
static const struct finalist_step *paying(const struct finalist_way *way, const struct finalist_step *end, size_t blocks)
{
    while (--end != way->step && blocks < end->pays)
        continue;
    return end;
}

/* What remains of so many blocks after whole calls, mostly of a power of two blocks: a division takes twenty cycles. */
static size_t rest_of(size_t blocks, size_t call)
{
    return call & (call - 1) ? blocks % call : blocks & (call - 1);
}

/* Set the keys of those steps that are worth it for a message of so many blocks; those that are ready then. */
static unsigned expand(struct finalist_key *context, const uint8_t *key, const struct finalist_way *way, size_t blocks)
{
    const struct finalist_step *step = way->step + way->steps;
    unsigned ready = 0;
    if (blocks == FINALIST_ANY) {
        while (step-- != way->step)
            ready = make_ready(context, key, step, ready);
        return ready;
    }
    for (;;) {
        step = paying(way, step, blocks);
        ready = make_ready(context, key, step, ready);
        if (!step->rest) /* of most, without dividing */
            return ready;
        blocks = rest_of(blocks, step->code->blocks);
        if (!blocks || blocks >= step->rest)
            return ready;
    }
}

/* The same, with what the context says of it. */
int finalist_set_several(struct finalist_key *context, const uint8_t *key, const struct finalist_way *way, size_t blocks)
{
    context->set = way->set + expand(context, key, way, blocks);
    return 0;
}

/* The first of the ways for keys of so many bytes that needs nothing of what is lacking; null if there is none. */
static const struct finalist_way *first_of(const struct finalist_ways *ways, size_t key_bytes, unsigned lacking)
{
    for (const struct finalist_way *way = ways->first; way != ways->end; way++)
        if (!(way->needs & lacking) && way->key_bytes == key_bytes)
            return way;
    return 0;
}

/* The operations of which a way has been looked for. */
static struct finalist_here *found;

/* Store what was found, where `finalist_forget` reaches it: each operation is listed once. */
static void remember(const struct finalist_ways *ways, const struct finalist_way *way)
{
    struct finalist_here *here = ways->here;
    if (!__atomic_exchange_n(&here->listed, 1, __ATOMIC_RELAXED)) {
        here->ways = ways;
        here->next = __atomic_load_n(&found, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(&found, &here->next, here, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            continue;
    }
    __atomic_store_n(&ways->by_length[way->key_bytes], way, __ATOMIC_RELAXED);
}

void finalist_forget(void)
{
    for (struct finalist_here *here = __atomic_load_n(&found, __ATOMIC_ACQUIRE); here; here = here->next)
        for (size_t length = 0; length < here->ways->lengths; length++)
            __atomic_store_n(&here->ways->by_length[length], 0, __ATOMIC_RELAXED);
}

/* The first key of a process, when the CPU's sets of instructions are looked for, and the first of a length, in a
 * process or since `finalist_use`. For a length that there are no keys of the context is wiped. */
__attribute__((cold)) int finalist_set_other(void *context, const uint8_t *key, size_t key_bytes, size_t message,
                                             const struct finalist_ways *ways)
{
    if (finalist_not_in_use() & FINALIST_KNOWN)
        finalist_find_features();
    const struct finalist_way *way = first_of(ways, key_bytes, finalist_not_in_use());
    if (way)
        remember(ways, way);
    if (context && key && way)
        return finalist_set_way(context, key, way, ways, message);
    if (context)
        finalist_wipe(context, ways->context_bytes);
    return -1;
}

/* The way of a key, for so many bytes; null where there is none, or nothing to work on. Then what would have been
 * the output is zeros: it may be the buffer with the plaintext, which must not be taken for what was encrypted. */
static const struct finalist_way *way_of(const void *context, const void *state, const uint8_t *in, uint8_t *out,
                                         size_t bytes)
{
    const struct finalist_way *way = context ? finalist_way_of(context) : 0;
    if (way && state && ((in && out) || !bytes))
        return way;
    if (out)
        finalist_wipe(out, bytes);
    return 0;
}

const char *finalist_programs(const void *key)
{
    const struct finalist_way *way = key ? finalist_way_of(key) : 0;
    return way ? way->about : 0;
}

/* Of the steps that the key is set for, the last one before another; null if there is none. */
static const struct finalist_step *before(const void *context, const struct finalist_way *way,
                                          const struct finalist_step *end)
{
    while (end != way->step)
        if (is_ready(context, --end))
            return end;
    return 0;
}

/* What begins a message of so many blocks: the last step that serves as many, or else the first there is. */
static const struct finalist_step *begin(const void *context, const struct finalist_way *way, size_t blocks)
{
    const struct finalist_step *step = before(context, way, way->step + way->steps), *lower;
    while (blocks < step->least && (lower = before(context, way, step)))
        step = lower;
    return step;
}

/* How many of the blocks it does: all, or whole calls, where a step before it does the rest sooner. */
static size_t share(const void *context, const struct finalist_step *step, const struct finalist_way *way, size_t blocks)
{
    if (blocks < step->code->blocks || !before(context, way, step)) /* without dividing, which takes time */
        return blocks;
    const size_t rest = rest_of(blocks, step->code->blocks);
    return rest >= step->least ? blocks : blocks - rest;
}

/* Counter mode and chains, block after block where a program has no functions of them. */
static void count(const struct finalist_code *code, const void *key, uint8_t *counter, const uint8_t *in,
                  uint8_t *out, size_t bytes, size_t size)
{
    uint8_t stream[FINALIST_SINGLE_BYTES];
    if (code->ctr) {
        code->ctr(key, counter, in, out, bytes);
        return;
    }
    while (bytes) {
        const size_t now = bytes < size ? bytes : size;
        code->crypt(key, counter, stream, 1);
        for (size_t i = size; i-- && !++counter[i];)
            continue;
        for (size_t i = 0; i < now; i++)
            out[i] = in[i] ^ stream[i];
        bytes -= now, in += now, out += now;
    }
}

static void chain(const struct finalist_code *code, const void *key, uint8_t *iv, const uint8_t *in, uint8_t *out,
                  size_t blocks, size_t size)
{
    if (code->cbc) {
        code->cbc(key, iv, in, out, blocks);
        return;
    }
    for (; blocks; blocks--, in += size, out += size) {
        for (size_t i = 0; i < size; i++)
            iv[i] ^= in[i];
        code->crypt(key, iv, iv, 1);
        memcpy(out, iv, size);
    }
}

static void unchain(const struct finalist_code *code, const void *key, uint8_t *iv, const uint8_t *in,
                    uint8_t *out, size_t blocks, size_t size)
{
    uint8_t plain[FINALIST_SINGLE_BYTES];
    if (code->cbc) {
        code->cbc(key, iv, in, out, blocks);
        return;
    }
    for (; blocks; blocks--, in += size, out += size) {
        code->crypt(key, in, plain, 1);
        for (size_t i = 0; i < size; i++)
            plain[i] ^= iv[i];
        memcpy(iv, in, size);
        memcpy(out, plain, size);
    }
}

/* By several programs one after the other. */
int finalist_crypt_in_steps(const void *context, const uint8_t *in, uint8_t *out, size_t blocks, size_t size)
{
    const struct finalist_way *way = way_of(context, context, in, out, blocks * size);
    if (!way)
        return -1;
    while (blocks) {
        const struct finalist_step *step = begin(context, way, blocks);
        const size_t now = share(context, step, way, blocks);
        step->code->crypt(finalist_key_of(context, step), in, out, now);
        blocks -= now, in += now * size, out += now * size;
    }
    return 0;
}

int finalist_stream_in_steps(void *context, const uint8_t *in, uint8_t *out, size_t blocks, size_t size)
{
    const struct finalist_way *way = way_of(context, context, in, out, blocks * size);
    if (!way)
        return -1;
    while (blocks) { /* all steps have the state in one key */
        const struct finalist_step *step = begin(context, way, blocks);
        const size_t now = share(context, step, way, blocks);
        step->code->stream(finalist_key_of(context, step), in, out, now);
        blocks -= now, in += now * size, out += now * size;
    }
    return 0;
}

int finalist_count(const void *context, uint8_t *counter, const uint8_t *in, uint8_t *out, size_t bytes,
                   size_t size)
{
    const struct finalist_way *way = way_of(context, counter, in, out, bytes);
    if (!way)
        return -1;
    while (bytes) {
        const size_t blocks = bytes / size + (bytes % size != 0);
        const struct finalist_step *step = begin(context, way, blocks);
        const size_t whole = share(context, step, way, blocks), now = whole < blocks ? whole * size : bytes;
        count(step->code, finalist_key_of(context, step), counter, in, out, now, size);
        bytes -= now, in += now, out += now;
    }
    return 0;
}

int finalist_count_part(const void *context, const uint8_t *counter, uint8_t *own, uint64_t before,
                        const uint8_t *in, uint8_t *out, size_t bytes, size_t size)
{
    unsigned carry = 0;
    if (!counter)
        return finalist_count(context, 0, in, out, bytes, size);
    for (size_t i = size; i--; before >>= 8, carry >>= 8) {
        carry += counter[i] + (unsigned)(before & 0xff);
        own[i] = (uint8_t)carry;
    }
    return finalist_count(context, own, in, out, bytes, size);
}

int finalist_chain(const void *context, uint8_t *iv, const uint8_t *in, uint8_t *out, size_t blocks, size_t size)
{
    const struct finalist_way *way = way_of(context, iv, in, out, blocks * size);
    if (!way)
        return -1;
    const struct finalist_step *step = begin(context, way, 1);
    if (blocks)
        chain(step->code, finalist_key_of(context, step), iv, in, out, blocks, size);
    return 0;
}

int finalist_unchain(const void *context, uint8_t *iv, const uint8_t *in, uint8_t *out, size_t blocks, size_t size)
{
    const struct finalist_way *way = way_of(context, iv, in, out, blocks * size);
    if (!way)
        return -1;
    while (blocks) {
        const struct finalist_step *step = begin(context, way, blocks);
        const size_t now = share(context, step, way, blocks);
        unchain(step->code, finalist_key_of(context, step), iv, in, out, now, size);
        blocks -= now, in += now * size, out += now * size;
    }
    return 0;
}
