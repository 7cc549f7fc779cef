/* Find every small set of boolean functions that computes some wanted functions.
 *
 * usage: search GATES SECONDS RESTART SEED LIMIT INPUTS WANTED...
 *
 * A function of INPUTS <= 4 bits is its truth table without row 0: complements are free here, so
 * every function is taken as 0 on row 0, and {and, or, xor, andn} then reach all 16 gates.
 * The search adds free functions one at a time.  A wanted function that has come within one gate
 * is added at once (it must be paid for in any case), so only GATES - |WANTED| additions branch.
 * A candidate that was tried at a node is left out of its later siblings, so each set of
 * functions is visited once.  The last two free functions are not tried pair by pair: they are
 * found backwards, from what the wanted functions still lack (`last_two`).
 *
 * RESTART > 0 abandons a descent after that many visits of `last_two` and starts another in a new
 * random order; RESTART = 0 is the exhaustive search, whose "exhausted" is a proof.
 * Answers: lines "found f f f ..." (functions in an order of computation), then "exhausted N",
 * "time N" or "limit N" with the number of visits.
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint16_t fn;
enum { UNIVERSE = 1 << 15, MAX_SET = 64, MAX_WANTED = 8, STACK = 1 << 16 };
enum { UNSEEN, SEEN, LACKING };

static fn set[MAX_SET];                 /* functions computed so far, in order */
static int set_size, inputs;
static fn wanted[MAX_WANTED];
static int wanted_count;
static uint8_t state[UNIVERSE];         /* UNSEEN, SEEN (computed, candidate, left out), LACKING */
static fn trail[STACK];                 /* what has become SEEN, for undoing */
static uint8_t trail_was[STACK];
static int trail_size;
static fn candidates[STACK];            /* a stack of candidate lists, one per depth */
static int candidates_size;
static fn everywhere;                   /* all rows of the truth table */

static uint64_t random_state, visits, restart, next_restart;
static double deadline;
static long found_count, found_limit;
static jmp_buf finish, again;

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 32) * n >> 32);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void gates_of(fn a, fn b, fn out[5])
{
    out[0] = a & b;
    out[1] = a | b;
    out[2] = a ^ b;
    out[3] = a & ~b;
    out[4] = b & ~a;
}

static void report(const fn *functions, int count)
{
    printf("found");
    for (int i = inputs; i < count; i++)
        printf(" %d", functions[i]);
    printf("\n");
    fflush(stdout);
    if (++found_count >= found_limit)
        longjmp(finish, 1);
}

/* ---- the computed set and its neighbourhood ---------------------------------------------- */

static void mark_seen(fn f)
{
    trail[trail_size] = f;
    trail_was[trail_size++] = state[f];
    state[f] = SEEN;
}

/* Add f, then every wanted function that this brings within one gate. */
static void add(fn f)
{
    fn queue[MAX_WANTED + 1] = {f};
    for (int head = 0, tail = 1; head < tail; head++) {
        fn newest = queue[head];
        for (int i = 0; i < set_size; i++) {
            fn out[5];
            gates_of(newest, set[i], out);
            for (int k = 0; k < 5; k++) {
                uint8_t was = state[out[k]];
                if (was == SEEN)
                    continue;
                mark_seen(out[k]);
                if (was == LACKING)
                    queue[tail++] = out[k];
                else
                    candidates[candidates_size++] = out[k];
            }
        }
        set[set_size++] = newest;
    }
}

static int lacking(fn out[MAX_WANTED])
{
    int count = 0;
    for (int i = 0; i < wanted_count; i++)
        if (state[wanted[i]] == LACKING)
            out[count++] = wanted[i];
    return count;
}

static void undo(int trail_to, int set_to)
{
    while (trail_size > trail_to) {
        trail_size--;
        state[trail[trail_size]] = trail_was[trail_size];
    }
    set_size = set_to;
}

