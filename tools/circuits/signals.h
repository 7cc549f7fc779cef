/* Signals of a circuit with their values on all rows of its truth table; a part of resubstitute.c.
 *
 * All signals are 0 on row 0: complements are free, so every function is taken so, and a gate's truth
 * table has bit 0 clear.  Signal 0 is the constant 0, signals 1 .. inputs the inputs.  A gate's truth table
 * has bit a + 2 b + 4 c; a gate of two inputs has signal 0 as c.
 */

#ifndef WORDS
#define WORDS 1
#endif
enum { MOST = 1600, MOST_OUTPUTS = 64, SETS = MOST / 64, PAIRS = 64 };
typedef struct { uint64_t w[WORDS]; } rows;
typedef struct { uint64_t w[SETS]; } group; /* a set of signals */
typedef struct { int in[3], truth; } gate;

static int arity, inputs, outputs, count;
static gate gates[MOST + 8];
static rows value[MOST + 8], flipped[MOST], target[MOST_OUTPUTS];
static int out[MOST_OUTPUTS];
static rows everywhere;

static uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 32) * n >> 32);
}

/* ---- what functions of three signals cost ---------------------------------------------------- */

typedef struct { int length; struct { int a, b, truth; } step[4]; } chain; /* 0..2 operands, 3.. steps */
static chain chains[256];         /* of functions with bit 0 clear */
static uint8_t price[256][256];   /* the cheapest function that is 1 and 0 on two disjoint sets */
static const int PAIR_TRUTHS[5] = {8, 2, 4, 6, 14};
static const int OPERAND[3] = {0xAA, 0xCC, 0xF0};

static int pair_gate(int truth, int a, int b)
{
    return ((truth & 1 ? ~a & ~b : 0) | (truth & 2 ? a & ~b : 0) | (truth & 4 ? ~a & b : 0) |
            (truth & 8 ? a & b : 0)) & 255;
}

static void grow_chains(chain *now, int *made, int depth)
{
    for (int i = 0; i < 3 + now->length; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < 5; k++) {
                int f = pair_gate(PAIR_TRUTHS[k], made[j], made[i]);
                int at = now->length++;
                now->step[at].a = j, now->step[at].b = i, now->step[at].truth = PAIR_TRUTHS[k];
                made[3 + at] = f;
                if (chains[f].length > now->length)
                    chains[f] = *now;
                if (depth > 1)
                    grow_chains(now, made, depth - 1);
                now->length--;
            }
}

static int set_price(int ones, int zeros)
{
    int best = 9, open = 255 & ~(ones | zeros);
    if (!open) {
        int f = ones & 1 ? 255 & ~ones : ones;
        return price[ones][zeros] = (uint8_t)chains[f].length;
    }
    int lowest = open & -open;
    int one = price[ones | lowest][zeros], zero = price[ones][zeros | lowest];
    one = one != 255 ? one : set_price(ones | lowest, zeros);
    zero = zero != 255 ? zero : set_price(ones, zeros | lowest);
    best = one < zero ? one : zero;
    return price[ones][zeros] = (uint8_t)best;
}

static void set_prices(void)
{
    int made[7] = {OPERAND[0], OPERAND[1], OPERAND[2]};
    chain empty = {0};
    for (int f = 0; f < 256; f++)
        chains[f].length = 9;
    chains[0].length = chains[OPERAND[0]].length = chains[OPERAND[1]].length = 0;
    chains[OPERAND[2]].length = 0;
    if (arity == 2)
        grow_chains(&empty, made, 4);
    else
        for (int f = 0; f < 256; f += 2)
            chains[f].length = chains[f].length ? 1 : 0;
    memset(price, 255, sizeof price);
    set_price(0, 0);
}

/* A cheapest function that is 1 on `ones` and 0 on `zeros`. */
static int chosen_function(int ones, int zeros)
{
    for (;;) {
        int open = 255 & ~(ones | zeros);
        if (!open)
            return ones;
        int lowest = open & -open, cost = price[ones][zeros];
        int can_one = price[ones | lowest][zeros] == cost, can_zero = price[ones][zeros | lowest] == cost;
        if (can_one && (!can_zero || random_below(2)))
            ones |= lowest;
        else
            zeros |= lowest;
    }
}

