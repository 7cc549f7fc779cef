/*
 * A message worked on by several threads, where its blocks do not wait for each other: each thread has a share
 * of it, and whoever is done with its own takes from the ends of others'. With threads.c before it.
 *
 * Nothing of Python is used or held.
 */
#include <stdlib.h>
#include <string.h>

/* Grains of a share, about: what is taken from it is so many of them. */
#define GRAINS 32

/* What a part of a message begins with beside the key: nothing (ECB); the counter of its first block; the
 * ciphertext before it, a block of it (CBC and CFB, decrypted). */
enum { NOTHING, COUNTER, CIPHERTEXT };

/* How a message may be cut: the fields of finalist.engine.parts.Way. */
typedef struct {
    uint64_t begins;  /* with NOTHING, COUNTER, CIPHERTEXT */
    uint64_t block;   /* bytes of a block, and of the mode's state */
    uint64_t step;    /* bytes that belong together: a block, or a segment */
    uint64_t unit;    /* a function's count is one of so many bytes */
    uint64_t grain;   /* steps that cost a kernel no more than their share of a longer message */
    uint64_t least;   /* steps for each thread */
    uint64_t threads; /* at most, from 1 to MOST_THREADS */
    uint64_t pace;    /* nanoseconds that 1024 steps took last; 0: not known */
} way;

typedef void (*plain)(const void *key, const uint8_t *in, uint8_t *out, size_t count);
typedef void (*mode)(const void *key, uint8_t *state, const uint8_t *in, uint8_t *out, size_t count);

/* A stretch of the message; of its grains those from `open >> 32` to `open & MASK` nobody has taken. A cache line of
 * its own, since each is written by its thread. */
typedef struct {
    _Alignas(64) uint64_t begin;
    uint64_t end;    /* bytes, too */
    uint8_t *states; /* a block for each grain */
    uint64_t open;
} share;

#define MASK 0xffffffffu

typedef struct {
    job job;
    way *way;
    void *function;
    const void *key;
    uint8_t *state, *last; /* the message's, and that of its last part */
    const uint8_t *in;
    uint8_t *out;
    uint64_t grain; /* bytes */
    share *shares;
} message;

/* When the last message ended. */
static uint64_t ended;

/* -- parts of a message --------------------------------------------------------------------------------- */

