/* Which functions of three signals, or of five, do what is needed; a part of ternary.c. */

/* ---- which rows tell what is needed ----------------------------------------------------------- */

static rows ones, zeros;          /* the rows on which the function must be 1, and 0 */
static uint16_t sample_one[64], sample_zero[64];

static int listed(rows some, uint16_t *list)
{
    uint64_t w[WORDS];
    int n = 0;
    memcpy(w, &some, sizeof w);
    for (int k = 0; k < WORDS; k++)
        for (; w[k]; w[k] &= w[k] - 1)
            list[n++] = (uint16_t)(64 * k + __builtin_ctzll(w[k]));
    return n;
}

/* A function is looked for that is 1 and 0 on these rows; pairs of such rows are drawn. */
static void need(rows one, rows zero)
{
    uint16_t list_one[64 * WORDS], list_zero[64 * WORDS];
    ones = one, zeros = zero;
    int n = listed(one, list_one), m = listed(zero, list_zero);
    for (int k = 0; n && m && k < 64; k++) {
        uint32_t both = random_below((uint32_t)(n * m));
        sample_one[k] = list_one[both % (uint32_t)n];
        sample_zero[k] = list_zero[both / (uint32_t)n];
    }
}

static int constant(void)
{
    return !any(ones) || !any(zeros);
}

/* Which of the pairs differ in a signal. */
static uint64_t told_by(const rows *v)
{
    uint64_t t = 0;
    for (int k = 0; k < 64; k++)
        t |= (bit(v, sample_one[k]) ^ bit(v, sample_zero[k])) << k;
    return t;
}

/* Which values of signals occur in a set of rows. */
static unsigned cells(rows some, const int *in, int n)
{
    rows part[32] = {some};
    unsigned found = 0;
    for (int k = 0; k < n; k++)
        for (int m = 0; m < 1 << k; m++) {
            part[m | 1 << k] = part[m] & value[in[k]];
            part[m] &= ~value[in[k]];
        }
    for (int m = 0; m < 1 << n; m++)
        found |= (unsigned)any(part[m]) << m;
    return found;
}

/* A truth table that is 1 and 0 where it has to be, and either elsewhere. */
static int filled(unsigned in_ones, unsigned in_zeros)
{
    return (int)((in_ones | (random_below(256) & ~in_zeros)) & 255);
}

typedef struct { int found, in[3]; unsigned ones, zeros; } triple;

static double weight_of(int more, int heat)
{
    return more < 0 ? -1000.0 * more : more == 0 ? 1.0 : heat / 1000.0;
}

/* Three listed signals that make the function: drawn from all that are, by the gates needed. */
static triple one_triple(const int *list, int n, set used, int present, int most, int heat)
{
    triple best = {0};
    double sum = 0;
    uint64_t told[MOST];
    if (constant()) {
        best.found = 1, best.ones = any(ones) ? 255 : 0, best.zeros = 255 - best.ones;
        return best;
    }
    for (int i = 0; i < n; i++)
        told[i] = told_by(&value[list[i]]);
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++) {
            uint64_t some = told[i] | told[j];
            set pair = used | cone[list[i]] | cone[list[j]];
            for (int k = 0; k < (j ? j : 1); k++) {
                if (~(some | told[k]))
                    continue;
                int in[3] = {list[k], list[j], list[i]};
                int total = size(pair | cone[in[0]]) + 1;
                if (total > most || (total > present && !heat))
                    continue;
                unsigned p = cells(ones, in, 3), q = cells(zeros, in, 3);
                if (p & q)
                    continue;
                double weight = weight_of(total - present, heat);
                sum += weight;
                if (random_below(1u << 30) < weight / sum * (1u << 30))
                    best = (triple){1, {in[0], in[1], in[2]}, p, q};
            }
        }
    if (sum < 1 && random_below(1u << 30) > sum * (1u << 30))
        best.found = 0;
    return best;
}

/* ---- two gates, one of which is an operand of the other ---------------------------------------- */

typedef struct { int found; gate inner, outer; } two; /* operand -1 of the outer one is the inner one */

/* Variables a <= b of a truth table of five exchanged. */
static unsigned swapped(unsigned t, int a, int b)
{
    static const unsigned UP[5] = {0xAAAAAAAA, 0xCCCCCCCC, 0xF0F0F0F0, 0xFF00FF00, 0xFFFF0000};
    unsigned from = a == b ? 0 : UP[a] & ~UP[b], shift = (1u << b) - (1u << a);
    unsigned low = t & from, high = t >> shift & from;
    return (t & ~(from | from << shift)) | low << shift | high;
}

/* Values of three signals that are in one colour: on which of four cells they want 1 and 0. */
typedef struct { unsigned rows, one, zero; } side;

static int against(const side *s, unsigned one, unsigned zero)
{
    return ((one & s->zero) | (zero & s->one)) != 0;
}

/* Two colours for the values of three signals, four cells each: no cell has 1 and 0 in one colour.
 * The set of values in the second colour; -1: there is none. */