/* ---- circuits -------------------------------------------------------------------------------- */

static rows evaluate(const gate *g)
{
    const rows *a = &value[g->in[0]], *b = &value[g->in[1]], *c = &value[g->in[2]];
    int t = g->truth;
    t ^= (t & 0x55) << 1, t ^= (t & 0x33) << 2, t ^= (t & 0x0F) << 4; /* algebraic normal form */
    rows r;
    for (int k = 0; k < WORDS; k++) {
        uint64_t A = a->w[k], B = b->w[k], C = c->w[k], AB = A & B, low, high;
        low = -(uint64_t)(t & 1) ^ (A & -(uint64_t)(t >> 1 & 1)) ^ (B & -(uint64_t)(t >> 2 & 1)) ^
              (AB & -(uint64_t)(t >> 3 & 1));
        high = -(uint64_t)(t >> 4 & 1) ^ (A & -(uint64_t)(t >> 5 & 1)) ^ (B & -(uint64_t)(t >> 6 & 1)) ^
               (AB & -(uint64_t)(t >> 7 & 1));
        r.w[k] = (low ^ (C & high)) & everywhere.w[k];
    }
    return r;
}

static int same(const rows *a, const rows *b)
{
    return !memcmp(a, b, sizeof *a);
}

enum { BUCKETS = 4096 };
static int bucket[BUCKETS], next_in_bucket[MOST + 8];

