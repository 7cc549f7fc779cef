/* Make circuits smaller by resubstitution, in a random walk that may also go up a little.
 *
 * Compiled with -DWORDS=n for tables of up to 64 * n rows.  Standard input has jobs:
 *     ARITY INPUTS OUTPUTS SEED MILLISECONDS BREADTH BURST RISE HEAT KNOWN
 *     the truth table of each output, row 0 in the lowest bit of the first of WORDS hexadecimal words
 *     KNOWN rows "a b c truth", a circuit to begin with, and its outputs (KNOWN 0: Kwan's method makes one)
 * The answer: each best circuit so far (the fewest gates, of these the least depth) as
 * "COST  a b c truth ...  OUTPUT ..." on a line, then "end".
 *
 * One step: choose a gate, find the rows on which it matters (observability), and all small functions
 * of other signals that agree with it there (resubstitution; Mishchenko, Brayton, "Scalable logic
 * synthesis using a simple circuit structure", IWLS 2006), and take one of them at random, by what the
 * whole circuit costs with it (a heat bath; HEAT / 1000 is the weight of one gate more).  With BURST, each
 * so many steps follow a larger change: a gate and what only it needs are expanded anew, with at most
 * RISE gates more, trying BREADTH expansions at each place.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "signals.h"

#include "expand.h"

/* ---- one step --------------------------------------------------------------------------------- */

static int present, limit, heat;           /* cost now, the most a step may lead to, heat in 1/1000 */
static group used;                         /* the gates that are needed if the chosen one is not */
static char above[MOST];                   /* signals that depend on the chosen gate, itself included */
static struct { int in[3], ones, zeros; } option;
static double option_weight;

static int size(const group *a, const group *b, const group *c, const group *d)
{
    int n = 0;
    for (int k = 0; k <= count / 64; k++)
        n += __builtin_popcountll(a->w[k] | b->w[k] | c->w[k] | d->w[k]);
    return n;
}

/* The rows on which gate g matters: those where some output changes with it. */
static void observe(int g)
{
    rows care = {{0}};
    memset(above, 0, (size_t)count);
    above[g] = 1;
    for (int k = 0; k < WORDS; k++)
        flipped[g].w[k] = value[g].w[k] ^ everywhere.w[k];
    for (int s = g + 1; s < count; s++) {
        const int *in = gates[s].in;
        if (above[in[0]] || above[in[1]] || above[in[2]]) {
            rows keep[3];
            for (int k = 0; k < 3; k++) {
                keep[k] = value[in[k]];
            }
            for (int k = 0; k < 3; k++)
                if (above[in[k]])
                    value[in[k]] = flipped[in[k]];
            flipped[s] = evaluate(&gates[s]);
            for (int k = 0; k < 3; k++)
                value[in[k]] = keep[k];
            above[s] = !same(&flipped[s], &value[s]) ? 1 : 2;
            if (above[s] == 2)
                flipped[s] = value[s];
        }
    }
    for (int i = 0; i < outputs; i++)
        if (above[out[i]])
            for (int k = 0; k < WORDS; k++)
                care.w[k] |= value[out[i]].w[k] ^ flipped[out[i]].w[k];
    ones = both(&care, &value[g], 0), zeros = both(&care, &value[g], ~0ull);
}

/* The gates that are needed even if gate g is not. */
static void set_used(int g)
{
    memset(&used, 0, sizeof used);
    for (int i = 0; i < outputs; i++)
        if (out[i] != g)
            used.w[out[i] / 64] |= 1ull << (out[i] % 64);
    for (int s = count - 1; s > inputs; s--)
        if (s != g && used.w[s / 64] >> (s % 64) & 1)
            for (int k = 0; k < 3; k++)
                used.w[gates[s].in[k] / 64] |= 1ull << (gates[s].in[k] % 64);
    used.w[g / 64] &= ~(1ull << (g % 64));
    for (int s = 0; s <= inputs; s++)
        used.w[s / 64] &= ~(1ull << (s % 64));
}

static double weight_of(int more)
{
    return more < 0 ? -1000.0 * more : more == 0 ? 1.0 : heat / 1000.0;
}

