/* Make circuits of gates with three inputs smaller, a random walk.
 *
 * Compiled with -DWORDS=n, n a power of two, for tables of up to 64 * n rows.  Standard input has jobs:
 *     INPUTS OUTPUTS SEED MILLISECONDS BREADTH BURST RISE HEAT KNOWN
 *     the truth table of each output, row 0 in the lowest bit of the first of WORDS hexadecimal words
 *     KNOWN rows "a b c truth", a circuit to begin with, and its outputs (KNOWN 0: Kwan's method makes one)
 * The answer is that of resubstitute.c, and so are signals and steps: a gate gets another function that
 * agrees with it where it matters.  Here sets of signals are words, which makes steps quick; and a gate may
 * be made of two new ones.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef WORDS
#define WORDS 1
#endif
#if WORDS > 1
typedef uint64_t rows __attribute__((vector_size(8 * WORDS))); /* sets of rows: truth tables */
typedef unsigned __int128 set;                                 /* sets of signals */
enum { MOST = 126, MOST_OUTPUTS = 8 };
#else
typedef uint64_t rows, set;
enum { MOST = 62, MOST_OUTPUTS = 8 };
#endif
typedef struct { int in[3], truth; } gate;

static int inputs, outputs, count;
static gate gates[MOST + 1];
static set cone[MOST + 1];
static rows value[MOST + 1], target[MOST_OUTPUTS], everywhere;
static int out[MOST_OUTPUTS];
static struct { int breadth, burst, rise, heat; } way;

/* Signals of which two gates are looked for. */
enum { SOME = 28 };
/* Functions of more inputs are not expanded. */
enum { MOST_EXPANDED = 6 };

static uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 32) * n >> 32);
}

static void shuffle(int *list, int n)
{
    for (int i = n; i > 1; i--) {
        int j = (int)random_below((uint32_t)i), keep = list[i - 1];
        list[i - 1] = list[j], list[j] = keep;
    }
}

#include "netlist.h"

#include "triples.h"

#include "mux.h"

/* ---- one step --------------------------------------------------------------------------------- */

static int cost(void)
{
    return count - inputs - 1;
}

static set above;  /* signals that depend on the chosen gate, itself included */
static set used;   /* gates that are needed if the chosen one is not */

/* The rows on which gate g matters: those where some output changes with it. */
static rows observe(int g)
{
    static rows flipped[MOST];
    rows care = {0};
    memcpy(flipped, value, sizeof(rows) * (size_t)count);
    flipped[g] ^= everywhere, above = ONE << g;
    for (int s = g + 1; s < count; s++) {
        const int *in = gates[s].in;
        if (above >> in[0] & 1 || above >> in[1] & 1 || above >> in[2] & 1) {
            above |= ONE << s;
            flipped[s] = evaluate(gates[s].truth, flipped[in[0]], flipped[in[1]], flipped[in[2]]);
        }
    }
    for (int i = 0; i < outputs; i++)
        care |= value[out[i]] ^ flipped[out[i]];
    used = 0;
    for (int i = 0; i < outputs; i++)
        used |= ONE << out[i];
    for (int s = count - 1; s > inputs; s--)
        if (s != g && used >> s & 1)
            used |= ONE << gates[s].in[0] | ONE << gates[s].in[1] | ONE << gates[s].in[2];
    used &= ~(ONE << g) & ~((ONE << 1 << inputs) - 1);
    return care;
}

/* Another gate in g's place; the circuit has at most `most` gates then. */
static void step(int most)
{
    int g = inputs + 1 + (int)random_below((uint32_t)cost()), list[MOST], n = 0;
    rows care = observe(g);
    need(care & value[g], care & ~value[g]);
    for (int s = 0; s < count; s++)
        if (!(above >> s & 1))
            list[n++] = s;
    triple chosen = one_triple(list, n, used, cost(), most, way.heat);
    if (chosen.found) {
        memcpy(gates[g].in, chosen.in, sizeof chosen.in);
        gates[g].truth = filled(chosen.ones, chosen.zeros);
        settle();
    }
}

/* Two new gates in place of g and at least one that only it needs. */
static void double_step(void)
{
    int g = inputs + 1 + (int)random_below((uint32_t)cost()), list[MOST], n = 0;
    rows care = observe(g);
    if (size(used) + 2 > cost())
        return;
    need(care & value[g], care & ~value[g]);
    for (int s = 1; s < count; s++)
        if (!(above >> s & 1) && (s <= inputs || used >> s & 1))
            list[n++] = s;
    shuffle(list, n);
    two made = two_gates(list, n < SOME ? n : SOME);
    if (made.found && count <= MOST) {
        gates[count] = made.inner;
        for (int k = 0; k < 3; k++)
            gates[g].in[k] = made.outer.in[k] < 0 ? count : made.outer.in[k];
        gates[g].truth = made.outer.truth;
        count++;
        settle();
    }
}

/* ---- larger changes --------------------------------------------------------------------------- */

typedef struct { int count, out[MOST_OUTPUTS]; gate gates[MOST + 1]; } circuit;

static void save(circuit *to)
{
    to->count = count;
    memcpy(to->out, out, sizeof out);
    memcpy(to->gates, gates, sizeof gates);
}

static void restore(const circuit *from)
{
    count = from->count;
    memcpy(out, from->out, sizeof out);
    memcpy(gates, from->gates, sizeof gates);
    settle();
}