static unsigned hash(const rows *v)
{
    uint64_t h = 0;
    for (int k = 0; k < WORDS; k++)
        h = (h ^ v->w[k]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
    return (unsigned)(h >> 20) % BUCKETS;
}

static void enter(int signal)
{
    unsigned h = hash(&value[signal]);
    next_in_bucket[signal] = bucket[h];
    bucket[h] = signal;
}

static int find(const rows *v)
{
    for (int s = bucket[hash(v)]; s >= 0; s = next_in_bucket[s])
        if (same(&value[s], v))
            return s;
    return -1;
}

/* Only constant and inputs. */
static void clear(void)
{
    memset(bucket, 255, sizeof bucket);
    count = inputs + 1;
    for (int i = 0; i < count; i++)
        enter(i);
}

static int turned(int truth, int operand)
{
    int shift = 1 << operand, high = OPERAND[operand];
    return (truth & high) >> shift | (truth & ~high & 255) << shift;
}

/* The signal of a gate, new or there already; a signal is twice its number plus 1 if complemented. */
static int make(const int in[3], int truth)
{
    gate g = {{in[0] >> 1, in[1] >> 1, in[2] >> 1}, truth};
    for (int k = 0; k < 3; k++)
        if (in[k] & 1)
            g.truth = turned(g.truth, k);
    int flip = g.truth & 1;
    if (flip)
        g.truth ^= 255;
    if (count >= MOST) {
        fprintf(stderr, "more than %d signals\n", MOST);
        exit(1);
    }
    value[count] = evaluate(&g);
    int old = find(&value[count]);
    if (old >= 0)
        return old << 1 | flip;
    gates[count] = g;
    enter(count);
    return count++ << 1 | flip;
}

static int make2(int a, int b, int truth)
{
    int in[3] = {a, b, 0};
    return make(in, truth | truth << 4);
}

/* ---- which rows tell what is needed ----------------------------------------------------------- */

static rows ones, zeros;          /* the rows on which the function must be 1, and 0 */
static uint64_t tells[MOST];      /* which of the pairs of a row in ones and one in zeros differ */
static uint64_t all_pairs;

static int listed(const rows *set, int *list)
{
    int n = 0;
    for (int k = 0; k < WORDS; k++)
        for (uint64_t w = set->w[k]; w; w &= w - 1)
            list[n++] = 64 * k + __builtin_ctzll(w);
    return n;
}

static int empty(const rows *set)
{
    uint64_t any = 0;
    for (int k = 0; k < WORDS; k++)
        any |= set->w[k];
    return !any;
}

static int sample_one[PAIRS], sample_zero[PAIRS];

/* Draw the pairs; 0 if there are none, that is, the function may be constant. */
static int draw_pairs(void)
{
    static int one[64 * WORDS], zero[64 * WORDS];
    int n = listed(&ones, one), m = listed(&zeros, zero);
    if (!n || !m)
        return 0;
    for (int k = 0; k < PAIRS; k++) {
        sample_one[k] = one[random_below((uint32_t)n)];
        sample_zero[k] = zero[random_below((uint32_t)m)];
    }
    all_pairs = ~0ull;
    return 1;
}

static uint64_t told_by(const rows *v)
{
    uint64_t t = 0;
    for (int k = 0; k < PAIRS; k++) {
        int p = sample_one[k], n = sample_zero[k];
        t |= ((v->w[p >> 6] >> (p & 63) ^ v->w[n >> 6] >> (n & 63)) & 1) << k;
    }
    return t;
}

/* Which values of three signals occur in ones and in zeros; 0 if a value does in both. */
static int pattern(int a, int b, int c, int *in_ones, int *in_zeros)
{
    int p = 0, n = 0;
    for (int k = 0; k < WORDS; k++) {
        uint64_t A = value[a].w[k], B = value[b].w[k], C = value[c].w[k];
        for (int m = 0; m < (c ? 8 : 4); m++) {
            uint64_t x = (m & 1 ? A : ~A) & (m & 2 ? B : ~B) & (m & 4 ? C : ~C);
            p |= (x & ones.w[k] ? 1 : 0) << m;
            n |= (x & zeros.w[k] ? 1 : 0) << m;
        }
        if (p & n)
            return 0;
    }
    *in_ones = p, *in_zeros = n;
    return 1;
}

static rows both(const rows *a, const rows *b, uint64_t turn)
{
    rows r;
    for (int k = 0; k < WORDS; k++)
        r.w[k] = a->w[k] & (b->w[k] ^ turn);
    return r;
}

static void shuffle(int *list, int n)
{
    for (int i = n; i > 1; i--) {
        int j = (int)random_below((uint32_t)i), keep = list[i - 1];
        list[i - 1] = list[j], list[j] = keep;
    }
}

/* ---- the circuit renewed: only what is used, each function once ------------------------------- */

static gate old_gates[MOST + 8];
static int renewed[MOST + 8];

static int renew(int signal)
{
    if (signal <= inputs)
        return signal << 1;
    if (renewed[signal] < 0) {
        int in[3];
        for (int k = 0; k < 3; k++)
            in[k] = renew(old_gates[signal].in[k]);
        renewed[signal] = make(in, old_gates[signal].truth);
    }
    return renewed[signal];
}

static group cone[MOST + 8];

static void tidy(void)
{
    int turn[MOST_OUTPUTS];
    for (int pass = 0; pass < 2; pass++) { /* a merged gate may have left operands that nobody uses */
        memcpy(old_gates, gates, sizeof gates);
        memset(renewed, 255, sizeof renewed);
        clear();
        for (int i = 0; i < outputs; i++)
            turn[i] = i;
        shuffle(turn, outputs);
        for (int i = 0; i < outputs; i++)
            out[turn[i]] = renew(out[turn[i]]) >> 1;
    }
}

/* The gates that each signal needs. */
static void set_cones(void)
{
    memset(cone, 0, sizeof(group) * (size_t)count);
    for (int g = inputs + 1; g < count; g++) {
        for (int k = 0; k < 3; k++)
            for (int s = 0; s <= g / 64; s++)
                cone[g].w[s] |= cone[gates[g].in[k]].w[s];
        cone[g].w[g / 64] |= 1ull << (g % 64);
    }
}

static void settle(void)
{
    tidy();
    set_cones();
}

static int cost(void)
{
    return count - inputs - 1;
}

/* Tables of all inputs. */
static void set_inputs(void)
{
    memset(value, 0, sizeof(rows));
    for (int x = 0; x < 64 * WORDS; x++) {
        uint64_t bit = 1ull << (x & 63);
        int inside = x < 1 << inputs;
        everywhere.w[x >> 6] = (everywhere.w[x >> 6] & ~bit) | (inside ? bit : 0);
        for (int i = 0; i < inputs; i++) {
            uint64_t *w = &value[i + 1].w[x >> 6];
            *w = (*w & ~bit) | (inside && x >> i & 1 ? bit : 0);
        }
    }
}
