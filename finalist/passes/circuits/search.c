/* Find every set of at most GATES boolean functions that computes some wanted functions.
 *
 * Each line of standard input is a job: GATES SECONDS SEED LIMIT INPUTS WANTED...
 * The answer is a line "found f f f ..." for each set, its functions in an order in which they
 * can be computed, and then "exhausted N", "time N" or "limit N", N being the effort spent.
 * Without a time or a limit reached, that no set was found is a proof that there is none.
 *
 * A function of INPUTS <= 4 bits is its truth table without row 0.  Complements are free here,
 * so every function is taken as 0 on row 0, and {and, or, xor, andn} then reach all 16 gates.
 * The search adds free functions one at a time.  A wanted function that has come within one gate
 * is added at once (it must be paid for in any case), so only GATES - |WANTED| additions branch.
 * A candidate that was tried at a node is left out of its later siblings, so each set of
 * functions is visited once.  The last two free functions are not tried pair by pair: they are
 * found backwards, from what the wanted functions still lack (last_two).
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint16_t fn;    /* a function */
typedef uint32_t group; /* a set of lacking functions, bit k for lack[k] */
enum { UNIVERSE = 1 << 15, MAX_SET = 64, MAX_WANTED = 32, STACK = 1 << 19 };
enum { UNSEEN, SEEN, LACKING };

static fn set[MAX_SET];        /* functions computed so far, in order */
static int set_size, inputs, wanted_count, trail_size, candidates_size;
static fn wanted[MAX_WANTED];
static uint8_t state[UNIVERSE]; /* SEEN: computed, a candidate, or left out */
static fn trail[UNIVERSE];      /* what has become SEEN, for undoing */
static uint8_t trail_was[UNIVERSE];
static fn candidates[STACK];    /* a stack of candidate lists, one per depth */
static fn everywhere;           /* all rows of the truth table */

static uint64_t random_state, effort;
static double deadline;
static long found_count, found_limit;
static jmp_buf finish;

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

static void report(const fn *functions, int count)
{
    printf("found");
    for (int i = inputs; i < count; i++)
        printf(" %d", functions[i]);
    printf("\n");
    if (++found_count >= found_limit)
        longjmp(finish, 1);
}

static void gates_of(fn a, fn b, fn out[5])
{
    out[0] = a & b;
    out[1] = a | b;
    out[2] = a ^ b;
    out[3] = a & ~b;
    out[4] = b & ~a;
}

static int one_gate(fn t, fn a, fn b)
{
    fn out[5];
    gates_of(a, b, out);
    return t == out[0] || t == out[1] || t == out[2] || t == out[3] || t == out[4];
}

static int computable(fn t, const fn *functions, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = 0; j < i; j++)
            if (one_gate(t, functions[i], functions[j]))
                return 1;
    return 0;
}

/* ---- the computed set and its neighbourhood ------------------------------------------------ */

static int see(fn f)
{
    int was = state[f];
    if (was != SEEN) {
        trail[trail_size] = f;
        trail_was[trail_size++] = (uint8_t)was;
        state[f] = SEEN;
    }
    return was;
}

/* Add f, then every wanted function that this brings within one gate. */
static void add(fn f)
{
    fn queue[MAX_WANTED + 1] = {f}, out[5];
    for (int head = 0, tail = 1; head < tail; head++) {
        for (int i = 0; i < set_size; i++) {
            gates_of(queue[head], set[i], out);
            for (int k = 0; k < 5; k++) {
                int was = see(out[k]);
                if (was == LACKING)
                    queue[tail++] = out[k];
                else if (was == UNSEEN)
                    candidates[candidates_size++] = out[k];
            }
        }
        set[set_size++] = queue[head];
    }
}

static void undo(int trail_to, int set_to)
{
    while (trail_size > trail_to) {
        trail_size--;
        state[trail[trail_size]] = trail_was[trail_size];
    }
    set_size = set_to;
}

static int lacking(fn out[MAX_WANTED])
{
    int count = 0;
    for (int i = 0; i < wanted_count; i++)
        if (state[wanted[i]] == LACKING)
            out[count++] = wanted[i];
    return count;
}

/* ---- working backwards from what is lacking ------------------------------------------------ */

typedef struct { fn mask, value; int target; } condition;

/* The functions g with t = gate(f, g) are t ^ f, and those with (g & mask) == value below. */
static int conditions_for(fn t, fn f, int target, condition *out)
{
    int n = 0;
    fn outside = everywhere & ~f;
    if (!(t & ~f)) {
        out[n++] = (condition){f, t, target};
        out[n++] = (condition){f, f & ~t, target};
    }
    if (!(t & f))
        out[n++] = (condition){outside, t, target};
    if (!(f & ~t))
        out[n++] = (condition){outside, t & ~f, target};
    return n;
}