/* ---- working backwards from what is lacking ---------------------------------------------- */

typedef struct { fn mask, value; int target; } condition;

/* The functions g with t = gate(f, g) are t ^ f, and those with (g & mask) == value below. */
static int conditions_for(fn t, fn f, int target, condition *out)
{
    int n = 0;
    if (!(t & ~f)) {
        out[n++] = (condition){f, t, target};
        out[n++] = (condition){f, f & ~t, target};
    }
    if (!(t & f))
        out[n++] = (condition){everywhere & ~f, t, target};
    if (!(f & ~t))
        out[n++] = (condition){everywhere & ~f, t & ~f, target};
    return n;
}

static int one_gate(fn t, fn a, fn b)
{
    return t == (a & b) || t == (a | b) || t == (a ^ b) || t == (a & ~b) || t == (b & ~a);
}

static int computable(fn t, const fn *functions, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = 0; j < i; j++)
            if (one_gate(t, functions[i], functions[j]))
                return 1;
    return 0;
}

typedef struct {
    fn lack[MAX_WANTED];
    int count;
    fn known[MAX_SET];                  /* the set and the lacking functions: all will exist */
    int known_count;
    condition conditions[8 * MAX_SET];  /* sorted by target */
    int first[MAX_WANTED + 1];
    unsigned needy;                     /* lacking functions that need one of the last two */
} frontier;

static uint8_t by_xor[UNIVERSE];        /* bit k: known ^ lack[k] */
static uint8_t serves[STACK];           /* bit k: candidate i is one gate from lack[k] */
static uint8_t listed[UNIVERSE];        /* is it a candidate of this frontier */

static int served_without_help(const frontier *f, int k)
{
    fn others[MAX_SET];
    int n = 0;
    for (int i = 0; i < f->known_count; i++)
        if (f->known[i] != f->lack[k])
            others[n++] = f->known[i];
    return computable(f->lack[k], others, n);
}

static void open_frontier(frontier *f)
{
    f->count = lacking(f->lack);
    f->known_count = set_size + f->count;
    memcpy(f->known, set, sizeof(fn) * (size_t)set_size);
    memcpy(f->known + set_size, f->lack, sizeof(fn) * (size_t)f->count);
    f->needy = 0;
    int n = 0;
    for (int k = 0; k < f->count; k++) {
        f->first[k] = n;
        for (int i = 0; i < f->known_count; i++) {
            if (f->known[i] == f->lack[k])
                continue;
            by_xor[f->known[i] ^ f->lack[k]] |= (uint8_t)(1 << k);
            n += conditions_for(f->lack[k], f->known[i], k, f->conditions + n);
        }
        if (!served_without_help(f, k))
            f->needy |= 1u << k;
    }
    f->first[f->count] = n;
}

static void close_frontier(const frontier *f)
{
    for (int k = 0; k < f->count; k++)
        for (int i = 0; i < f->known_count; i++)
            by_xor[f->known[i] ^ f->lack[k]] = 0;
}

static void mark_matches(const fn *list, int count, condition c, uint8_t bit, uint8_t *marks)
{
    for (int i = 0; i < count; i++)
        marks[i] |= (list[i] & c.mask) == c.value ? bit : 0;
}

static unsigned served_by(const frontier *f, fn g)
{
    unsigned mask = by_xor[g];
    for (int i = 0; i < f->first[f->count]; i++)
        if ((g & f->conditions[i].mask) == f->conditions[i].value)
            mask |= 1u << f->conditions[i].target;
    return mask;
}

