/*
 * How long a compiled kernel takes, in ticks of the machine's finest clock.
 *
 * A tick is not a core cycle: the time-stamp counter of a current x86 processor and the generic
 * timer of an AArch64 one run at a constant rate while the core's own frequency moves.
 * finalist_clock_ticks_per_cycle() measures how many ticks one core cycle takes at this moment; a
 * measurement calls it again and again beside the runs that it wants to convert.
 */
#define _POSIX_C_SOURCE 199309L
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

typedef void (*kernel)(const void *key, const uint8_t *in, uint8_t *out, size_t blocks);
typedef void (*mode)(const void *key, uint8_t *state, const uint8_t *in, uint8_t *out,
                     size_t count);
typedef void (*setup)(const uint8_t *key, void *expanded);
typedef int (*set_key)(void *context, const uint8_t *key, size_t length, size_t message);
typedef int (*set_stream_key)(void *context, const uint8_t *key, size_t length);

const char *finalist_clock_source(void);
uint64_t finalist_clock_read(void);
uint64_t finalist_clock_overhead(size_t runs);
double finalist_clock_ticks_per_cycle(size_t runs);
void finalist_clock_kernel(kernel crypt, const void *key, const uint8_t *in, uint8_t *out,
                           size_t blocks, size_t calls, size_t runs, uint64_t *ticks);
void finalist_clock_mode(mode crypt, const void *key, uint8_t *state, const uint8_t *in,
                         uint8_t *out, size_t count, size_t fresh, size_t calls, size_t runs,
                         uint64_t *ticks);
void finalist_clock_setup(setup expand, const uint8_t *keys, size_t apart, void *expanded, size_t calls,
                          size_t runs, uint64_t *ticks);
void finalist_clock_set_key(set_key set, void *context, const uint8_t *keys, size_t apart, size_t length,
                            size_t message, size_t calls, size_t runs, uint64_t *ticks);

/* ------------------------------------------------------------------------------------ the clock */

/*
 * The fences keep the processor from moving work across a reading: before it, so that the work
 * being timed has finished (or not begun) when the counter is read; after it, so that what follows
 * does not start early.
 */
#if defined(__x86_64__) || defined(__i386__)

#define SOURCE "rdtsc"

