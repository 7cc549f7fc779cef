"""C carried out as clang reads it gives what the compiled code gives, on known words and unknown ones."""

from __future__ import annotations

import ctypes
import random
from functools import cache

import pytest

from finalist.llvm.module import Module
from finalist.llvm.read import module
from finalist.llvm.tokens import NotReadError
from finalist.prove.bits import Bits, Word
from finalist.prove.compiled import representation
from finalist.prove.evaluate import Valuation
from finalist.prove.llvm import Execution
from finalist.prove.words import NotCoveredError, Words
from finalist.toolchain.compiler import load_shared_library
from tests.marks import needs_clang

#: What emitted code has to choose by.
MOVED = '__asm__("cmpl %2, %1\\n\\tcmove %3, %0" : "+r"(x) : "r"({}), "r"({}), "r"(a * 3) : "cc");'
#: A function of two words each; what C says of them is the compiler's to know.
FUNCTIONS = {
    "sums": "return a + b * 3u - (a ^ ~b);",
    "gates": "return (a & b) | (a & ~b) | (uint32_t)(b == a);",
    "shifts": "return (a << (b & 31)) ^ (a >> (~b & 31)) ^ (b << 5) ^ (a >> 31);",
    "rotations": "return ((a << (b & 31)) | (a >> (-b & 31))) + ((b << 7) | (b >> 25));",
    "bytes": "uint8_t x = (uint8_t)(a + 200u); x = (uint8_t)(x << 3); return x ^ (uint16_t)b;",
    "signs": "return (uint32_t)((int32_t)a >> 3) + (uint32_t)(int8_t)b + ((int32_t)a < (int32_t)b);",
    "compared": "return (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a != b) + 32 * !a;",
    "chosen": "return (a & 1 ? b : a + 1) ^ (b & 2 ? 0 : b) ^ (a > 9 && b & 1);",
    "wide": "const uint64_t p = (uint64_t)a * b; return (uint32_t)(p >> 32) ^ (uint32_t)p;",
    "twice as wide": "const twice p = (twice)a * ((uint64_t)b << 20); return (uint32_t)(p >> 40);",
    "table": "return T[a & 7] ^ T[(b >> 5) & 7];",
    "swapped": "return __builtin_bswap32(a) ^ __builtin_bswap32(b);",
    "divided": "return a / 8 + b % 4;",
    "loop": "for (int k = 0; k < 5; k++) { a = a * 5u + k; if (k == 3) a ^= b; } return a;",
    "array": "uint32_t x[4] = {a, b}; x[2] = x[0] + x[1]; memcpy(x + 3, x + 2, 4); return x[3] ^ x[1];",
    "stored": "uint32_t x[4] = {7, b}; x[a & 3] = a; x[b & 3] ^= x[a & 3]; return x[a >> 30] + x[1];",
    "set": "uint8_t x[8]; memset(x, (int)(a & 0xff), 8); uint32_t y; memcpy(&y, x + 1, 4); return y ^ b;",
    "struct": "pair p = {(uint8_t)a, b}; p = turned(p); return p.word + p.byte;",
    "called": "return helper(a, b) ^ helper(b, 1);",
    "lanes": "four x = {a, b, a + b, 1}; x = (x ^ x << 3) + (four){1, 2, 3, 4}; return x[0] ^ x[1] ^ x[2];",
    "hidden": 'uint32_t x = a; __asm__("" : "+r"(x)); return x + b;',
    "moved 1": f"uint32_t x = b + 7; {MOVED.format('a', 'b')} return x + b;",
    "moved 2": f"uint32_t x = b + 7; {MOVED.format('a & 3', 'b & 3')} return x + b;",
    "recast": "four x = {a, b, 0, 7}; bytes y = (bytes)x + 1; x = (four)y; return x[0] - x[1] + y[15];",
}
HEAD = """
#include <stdint.h>
#include <string.h>
typedef struct { uint8_t byte; uint32_t word; } pair;
typedef unsigned __int128 twice;
typedef uint32_t four __attribute__((vector_size(16)));
typedef uint8_t bytes __attribute__((vector_size(16)));
static const uint32_t T[8] = {3, 1, 4, 1, 0xffffffff, 9, 2, 6};
static pair turned(pair p) { p.word = p.word << 1; p.byte++; return p; }
static uint32_t helper(uint32_t a, uint32_t b) { return a * 9u + b; }
"""
#: What a program whose branches and stores are the same for all inputs can't be.
OUTSIDE = {
    "if (a) b += T[1]; return b;": "a branch that depends on key or block",
    "uint32_t x[4] = {0}; x[a & 7] = b; return x[0];": "4 bytes at byte 16 of",
    "return T[a & 15];": "4 bytes at byte 32 of T",
    "return *(const uint32_t *)(uintptr_t)64;": "where no object is",
    "((uint32_t *)T)[1] = b; return a;": "a store to T, which is constant",
    "return a / 3;": "udiv by 3",
    "return a << (b & 32);": "shl by 32 bits or more",
    "return a >> b;": "lshr by 32 bits or more",
    "for (;;) a++;": "more than 4000000 instructions",
    "return external(a);": "no meaning of external",
}


