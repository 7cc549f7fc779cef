/* Circuits of gates with three inputs, and what their signals are on all rows; a part of ternary.c.
 *
 * As in signals.h, all signals are 0 on row 0, signal 0 is the constant 0 and signals 1 .. inputs the inputs.
 */

static const int OPERAND[3] = {0xAA, 0xCC, 0xF0};

static const set ONE = 1;

static int size(set signals)
{
#if WORDS > 1
    return __builtin_popcountll((uint64_t)signals) + __builtin_popcountll((uint64_t)(signals >> 64));
#else
    return __builtin_popcountll(signals);
#endif
}

static int any(rows r)
{
    uint64_t w[WORDS], all = 0;
    memcpy(w, &r, sizeof w);
    for (int k = 0; k < WORDS; k++)
        all |= w[k];
    return all != 0;
}

static int differ(rows a, rows b)
{
    return any(a ^ b);
}

static uint64_t bit(const rows *r, int at)
{
    return ((const uint64_t *)r)[at >> 6] >> (at & 63) & 1;
}

static rows evaluate(int t, rows a, rows b, rows c)
{
    t ^= (t & 0x55) << 1, t ^= (t & 0x33) << 2, t ^= (t & 0x0F) << 4; /* algebraic normal form */
    rows ab = a & b, low, high;
    low = (a & -(uint64_t)(t >> 1 & 1)) ^ (b & -(uint64_t)(t >> 2 & 1)) ^ (ab & -(uint64_t)(t >> 3 & 1));
    high = (a & -(uint64_t)(t >> 5 & 1)) ^ (b & -(uint64_t)(t >> 6 & 1)) ^ (ab & -(uint64_t)(t >> 7 & 1));
    low ^= -(uint64_t)(t & 1), high ^= -(uint64_t)(t >> 4 & 1);
    return (low ^ (c & high)) & everywhere;
}

/* ---- circuits -------------------------------------------------------------------------------- */

static void set_inputs(void)
{
    uint64_t w[WORDS];
    for (int k = 0; k < WORDS; k++)
        w[k] = 1 << inputs >= 64 * (k + 1) ? ~0ull : k ? 0 : (1ull << (1 << inputs)) - 1;
    memcpy(&everywhere, w, sizeof w);
    for (int i = 0; i < inputs; i++) {
        for (int k = 0; k < WORDS; k++)
            w[k] = i < 6 ? ~0ull / ((1ull << (1 << i)) + 1) << (1 << i) : -(uint64_t)(k >> (i - 6) & 1);
        memcpy(&value[i + 1], w, sizeof w);
        value[i + 1] &= everywhere;
    }
}

static void clear(void)
{
    count = inputs + 1;
}

static int turned(int truth, int operand)
{
    int shift = 1 << operand, high = OPERAND[operand];
    return (truth & high) >> shift | (truth & ~high & 255) << shift;
}

/* The constant in place of operands that a gate does not mind; of two equal ones, of the second. */
static void narrow(gate *g)
{
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < k; j++)
            if (g->in[j] == g->in[k]) {
                int old = g->truth;
                g->truth = 0;
                for (int row = 0; row < 8; row++)
                    g->truth |= (old >> ((row & ~(1 << k)) | (row >> j & 1) << k) & 1) << row;
            }
        if (turned(g->truth, k) == g->truth)
            g->in[k] = 0;
    }
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
    rows v = evaluate(g.truth, value[g.in[0]], value[g.in[1]], value[g.in[2]]);
    for (int s = 0; s < count; s++)
        if (!differ(value[s], v))
            return s << 1 | flip;
    if (count >= MOST) {
        fprintf(stderr, "more than %d signals\n", MOST);
        exit(1);
    }
    narrow(&g);
    gates[count] = g, value[count] = v;
    cone[count] = cone[g.in[0]] | cone[g.in[1]] | cone[g.in[2]] | ONE << count;
    return count++ << 1 | flip;
}

static int moved(const gate *old, const int *place)
{
    int in[3] = {place[old->in[0]], place[old->in[1]], place[old->in[2]]};
    return make(in, old->truth);
}

static gate old_gates[MOST + 1];
static int renewed[MOST + 1];

static int renew(int signal)
{
    if (renewed[signal] < 0) {
        const gate *g = &old_gates[signal];
        for (int k = 0; k < 3; k++)
            renew(g->in[k]);
        renewed[signal] = moved(g, renewed);
    }
    return renewed[signal];
}

/* Only what is used, each function once, in an order of computation. */
static void settle(void)
{
    int turn[MOST_OUTPUTS], before;
    do {
        before = count;
        memcpy(old_gates, gates, sizeof(gate) * (size_t)count);
        memset(renewed, 255, sizeof(int) * (size_t)count);
        clear();
        for (int s = 0; s < count; s++)
            renewed[s] = s << 1;
        for (int i = 0; i < outputs; i++)
            turn[i] = i;
        shuffle(turn, outputs);
        for (int i = 0; i < outputs; i++)
            out[turn[i]] = renew(out[turn[i]]) >> 1;
    } while (count < before); /* a merged gate may have left operands that nobody uses */
}
