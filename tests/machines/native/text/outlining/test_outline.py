"""What stands several times stands once, and computes what it did."""

from __future__ import annotations

import ctypes
import random
import re

import pytest

from finalist.machines.native.text.outlining.outline import outlined
from finalist.toolchain import compiler
from tests.marks import needs_compiler

HEAD = """\
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t rounds[64];
} x_key;

static const uint32_t S[4] = {
    0x1, 0x20, 0x300, 0x4000};

"""
SET_UP = "static void x_expand_key_{bits}(const uint8_t *key, x_key *k)\n{{\n{body}}}\n"


def file(*bodies: str) -> str:
    """A file with key set-ups of these statements, for 8, 16, ... bits."""
    texts = ("".join(f"    {line}\n" for line in body.strip().splitlines()) for body in bodies)
    set_ups = (SET_UP.format(bits=8 * n, body=body) for n, body in enumerate(texts, start=1))
    return HEAD + "\n".join(set_ups)


def round_of(value: str, first: int, place: int, by: int = 7) -> str:
    """Six statements that take ``value`` and write to a place; their names begin with a number."""
    t = [f"t{first + n}" for n in range(6)]
    return f"""\
const uint32_t {t[0]} = ({value} << {by}) | ({value} >> {32 - by});
const uint32_t {t[1]} = {t[0]} ^ S[{value} & 3u];
const uint32_t {t[2]} = {t[1]} + k->rounds[{place}];
const uint32_t {t[3]} = ({t[2]} >> 3) ^ {t[0]};
k->rounds[{place}] = {t[3]};
const uint32_t {t[4]} = {t[3]} * 0x9e3779b9u;
const uint32_t {t[5]} = {t[4]} ^ {t[1]};
"""


def start() -> str:
    return "const uint32_t k0 = key[0];\n"


def parts(text: str) -> list[str]:
    """The functions that were made."""
    return re.findall(r"^static [^\n]*x_part_\d+\([^)]*\)\n\{\n.*?^\}\n", text, re.MULTILINE | re.DOTALL)


def test_equal_sequences_with_other_names_are_one_function() -> None:
    text = file(start() + round_of("k0", 0, 3) + round_of("t5", 6, 3) + "k->rounds[0] = t11;")
    made = outlined(text, "x")
    assert len(parts(made)) == 1 and made.count("x_part_1(") == 3 and len(made) < len(text)
    assert "const uint32_t t5 = x_part_1(k, k0);" in made
    assert "const uint32_t t11 = x_part_1(k, t5);" in made


@needs_compiler
@pytest.mark.parametrize(
    ("macro", "helper"),
    [
        ("", "static inline uint32_t turned(uint32_t x)\n{\n    return (x << 9) | (x >> 23);\n}\n"),
        ("", "#define turned(x) (((x) << 9) | ((x) >> 23))\n"),
        (
            "",
            "__attribute__((unused)) static uint32_t turned(uint32_t x)\n{\n    return x + (x << 9);\n}\n",
        ),
        (
            "#define ALWAYS __attribute__((always_inline)) static inline\n",
            "ALWAYS uint32_t turned(uint32_t x)\n{\n    return (x << 9) | (x >> 23);\n}\n",
        ),
        (
            "#define turned(x) \\\n    rolled((x) + 1u)\n",
            "static inline uint32_t rolled(uint32_t x)\n{\n    return (x << 9) | (x >> 23);\n}\n",
        ),
    ],
)
def test_a_function_stands_behind_what_it_calls(macro: str, helper: str) -> None:
    """Which may be defined behind the first of the functions that have any made of them; a macro in its place
    as well (MAGENTA's library was not compiled), and what a macro calls (Triple DES's was not); and whatever
    is said of it first (Kuznyechik's and RC2's were not)."""
    first, second = (file(start() + round_of("k0", 0, 3) + round_of("t5", 6, 3)), start())
    for number in range(2):
        second += round_of(f"t{6 * number - 1}" if number else "k0", 6 * number, 5).replace(
            "+ k->", "+ turned(7u) + k->"
        )
    own = "".join(f"    {line}\n" for line in second.strip().splitlines())
    made = outlined(f"{macro}\n{first}\n{helper}\n{SET_UP.format(bits=16, body=own)}", "x")
    (with_helper,) = (part for part in parts(made) if "turned(" in part)
    assert made.index(helper) < made.index(with_helper)
    assert len(parts(made)) == 2 and made.index(parts(made)[0]) < made.index("x_expand_key_8(")
    compiler.load_shared_library(made, name="outlined")


