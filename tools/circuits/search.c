/* Find every set of at most GATES boolean functions that computes some wanted functions.
 *
 * Each line of standard input is a job: GATES EFFORT SEED LIMIT INPUTS WANTED...
 * The answer is a line "found f f f ..." for each set, its inputs included, and then
 * "exhausted", "bound" (after EFFORT calls of last_two) or "limit" (enough sets found).
 * If no set was found and the search is exhausted, that is a proof that there is none.
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
typedef uint16_t fn;    /* a function */
typedef uint32_t group; /* a set of lacking functions, bit k for lack[k] */
enum { UNIVERSE = 1 << 15, MAX_SET = 64, MAX_WANTED = 32, STACK = 1 << 19,
       ORDER = MAX_SET + MAX_WANTED + 2 };
enum { UNSEEN, SEEN, LACKING };

static fn set[MAX_SET];        /* functions computed so far, in order */
static int set_size, inputs, wanted_count, trail_size, candidates_size;
static fn wanted[MAX_WANTED];
static uint8_t state[UNIVERSE]; /* SEEN: computed, a candidate, or left out */
static fn trail[UNIVERSE];      /* what has become SEEN, for undoing */
static uint8_t trail_was[UNIVERSE];
static fn candidates[STACK];    /* a stack of candidate lists, one per depth */
static fn everywhere;           /* all rows of the truth table */

static uint64_t random_state, effort, effort_limit;
static long found_count, found_limit;
static jmp_buf finish;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 32) * n >> 32);
}