static struct {
    int count, known_count;
    fn lack[MAX_WANTED];
    fn known[MAX_SET + MAX_WANTED];  /* set and lack: all of these will exist */
    condition conditions[4 * MAX_WANTED * (MAX_SET + MAX_WANTED)];
    int first[MAX_WANTED + 1];       /* conditions of lack[k] start here */
    group needy;                     /* those that need one of the last two functions */
} front;

static group by_xor[UNIVERSE];   /* the lacking functions that are this ^ known */
static group serves[UNIVERSE];   /* the lacking functions one gate from candidate i */
static uint8_t listed[UNIVERSE]; /* is it a candidate of this front */
static uint8_t is_known[UNIVERSE];

static int served_without_help(int k, int conditions_end)
{
    fn t = front.lack[k];
    for (int i = 0; i < front.known_count; i++)
        if (front.known[i] != t && is_known[front.known[i] ^ t])
            return 1;
    for (int c = front.first[k]; c < conditions_end; c++)
        for (int i = 0; i < front.known_count; i++)
            if (front.known[i] != t &&
                (front.known[i] & front.conditions[c].mask) == front.conditions[c].value)
                return 1;
    return 0;
}

static void open_front(void)
{
    int n = 0;
    front.count = lacking(front.lack);
    front.known_count = set_size + front.count;
    memcpy(front.known, set, sizeof(fn) * (size_t)set_size);
    memcpy(front.known + set_size, front.lack, sizeof(fn) * (size_t)front.count);
    front.needy = 0;
    for (int i = 0; i < front.known_count; i++)
        is_known[front.known[i]] = 1;
    for (int k = 0; k < front.count; k++) {
        fn t = front.lack[k];
        front.first[k] = n;
        for (int i = 0; i < front.known_count; i++)
            if (front.known[i] != t) {
                by_xor[front.known[i] ^ t] |= (group)1 << k;
                n += conditions_for(t, front.known[i], k, front.conditions + n);
            }
        if (!served_without_help(k, n))
            front.needy |= (group)1 << k;
    }
    front.first[front.count] = n;
}

static void close_front(void)
{
    for (int i = 0; i < front.known_count; i++) {
        is_known[front.known[i]] = 0;
        for (int k = 0; k < front.count; k++)
            by_xor[front.known[i] ^ front.lack[k]] = 0;
    }
}

static void mark_matches(const fn *list, int count, const condition *c, group *marks)
{
    group bit = (group)1 << c->target;
    for (int i = 0; i < count; i++)
        marks[i] |= (list[i] & c->mask) == c->value ? bit : 0;
}

static group served_by(fn g)
{
    group all = by_xor[g];
    for (const condition *c = front.conditions; c < front.conditions + front.first[front.count]; c++)
        all |= (group)((g & c->mask) == c->value) << c->target;
    return all;
}

/* With a and b added (they serve the lacking functions in `served`), is everything computable? */
static void try_pair(fn a, fn b, group served)
{
    group open = front.needy & ~served;
    for (int k = 0; k < front.count; k++)
        if (open >> k & 1 && !one_gate(front.lack[k], a, b))
            return;
    fn order[MAX_SET + MAX_WANTED + 2];
    int n = set_size, was;
    memcpy(order, set, sizeof(fn) * (size_t)n);
    order[n++] = a;
    order[n++] = b;
    group waiting = (group)((1ull << front.count) - 1);
    do {
        was = n;
        for (int k = 0; k < front.count; k++)
            if (waiting >> k & 1 && computable(front.lack[k], order, n)) {
                order[n++] = front.lack[k];
                waiting &= ~((group)1 << k);
            }
    } while (n > was && waiting);
    if (!waiting)
        report(order, n);
}

/* Second functions that are themselves one gate from the first one. */
static void try_descendants(fn a, group served, int target)
{
    fn made[5 * MAX_SET];
    group hit[5 * MAX_SET];
    int n = 5 * set_size;
    for (int i = 0; i < set_size; i++)
        gates_of(a, set[i], made + 5 * i);
    for (int i = 0; i < n; i++)
        hit[i] = by_xor[made[i]] >> target & 1;
    for (int c = front.first[target]; c < front.first[target + 1]; c++)
        mark_matches(made, n, &front.conditions[c], hit);
    for (int i = 0; i < n; i++)
        if (hit[i])
            try_pair(a, made[i], served | served_by(made[i]));
}

/* Second functions that make the target in one gate together with the first one. */
static void try_partners(fn a, group served, int target, const fn *list, const group *serving,
                         int count)
{
    fn t = front.lack[target];
    condition own[4];
    if (listed[t ^ a])
        try_pair(a, t ^ a, served | served_by(t ^ a));
    for (int c = conditions_for(t, a, target, own) - 1; c >= 0; c--)
        for (int i = 0; i < count; i++)
            if ((list[i] & own[c].mask) == own[c].value)
                try_pair(a, list[i], served | serving[i]);
}

