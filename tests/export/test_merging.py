"""Several C files as one: what is the same is there once, and what only has the same name is told apart."""

from __future__ import annotations

import pytest

from finalist.export.merging import merged

FIRST = """\
#include <stdint.h>

typedef struct {
    uint32_t words[4];
} x_key;

static const uint8_t S[2] = {
    1, 2};

static inline uint32_t twice(uint32_t x)
{
    return x + x;
}

static void x_run(x_key *k)
{
    k->words[0] = twice(S[0]);
}

void first(x_key *k)
{
    x_run(k);
}
"""


def second(*changes: tuple[str, str]) -> str:
    text = FIRST.replace("void first", "void second")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def test_what_is_the_same_is_there_once() -> None:
    made = merged([FIRST, second()])
    assert made.count("static void x_run(") == made.count("uint32_t twice(") == made.count("#include") == 1
    assert made.count("x_run(k);") == 2 and "void second(x_key *k)" in made


def test_a_type_in_one_line_is_told_apart_as_well() -> None:
    """E2's with vectors of 128 and of 512 bits in one file was not compiled: arrays of these had one name."""
    text = "typedef uint8_t vec __attribute__((vector_size(16)));\n\n"
    text += "typedef struct { vec part[2]; } vec_parts;\n\n"
    use = "vec first(vec_parts x)\n{\n    return x.part[0] + x.part[1];\n}\n"
    other = (text + use).replace("(16)", "(64)").replace("first", "second")
    made = merged([text + use, other])
    assert made.count("} vec_parts;") == made.count("} vec_parts_2;") == 1
    assert "vec_2 second(vec_parts_2 x)" in made


@pytest.mark.parametrize("first", [True, False])
def test_what_one_file_may_not_use_is_there_once(first: bool) -> None:
    """Triple DES had it twice, the second behind a macro's calls of it."""
    unused = ("static inline uint32_t twice", "__attribute__((unused)) static inline uint32_t twice")
    made = merged([FIRST, second(unused)][:: 1 if first else -1])
    assert made.count("uint32_t twice(") == 1 and "twice_2" not in made


def test_what_is_the_same_under_another_name_is_there_once() -> None:
    made = merged([FIRST, second(("S[", "Q["), ("twice", "doubled"))])
    assert "Q" not in made and "doubled" not in made and made.count("static void x_run(") == 1


def test_another_table_of_the_same_name_is_another() -> None:
    made = merged([FIRST, second(("1, 2", "3, 4"))])
    assert "S_2[2] = {\n    3, 4};" in made
    assert "k->words[0] = twice(S_2[0]);" in made and "static void x_run_2(x_key *k)" in made
    assert "void second(x_key *k)\n{\n    x_run_2(k);\n}" in made


def test_tables_in_one_structure_are_told_apart_with_it() -> None:
    """SKINNY's of both operations in one file was not compiled: their structures had one name."""
    text = "static const struct tables {\n    uint8_t S[2];\n} all_tables = {\n    .S = {1, 2},\n};\n"
    text += "#define HIDE(pointer) (void)(pointer)\n\n"
    text += "int first(void)\n{\n    const struct tables *T = &all_tables;\n    return *T->S;\n}\n"
    other = text.replace("{1, 2}", "{3, 4}").replace("first", "second")
    made = merged([text, other])
    assert "} all_tables = {" in made and "} all_tables_2 = {" in made
    assert "const struct tables_2 *T = &all_tables_2;" in made
    same = merged([text, text.replace("first", "second")])
    assert same.count("static const struct tables {") == 1 and "tables_2" not in same


@pytest.mark.parametrize(
    "head",
    ["static inline", "__attribute__((unused)) static inline", "ALWAYS", "static __attribute__((noinline))"],
)
def test_functions_are_told_apart_whatever_is_said_of_them(head: str) -> None:
    """SAFER+'s library had two of an unused function, and was not compiled."""
    told = (f"{head} uint32_t twice", "static inline uint32_t twice")[::-1]
    other = second(told, ("x + x", "x + x + 1"))
    made = merged([FIRST.replace(*told), other])
    assert f"{head} uint32_t twice_2(uint32_t x)\n{{\n    return x + x + 1;" in made
    assert "k->words[0] = twice_2(S[0]);" in made


