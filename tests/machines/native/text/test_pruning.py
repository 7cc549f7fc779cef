"""What a C text does not use is left out, with its comments and headers; what is constant is no condition."""

from __future__ import annotations

from finalist.machines.native.text.pruning import used, without_constant_conditions

HELPERS = """\
#include <stdint.h>
#include <string.h>

/* A type. */
typedef uint32_t vec __attribute__((vector_size(64)));
typedef struct { vec a, b; } two;

#if defined(__A__)
#define first(x) _mm_first(x)
#define second(x) _mm_second(x)
#else
#define first(x) (x)
#define second(x) other(x)
#endif

/* Called by `second`, not by first. */
static inline uint32_t other(uint32_t x)
{
    return x + 1;
}
static inline void wide(
    uint32_t x,
    uint32_t y)
{
    if (x) { x = y; }
}

#define joined(x, n) joined_##n(x)
#define joined_1(x) (x)
#define joined_2(x) (x)
/* Nobody's. */
static const uint8_t T[2] = {
    1, 2};

static const struct tables {
    uint8_t a[1];
} all = {
    .a = {1},
};
"""


def text(code: str, *roots: str) -> str:
    found = used(HELPERS + code, roots)
    return found.headers + found.text


def test_nothing_is_used() -> None:
    found = used(HELPERS, ())
    assert (found.text, found.headers.strip()) == ("", "")


def test_what_is_used_uses_more() -> None:
    found = text("void f(void)\n{\n    second(1);\n}\n")
    assert "uint32_t other(" in found
    assert "define second(x) _mm_second(x)\n#else\n#define second(x) other(x)\n#endif" in found
    for unused in ("first(x)", "typedef", "joined", "wide", "T[2]", "struct", "string.h", "Nobody"):
        assert unused not in found
    assert found.startswith("#include <stdint.h>\n#if defined(__A__)\n#include <immintrin.h>\n#endif\n")
    assert "/* Called by `second`, not by first. */\n" in found


def test_a_branch_that_nobody_needs_takes_its_header_along() -> None:
    found = text("void f(void)\n{\n    wide(T[0], 1);\n}\n")
    assert "immintrin" not in found
    assert "#if" not in found
    assert "/* Nobody's. */\nstatic const uint8_t T[2] = {\n    1, 2};" in found
    assert "static inline void wide(\n    uint32_t x,\n    uint32_t y)\n{\n    if (x) { x = y; }\n}" in found


def test_headers_of_what_is_conditional_inside_of_a_function() -> None:
    form = (
        "void f(void)\n{\n#if defined(__A__)\n    _mm256_a();\n#elif defined(__B__)\n    b();\n%s#endif\n}\n"
    )
    assert used(form % "", ()).headers == "#if defined(__A__)\n#include <immintrin.h>\n#endif\n"
    both = used(form % "#elif defined(__C__) && defined(__D__)\n    __m128i c;\n", ()).headers
    assert both.startswith("#if defined(__A__) || (defined(__C__) && defined(__D__))\n#include <imm")
    assert used("void f(void)\n{\n    _mm256_a();\n}\n", ()).headers == "#include <immintrin.h>\n"
    neon = "#if defined(__N__)\n#include <arm_neon.h>\n#define n(x) vqtbl1q_u8(x)\n#endif\n"
    assert used(f"{neon}int x = n(1);\n", ()).headers == "#if defined(__N__)\n#include <arm_neon.h>\n#endif\n"
    assert used(f"{neon}int x;\n", ()).headers == "\n"


def test_types_tags_and_beginnings_of_names() -> None:
    assert "/* A type. */\ntypedef uint32_t vec" in text("void f(two x)\n{\n}\n")
    assert "} all = {" in text("void f(const struct tables *t)\n{\n}\n")
    assert "joined_2" in text("void f(void)\n{\n    joined(0, 1);\n}\n")


def test_roots() -> None:
    code = "static void f(void)\n{\n    other(1);\n}\nstatic void g(void)\n{\n}\n"
    assert text(code).strip() == ""
    assert "uint32_t other(" in text(code, "f")
    assert "void g" not in text(code, "f")
    assert "int x;" in text("int x;\n")


def test_what_only_conditional_text_calls_may_be_unused() -> None:
    """A compiler that does not see the call warns."""
    inside = "void f(void)\n{\n#if defined(__A__)\n    other(1);\n#endif\n}\n"
    assert "__attribute__((unused)) static inline uint32_t other" in text(inside)
    apart = "static __attribute__((noinline)) int f_(int x)\n{\n    return x;\n}\n" + inside.replace(
        "other", "f_"
    )
    assert "__attribute__((unused)) static __attribute__((noinline)) int f_" in text(apart)
    assert "unused" not in text(inside + "void g(void)\n{\n    other(2);\n}\n")


def test_the_same_twice_is_written_once() -> None:
    assert used(HELPERS + HELPERS + "two x;\n", ()).text.count("typedef uint32_t vec") == 1


def test_constant_conditions() -> None:
    given = """\
#if 32 == 32 && 64 == 32 && defined(A)
one
#elif 32 == 32 && defined(B)
two
#elif 8 == 8
three
#else
four
#endif
#if 1 == 2
five
#if defined(C)
six
#endif
#elif 3 == 3
seven
#if defined(D)
eight
#elif 1 == 2
nine
#endif
#endif
#ifdef E
ten
#endif
"""
    assert (
        without_constant_conditions(given)
        == """\
#if defined(B)
two
#else
three
#endif
seven
#if defined(D)
eight
#endif
#ifdef E
ten
#endif
"""
    )