/* No lacking function needs the second one by itself: only a full trial can tell. */
static void try_everything(fn a, group served, const fn *list, const group *serving, int count)
{
    fn out[5];
    for (int i = 0; i < count; i++)
        try_pair(a, list[i], served | serving[i]);
    for (int i = 0; i < set_size; i++) {
        gates_of(a, set[i], out);
        for (int k = 0; k < 5; k++)
            try_pair(a, out[k], served | served_by(out[k]));
    }
}

/* The open lacking function with the fewest conditions that would serve it. */
static int hardest(group open)
{
    int best = -1, fewest = 1 << 30;
    for (int k = 0; k < front.count; k++) {
        int ways = front.first[k + 1] - front.first[k];
        if (open >> k & 1 && ways < fewest) {
            best = k;
            fewest = ways;
        }
    }
    return best;
}

static void last_two(const fn *list, int count)
{
    open_front();
    for (int i = 0; i < count; i++) {
        serves[i] = by_xor[list[i]];
        listed[list[i]] = 1;
    }
    for (int c = 0; c < front.first[front.count]; c++)
        mark_matches(list, count, &front.conditions[c], serves);
    for (int i = 0; i < count; i++) {
        int target = hardest(front.needy & ~serves[i]), rest = count - i - 1;
        const fn *later = list + i + 1;
        const group *serving = serves + i + 1;
        if (target < 0) {
            try_everything(list[i], serves[i], later, serving, rest);
            continue;
        }
        for (int j = 0; j < rest; j++)
            if (serving[j] >> target & 1)
                try_pair(list[i], later[j], serves[i] | serving[j]);
        try_partners(list[i], serves[i], target, later, serving, rest);
        try_descendants(list[i], serves[i], target);
    }
    for (int i = 0; i < count; i++)
        listed[list[i]] = 0;
    close_front();
}

/* ---- the descent --------------------------------------------------------------------------- */

static void shuffle(fn *list, int count)
{
    for (int i = count; i > 1; i--) {
        uint32_t j = random_below((uint32_t)i);
        fn keep = list[i - 1];
        list[i - 1] = list[j];
        list[j] = keep;
    }
}

static void descend(int from, int free_gates)
{
    fn lack[MAX_WANTED];
    int mine = candidates_size, count = mine - from;
    if (!lacking(lack))
        report(set, set_size);
    else if (free_gates == 2) {
        last_two(candidates + from, count);
        if (!(++effort & 63) && now() > deadline)
            longjmp(finish, 2);
    } else if (free_gates > 0) {
        if (mine + count + UNIVERSE > STACK)
            longjmp(finish, 3);
        /* A shuffled copy, because the caller still walks through its own order. */
        memcpy(candidates + mine, candidates + from, sizeof(fn) * (size_t)count);
        shuffle(candidates + mine, count);
        for (int i = mine; i < mine + count; i++) {
            int trail_to = trail_size, set_to = set_size;
            candidates_size = mine + count;
            add(candidates[i]);
            descend(i + 1, free_gates - 1);
            undo(trail_to, set_to);
        }
        candidates_size = mine;
    }
}

static void solve(int gates)
{
    memset(state, UNSEEN, sizeof state);
    memset(by_xor, 0, sizeof by_xor);
    memset(listed, 0, sizeof listed);
    memset(is_known, 0, sizeof is_known);
    set_size = trail_size = candidates_size = 0;
    everywhere = (fn)((1u << ((1 << inputs) - 1)) - 1);
    state[0] = SEEN;
    for (int i = 0; i < wanted_count; i++)
        state[wanted[i]] = LACKING;
    for (int i = 0; i < inputs; i++) {
        fn column = 0;
        for (int x = 1; x < 1 << inputs; x++)
            column |= (fn)((x >> i & 1) << (x - 1));
        state[column] = SEEN;
        add(column);
    }
    if (gates >= wanted_count)
        descend(0, gates - wanted_count);
}

int main(void)
{
    static const char *const endings[] = {"exhausted", "limit", "time", "stack"};
    static char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        char *at = line;
        int gates = (int)strtol(at, &at, 10);
        deadline = now() + strtod(at, &at);
        random_state = 0x9e3779b97f4a7c15u * (strtoull(at, &at, 10) + 1);
        found_limit = strtol(at, &at, 10);
        inputs = (int)strtol(at, &at, 10);
        char *end = at;
        for (wanted_count = 0; wanted_count < MAX_WANTED; wanted_count++, at = end) {
            wanted[wanted_count] = (fn)strtol(at, &end, 10);
            if (end == at)
                break;
        }
        effort = found_count = 0;
        int why = setjmp(finish);
        if (why == 0)
            solve(gates);
        printf("%s %llu\n", endings[why], (unsigned long long)effort);
        fflush(stdout);
    }
    return 0;
}