def test_helpers_of_vectors_are_part_of_kernels() -> None:
    """gcc left SAFER+'s lookups as functions in a long file, and its kernels took a third more time."""
    body = "(vec x)\n{\n    return x;\n}\n"
    helper = f"static inline vec vec_lookup{body}\nstatic vec vec_scan{body}"
    other = helper.replace("return x", "return x + x")
    made = merged([f"{FIRST}\n{helper}", f"{second()}\n{other}"])
    for name in ("vec_lookup", "vec_lookup_2"):
        assert f"static inline __attribute__((always_inline)) vec {name}(vec x)" in made
    assert "static vec vec_scan(vec x)" in made


def test_another_key_is_another_type() -> None:
    made = merged([FIRST, second(("words[4]", "words[5]"))])
    assert "} x_key_2;" in made and "static void x_run_2(x_key_2 *k)" in made and "second(x_key_2 *k)" in made


def test_types_and_tables_stand_before_all_functions() -> None:
    made = merged([FIRST, second(("words[4]", "words[5]"), ("1, 2", "3, 4"))])
    assert max(made.index("S_2[2]"), made.index("x_key_2;")) < made.index("uint32_t twice(")


def test_macros_under_a_condition_are_compared_one_by_one() -> None:
    both = (
        "#if BIG\n#define A(x) (x)\n#define B(x) -(x)\n#else\n#define A(x) -(x)\n#define B(x) (x)\n#endif\n"
    )
    one = "#if BIG\n#define A(x) (x)\n#else\n#define A(x) -(x)\n#endif\n"
    made = merged([both, one])
    assert "A_2" not in made and made.count("#define A") == 2 and made.count("#define B") == 2


def test_what_is_said_of_a_function_is_no_name_of_it() -> None:
    attributes = "static inline __attribute__((always_inline)) void x_run("
    first = FIRST.replace("static void x_run(", attributes)
    other = second(("static void x_run(", attributes), ("words[0] =", "words[1] ="))
    made = merged([first, other])
    assert made.count(attributes) == 1 and attributes.replace("x_run", "x_run_2") in made
    assert made.count("__attribute__((always_inline))") == 2 and "__attribute___2" not in made


def test_a_type_of_vectors_is_told_apart_by_its_name() -> None:
    types = "typedef uint64_t wide __attribute__((vector_size({})));\n"
    made = merged([types.format(32), types.format(32), types.format(16)])
    assert made == types.format(32) + "\n" + types.format(16).replace("wide", "wide_2")


def test_functions_that_stand_together_are_compared_one_by_one() -> None:
    """Helpers of registers, of which each text has those that it calls."""
    load = "/* Registers. */\nstatic inline word load(const void *p) { return *(const word *)p; }\n"
    store = "static inline void store(void *p, word x) { *(word *)p = x; }\n"
    words = "static inline word both(int a, int b)\n{ return a + b; }\n#define low(x) (x)\n"
    made = merged([load + store, load + store + words])
    assert made.count("word load(") == made.count("void store(") == made.count("word both(") == 1
    assert made.count("#define low(x)") == 1 and "_2" not in made


def test_functions_under_a_condition_stay_there() -> None:
    """As S-boxes by inversion are: each way has a function and macros that call it."""
    begin = "/* S. */\n#ifdef ONE\n#define S(x) (x)\n#else\n"
    other = "static inline int more(int x)\n{\n    return x + 1;\n}\n#define S(x) more(x)\n#endif\n"
    made = merged([begin + other, begin + other, begin + other.replace("1", "2")])
    assert made.count("#define S(x) ") == 2 and made.count("#define S_2(x) ") == 2
    assert made.count("#ifdef ONE") == made.count("#endif") == 2
    assert "#define S_2(x) more_2(x)\n#endif" in made


def test_another_function_in_one_line_is_told_apart() -> None:
    text = "static inline int part(int x) { return x + 1; }\n"
    made = merged([text, text.replace("+ 1", "+ 2")])
    assert "int part(int x) { return x + 1; }" in made and "int part_2(int x) { return x + 2; }" in made


def test_functions_whose_heads_take_several_lines_stay_behind_what_they_call() -> None:
    head = "static void x_part(const uint32_t *from, uint32_t *to,\n    uint32_t *also)\n{\n"
    part = f"{head}    *also = *to = twice(*from);\n}}\n\n"
    made = merged([FIRST.replace("static void x_run", f"{part}static void x_run")])
    assert made.index("uint32_t twice(") < made.index("void x_part(") < made.index("void first(")