@needs_compiler
def test_a_function_stands_before_what_calls_it() -> None:
    """Also where it has attributes, as a function behind those that call it has."""
    kernel = (
        "static inline __attribute__((always_inline)) void x_decrypt_1(const x_key *k, uint32_t *out)\n"
        "{\n    out[0] = k->rounds[0];\n}\n"
    )
    text = file(start() + round_of("k0", 0, 3) + round_of("t5", 6, 3))
    made = outlined(f"{text}\n{kernel}", "x", inlined=True)
    (part,) = parts(made)
    assert part.startswith("static inline __attribute__((always_inline))")
    assert made.index(part) < made.index("x_expand_key_8(") < made.index("x_decrypt_1(")
    compiler.load_shared_library(made, name="outlined")


def test_numbers_that_differ_are_parameters_and_those_a_step_apart_are_one() -> None:
    text = file(start() + round_of("k0", 0, 3) + round_of("t5", 6, 9) + "k->rounds[0] = t11;")
    (part,) = parts(outlined(text, "x"))
    assert part.startswith("static uint32_t x_part_1(x_key *k, uint32_t k0, uint32_t v0)\n")
    two = round_of("t5", 6, 9).replace("k->rounds[9] =", "k->rounds[12] =")
    one = round_of("k0", 0, 3).replace("k->rounds[3] =", "k->rounds[6] =")
    (part,) = parts(outlined(file(start() + one + two + "k->rounds[0] = t11;"), "x"))
    assert "k->rounds[(v0 + 3u)] = t" in part and "v1" not in part


@pytest.mark.parametrize(("bits", "given"), [(8, False), (16, False), (32, True)])
def test_numbers_beside_narrow_lanes_are_no_parameters(bits: int, given: bool) -> None:
    """As a variable of 32 bits a number would not be converted to lanes of fewer."""
    vectors = f"typedef uint{bits}_t vec __attribute__((vector_size(32)));\n"
    masks = [(1, 2, 4, 8), (16, 32, 64, 128)]
    bodies = [
        "const vec t0 = vec_load(key);\n"
        + "".join(f"const vec t{n + 1} = (t{n} & {mask}u) + (t{n} >> 3);\n" for n, mask in enumerate(own * 4))
        + "vec_store(k->rounds, t16);"
        for own in masks
    ]
    made = outlined(vectors + file(*bodies), "x")
    assert ("uint32_t v0" in made) == given


def test_a_tail_that_key_set_ups_have_in_common_is_one_function() -> None:
    tail = round_of("t90", 0, 1) + round_of("t5", 6, 2).replace("*", "+") + "k->rounds[0] = t11;"
    other = start() + "const uint32_t k1 = key[1];\nconst uint32_t t90 = k0 | (k1 << 8);\n" + tail
    made = outlined(file(start() + "const uint32_t t90 = k0;\n" + tail, other), "x")
    assert len(parts(made)) == 1 and len(re.findall(r"^    x_part_1\(k, ", made, re.MULTILINE)) == 2


def test_sequences_that_are_wired_differently_are_not_one() -> None:
    """The same operations, but one of them takes another value: a planted fault."""
    wrong = round_of("t5", 6, 3).replace("t10 ^ t7", "t10 ^ t6")
    made = outlined(file(start() + round_of("k0", 0, 3) + wrong + "k->rounds[0] = t11;"), "x")
    assert all("* 0x9e3779b9u;\n    const uint32_t t5" not in part for part in parts(made))
    assert "t10 ^ t6" in made or "t6" in "".join(re.findall(r"x_part_\d+\([^)]*t6[^)]*\)", made))