static int coloured(unsigned in_ones, unsigned in_zeros)
{
    unsigned left = 0;
    int colour = 0;
    for (int i = 0; i < 8; i++)
        left |= (unsigned)(((in_ones | in_zeros) >> 4 * i & 15) != 0) << i;
    while (left) {
        side sides[2] = {{0, 0, 0}, {0, 0, 0}};
        for (int i = __builtin_ctz(left), grown = 1; grown;) { /* all that the first one forces */
            grown = 0;
            for (; i < 8; i++) {
                unsigned one = in_ones >> 4 * i & 15, zero = in_zeros >> 4 * i & 15;
                int not_first = against(&sides[0], one, zero), not_second = against(&sides[1], one, zero);
                if (!(left >> i & 1) || (sides[0].rows && !not_first && !not_second))
                    continue;
                if (not_first && not_second)
                    return -1;
                side *to = &sides[not_first];
                to->rows |= 1u << i, to->one |= one, to->zero |= zero;
                left &= ~(1u << i), grown = 1;
            }
            i = 0;
        }
        colour |= (int)sides[random_below(2)].rows;
    }
    return colour;
}

/* Two gates whose inner one has the last three of five signals: 1 if colours that are drawn do. */
static int split(const int *in, unsigned p, unsigned q, two *made)
{
    enum { TRIALS = 3 }; /* values that force nothing on one another are coloured at random */
    for (int trial = 0; trial < TRIALS; trial++) {
        int colour = coloured(p, q);
        unsigned one = 0, zero = 0;
        if (colour < 0)
            return 0;
        for (int at = 0; at < 32; at++) {
            int row = (colour >> (at >> 2) & 1) | (at & 3) << 1;
            one |= (p >> at & 1) << row, zero |= (q >> at & 1) << row;
        }
        if (one & zero)
            continue;
        made->inner = (gate){{in[2], in[3], in[4]}, colour};
        made->outer = (gate){{-1, in[0], in[1]}, filled(one, zero)};
        return made->found = 1;
    }
    return 0;
}

/* Signals a < b of five exchanged, and in the two sets of their values, too. */
static void exchange(int *in, int a, int b, unsigned *p, unsigned *q)
{
    int keep = in[a];
    in[a] = in[b], in[b] = keep;
    *p = swapped(*p, a, b), *q = swapped(*q, a, b);
}

/* Two gates of five signals that make the function. */
static two of_five(const int *five)
{
    two made = {0};
    unsigned p = cells(ones, five, 5), q = cells(zeros, five, 5);
    if (p & q)
        return made;
    for (int a = 0; a < 4; a++)
        for (int b = a + 1; b < 5 && !made.found; b++) {
            int in[5] = {five[0], five[1], five[2], five[3], five[4]};
            unsigned to_p = p, to_q = q;
            exchange(in, 0, a, &to_p, &to_q);
            exchange(in, 1, b, &to_p, &to_q);
            split(in, to_p, to_q, &made);
        }
    return made;
}

/* Parts of the rows that need telling apart still. */
typedef struct { int n; rows one[32], zero[32]; } parts;

static parts parted(const parts *from, rows v)
{
    parts to;
    to.n = 0;
    for (int k = 0; k < from->n; k++)
        for (int turn = 0; turn < 2; turn++, v = ~v) {
            rows one = from->one[k] & v, zero = from->zero[k] & v;
            to.one[to.n] = one, to.zero[to.n] = zero;
            to.n += any(one) && any(zero);
        }
    return to;
}

/* Whether one signal more tells all of them apart. */
static int tells_all(const parts *from, rows v)
{
    for (int k = 0; k < from->n; k++)
        if ((any(from->one[k] & v) && any(from->zero[k] & v)) ||
            (any(from->one[k] & ~v) && any(from->zero[k] & ~v)))
            return 0;
    return 1;
}

/* Two gates of the four signals in `in` and one of the first n of the list. */
static int with_fifth(int *in, const int *list, const uint64_t *told, uint64_t some, const parts *three, int n, two *made)
{
    int last[MOST], found = 0;
    for (int m = 0; m < n; m++) {
        last[found] = list[m];
        found += !~(some | told[m]);
    }
    if (!found && ~some)
        return 0;
    parts left = parted(three, value[in[3]]);
    if (!left.n) { /* four do: one of them goes to both gates */
        memcpy(last, in, 4 * sizeof *in);
        found = 4;
    }
    for (int m = 0; m < found; m++)
        if (tells_all(&left, value[last[m]])) {
            in[4] = last[m];
            *made = of_five(in);
            if (made->found)
                return 1;
        }
    return 0;
}

/* Two gates of listed signals that make the function, the first that are found. */
static two two_gates(const int *list, int n)
{
    two made = {0};
    uint64_t told[MOST];
    if (constant())
        return made;
    parts all = {1, {ones}, {zeros}};
    for (int i = 0; i < n; i++)
        told[i] = told_by(&value[list[i]]);
    for (int i = 0; i < n; i++) {
        parts one = parted(&all, value[list[i]]);
        for (int j = 0; j < i; j++) {
            parts pair = parted(&one, value[list[j]]);
            for (int k = 0; k < j; k++) {
                parts three = parted(&pair, value[list[k]]);
                for (int l = 0; l < k; l++) {
                    int in[5] = {list[i], list[j], list[k], list[l]};
                    uint64_t some = told[i] | told[j] | told[k] | told[l];
                    if (with_fifth(in, list, told, some, &three, l, &made))
                        return made;
                }
            }
        }
    }
    return made;
}
