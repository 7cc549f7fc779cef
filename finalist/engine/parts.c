/*
 * A message worked on by several threads, where its blocks do not wait for each other: each thread has a share
 * of it, and whoever is done with its own takes from the ends of others'. The caller is one of the threads; the
 * others are of this process, made when they are first wanted, and sleep until the next message.
 *
 * Nothing of Python is used or held.
 */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_THREADS = 64 };

/* Grains of a share, about: what is taken from it is so many of them. */
#define GRAINS 32

/* Nanoseconds for which a thread looks out for what it waits for before it sleeps: as long as it takes to wake
 * it, so that messages which follow each other find it awake. */
#define PATIENCE 30000

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
} way;

typedef void (*plain)(const void *key, const uint8_t *in, uint8_t *out, size_t count);
typedef void (*mode)(const void *key, uint8_t *state, const uint8_t *in, uint8_t *out, size_t count);

/* A stretch of the message; of its grains those from `open >> 32` to `open & MASK` nobody has taken. A cache line of
 * its own, since each is written by its thread. */
typedef struct {
    uint64_t begin, end; /* bytes */
    uint8_t *states;     /* a block for each grain */
    uint64_t open;
    uint64_t padding[4];
} share;

#define MASK 0xffffffffu

typedef struct job {
    const way *way;
    void *function;
    const void *key;
    uint8_t *state, *last; /* the message's, and that of its last part */
    const uint8_t *in;
    uint8_t *out;
    uint64_t grain; /* bytes */
    share *shares;
    unsigned threads;
    unsigned came;   /* threads that have a share of their own */
    unsigned inside; /* those that still work, but for the caller */
    int waits;       /* whether the caller sleeps until they are done */
    struct job *next;
} job;

/* All of it under the lock, but for `news`, which changes when there is something to look for. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, forking = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static pthread_t workers[MOST_THREADS];
static unsigned count, busy, asleep, news;
static int leave;
static job *jobs;

/* -- waiting -------------------------------------------------------------------------------------------- */

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/* Whether a number becomes another one within a while. */
static int changes(const unsigned *at, unsigned now)
{
    struct timespec begun, time;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    do {
        for (int i = 0; i < 8; i++) {
            if (__atomic_load_n(at, __ATOMIC_ACQUIRE) != now)
                return 1;
            pause_briefly();
        }
        clock_gettime(CLOCK_MONOTONIC, &time);
    } while ((time.tv_sec - begun.tv_sec) * 1000000000L + (time.tv_nsec - begun.tv_nsec) < PATIENCE);
    return 0;
}