/* Forget gate g and what only it needs, and expand its function anew from what is left. */
static int rebuild(int g, int most)
{
    gate old[MOST + 1];
    int place[MOST] = {0}, before = count, later = 0;
    rows care = observe(g), f = value[g];
    set kept = used, over = above;
    memcpy(old, gates, sizeof old);
    clear();
    for (int s = 1; s < before; s++) {
        place[s] = s << 1;
        if (s > inputs && kept >> s & 1) {
            later += over >> s & 1;
            if (!(over >> s & 1))
                place[s] = moved(&old[s], place);
        }
    }
    int made = build(f, care, (2u << inputs) - 2, inputs + 1 + most - later);
    if (made < 0)
        return 0;
    place[g] = made;
    for (int s = inputs + 1; s < before; s++)
        if (s != g && over >> s & kept >> s & 1) {
            if (count >= MOST)
                return 0;
            place[s] = moved(&old[s], place);
        }
    for (int i = 0; i < outputs; i++)
        out[i] = place[out[i]] >> 1;
    settle();
    return 1;
}

/* A circuit from nothing, one output after the other. */
static int begin(void)
{
    int turn[MOST_OUTPUTS];
    clear();
    for (int i = 0; i < outputs; i++)
        turn[i] = i;
    shuffle(turn, outputs);
    for (int i = 0; i < outputs; i++) {
        int made = build(target[turn[i]], everywhere, (2u << inputs) - 2, MOST - 4);
        if (made < 0)
            return 0;
        out[turn[i]] = made >> 1;
    }
    settle();
    return 1;
}

/* A part of the circuit anew; 0 if that took too many gates. */
static int change(void)
{
    circuit start;
    int g = random_below(3) ? inputs + 1 + (int)random_below((uint32_t)cost())
                            : out[random_below((uint32_t)outputs)];
    save(&start);
    if (g > inputs && rebuild(g, cost() + way.rise))
        return 1;
    restore(&start);
    return 0;
}

/* ---- jobs ------------------------------------------------------------------------------------- */

static struct { long seed, milliseconds, known; } job;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void report(void)
{
    for (int i = 0; i < outputs; i++)
        if (differ(value[out[i]], target[i])) {
            fprintf(stderr, "output %d is wrong\n", i);
            exit(1);
        }
    printf("%d", cost());
    for (int g = inputs + 1; g < count; g++)
        printf(" %d %d %d %d", gates[g].in[0], gates[g].in[1], gates[g].in[2], gates[g].truth);
    for (int i = 0; i < outputs; i++)
        printf(" %d", out[i]);
    printf("\n");
    fflush(stdout);
}

static int read_job(void)
{
    if (scanf("%d %d %ld %ld %d %d %d %d %ld", &inputs, &outputs, &job.seed, &job.milliseconds,
              &way.breadth, &way.burst, &way.rise, &way.heat, &job.known) != 9)
        return 0;
    random_state = 0x9e3779b97f4a7c15u * ((uint64_t)job.seed + 1);
    for (int i = 0; i < outputs; i++)
        for (int k = 0; k < WORDS; k++)
            if (scanf("%" SCNx64, (uint64_t *)&target[i] + k) != 1)
                return 0;
    for (int g = 0; g < job.known; g++) {
        gate *to = &gates[inputs + 1 + g];
        if (scanf("%d %d %d %d", &to->in[0], &to->in[1], &to->in[2], &to->truth) != 4)
            return 0;
    }
    for (int i = 0; i < outputs && job.known; i++)
        if (scanf("%d", &out[i]) != 1)
            return 0;
    count = inputs + 1 + (int)job.known;
    return 1;
}

/* The most gates between an input and an output, one after the other. */
static int depth(void)
{
    int level[MOST + 1] = {0}, most = 0;
    for (int g = inputs + 1; g < count; g++) {
        for (int k = 0; k < 3; k++)
            level[g] = level[gates[g].in[k]] > level[g] ? level[gates[g].in[k]] : level[g];
        level[g]++;
    }
    for (int i = 0; i < outputs; i++)
        most = level[out[i]] > most ? level[out[i]] : most;
    return most;
}

/* Steps one after the other, which may go up by a gate if there is heat. */
static void walk(int base)
{
    enum { RARELY = 256 };
    for (int k = 0; k < way.burst && cost() > 0; k++)
        if (random_below(RARELY))
            step(cost() > base + 1 ? cost() : base + 1);
        else
            double_step();
}

/* The best of many circuits from nothing. */
static void begin_often(double seconds)
{
    static circuit best;
    double begun = now();
    best.count = MOST + 1;
    do {
        if (begin() && count < best.count)
            save(&best);
    } while (best.count > MOST || now() - begun < seconds);
    restore(&best);
}

static void improve(void)
{
    static circuit home;
    double begun = now(), seconds = (double)job.milliseconds / 1000;
    if (!job.known)
        begin_often(seconds / 10);
    int best = cost(), base = best, shallowest = depth();
    report();
    save(&home);
    while (best && now() - begun < seconds) {
        if (inputs <= MOST_EXPANDED && !change())
            continue;
        walk(base);
        if (cost() < best || (cost() == best && depth() < shallowest))
            best = cost(), shallowest = depth(), report();
        if (cost() <= base)
            save(&home), base = cost();
        else
            restore(&home);
    }
}

int main(void)
{
    while (read_job()) {
        set_inputs();
        if (job.known)
            settle();
        improve();
        printf("end\n");
        fflush(stdout);
    }
    return 0;
}