/* Take half of what is left of a share: from its beginning, or as another thread from its end. */
static int take(share *s, int own, uint64_t *from, uint64_t *to)
{
    uint64_t open = __atomic_load_n(&s->open, __ATOMIC_RELAXED), rest;
    do {
        const uint64_t begin = open >> 32, end = open & MASK, half = (end - begin + 1) / 2;
        if (begin == end)
            return 0;
        *from = own ? begin : end - half;
        *to = *from + half;
        rest = own ? *to << 32 | end : begin << 32 | *from;
    } while (!__atomic_compare_exchange_n(&s->open, &open, rest, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return 1;
}

/* A counter so many blocks further on. */
static void count_on(uint8_t *counter, uint64_t size, uint64_t blocks)
{
    for (uint64_t i = size, carry = 0; i-- && (blocks || carry); blocks >>= 8) {
        const uint64_t sum = counter[i] + (blocks & 0xff) + carry;
        counter[i] = (uint8_t)sum;
        carry = sum >> 8;
    }
}

static void call(const message *m, uint8_t *state, uint64_t begin, uint64_t end)
{
    const size_t units = (size_t)((end - begin) / m->way->unit);
    if (m->way->begins == NOTHING)
        ((plain)m->function)(m->key, m->in + begin, m->out + begin, units);
    else
        ((mode)m->function)(m->key, state, m->in + begin, m->out + begin, units);
}

static void work_on(message *m, const share *s, uint64_t from, uint64_t to)
{
    const way *w = m->way;
    const uint64_t begin = s->begin + from * m->grain, stop = s->begin + to * m->grain;
    const uint64_t end = stop < s->end ? stop : s->end;
    uint8_t *const state = m->state ? s->states + from * w->block : NULL;
    if (w->begins == COUNTER) {
        memcpy(state, m->state, w->block);
        count_on(state, w->block, begin / w->block);
    }
    call(m, state, begin, end);
    if (end == s->end && s == &m->shares[m->job.threads - 1])
        m->last = state;
}

/* What is left of a message, beginning with the share of this number; how many grains that was. */
static uint64_t work(message *m, unsigned number)
{
    uint64_t from, to, sum = 0;
    for (unsigned i = 0; i < m->job.threads; i++) {
        share *s = &m->shares[(number + i) % m->job.threads];
        for (; take(s, i == 0, &from, &to); sum += to - from)
            work_on(m, s, from, to);
    }
    return sum;
}

static void work_as_another(job *j, unsigned number)
{
    work((message *)(void *)j, number);
}

/* -- whole messages --------------------------------------------------------------------------------------- */

/* Shares of whole steps. */
static void cut(message *m, uint64_t size, uint8_t *states)
{
    const way *w = m->way;
    const uint64_t steps = (size + w->step - 1) / w->step;
    for (unsigned i = 0; i < m->job.threads; i++) {
        share *s = &m->shares[i];
        s->begin = steps * i / m->job.threads * w->step;
        s->end = i + 1 < m->job.threads ? steps * (i + 1) / m->job.threads * w->step : size;
        s->states = states;
        s->open = (s->end - s->begin + m->grain - 1) / m->grain;
        states += s->open * w->block;
    }
}

/* What each grain begins with, while it is still there. */
static void keep_ciphertext(const message *m)
{
    const uint64_t block = m->way->block;
    for (unsigned i = 0; i < m->job.threads; i++)
        for (uint64_t grain = 0; grain < m->shares[i].open; grain++) {
            const uint64_t at = m->shares[i].begin + grain * m->grain;
            memcpy(m->shares[i].states + grain * block, at ? m->in + at - block : m->state, block);
        }
}

/* Whether sleeping threads are worth waking: for a message that takes twice as long at least, as far as is known,
 * and for one that comes close behind another, since more may follow. */
static int is_worth_waking(const way *w, uint64_t steps, uint64_t now)
{
    const uint64_t pace = __atomic_load_n(&w->pace, __ATOMIC_RELAXED);
    return !pace || steps / 1024 * pace > 2 * WAKING || now - __atomic_load_n(&ended, __ATOMIC_RELAXED) < WAKING;
}

static void together(message *m, uint64_t steps, int waking, uint64_t begun)
{
    if (m->way->begins == CIPHERTEXT)
        keep_ciphertext(m);
    offer(&m->job, waking);
    const uint64_t by_caller = work(m, 0) * (m->grain / m->way->step), took = nanoseconds() - begun;
    finish(&m->job);
    if (m->state)
        memcpy(m->state, m->last, m->way->block);
    if (by_caller > steps / m->job.threads / 2)
        __atomic_store_n(&m->way->pace, 1 + took * 1024 / by_caller, __ATOMIC_RELAXED);
}

/* A message of `size` bytes, which a function would do with its key and, where the mode has one, state: the same,
 * also to the state, by as many threads as it is long enough for. */
void finalist_in_parts(way *w, void *function, const void *key, uint8_t *state, const uint8_t *in, uint8_t *out,
                       uint64_t size)
{
    const uint64_t steps = size / w->step, most = steps / w->least, begun = nanoseconds();
    const unsigned threads = (unsigned)(most < w->threads ? most : w->threads);
    const int waking = threads > 1 && is_worth_waking(w, steps, begun);
    const uint64_t grain = (1 + steps / w->threads / GRAINS / w->grain) * w->grain;
    share shares[MOST_THREADS];
    uint8_t *states = NULL;
    message m = {.job = {.work = work_as_another, .threads = threads}, .way = w, .function = function, .key = key,
                 .state = state, .in = in, .out = out, .grain = grain * w->step, .shares = shares};
    if (threads > 1 && (waking || one_is_awake()) &&
        (!state || (states = malloc((steps / grain + 2 * threads) * w->block)))) {
        cut(&m, size, states);
        together(&m, steps, waking, begun);
    } else
        call(&m, state, 0, size);
    free(states);
    __atomic_store_n(&ended, nanoseconds(), __ATOMIC_RELAXED);
}
