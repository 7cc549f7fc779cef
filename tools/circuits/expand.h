/* Circuits by expansion; a part of resubstitute.c.
 *
 * M. Kwan, "Reducing the gate count of bitslice DES", 2000: a function that is not one gate away from what
 * is there (here: three, of any three signals) is split on an input that it has not been split on, and
 * each half has to be right on its own rows only.
 */
/* A signal that is there, or one gate away, and agrees with f where it matters; -1 if there is none. */
static int near(const rows *f, const rows *care)
{
    int p, n, start = (int)random_below((uint32_t)count);
    ones = both(care, f, 0), zeros = both(care, f, ~0ull);
    if (!draw_pairs())
        return empty(&ones) ? 0 : 1;
    for (int i = 0; i < count; i++)
        if ((tells[i] = told_by(&value[i])) == all_pairs && pattern(i, 0, 0, &p, &n))
            return i << 1 | (p >> 1 & 1 ? 0 : 1);
    for (int k = 0; k < count; k++)
        for (int i = (start + k) % count, j = 0; j < i; j++)
            if ((tells[i] | tells[j]) == all_pairs && pattern(j, i, 0, &p, &n))
                return make2(j << 1, i << 1, chosen_function(p, n | 0xF0) & 15);
    return -1;
}

/* The signal of a function of three others, by its chain of gates. */
static int made_of(int a, int b, int c, int in_ones, int in_zeros)
{
    int f = chosen_function(in_ones, in_zeros), place[7] = {a << 1, b << 1, c << 1};
    if (arity == 3)
        return make(place, f);
    chain way = chains[f & 1 ? f ^ 255 : f];
    for (int k = 0; k < way.length; k++)
        place[3 + k] = make2(place[way.step[k].a], place[way.step[k].b], way.step[k].truth);
    return place[2 + way.length] ^ (f & 1);
}

/* Like near, but two or three gates away; after it, and with the pairs that it has drawn. */
static int less_near(int most)
{
    int best[5] = {0}, cheapest = most < 3 ? most + 1 : 4, seen = 0;
    for (int i = 0; i < count && cheapest >= 1; i++)
        for (int j = 0; j < i; j++) {
            uint64_t told = tells[i] | tells[j];
            for (int k = 1; k < j; k++)
                if ((told | tells[k]) == all_pairs) {
                    int p, n;
                    if (!pattern(k, j, i, &p, &n) || price[p][n] > cheapest)
                        continue;
                    if (price[p][n] < cheapest)
                        cheapest = price[p][n], seen = 0;
                    if (!random_below((uint32_t)++seen))
                        best[0] = k, best[1] = j, best[2] = i, best[3] = p, best[4] = n;
                }
        }
    return seen && cheapest <= 3 ? made_of(best[0], best[1], best[2], best[3], best[4]) : -1;
}

/* Forget all signals from `first` on. */
static void forget(int first)
{
    while (count > first)
        count--, bucket[hash(&value[count])] = next_in_bucket[count];
}

enum { DEEPEST = 16 };
static gate best_gates[DEEPEST][MOST];
static rows best_value[DEEPEST][MOST];
static int breadth;               /* how many expansions are tried at each place */

static int build(const rows *f, const rows *care, unsigned unused, int depth, int most);

/* f expanded on one input: low ^ (input & high), or with the input's complement. */
static int expanded(const rows *f, const rows *care, unsigned unused, int depth, int most, int x, int way)
{
    rows first = both(care, &value[x], way ? 0 : ~0ull), second = both(care, &value[x], way ? ~0ull : 0);
    unsigned rest = unused & ~(1u << x);
    int low = build(f, &first, rest, depth + 1, most - 2);
    if (low < 0)
        return -1;
    rows change = value[low >> 1];
    for (int k = 0; k < WORDS; k++)
        change.w[k] ^= f->w[k] ^ (low & 1 ? everywhere.w[k] : 0);
    int high = build(&change, &second, rest, depth + 1, most - 2);
    int in[3] = {low, high, x << 1 | way};
    if (high < 0)
        return -1;
    return arity == 3 ? make(in, 0x6A) : make2(low, make2(high, x << 1 | way, 8), 6);
}

/* A signal that agrees with f where it matters, by expansions (Kwan, "Reducing the gate count of
 * bitslice DES", 2000); -1 if that takes more than `most` signals in all. */
static int build(const rows *f, const rows *care, unsigned unused, int depth, int most)
{
    int best = -1, first = count, turn[64], n = 0;
    int there = near(f, care);
    if (there >= 0 || count + 1 > most)
        return count <= most ? there : -1;
    there = less_near(most - count);
    if (there >= 0)
        return there;
    for (int x = 1; x <= inputs; x++)
        if (unused >> x & 1)
            turn[n++] = x << 1, turn[n++] = x << 1 | 1;
    shuffle(turn, n);
    int tries = n < breadth ? n : breadth, best_count = 0;
    for (int k = 0; k < tries; k++) {
        int made = expanded(f, care, unused, depth, most, turn[k] >> 1, turn[k] & 1);
        if (made >= 0 && count <= most) {
            best = made, best_count = count, most = count - 1;
            memcpy(best_gates[depth], gates + first, sizeof(gate) * (size_t)(count - first));
            memcpy(best_value[depth], value + first, sizeof(rows) * (size_t)(count - first));
        }
        forget(first);
    }
    if (best >= 0)
        for (int k = 0; first + k < best_count; k++) {
            gates[count] = best_gates[depth][k], value[count] = best_value[depth][k];
            enter(count++);
        }
    return best;
}

static void begin(void)
{
    int turn[MOST_OUTPUTS];
    clear();
    for (int i = 0; i < outputs; i++)
        turn[i] = i;
    shuffle(turn, outputs);
    for (int i = 0; i < outputs; i++)
        out[turn[i]] = build(&target[turn[i]], &everywhere, (2u << inputs) - 2, 0, MOST - 1) >> 1;
}