def test_a_value_that_is_used_later_is_not_lost() -> None:
    three = round_of("k0", 0, 3) + round_of("t5", 6, 3) + round_of("t11", 12, 3)
    made = outlined(file(start() + three + "k->rounds[1] = t17 ^ t1;\nk->rounds[2] = t7 ^ t13;"), "x")
    (part,) = parts(made)
    assert "uint32_t *r1" in part and "*r1 = t5;\n    return t1;" in part
    for first, taken, last in (("t1", "k0", "t5"), ("t7", "t5", "t11"), ("t13", "t11", "t17")):
        assert f"uint32_t {last};\n    const uint32_t {first} = x_part_1(k, {taken}, &{last});" in made


def test_a_store_between_reads_stays_between_them() -> None:
    """A read before a write and one behind it are equal texts, and not the same value."""
    body = "".join(
        f"const uint32_t t{2 * n} = k->rounds[5];\nk->rounds[5] = t{2 * n} + 0x1234567u;\n"
        f"const uint32_t t{2 * n + 1} = k->rounds[5];\nk->rounds[{n}] = t{2 * n} ^ t{2 * n + 1};\n"
        for n in range(6)
    )
    (part, *_) = parts(outlined(file(body), "x"))
    lines = [line.strip() for line in part.splitlines()]
    reads = [n for n, line in enumerate(lines) if line.endswith("= k->rounds[5];")]
    write = next(n for n, line in enumerate(lines) if line.startswith("k->rounds[5] = "))
    assert len(reads) == 2 and reads[0] < write < reads[1]


@pytest.mark.parametrize(
    "body", ["k->rounds[0] = 1u;\nk->rounds[1] = 2u;", "const uint32_t t0 = key[0];\nk->rounds[0] = t0;"]
)
def test_nothing_is_made_that_would_be_longer(body: str) -> None:
    text = file(body, body)
    assert outlined(text, "x") == text


def test_what_is_not_understood_is_left_where_it_is() -> None:
    odd = '__asm__ volatile("" : : "r"(k) : "memory");\n'
    text = file(start() + round_of("k0", 0, 3) + odd + round_of("t5", 6, 3) + odd + "k->rounds[0] = t11;")
    made = outlined(text, "x")
    assert made.count("__asm__") == 2 and "__asm__" not in "".join(parts(made))


def filled(number: int) -> str:
    """An array, filled by a loop."""
    return (
        f"uint32_t array{number}[9];\n"
        f"for (uint32_t i{number} = 0u; i{number} < 9u; i{number}++) {{\n"
        f"    const uint32_t t{number} = k0 + i{number};\n"
        f"    array{number}[i{number}] = t{number} ^ 0x55u;\n}}\n"
    )


def copied(number: int) -> str:
    """What asks for the size of an array."""
    return f"memcpy(k->rounds, array{number}, sizeof array{number});\n"


def test_an_array_is_declared_where_all_that_names_it_is() -> None:
    within = "".join(filled(n) + copied(n) for n in range(3))
    assert "uint32_t array0[9];" in "".join(parts(outlined(file(start() + within), "x")))
    outside = "".join([*map(filled, range(3)), *map(copied, range(3))])
    made = outlined(file(start() + outside), "x")
    assert "[9]" not in "".join(parts(made)) and len(re.findall(r"array\d\[9\]", made)) == 3


def test_functions_that_the_compiler_makes_part_of_others_say_so() -> None:
    three = round_of("k0", 0, 3) + round_of("t5", 6, 3) + round_of("t11", 12, 3)
    (part,) = parts(outlined(file(start() + three + "k->rounds[0] = t17;"), "x", inlined=True))
    assert part.startswith("static inline __attribute__((always_inline)) uint32_t x_part_1(")