/* With a and b added (they serve the lacking functions in `served`), is everything computable? */
static void try_pair(const frontier *f, fn a, fn b, unsigned served)
{
    unsigned open = f->needy & ~served;
    for (int k = 0; k < f->count; k++)
        if (open >> k & 1 && !one_gate(f->lack[k], a, b))
            return;
    fn order[MAX_SET];
    int n = set_size;
    memcpy(order, set, sizeof(fn) * (size_t)n);
    order[n++] = a;
    order[n++] = b;
    unsigned waiting = (1u << f->count) - 1;
    for (int progress = 1; waiting && progress;) {
        progress = 0;
        for (int k = 0; k < f->count; k++)
            if (waiting >> k & 1 && computable(f->lack[k], order, n)) {
                order[n++] = f->lack[k];
                waiting &= ~(1u << k);
                progress = 1;
            }
    }
    if (!waiting)
        report(order, n);
}

/* Second functions that are themselves one gate from the first one. */
static void try_descendants(const frontier *f, fn a, unsigned served, int target)
{
    fn made[5 * MAX_SET];
    uint8_t hit[5 * MAX_SET];
    int n = set_size;
    for (int i = 0; i < n; i++) {
        fn b = set[i];
        made[i] = a & b;
        made[n + i] = a | b;
        made[2 * n + i] = a ^ b;
        made[3 * n + i] = a & ~b;
        made[4 * n + i] = b & ~a;
    }
    n *= 5;
    for (int i = 0; i < n; i++)
        hit[i] = by_xor[made[i]] >> target & 1;
    for (int c = f->first[target]; c < f->first[target + 1]; c++)
        mark_matches(made, n, f->conditions[c], 1, hit);
    for (int i = 0; i < n; i++)
        if (hit[i])
            try_pair(f, a, made[i], served | served_by(f, made[i]));
}

/* Second functions that make the target in one gate together with the first one. */
static void try_partners(const frontier *f, fn a, unsigned served, int target, const fn *list,
                         int count)
{
    fn t = f->lack[target];
    if (listed[t ^ a])
        try_pair(f, a, t ^ a, served | served_by(f, t ^ a));
    condition own[4];
    int n = conditions_for(t, a, target, own);
    for (int c = 0; c < n; c++)
        for (int i = 0; i < count; i++)
            if ((list[i] & own[c].mask) == own[c].value)
                try_pair(f, a, list[i], served | served_by(f, list[i]));
}

static void try_everything(const frontier *f, fn a, unsigned served, const fn *list, int count)
{
    for (int i = 0; i < count; i++)
        try_pair(f, a, list[i], served | served_by(f, list[i]));
    for (int i = 0; i < set_size; i++) {
        fn out[5];
        gates_of(a, set[i], out);
        for (int k = 0; k < 5; k++)
            try_pair(f, a, out[k], served | served_by(f, out[k]));
    }
}

/* The needy lacking function with the fewest ways to be served. */
static int hardest(const frontier *f, unsigned open)
{
    int best = -1, best_ways = 1 << 30;
    for (int k = 0; k < f->count; k++) {
        int ways = f->first[k + 1] - f->first[k];
        if (open >> k & 1 && ways < best_ways) {
            best = k;
            best_ways = ways;
        }
    }
    return best;
}

static void count_visit(void)
{
    visits++;
    if (!(visits & 255) && now() > deadline)
        longjmp(finish, 2);
    if (restart && visits >= next_restart)
        longjmp(again, 1);
}