static void report(const fn *functions, int count)
{
    printf("found");
    for (int i = 0; i < count; i++)
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
    return t == (a & b) || t == (a | b) || t == (a ^ b) || t == (a & ~b) || t == (b & ~a);
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

typedef struct { fn mask, value; } condition;

/* The functions g with t = gate(f, g) are t ^ f, and those with (g & mask) == value below. */
static int conditions_for(fn t, fn f, condition *out)
{
    int n = 0;
    fn outside = everywhere & ~f;
    if (!(t & ~f)) {
        out[n++] = (condition){f, t};
        out[n++] = (condition){f, f & ~t};
    }
    if (!(t & f) || !(f & ~t))
        out[n++] = (condition){outside, t & ~f};
    return n;
}

static struct {
    int count, known_count;
    fn lack[MAX_WANTED];
    fn known[MAX_SET + MAX_WANTED];  /* set and lack: all of these will exist */
    condition conditions[3 * MAX_WANTED * (MAX_SET + MAX_WANTED)];
    int first[MAX_WANTED + 1];       /* conditions of lack[k] start here */
    group needy;                     /* those that need one of the last two functions */
} front;

static group by_xor[UNIVERSE];   /* the lacking functions that are this ^ known */
static group serves[UNIVERSE];   /* the lacking functions one gate from candidate i */
static uint8_t listed[UNIVERSE]; /* is it a candidate of this front */

static group everyone(void)
{
    return (group)((1ull << front.count) - 1);
}

static void mark_target(const fn *list, int count, int target, group *marks)
{
    group bit = (group)1 << target;
    for (int c = front.first[target]; c < front.first[target + 1]; c++) {
        condition want = front.conditions[c];
        for (int i = 0; i < count; i++)
            marks[i] |= (list[i] & want.mask) == want.value ? bit : 0;
    }
}

static group served_by(fn g)
{
    group all = by_xor[g];
    for (int k = 0; k < front.count; k++)
        mark_target(&g, 1, k, &all);
    return all;
}

static void open_front(void)
{
    int n = 0;
    group helped = 0;
    front.count = lacking(front.lack);
    front.known_count = set_size + front.count;
    memcpy(front.known, set, sizeof(fn) * (size_t)set_size);
    memcpy(front.known + set_size, front.lack, sizeof(fn) * (size_t)front.count);
    for (int k = 0; k < front.count; k++) {
        front.first[k] = n;
        for (int i = 0; i < front.known_count; i++)
            if (i != set_size + k) {
                by_xor[front.known[i] ^ front.lack[k]] |= (group)1 << k;
                n += conditions_for(front.lack[k], front.known[i], front.conditions + n);
            }
        front.first[k + 1] = n;
    }
    for (int i = 0; i < front.known_count; i++) {
        group itself = i < set_size ? 0 : (group)1 << (i - set_size);
        helped |= served_by(front.known[i]) & ~itself;
    }
    front.needy = everyone() & ~helped;
}

static void close_front(void)
{
    for (int i = 0; i < front.known_count; i++)
        for (int k = 0; k < front.count; k++)
            by_xor[front.known[i] ^ front.lack[k]] = 0;
}

static int reaches(fn t, fn newest, const fn *others, int count)
{
    for (int i = 0; i < count; i++)
        if (one_gate(t, newest, others[i]))
            return 1;
    return 0;
}

/* Append to order every lacking function that one gate after another computes from it, when all
 * of it before `fresh` has no such function.  Returns the new length. */
static int complete(fn *order, int fresh, int n, group waiting)
{
    for (; fresh < n; fresh++)
        for (int k = 0; k < front.count; k++)
            if (waiting >> k & 1 && reaches(front.lack[k], order[fresh], order, fresh)) {
                order[n++] = front.lack[k];
                waiting &= ~((group)1 << k);
            }
    return n;
}

/* With a and b added (they serve the lacking functions in `served`), is everything computable? */
static void try_pair(fn a, fn b, group served)
{
    group open = front.needy & ~served;
    for (int k = 0; k < front.count; k++)
        if (open >> k & 1 && !one_gate(front.lack[k], a, b))
            return;
    fn order[ORDER];
    memcpy(order, set, sizeof(fn) * (size_t)set_size);
    order[set_size] = a;
    order[set_size + 1] = b;
    int n = complete(order, set_size, set_size + 2, everyone());
    if (n == set_size + 2 + front.count)
        report(order, n);
}

/* Second functions that the first one, or a lacking function that it completes, has brought
 * within one gate, and that serve the target (if there is one). */
static void try_descendants(fn a, group served, int target)
{
    static fn order[ORDER], made[5 * ORDER * (MAX_WANTED + 1)];
    static group hit[5 * ORDER * (MAX_WANTED + 1)];
    int n = set_size + 1, count = 0;
    memcpy(order, set, sizeof(fn) * (size_t)set_size);
    order[set_size] = a;
    if (served && complete(order, set_size, n, served) > n) /* seldom, and quickly known */
        n = complete(order, set_size, n, everyone());
    for (int i = set_size; i < n; i++)
        for (int j = 0; j < i; j++, count += 5)
            gates_of(order[i], order[j], made + count);
    for (int i = 0; i < count; i++)
        hit[i] = target < 0 || by_xor[made[i]] >> target & 1;
    if (target >= 0)
        mark_target(made, count, target, hit);
    for (int i = 0; i < count; i++)
        if (hit[i] || (n > set_size + 1 && one_gate(front.lack[target], a, made[i])))
            try_pair(a, made[i], served | served_by(made[i]));
}

/* Second functions that make the target in one gate together with the first one. */
static void try_partners(fn a, group served, int target, const fn *list, const group *serving,
                         int count)
{
    fn t = front.lack[target];
    condition own[3];
    if (listed[t ^ a])
        try_pair(a, t ^ a, served | served_by(t ^ a));
    for (int c = conditions_for(t, a, own) - 1; c >= 0; c--)
        for (int i = 0; i < count; i++)
            if ((list[i] & own[c].mask) == own[c].value)
                try_pair(a, list[i], served | serving[i]);
}

/* The open lacking function with the fewest conditions that would serve it, -1 if none is open. */
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
    for (int k = 0; k < front.count; k++)
        mark_target(list, count, k, serves);
    for (int i = 0; i < count; i++) {
        int target = hardest(front.needy & ~serves[i]), rest = count - i - 1;
        const fn *later = list + i + 1;
        const group *serving = serves + i + 1;
        for (int j = 0; j < rest; j++)
            if (target < 0 || serving[j] >> target & 1)
                try_pair(list[i], later[j], serves[i] | serving[j]);
        if (target >= 0)
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
        fn *other = list + random_below((uint32_t)i), keep = list[i - 1];
        list[i - 1] = *other;
        *other = keep;
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
        if (++effort >= effort_limit)
            longjmp(finish, 2);
    } else if (free_gates > 0) {
        if (mine + count + UNIVERSE > STACK)
            longjmp(finish, 2);
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
    set_size = trail_size = candidates_size = 0;
    everywhere = (fn)((1u << ((1 << inputs) - 1)) - 1);
    state[0] = SEEN;
    for (int i = 0; i < wanted_count; i++)
        state[wanted[i]] = LACKING;
    for (int i = 0; i < inputs; i++) {
        fn input = (fn)(((1ull << (1 << inputs)) - 1) / ((1u << (1 << i)) + 1) << (1 << i) >> 1);
        state[input] = SEEN;
        add(input);
    }
    if (gates >= wanted_count)
        descend(0, gates - wanted_count);
}

int main(void)
{
    static const char *const endings[] = {"exhausted", "limit", "bound"};
    static char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        char *at = line;
        int gates = (int)strtol(at, &at, 10);
        effort_limit = strtoull(at, &at, 10);
        random_state = 0x9e3779b97f4a7c15u * (strtoull(at, &at, 10) + 1);
        found_limit = strtol(at, &at, 10);
        inputs = (int)strtol(at, &at, 10);
        wanted_count = 0;
        while (wanted_count < MAX_WANTED && *at == ' ')
            wanted[wanted_count++] = (fn)strtol(at, &at, 10);
        effort = found_count = 0;
        int why = setjmp(finish);
        if (why == 0)
            solve(gates);
        printf("%s\n", endings[why]);
        fflush(stdout);
    }
    return 0;
}