/* A function of these signals may take the gate's place. */
static void offer(int a, int b, int c)
{
    int p, n, needed = size(&used, &cone[a], &cone[b], &cone[c]);
    if (needed > limit || !pattern(a, b, c, &p, &n))
        return;
    int total = needed + price[p][n];
    if (total > limit)
        return;
    double weight = weight_of(total - present);
    option_weight += weight;
    if (random_below(1u << 30) < weight / option_weight * (1u << 30)) {
        option.in[0] = a, option.in[1] = b, option.in[2] = c;
        option.ones = p, option.zeros = n;
    }
}

static void offer_all(int three)
{
    static int list[MOST];
    static uint64_t told[MOST];
    int n = 0;
    for (int s = 1; s < count; s++)
        if (!above[s]) {
            told[n] = told_by(&value[s]);
            list[n++] = s;
        }
    for (int i = 0; i < n; i++) {
        if (told[i] == all_pairs)
            offer(list[i], 0, 0);
        for (int j = 0; j < i; j++) {
            uint64_t most = told[i] | told[j];
            if (most == all_pairs)
                offer(list[j], list[i], 0);
            else if (three)
                for (int k = 0; k < j; k++)
                    if ((most | told[k]) == all_pairs)
                        offer(list[k], list[j], list[i]);
        }
    }
}

/* The chosen function in gate g's place; its gates but the last one after all the others. */
static void take_option(int g)
{
    int f = chosen_function(option.ones, option.zeros), place[7];
    int flip = f & 1 ? 255 : 0;
    chain way = chains[f ^ flip];
    memcpy(place, option.in, sizeof option.in);
    if (arity == 3 || way.length == 0) {
        gates[g].truth = f;
        memcpy(gates[g].in, option.in, sizeof option.in);
        return;
    }
    for (int k = 0; k < way.length; k++) {
        int at = k + 1 < way.length ? count + k : g;
        gates[at].in[0] = place[way.step[k].a], gates[at].in[1] = place[way.step[k].b];
        gates[at].in[2] = 0;
        gates[at].truth = way.step[k].truth * 17 ^ (at == g ? flip : 0);
        place[3 + k] = at;
    }
}

/* Put another function in a gate's place; the circuit has at most `most` gates then. */
static void step(int most)
{
    if (!cost())
        return;
    int g = inputs + 1 + (int)random_below((uint32_t)cost());
    observe(g);
    set_used(g);
    present = cost();
    limit = heat && most > present ? present + 1 : present;
    option_weight = 0;
    if (!draw_pairs()) {
        memset(option.in, 0, sizeof option.in);
        option.ones = empty(&ones) ? 0 : 255;
        option.zeros = 255 ^ option.ones;
        option_weight = 1;
    } else {
        int needed = size(&used, &used, &used, &used);
        int three = needed + 2 <= present || (needed + 2 <= limit && !random_below(8));
        offer_all(arity == 3 || three);
    }
    if (option_weight > 0 && (option_weight >= 1 || random_below(1u << 30) < option_weight * (1u << 30))) {
        take_option(g);
        settle();
    }
}

/* ---- larger changes --------------------------------------------------------------------------- */

typedef struct { int count, out[MOST_OUTPUTS]; gate gates[MOST]; } circuit;

static void save(circuit *to)
{
    to->count = count;
    memcpy(to->out, out, sizeof out);
    memcpy(to->gates, gates, sizeof(gate) * (size_t)count);
}

static void restore(const circuit *from)
{
    count = from->count;
    memcpy(out, from->out, sizeof out);
    memcpy(gates, from->gates, sizeof(gate) * (size_t)count);
    settle();
}