static inline uint64_t read_start(void)
{
    uint32_t low, high;
    __asm__ __volatile__("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

static inline uint64_t read_stop(void)
{
    uint32_t low, high;
    __asm__ __volatile__("rdtscp\n\tlfence" : "=a"(low), "=d"(high) : : "ecx", "memory");
    return (uint64_t)high << 32 | low;
}

#elif defined(__aarch64__)

#define SOURCE "cntvct_el0"

static inline uint64_t read_start(void)
{
    uint64_t ticks;
    __asm__ __volatile__("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
}

static inline uint64_t read_stop(void)
{
    return read_start();
}

#else

#define SOURCE "clock_gettime"

static inline uint64_t read_start(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t read_stop(void)
{
    return read_start();
}

#endif

const char *finalist_clock_source(void)
{
    return SOURCE;
}

uint64_t finalist_clock_read(void)
{
    return read_start();
}

/* The ticks that two readings with nothing between them are apart: the minimum of `runs` tries. */
uint64_t finalist_clock_overhead(size_t runs)
{
    uint64_t best = UINT64_MAX;
    for (size_t run = 0; run < runs; run++) {
        uint64_t start = read_start();
        uint64_t ticks = read_stop() - start;
        best = ticks < best ? ticks : best;
    }
    return best;
}

/* ----------------------------------------------------------------------------- the core's cycle */

/*
 * chain(): CHAIN_LENGTH additions, each of which needs the result of the one before, so that they
 * take as many core cycles however wide the core is. The addend is a register: recent cores fold
 * chains of additions of constants while renaming registers, and would finish early.
 */
#define CHAIN_LENGTH 256

#if defined(__x86_64__)

static inline size_t chain(size_t sum, size_t step)
{
    __asm__ __volatile__(".rept 256\n\taddq %1, %0\n\t.endr" : "+r"(sum) : "r"(step) : "cc");
    return sum;
}

#elif defined(__aarch64__)

static inline size_t chain(size_t sum, size_t step)
{
    __asm__ __volatile__(".rept 256\n\tadd %0, %0, %1\n\t.endr" : "+r"(sum) : "r"(step));
    return sum;
}

#else

/* The empty statement hides the sum's value, or a compiler would fold the chain into a product. */
#define ADD sum += step; __asm__("" : "+r"(sum));
#define ADD_4 ADD ADD ADD ADD
#define ADD_16 ADD_4 ADD_4 ADD_4 ADD_4
#define ADD_64 ADD_16 ADD_16 ADD_16 ADD_16

static inline size_t chain(size_t sum, size_t step)
{
    ADD_64 ADD_64 ADD_64 ADD_64
    return sum;
}

#endif

/* Long enough that the cost of a reading and the grain of a slow counter stay below one per cent. */
#define CHAIN_REPEATS 128

/* Keeps the sum in use; a compiler could else leave the additions out. */
static volatile size_t sink;

static uint64_t chain_ticks(void)
{
    size_t sum = 0, step = 1;
    uint64_t start = read_start();
    for (int repeat = 0; repeat < CHAIN_REPEATS; repeat++)
        sum = chain(sum, step);
    uint64_t stop = read_stop();
    sink = sum;
    return stop - start;
}

/* Ticks of the clock in one cycle of the core, as it runs now: the minimum of `runs` chains. */
double finalist_clock_ticks_per_cycle(size_t runs)
{
    uint64_t best = UINT64_MAX, overhead = finalist_clock_overhead(runs);
    for (size_t run = 0; run < runs; run++) {
        uint64_t ticks = chain_ticks();
        best = ticks < best ? ticks : best;
    }
    return (double)(best - overhead) / (CHAIN_LENGTH * CHAIN_REPEATS);
}

/* ----------------------------------------------------------------------------- what is measured */

/*
 * ticks[run] = the ticks of `calls` calls in a row. With in == out and one block, each call waits
 * for the one before.
 */
void finalist_clock_kernel(kernel crypt, const void *key, const uint8_t *in, uint8_t *out,
                           size_t blocks, size_t calls, size_t runs, uint64_t *ticks)
{
    for (size_t run = 0; run < runs; run++) {
        uint64_t start = read_start();
        for (size_t call = 0; call < calls; call++)
            crypt(key, in, out, blocks);
        ticks[run] = read_stop() - start;
    }
}

/*
 * Zeros, by one store where a block is as long as most: a C library may write so few bytes under a mask, and
 * such a store is not handed on to the read that follows: thirty cycles, which no user's counter takes.
 */
static inline void make_zero(uint8_t *state, size_t bytes)
{
    if (bytes == 16)
        memset(state, 0, 16);
    else if (bytes == 8)
        memset(state, 0, 8);
    else
        memset(state, 0, bytes);
}

/*
 * The same for calls of a mode of operation: each goes on from the state that the last one left, but for so
 * many bytes of it that are made `fresh`, zeros.
 */
void finalist_clock_mode(mode crypt, const void *key, uint8_t *state, const uint8_t *in,
                         uint8_t *out, size_t count, size_t fresh, size_t calls, size_t runs,
                         uint64_t *ticks)
{
    for (size_t run = 0; run < runs; run++) {
        uint64_t start = read_start();
        for (size_t call = 0; call < calls; call++) {
            make_zero(state, fresh);
            crypt(key, state, in, out, count);
        }
        ticks[run] = read_stop() - start;
    }
}

/*
 * The same for key schedules. As many keys take turns, each so many bytes `apart` from the next, so that a
 * processor does not learn where a schedule under one branches, or stores. A turn is no more instructions than
 * a call under one key again and again: of the shortest set-ups three more are a tenth.
 */
#define KEYS 64

void finalist_clock_setup(setup expand, const uint8_t *keys, size_t apart, void *expanded, size_t calls,
                          size_t runs, uint64_t *ticks)
{
    for (size_t run = 0; run < runs; run++) {
        uint64_t start = read_start();
        for (size_t left = calls, now; left; left -= now) {
            now = left < KEYS ? left : KEYS;
            for (const uint8_t *key = keys, *end = keys + now * apart; key != end; key += apart)
                expand(key, expanded);
        }
        ticks[run] = read_stop() - start;
    }
}

/* The same for a library's, as whoever links it calls them; `message` is 0 for a `set_stream_key`. */
void finalist_clock_set_key(set_key set, void *context, const uint8_t *keys, size_t apart, size_t length,
                            size_t message, size_t calls, size_t runs, uint64_t *ticks)
{
    const set_stream_key set_any = (set_stream_key)(void (*)(void))set;
    for (size_t run = 0; run < runs; run++) {
        uint64_t start = read_start();
        for (size_t left = calls, now; left; left -= now) {
            now = left < KEYS ? left : KEYS;
            const uint8_t *key = keys, *end = keys + now * apart;
            if (message)
                for (; key != end; key += apart)
                    set(context, key, length, message);
            else
                for (; key != end; key += apart)
                    set_any(context, key, length);
        }
        ticks[run] = read_stop() - start;
    }
}