static void last_two(int from, int to)
{
    static fn helpers[MAX_WANTED][STACK];
    static int helper_at[MAX_WANTED][STACK];
    int helper_count[MAX_WANTED] = {0};
    frontier f;
    const fn *list = candidates + from;
    int count = to - from;
    count_visit();
    open_frontier(&f);
    for (int i = 0; i < count; i++) {
        serves[i] = by_xor[list[i]];
        listed[list[i]] = 1;
    }
    for (int c = 0; c < f.first[f.count]; c++)
        mark_matches(list, count, f.conditions[c], (uint8_t)(1 << f.conditions[c].target), serves);
    for (int i = 0; i < count; i++)
        for (int k = 0; serves[i] >> k; k++)
            if (serves[i] >> k & 1) {
                helpers[k][helper_count[k]] = list[i];
                helper_at[k][helper_count[k]++] = i;
            }
    for (int i = 0; i < count; i++) {
        unsigned open = f.needy & ~serves[i];
        int target = hardest(&f, open);
        if (target < 0) {
            try_everything(&f, list[i], serves[i], list + i + 1, count - i - 1);
            continue;
        }
        for (int h = helper_count[target] - 1; h >= 0 && helper_at[target][h] > i; h--)
            try_pair(&f, list[i], helpers[target][h],
                     serves[i] | serves[helper_at[target][h]]);
        try_partners(&f, list[i], serves[i], target, list + i + 1, count - i - 1);
        try_descendants(&f, list[i], serves[i], target);
    }
    for (int i = 0; i < count; i++)
        listed[list[i]] = 0;
    close_frontier(&f);
}

/* ---- the descent --------------------------------------------------------------------------- */

static void shuffle(fn *list, int count)
{
    for (int i = count; i > 1; i--) {
        int j = (int)random_below((uint32_t)i);
        fn keep = list[i - 1];
        list[i - 1] = list[j];
        list[j] = keep;
    }
}

/* Candidates lie in candidates[from..candidates_size). */
static void descend(int from, int free_gates)
{
    fn lack[MAX_WANTED];
    if (!lacking(lack)) {
        report(set, set_size);
        return;
    }
    if (free_gates == 0)
        return;
    int to = candidates_size;
    if (free_gates == 2) {
        last_two(from, to);
        return;
    }
    /* A shuffled copy: the caller still walks through its own order. */
    int mine = to;
    memcpy(candidates + mine, candidates + from, sizeof(fn) * (size_t)(to - from));
    to += to - from;
    shuffle(candidates + mine, to - mine);
    for (int i = mine; i < to; i++) {
        int trail_to = trail_size, set_to = set_size;
        candidates_size = to;
        add(candidates[i]);
        descend(i + 1, free_gates - 1);
        undo(trail_to, set_to);
    }
    candidates_size = mine;
}

static void clear_marks(void)
{
    memset(state, UNSEEN, sizeof state);
    memset(by_xor, 0, sizeof by_xor);
    memset(listed, 0, sizeof listed);
    state[0] = SEEN;
    for (int i = 0; i < wanted_count; i++)
        state[wanted[i]] = LACKING;
    set_size = trail_size = candidates_size = 0;
}

static void start(int gates)
{
    clear_marks();
    for (int i = 0; i < inputs; i++) {
        fn column = 0;
        for (int x = 1; x < 1 << inputs; x++)
            column |= (fn)((x >> i & 1) << (x - 1));
        state[column] = SEEN;
        add(column);
    }
    descend(0, gates - wanted_count);
}

int main(int argc, char **argv)
{
    if (argc < 8 || argc - 7 > MAX_WANTED) {
        fprintf(stderr, "usage: search GATES SECONDS RESTART SEED LIMIT INPUTS WANTED...\n");
        return 2;
    }
    int gates = atoi(argv[1]);
    deadline = now() + atof(argv[2]);
    restart = strtoull(argv[3], NULL, 10);
    random_state = 0x9e3779b97f4a7c15u * (strtoull(argv[4], NULL, 10) + 1);
    found_limit = atol(argv[5]);
    inputs = atoi(argv[6]);
    everywhere = (fn)((1 << ((1 << inputs) - 1)) - 1);
    wanted_count = argc - 7;
    for (int i = 0; i < wanted_count; i++)
        wanted[i] = (fn)atoi(argv[7 + i]);
    int why = setjmp(finish);
    if (!why && gates >= wanted_count) {
        setjmp(again);
        next_restart = visits + restart;
        start(gates);
    }
    printf("%s %llu\n", why == 1 ? "limit" : why == 2 ? "time" : "exhausted",
           (unsigned long long)visits);
    return 0;
}