# -- random programs -----------------------------------------------------------------------------------


def random_body(seed: int) -> str:
    """Straight lines and loops in which some blocks of statements stand again and again."""
    draw, names, lines, number = random.Random(seed), ["k0"], [start()], 0
    kinds = [draw.randrange(1 << 30) for _ in range(3)]
    for turn in range(14):
        shape, own, fresh = random.Random(draw.choice(kinds)), [draw.choice(names) for _ in range(3)], []
        for _ in range(shape.randrange(3, 9)):
            number += 1
            a, b = (shape.choice([*own, *fresh][-5:] if fresh else own) for _ in range(2))
            form = shape.choice(
                [
                    "{a} ^ {b}",
                    "{a} + {b} * {c}u",
                    "({a} << 5) | ({b} >> {s})",
                    "S[{a} & 3u] ^ {b}",
                    "k->rounds[{p}] + {a}",
                ]
            )
            text = form.format(a=a, b=b, c=draw.randrange(9), s=shape.randrange(1, 31), p=draw.randrange(64))
            lines.append(f"const uint32_t t{number} = {text};\n")
            fresh.append(f"t{number}")
            if shape.random() < 0.3:
                lines.append(f"k->rounds[{draw.randrange(64)}] = t{number};\n")
        names += draw.sample(fresh, min(2, len(fresh)))
        if turn % 4 == 0:
            value = draw.choice(fresh)
            lines.append(
                f"uint32_t c{turn} = {value};\nuint32_t array{turn}[5];\n"
                f"for (uint32_t i{turn} = 0u; i{turn} < 5u; i{turn}++) {{\n"
                f"    const uint32_t u{turn} = c{turn} * 0x10001u + i{turn};\n"
                f"    array{turn}[i{turn}] = u{turn};\n"
                f"    k->rounds[i{turn} + 7u] = c{turn};\n    c{turn} = u{turn} ^ (u{turn} >> 9);\n}}\n"
                f"const uint32_t w{turn} = array{turn}[3];\n"
            )
            names += [f"c{turn}", f"w{turn}"]
    lines += [f"k->rounds[{n}] ^= 0u;\nk->rounds[{n + 1}] = {name};\n" for n, name in enumerate(names[-20:])]
    return "".join(lines)


@needs_compiler
@pytest.mark.parametrize("part", range(3))
@pytest.mark.every(3)
def test_random_programs_compute_what_they_did(part: int) -> None:
    programs = [file(random_body(seed), random_body(seed + 1000)) for seed in range(part, 12, 3)]
    changed = 0
    texts = []
    for number, text in enumerate(programs):
        for inlined in (False, True):
            made = outlined(text, "x", inlined=inlined)
            changed += made != text
            texts += [_named(text, f"a{number}_{inlined:d}"), _named(made, f"b{number}_{inlined:d}")]
    assert changed >= 6
    library = compiler.load_shared_library("\n".join(texts), name="outlined", flags=("-O1",))
    for number in range(len(programs)):
        for inlined in (False, True):
            for bits in (8, 16):
                for byte in (0, 1, 200):
                    results = [_run(library, f"{which}{number}_{inlined:d}_{bits}", byte) for which in "ab"]
                    assert results[0] == results[1], (number, inlined, bits, byte)


def _named(text: str, name: str) -> str:
    """The text with names of its own, its set-ups for others to call."""
    own = text.replace("x_", f"{name}_").replace("S[", f"S_{name}[")
    calls = (
        f"void {name}_{bits}(const uint8_t *key, void *k)\n{{\n    {name}_expand_key_{bits}(key, k);\n}}\n"
        for bits in (8, 16)
    )
    return own + "\n" + "\n".join(calls)


def _run(library: ctypes.CDLL, name: str, byte: int) -> bytes:
    key, k = (
        ctypes.create_string_buffer(bytes([byte, 7])),
        ctypes.create_string_buffer(bytes(range(256)), 256),
    )
    getattr(library, name)(key, k)
    return k.raw