def text(body: str) -> str:
    return f"{HEAD}uint32_t external(uint32_t);\nuint32_t f(uint32_t a, uint32_t b)\n{{ {body} }}\n"


@cache
def read(source: str) -> Module:
    return module(representation(source))


def carried_out(source: str, words: Words, a: Word, b: Word) -> Word:
    run = Execution(read(source), words)
    try:
        made = run.call("f", [a, b])
    except NotCoveredError as error:
        raise NotCoveredError(f"line {run.line}: {error}") from error
    assert not isinstance(made, list) and made is not None
    return made


@needs_clang
@pytest.mark.parametrize("name", FUNCTIONS)
def test_against_compiled_code(name: str) -> None:
    source, draw = text(FUNCTIONS[name]), random.Random(name)
    compiled = load_shared_library(source.replace("uint32_t external(uint32_t);", ""), name="f").f
    compiled.argtypes, compiled.restype = [ctypes.c_uint32] * 2, ctypes.c_uint32
    words = Words()
    pair: tuple[Bits, Bits] = words.symbol("a", 32), words.symbol("b", 32)
    unknown = carried_out(source, words, *pair)
    for _ in range(6):
        a, b = draw.getrandbits(32), draw.choice([draw.getrandbits(32), draw.randrange(9), 0])
        assert carried_out(source, words, a, b) == compiled(a, b)
        assert Valuation(words, {"a": a, "b": b}).word(unknown) == compiled(a, b)


@needs_clang
@pytest.mark.parametrize("body", OUTSIDE)
def test_where_it_ends(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the line of the C text."""
    monkeypatch.setattr("finalist.prove.llvm.LIMIT", 4000)
    words = Words()
    message = OUTSIDE[body].replace("4000000", "4000")
    with pytest.raises(NotCoveredError, match=rf"^line {text(body).count(chr(10))}: .*{message}"):
        carried_out(text(body), words, words.symbol("a", 32), words.symbol("b", 32))


@needs_clang
def test_assembly_is_not_read() -> None:
    with pytest.raises(NotReadError, match=r"assembly .*bswap"):
        read(text('uint32_t x; __asm__("bswap %0" : "=r"(x) : "0"(a)); return x;'))
    with pytest.raises(NotReadError, match=r"assembly .*cmovb"):
        read(text(f"uint32_t x = a; {MOVED.format('a', 'b').replace('cmove', 'cmovb')} return x;"))


@needs_clang
def test_what_nothing_has_set_is_not_known() -> None:
    words = Words()
    first = carried_out(text("uint32_t x[2]; x[1] = 1; return x[0];"), words, 0, 0)
    again = carried_out(text("uint32_t x; return x;"), words, 0, 0)
    assert not isinstance(first, int) and not isinstance(again, int)


@needs_clang
def test_addresses_that_depend_on_inputs() -> None:
    words = Words()
    run = Execution(read(text(FUNCTIONS["table"])), words)
    run.call("f", [words.symbol("a", 32), 0])
    assert run.leaks.label == "table lookups"
    run = Execution(read(text("uint32_t x[4]; x[a & 3] = b; return b;")), words)
    run.call("f", [words.symbol("a", 32), 0])
    assert run.leaks.label == "table lookups"
    run = Execution(read(text(FUNCTIONS["sums"])), words)
    run.call("f", [words.symbol("a", 32), 0])
    assert run.leaks.label == "constant-time"
