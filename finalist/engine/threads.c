/*
 * Threads of this process for work that has several parts: made when they are first wanted, then asleep until
 * there is some. Who has work does a part of it, too, so that it gets done if none can be had.
 */
#define _GNU_SOURCE /* sched.h, of Linux alone */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { MOST_THREADS = 64 };

/* Nanoseconds that it takes to wake a thread, about. So long a thread looks out for what it waits for before it
 * sleeps: work that follows other work finds it awake. */
#define WAKING 30000

/* Work for so many threads, the caller's among them, which is number 0; each does what it finds. */
typedef struct job {
    void (*work)(struct job *j, unsigned number);
    unsigned threads;
    unsigned came;   /* others that have a number */
    unsigned inside; /* those of them that still work */
    int waits;       /* whether the caller sleeps until they are done */
    struct job *next;
} job;

/* All of it under the lock, but for `news`, which changes when there is something to look for, and `offered_on`, the
 * processor of who offered work last. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, forking = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wanted = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static pthread_t workers[MOST_THREADS];
static unsigned count, busy, asleep, news;
static int leave, offered_on = -1;
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

static uint64_t nanoseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Whether a number becomes another one within a while. */
static int changes(const unsigned *at, unsigned now)
{
    const uint64_t begun = nanoseconds();
    do
        for (int i = 0; i < 8; i++) {
            if (__atomic_load_n(at, __ATOMIC_ACQUIRE) != now)
                return 1;
            pause_briefly();
        }
    while (nanoseconds() - begun < WAKING);
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

/* Where the processors are busy Linux wakes a thread on the one of who wakes it, and leaves it there, so that the two
 * would work in turns: go to another that this thread may use. It may use the same ones afterwards. */
static void move_away(void)
{
#if defined(__linux__)
    cpu_set_t allowed, others;
    const int here = sched_getcpu();
    if (here < 0 || here != __atomic_load_n(&offered_on, __ATOMIC_RELAXED) || here >= CPU_SETSIZE ||
        sched_getaffinity(0, sizeof allowed, &allowed))
        return;
    others = allowed;
    CPU_CLR((size_t)here, &others);
    if (CPU_COUNT(&others) && !sched_setaffinity(0, sizeof others, &others))
        sched_setaffinity(0, sizeof allowed, &allowed);
#endif
}

static void note_processor(void)
{
#if defined(__linux__)
    __atomic_store_n(&offered_on, sched_getcpu(), __ATOMIC_RELAXED);
#endif
}

/* -- threads -------------------------------------------------------------------------------------------- */

/* A number of its own for the first work that wants another thread, under the lock. */
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
            pthread_mutex_unlock(&mutex);
            changes(&news, now);
            lock();
        }
        while (!jobs && !leave) {
            asleep++;
            pthread_cond_wait(&wanted, &mutex);
            asleep--;
            pthread_mutex_unlock(&mutex);
            move_away();
            lock();
        }
        if (leave)
            break;
        job *const j = jobs;
        const unsigned number = joined(j);
        busy++;
        pthread_mutex_unlock(&mutex);
        j->work(j, number);
        lock();
        busy--;
        const int waits = j->waits; /* `j` is gone when nobody is inside */
        __atomic_store_n(&j->inside, j->inside - 1, __ATOMIC_RELEASE);
        if (waits)
            pthread_cond_broadcast(&done);
    }
    pthread_mutex_unlock(&mutex);
    return none;
}

/* Threads that are still wanted. */
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

static int one_is_awake(void)
{
    lock();
    const int found = count > busy + asleep;
    pthread_mutex_unlock(&mutex);
    return found;
}

/* Offer work: to those who are awake, or, waking them, to as many as it is for. */
static void offer(job *j, int waking)
{
    note_processor();
    lock();
    job **end = &jobs;
    while (*end)
        end = &(*end)->next;
    *end = j;
    have(waking ? busy + unmet() : 0);
    unsigned wake = !waking ? 0 : asleep < j->threads - 1 ? asleep : j->threads - 1;
    pthread_mutex_unlock(&mutex);
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
    pthread_mutex_unlock(&mutex);
    while (inside && changes(&j->inside, inside))
        inside = __atomic_load_n(&j->inside, __ATOMIC_ACQUIRE);
    lock();
    while (j->inside) {
        j->waits = 1;
        pthread_cond_wait(&done, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

/* Have all threads go, when they are done with what they do. */
static void stop(void)
{
    lock();
    leave = 1;
    pthread_cond_broadcast(&wanted);
    const unsigned now = count;
    pthread_mutex_unlock(&mutex);
    __atomic_fetch_add(&news, 1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < now; i++)
        pthread_join(workers[i], NULL);
    lock();
    count = 0;
    pthread_mutex_unlock(&mutex);
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
    pthread_mutex_unlock(&mutex);
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
