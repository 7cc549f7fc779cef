/* Circuits by expansion, with one gate to choose between two halves; a part of ternary.c.
 *
 * M. Kwan, "Reducing the gate count of bitslice DES", 2000; that two gates of five signals are looked for
 * before a function is split: M. Dansarie, "sboxgates", JOSS 2021.
 */

/* A signal that is there, or one gate away, and agrees with f where it matters; -1 if there is none. */
static int near_by(void)
{
    int list[MOST];
    if (constant())
        return any(ones) ? 1 : 0;
    for (int s = 0; s < count; s++)
        if (!any(ones & ~value[s]) && !any(zeros & value[s]))
            return s << 1;
        else if (!any(ones & value[s]) && !any(zeros & ~value[s]))
            return s << 1 | 1;
    for (int s = 0; s < count; s++)
        list[s] = s;
    triple t = one_triple(list, count, 0, MOST, MOST, 0);
    if (!t.found)
        return -1;
    int in[3] = {t.in[0] << 1, t.in[1] << 1, t.in[2] << 1};
    return make(in, filled(t.ones, t.zeros));
}

static int two_away(void)
{
    int list[MOST], n = 0;
    for (int s = 1; s < count; s++)
        list[n++] = s;
    shuffle(list, n);
    two made = two_gates(list, n < SOME ? n : SOME);
    if (!made.found)
        return -1;
    int in[3] = {made.inner.in[0] << 1, made.inner.in[1] << 1, made.inner.in[2] << 1};
    int inner = make(in, made.inner.truth);
    for (int k = 0; k < 3; k++)
        in[k] = made.outer.in[k] < 0 ? inner : made.outer.in[k] << 1;
    return make(in, made.outer.truth);
}

static int build(rows f, rows care, unsigned unused, int most);

/* One gate of three: on x the second half's signal, else the first's, or what differs from it. */
static int halves(rows f, rows care, unsigned unused, int most, int x, int up)
{
    rows split = up ? value[x] : ~value[x];
    int low = build(f, care & ~split, unused, most - 1), as_change = (int)random_below(2);
    if (low < 0)
        return -1;
    rows rest = f;
    if (as_change)
        rest ^= value[low >> 1] ^ -(uint64_t)(low & 1);
    int high = build(rest, care & split, unused, most - 1);
    if (high < 0 || count >= most)
        return -1;
    int in[3] = {low, high, x << 1 | !up};
    return make(in, as_change ? 0x6A : 0xCA);
}

/* A signal that agrees with f where it matters; -1 if that takes more than `most` signals in all. */
static int build(rows f, rows care, unsigned unused, int most)
{
    static gate best_gates[8][MOST];
    static int depth;
    int first = count, turn[16], n = 0, best = -1, best_count = 0;
    need(f & care, care & ~f);
    int there = near_by();
    if (there >= 0 || count + 2 > most)
        return there >= 0 && count <= most ? there : -1;
    if ((there = two_away()) >= 0 || count + 3 > most || depth == 7)
        return there;
    for (int x = 1; x <= inputs; x++)
        if (unused >> x & 1)
            turn[n++] = x << 1, turn[n++] = x << 1 | 1;
    shuffle(turn, n);
    depth++;
    for (int k = 0; k < n && k < (depth > 2 ? 1 : way.breadth); k++) {
        int made = halves(f, care, unused & ~(1u << (turn[k] >> 1)), most, turn[k] >> 1, turn[k] & 1);
        if (made >= 0 && count <= most) {
            best = made, best_count = count, most = count - 1;
            memcpy(best_gates[depth] + first, gates + first, sizeof(gate) * (size_t)(count - first));
        }
        count = first;
    }
    if (best >= 0)
        for (int s = first; s < best_count; s++) {
            int in[3] = {best_gates[depth][s].in[0] << 1, best_gates[depth][s].in[1] << 1,
                         best_gates[depth][s].in[2] << 1};
            make(in, best_gates[depth][s].truth);
        }
    depth--;
    return best;
}