/* Forget gate g and what only it needs, and expand its function anew from what is left. */
static int rebuild(int g, int most)
{
    static rows f, care;
    static int place[MOST];
    int before = count;
    observe(g);
    set_used(g);
    f = value[g];
    for (int k = 0; k < WORDS; k++)
        care.w[k] = ones.w[k] | zeros.w[k];
    memcpy(old_gates, gates, sizeof gates);
    clear();
    int later = 0;
    for (int s = 1; s < before; s++) {
        int wanted = s <= inputs || (used.w[s / 64] >> (s % 64) & 1);
        place[s] = s <= inputs ? s << 1 : -1;
        if (s <= inputs || !wanted)
            continue;
        later += above[s] != 0;
        if (!above[s]) {
            int in[3] = {place[old_gates[s].in[0]], place[old_gates[s].in[1]], place[old_gates[s].in[2]]};
            place[s] = make(in, old_gates[s].truth);
        }
    }
    place[0] = 0;
    int made = build(&f, &care, (2u << inputs) - 2, 0, inputs + 1 + most - later);
    if (made < 0)
        return 0;
    place[g] = made;
    for (int s = inputs + 1; s < before; s++)
        if (s != g && above[s] && used.w[s / 64] >> (s % 64) & 1) {
            int in[3] = {place[old_gates[s].in[0]], place[old_gates[s].in[1]], place[old_gates[s].in[2]]};
            place[s] = make(in, old_gates[s].truth);
        }
    for (int i = 0; i < outputs; i++)
        out[i] = place[out[i]] >> 1;
    settle();
    return 1;
}

/* ---- jobs ------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void report(void)
{
    for (int i = 0; i < outputs; i++)
        if (!same(&value[out[i]], &target[i])) {
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

static struct { long seed, milliseconds, known; int burst, rise; } job;

/* The columns of the outputs, and the circuit to begin with. */
static int read_circuit(void)
{
    for (int i = 0; i < outputs; i++)
        for (int k = 0; k < WORDS; k++)
            if (scanf("%" SCNx64, &target[i].w[k]) != 1)
                return 0;
    for (int g = 0; g < job.known; g++) {
        gate *to = &gates[inputs + 1 + g];
        if (scanf("%d %d %d %d", &to->in[0], &to->in[1], &to->in[2], &to->truth) != 4)
            return 0;
    }
    for (int i = 0; i < outputs && job.known; i++)
        if (scanf("%d", &out[i]) != 1)
            return 0;
    return 1;
}

static int read_job(void)
{
    if (scanf("%d %d %d %ld %ld %d %d %d %d %ld", &arity, &inputs, &outputs, &job.seed, &job.milliseconds,
              &breadth, &job.burst, &job.rise, &heat, &job.known) != 10)
        return 0;
    random_state = 0x9e3779b97f4a7c15u * ((uint64_t)job.seed + 1);
    set_inputs();
    set_prices();
    return read_circuit();
}

/* A fresh circuit, or a part of the present one anew; 0 if that took too many gates. */
static int change(int fresh)
{
    static circuit start;
    if (fresh) {
        begin();
        settle();
        return 1;
    }
    if (!cost())
        return 0;
    int g = random_below(2) ? out[random_below((uint32_t)outputs)]
                            : inputs + 1 + (int)random_below((uint32_t)cost());
    save(&start);
    if (g > inputs && rebuild(g, cost() + job.rise))
        return 1;
    restore(&start);
    return 0;
}

/* The most gates between an input and an output, one after the other. */
static int depth(void)
{
    static int level[MOST];
    int most = 0;
    for (int g = inputs + 1; g < count; g++) {
        level[g] = 0;
        for (int k = 0; k < 3; k++)
            if (level[gates[g].in[k]] > level[g])
                level[g] = level[gates[g].in[k]];
        level[g]++;
    }
    for (int i = 0; i < outputs; i++)
        most = level[out[i]] > most ? level[out[i]] : most;
    return most;
}

/* Steps in turn with changes, each of which stays if the steps after it make good its cost. */
static void improve(void)
{
    static circuit home;
    double begun = now(), seconds = (double)job.milliseconds / 1000, passed = 0;
    int best = cost(), base = best, shallowest = depth();
    report();
    save(&home);
    while (best && passed < seconds) {
        int fresh = job.burst && !job.known && passed < 0.3 * seconds;
        if (!job.burst || change(fresh)) {
            for (int k = 0; k < (job.burst ? job.burst : 64); k++) {
                step(job.burst ? cost() : best + 1);
                if (cost() < best || (cost() == best && depth() < shallowest))
                    best = cost(), shallowest = depth(), report();
            }
            if (cost() <= base || !random_below(100) || !job.burst)
                save(&home), base = cost();
            else
                restore(&home);
        }
        passed = now() - begun;
    }
}

int main(void)
{
    while (read_job()) {
        if (!job.known)
            begin();
        settle();
        improve();
        printf("end\n");
        fflush(stdout);
    }
    return 0;
}