/* It is never held for long, so that sleeping would take longer. */
static void lock(void)
{
    for (int i = 0; i < 100; i++) {
        if (!pthread_mutex_trylock(&mutex))
            return;
        pause_briefly();
    }
    pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

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

static void work_on(job *j, const share *s, uint64_t from, uint64_t to)
{
    const way *w = j->way;
    const uint64_t begin = s->begin + from * j->grain, stop = s->begin + to * j->grain;
    const uint64_t end = stop < s->end ? stop : s->end;
    const size_t units = (size_t)((end - begin) / w->unit);
    if (w->begins == NOTHING) {
        ((plain)j->function)(j->key, j->in + begin, j->out + begin, units);
        return;
    }
    uint8_t *const state = s->states + from * w->block;
    if (w->begins == COUNTER) {
        memcpy(state, j->state, w->block);
        count_on(state, w->block, begin / w->block);
    }
    ((mode)j->function)(j->key, state, j->in + begin, j->out + begin, units);
    if (end == s->end && s == &j->shares[j->threads - 1])
        j->last = state;
}

/* All that is left of a message, beginning with the share of this number. */
static void work(job *j, unsigned number)
{
    uint64_t from, to;
    for (unsigned i = 0; i < j->threads; i++) {
        share *s = &j->shares[(number + i) % j->threads];
        while (take(s, i == 0, &from, &to))
            work_on(j, s, from, to);
    }
}

/* -- threads -------------------------------------------------------------------------------------------- */

/* A share of its own of the first message that wants another thread, under the lock. */
static unsigned joined(job *j)
{
    const unsigned number = ++j->came;
    j->inside++;
    if (number == j->threads - 1)
        jobs = j->next;
    return number;
}

static void *worker(void *none)
{
    lock();
    for (;;) {
        if (!jobs && !leave) {
            const unsigned now = __atomic_load_n(&news, __ATOMIC_RELAXED);
            unlock();
            changes(&news, now);
            lock();
        }
        while (!jobs && !leave) {
            asleep++;
            pthread_cond_wait(&wanted, &mutex);
            asleep--;
        }
        if (leave)
            break;
        job *const j = jobs;
        const unsigned number = joined(j);
        busy++;
        unlock();
        work(j, number);
        lock();
        busy--;
        const int waits = j->waits; /* `j` is gone when nobody is inside */
        __atomic_store_n(&j->inside, j->inside - 1, __ATOMIC_RELEASE);
        if (waits)
            pthread_cond_broadcast(&done);
    }
    unlock();
    return none;
}

/* Threads that messages still want. */
static unsigned unmet(void)
{
    unsigned sum = 0;
    for (const job *j = jobs; j; j = j->next)
        sum += j->threads - 1 - j->came;
    return sum;
}

/* As many threads as that, or as can be had; signals are left to the threads that there were before. */
static void have(unsigned most)
{
    sigset_t all, before;
    most = most < MOST_THREADS ? most : MOST_THREADS;
    if (leave || count >= most)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (count < most && !pthread_create(&workers[count], NULL, worker, NULL))
        count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void begin(job *j)
{
    lock();
    job **end = &jobs;
    while (*end)
        end = &(*end)->next;
    *end = j;
    have(busy + unmet());
    unsigned wake = asleep < j->threads - 1 ? asleep : j->threads - 1;
    unlock();
    __atomic_fetch_add(&news, 1, __ATOMIC_RELEASE);
    while (wake--)
        pthread_cond_signal(&wanted);
}

/* Nobody comes any more, and those who came have gone. */
static void finish(job *j)
{
    lock();
    for (job **at = &jobs; *at; at = &(*at)->next)
        if (*at == j) {
            *at = j->next;
            break;
        }
    unsigned inside = j->inside;
    unlock();
    while (inside && changes(&j->inside, inside))
        inside = __atomic_load_n(&j->inside, __ATOMIC_ACQUIRE);
    lock();
    while (j->inside) {
        j->waits = 1;
        pthread_cond_wait(&done, &mutex);
    }
    unlock();
}

/* Have all threads go, when they are done with what they do. */
static void stop(void)
{
    lock();
    leave = 1;
    pthread_cond_broadcast(&wanted);
    const unsigned now = count;
    unlock();
    __atomic_fetch_add(&news, 1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < now; i++)
        pthread_join(workers[i], NULL);
    lock();
    count = 0;
    unlock();
}

/* A process that is forked has but the thread that does it: all others go before, and come back when they are
 * wanted, in either process. */
static void before_fork(void)
{
    pthread_mutex_lock(&forking);
    stop();
    lock();
}

static void after_fork(void)
{
    leave = 0;
    unlock();
    pthread_mutex_unlock(&forking);
}

static void after_fork_in_child(void)
{
    pthread_cond_t none = PTHREAD_COND_INITIALIZER;
    wanted = done = none;
    asleep = 0;
    jobs = NULL;
    after_fork();
}

__attribute__((constructor)) static void set_up(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

__attribute__((destructor)) static void tear_down(void)
{
    stop();
}

/* -- whole messages --------------------------------------------------------------------------------------- */

/* Shares of whole steps. */
static void cut(job *j, uint64_t size, uint8_t *states)
{
    const way *w = j->way;
    const uint64_t steps = (size + w->step - 1) / w->step;
    for (unsigned i = 0; i < j->threads; i++) {
        share *s = &j->shares[i];
        s->begin = steps * i / j->threads * w->step;
        s->end = i + 1 < j->threads ? steps * (i + 1) / j->threads * w->step : size;
        s->states = states;
        s->open = (s->end - s->begin + j->grain - 1) / j->grain;
        states += s->open * w->block;
    }
}

/* What each grain begins with, while it is still there. */
static void keep_ciphertext(const job *j)
{
    const uint64_t block = j->way->block;
    for (unsigned i = 0; i < j->threads; i++)
        for (uint64_t grain = 0; grain < j->shares[i].open; grain++) {
            const uint64_t at = j->shares[i].begin + grain * j->grain;
            memcpy(j->shares[i].states + grain * block, at ? j->in + at - block : j->state, block);
        }
}

static void alone(const way *w, void *function, const void *key, uint8_t *state, const uint8_t *in, uint8_t *out,
                  uint64_t size)
{
    if (w->begins == NOTHING)
        ((plain)function)(key, in, out, (size_t)(size / w->unit));
    else
        ((mode)function)(key, state, in, out, (size_t)(size / w->unit));
}

/* A message of `size` bytes, which a function would do with its key and, where the mode has one, state: the same,
 * also to the state, by as many threads as it is long enough for. */
void finalist_in_parts(const way *w, void *function, const void *key, uint8_t *state, const uint8_t *in,
                       uint8_t *out, uint64_t size);
void finalist_in_parts(const way *w, void *function, const void *key, uint8_t *state, const uint8_t *in,
                       uint8_t *out, uint64_t size)
{
    const uint64_t steps = size / w->step, most = steps / w->least;
    const unsigned threads = (unsigned)(most < w->threads ? most : w->threads);
    share shares[MOST_THREADS];
    uint8_t *states = NULL;
    if (threads < 2) {
        alone(w, function, key, state, in, out, size);
        return;
    }
    const uint64_t grains = 1 + steps / threads / GRAINS / w->grain, each = grains * w->grain;
    job j = {.way = w, .function = function, .key = key, .state = state, .in = in, .out = out,
             .grain = each * w->step, .shares = shares, .threads = threads};
    if (w->begins != NOTHING && !(states = malloc((steps / each + 2 * threads) * w->block))) {
        alone(w, function, key, state, in, out, size);
        return;
    }
    cut(&j, size, states);
    if (w->begins == CIPHERTEXT)
        keep_ciphertext(&j);
    begin(&j);
    work(&j, 0);
    finish(&j);
    if (states)
        memcpy(state, j.last, w->block);
    free(states);
}
