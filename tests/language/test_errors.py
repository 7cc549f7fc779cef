"""Every misuse of the language is refused with the definition's own line and with what is accepted."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from finalist.ciphers import catalogue
from finalist.errors import DefinitionError
from finalist.ir.types import WordType
from finalist.language import (
    Array,
    Cipher,
    LinearMap,
    Table,
    bit_permutation,
    constant,
    gf_matrix,
    join,
    loop,
    mulhi,
    rol,
    ror,
    rounds,
    select,
    tabulate,
    u32,
    when,
    words,
)
from tests.language.toy import toy, traced

S = Table([3, 1, 0, 2], name="S")
BYTE = Table(range(256), name="BYTE")

Body = Callable[[Any, Any], Any]
CASES: list[tuple[Body, str]] = []


def misuse(message: str) -> Callable[[Body], Body]:
    """An `encrypt` that must be refused with this text at its line marked with an arrow."""

    def add(body: Body) -> Body:
        CASES.append((body, message))
        return body

    return add


# -- words ------------------------------------------------------------------------------------------


@misuse("words of 32 and 8 bits; accepted: equal widths")
def widths_differ(block, keys):
    return block[0] + block[1][0:8]  # <-


@misuse("words of 8 and 32 bits; accepted: equal widths")
def compared_widths_differ(block, keys):
    return block[0] > block[1][0:8]  # <-


@misuse("no truth value while the definition is traced; use select() or when()")
def if_word(block, keys):
    if block[0]:  # <-
        return block
    return None


@misuse("use select() or when()")
def and_of_comparisons(block, keys):
    return block[0] == block[1] and block[2]  # <-


@misuse("use select() or when()")
def word_in_list(block, keys):
    return block[0] in block[1:]  # <-


@misuse("no Python index; use a Table or an Array")
def list_at_word(block, keys):
    return block[block[0]]  # <-


@misuse("no Python index; use a Table or an Array")
def range_of_word(block, keys):
    return [block[0] for _ in range(block[1])]  # <-


@misuse("no Python index")
def int_of_word(block, keys):
    return int(block[0])  # <-


@misuse("no sequence; use .bytes() or x[lo:hi]")
def loop_over_word(block, keys):
    return [bit for bit in block[0]]  # <-  # noqa: C416


@misuse("constant 0x100000000 does not fit a word of 32 bits")
def constant_too_big(block, keys):
    return block[0] + 2**32  # <-


@misuse("does not fit a word of 32 bits")
def constant_too_negative(block, keys):
    return block[0] & -(2**31) - 1  # <-


@misuse("True is no word; accepted: a word of 32 bits or an integer")
def truth_value_as_word(block, keys):
    return block[0] ^ True  # <-


@misuse("1.5 is no word; accepted: a word of 32 bits or an integer")
def float_as_word(block, keys):
    return 1.5 + block[0]  # <-


@misuse("'key' can't be compared with a word")
def compared_with_text(block, keys):
    return block[0] == "key"  # <-


@misuse("constant 0x100 does not fit a word of 8 bits")
def constant_of_too_few_bits(block, keys):
    return constant(256, 8)  # <-


@misuse("a word has 1 to 64 bits, not 65")
def constant_of_65_bits(block, keys):
    return constant(1, 65)  # <-


@misuse("a word has 1 to 64 bits, not 0")
def constant_of_no_bits(block, keys):
    return constant(0, 0)  # <-


@misuse("a word of 32 bits, where a constant of 16 bits is wanted")
def constant_of_a_word(block, keys):
    return constant(block[0], 16)  # <-


@misuse("shl of 32 bits by 32; accepted: 0 to 31")
def shift_by_the_width(block, keys):
    return block[0] << 32  # <-


@misuse("shr of 32 bits by -1; accepted: 0 to 31")
def shift_by_less_than_nothing(block, keys):
    return block[0] >> -1  # <-


@misuse("rol of 8 bits by 8; accepted: 0 to 7")
def rotation_by_the_width(block, keys):
    return rol(block[0][0:8], 8)  # <-


@misuse("ror by 1.5; accepted: an integer or a word")
def rotation_by_a_float(block, keys):
    return ror(block[0], 1.5)  # <-


@misuse("rol of 5; accepted: a word")
def rotation_of_an_integer(block, keys):
    return rol(5, block[0])  # <-


@misuse("mulhi of 5; accepted: a word")
def product_of_an_integer(block, keys):
    return mulhi(5, block[0])  # <-


@misuse("bits 24:40 of a word of 32 bits; accepted: 0 <= lo < hi <= width")
def bits_past_the_end(block, keys):
    return block[0][24:40]  # <-


@misuse("accepted: 0 <= lo < hi <= width")
def no_bits(block, keys):
    return block[0][8:8]  # <-


@misuse("accepted: 0 <= lo < hi <= width")
def last_bit_counted_from_the_end(block, keys):
    return block[0][-1]  # <-


@misuse("bits are taken as x[lo:hi] with integers")
def every_second_bit(block, keys):
    return block[0][0:32:2]  # <-


@misuse("bits are taken as x[lo:hi] with integers")
def bit_at_a_word(block, keys):
    return block[0][block[1]]  # <-


@misuse("a word of 12 bits has no whole number of bytes")
def bytes_of_twelve_bits(block, keys):
    return block[0][0:12].bytes()  # <-


@misuse("extend to 16 bits; accepted: 32 to 64")
def extended_to_less(block, keys):
    return block[0].extend(16)  # <-


@misuse("join takes words of 64 bits together")
def joined_past_64_bits(block, keys):
    return join(*block)  # <-


@misuse("join takes words of 64 bits together")
def joined_to_one_bit_more(block, keys):
    return join(block[0], block[1], block[0][0:1])  # <-


@misuse("join takes words")
def joined_with_an_integer(block, keys):
    return join(block[0][0:8], 1)  # <-


@misuse("select takes a one-bit condition and two words of one width")
def select_by_a_word(block, keys):
    return select(block[0], block[1], block[2])  # <-


@misuse("select takes a one-bit condition and two words of one width")
def select_by_python_truth(block, keys):
    return select(True, block[1], block[2])  # <-


@misuse("select takes a one-bit condition and two words of one width")
def select_of_an_integer(block, keys):
    return select(block[0] == 0, 1, block[2])  # <-


@misuse("words have no division; accepted: x >> n for powers of two, x % y for the remainder, a Table")
def quotient(block, keys):
    return block[0] // 5  # <-


@misuse("words have no division")
def quotient_of_an_integer(block, keys):
    return 5 // block[0]  # <-


@misuse("words have no division")
def true_quotient(block, keys):
    return block[0] / block[1]  # <-


@misuse("words have no division")
def quotient_and_remainder(block, keys):
    return divmod(block[0], 3)  # <-


@misuse("words have no power; accepted: x * x, gf_multiply for constants, a Table of the powers")
def power(block, keys):
    return block[0] ** 2  # <-


@misuse("words have no power")
def power_of_an_integer(block, keys):
    return 45 ** block[0]  # <-


@misuse("words have no matrix product; accepted: gf_matrix(rows, polynomial)(a, b, ...)")
def matrix_product(block, keys):
    return block[0] @ block[1]  # <-


@misuse("a word is no float; accepted: integer arithmetic modulo 2^n")
def root(block, keys):
    return math.sqrt(block[0])  # <-


@misuse("a word has no len(); its bits are x.width, its bytes x.bytes()")
def length_of_a_word(block, keys):
    return len(block[0])  # <-


@misuse("a word is no sequence; use .bytes() or x[lo:hi]")
def word_backwards(block, keys):
    return list(reversed(block[0]))  # <-


@misuse("a word is no sequence to look into; use .bytes() or x[lo:hi]")
def bit_in_a_word(block, keys):
    return 1 in block[0]  # <-


@misuse("a word does not change; put a new one together with join(x[0:lo], new, x[hi:width])")
def bits_assigned(block, keys):
    block[0][0:8] = block[1][0:8]  # <-
    return block


@misuse("use select() or when()")
def chain_of_comparisons(block, keys):
    return 0 < block[0] < 5  # <-


@misuse("use select() or when()")
def least_of_two(block, keys):
    return min(block[0], block[1])  # <-


@misuse("a word is no Python index; use a Table or an Array (it has no value while the definition is traced")
def word_in_hex(block, keys):
    return hex(block[0])  # <-


@misuse("a word has no rotl; accepted: width, bytes(), extend(width), operators, rol, ror, mulhi")
def method_that_is_not_there(block, keys):
    return block[0].rotl(5)  # <-


@misuse("1.5 is no word; accepted: a word of 32 bits or an integer")
def product_with_a_float(block, keys):
    return block[0] * 1.5  # <-


@misuse("a word is no key of a dict and no member of a set; accepted: a list, a Table or an Array")
def word_in_a_set(block, keys):
    return {block[0]}  # <-


@misuse(" is given 4 words of 32 bits and 4 words of 32 bits")
def word_past_the_block(block, keys):
    return block[4]  # <-


@misuse(" is given 4 words of 32 bits and 4 words of 32 bits")
def block_of_fewer_words(block, keys):
    x, y = block  # <-
    return x, y


# -- tables, maps, keyed functions --------------------------------------------------------------------


@misuse("table S takes a word of 2 bits, not <word of 32 bits>")
def table_at_too_wide_a_word(block, keys):
    return S[block[0]]  # <-


@misuse("table BYTE takes a word of 8 bits, not 256")
def table_past_its_end(block, keys):
    return BYTE[256]  # <-


@misuse("table BYTE takes a word of 8 bits, not -1")
def table_before_its_start(block, keys):
    return BYTE[-1]  # <-


@misuse("table BYTE takes a word of 8 bits, not 'a'")
def table_at_text(block, keys):
    return BYTE["a"]  # <-


@misuse("table S takes 2 words of one width")
def too_few_planes(block, keys):
    return S.bitslice(block[0])  # <-


@misuse("table S takes 2 words of one width")
def planes_of_two_widths(block, keys):
    return S.bitslice(block[0], block[1][0:8])  # <-


@misuse("table S takes 2 words of one width")
def plane_that_is_no_word(block, keys):
    return S.bitslice(block[0], 3)  # <-


@misuse("a table of 3 entries; accepted: a power of two, 2 to 65536")
def table_of_three(block, keys):
    return Table([1, 2, 3])  # <-


@misuse("a table entry does not fit 2 bits")
def table_entry_too_big(block, keys):
    return Table([1, 2, 3, 4], width=2)  # <-


@misuse("a table entry does not fit")
def table_entry_negative(block, keys):
    return Table([1, -1])  # <-


@misuse("a word has 1 to 64 bits, not 65")
def table_too_wide(block, keys):
    return Table([1, 2], width=65)  # <-


@misuse("a word has 1 to 64 bits, not 70")
def table_entry_past_64_bits(block, keys):
    return Table([1, 1 << 69])  # <-


@misuse("a table holds integers, not 'a'")
def table_of_text(block, keys):
    return Table(["a", "b"])  # <-


@misuse("table T is no permutation")
def inverse_of_no_permutation(block, keys):
    return Table([0, 0]).inverse()  # <-


@misuse("this linear map takes words of [8, 8] bits")
def map_of_too_few_words(block, keys):
    return gf_matrix([[1, 2], [2, 1]], 0x11B)(block[0][0:8])  # <-


@misuse("a linear map gives 1 to 64 bits, not 72")
def map_too_wide(block, keys):
    return gf_matrix([[1] * 9] * 9, 0x11B)  # <-


@misuse("a linear map gives 8 bits, so 0x100 is none of its columns")
def column_too_wide(block, keys):
    return LinearMap([(1, 2, 0x100)], [8])  # <-


@misuse("a bit permutation takes source bits within one word of at most 64 bits")
def permutation_of_a_bit_that_is_not_there(block, keys):
    return bit_permutation([0, 2])  # <-


@misuse("a bit permutation takes source bits within one word of at most 64 bits")
def permutation_of_a_negative_bit(block, keys):
    return bit_permutation([0, -1])  # <-


@misuse("tabulate over 17 bits; accepted: 1 to 16")
def keyed_function_too_wide(block, keys):
    return tabulate(lambda x: x, 17)  # <-


@misuse("returned 5; accepted: one word")
def keyed_function_of_an_integer(block, keys):
    return tabulate(lambda x: 5, 8)  # <-


@misuse("this keyed function takes a word of 8 bits, not <word of 32 bits>")
def keyed_function_at_too_wide_a_word(block, keys):
    return tabulate(lambda x: x ^ 1, 8)[block[0]]  # <-


# -- arrays and control flow --------------------------------------------------------------------------


@misuse("an array of 0 words; accepted: 1 to 65536")
def array_of_nothing(block, keys):
    return Array(0, 32)  # <-


@misuse("an array of 2 words of 8 bits can't hold these 3 values")
def array_of_too_many(block, keys):
    return Array(2, 8, [1, 2, 3])  # <-


@misuse("can't hold")
def array_of_too_big(block, keys):
    return Array(2, 8, [1, 256])  # <-


@misuse("index 4 of an array of 4 words")
def array_past_its_end(block, keys):
    return Array(4, 32)[4]  # <-


@misuse("index -1 of an array of 4 words")
def array_before_its_start(block, keys):
    Array(4, 32)[-1] = block[0]  # <-


@misuse("a word of 8 bits into an array of 32-bit words")
def array_entry_too_narrow(block, keys):
    Array(4, 32)[0] = block[0][0:8]  # <-


@misuse("Array.holding takes at least one word, and words only")
def array_holding_nothing(block, keys):
    return Array.holding([])  # <-


@misuse("Array.holding takes at least one word, and words only")
def array_holding_an_integer(block, keys):
    return Array.holding([block[0], 5])  # <-


@misuse("a word of 8 bits into an array of 32-bit words")
def array_holding_words_of_two_widths(block, keys):
    return Array.holding([block[0], block[1][0:8]])  # <-


@misuse("rounds() inside rounds(), loop() or when()")
def rounds_in_rounds(block, keys):
    for _ in rounds(2):
        for _ in rounds(2):  # <-
            pass


@misuse("rounds() inside rounds(), loop() or when()")
def rounds_in_a_loop(block, keys):
    for _ in loop(0, 2):
        for _ in rounds(2):  # <-
            pass


@misuse("the bounds of a loop are words of 32 bits or integers")
def loop_to_a_byte(block, keys):
    for _ in loop(0, block[0][0:8]):  # <-
        pass


@misuse("this loop writes to no array, so it does nothing")
def loop_without_effect(block, keys):
    for _ in loop(0, 2):  # <-
        block[0] + 1
    return block


@misuse("this when writes to no array, so it does nothing")
def when_without_effect(block, keys):
    with when(block[0] == 0):  # <-
        block[0] + 1
    return block


@misuse("when() takes a one-bit word, such as a comparison")
def when_of_a_word(block, keys):
    with when(block[0]):  # <-
        pass


@misuse("when() takes a one-bit word, such as a comparison")
def when_of_python_truth(block, keys):
    with when(True):  # <-
        pass


@misuse("reads 'x' and rebinds it; what turns hand on must be in an Array")
def word_handed_on(block, keys):
    A, x = Array(4, 32), block[0]
    for i in loop(0, 4):  # <-
        A[i] = x ^ i
        x = x + 1
    return block


@misuse("reads 'x' and rebinds it")
def word_handed_on_by_invariant_work(block, keys):
    """Here the new value needs nothing of the turn, so it would be computed once and for all turns."""
    A, x = Array(4, 32), block[0]
    for i in loop(0, 4):  # <-
        x = x + 1
        A[i] = x
    return block


@misuse("reads 'total' and rebinds it")
def constant_handed_on(block, keys):
    A, total = Array(4, 32), constant(0, 32)
    for i in loop(0, 4):  # <-
        total = total + block[1]
        A[i] = total
    return block


@misuse("reads 'state[1]' and rebinds it")
def list_entry_handed_on(block, keys):
    A, state = Array(4, 32), [block[0], block[1]]
    for i in loop(0, 4):  # <-
        state[1] = state[1] + 1
        A[i] = state[1]
    return block


@misuse("made inside a loop() or when() is used outside of it")
def word_changed_under_a_condition(block, keys):
    A, x = Array(4, 32), block[0]
    with when(block[1] == 0):  # <-
        x = x + 1
        A[0] = x
    return [x, *block[1:]]


@misuse("made inside a loop() or when() is used outside of it")
def loop_index_used_afterwards(block, keys):
    A = Array(4, 32)
    for i in loop(0, 4):  # <-
        A[i] = i
    return [i, *block[1:]]


@misuse("made inside a loop() or when() is used outside of it")
def loop_value_used_afterwards(block, keys):
    A, x = Array(4, 32), block[0]
    for i in loop(0, 4):  # <-
        x = i + 1
        A[i] = x
    return [x, *block[1:]]


@misuse("made inside a loop() or when() is used outside of it")
def when_value_used_afterwards(block, keys):
    A = Array(4, 32)
    with when(block[0] == 0):  # <-
        x = A[1]
        A[0] = x
    return [x, *block[1:]]


@misuse("break or return inside loop()")
def break_in_a_loop(block, keys):
    A = Array(4, 32)
    for i in loop(0, 4):  # <-
        A[i] = i
        break
    return [A[0], *block[1:]]


@misuse("break or return inside loop()")
def return_in_a_loop(block, keys):
    A = Array(4, 32)
    for i in loop(0, 4):  # <-
        A[i] = block[0]
        return block
    return block


# -- Python's own errors ------------------------------------------------------------------------------


@misuse("ZeroDivisionError: ")
def division_by_zero(block, keys):
    return block[0] + 1 // 0  # <-


@misuse("IndexError: list index out of range")
def block_past_its_end(block, keys):
    return block[4]  # <-


@misuse("NameError: ")
def unknown_name(block, keys):
    return nothing  # <-  # noqa: F821


@misuse("JSONDecodeError: ")
def error_of_a_library(block, keys):
    import json

    return json.loads("?")  # <-


@misuse("StopIteration")
def iterator_at_its_end(block, keys):
    return next(iter([]))  # <-


@misuse("returned <word of 32 bits>; accepted: 4 words of 32 bits")  # <-
def too_few_words(block, keys):
    return block[0]


@misuse("accepted: 4 words of 32 bits")  # <-
def words_too_narrow(block, keys):
    return [x[0:8] for x in block]


@misuse("returned None; accepted: 4 words of 32 bits")  # <-
def nothing_returned(block, keys):
    block[0] + 1


@misuse("accepted: 4 words of 32 bits")  # <-
def integers_returned(block, keys):
    return [1, 2, 3, 4]


def arrow(function: Callable[..., Any]) -> str:
    """``file:line`` of the line with the arrow."""
    lines, first = inspect.getsourcelines(function)
    (number,) = [first + k for k, line in enumerate(lines) if "# <-" in line]
    return f"{__file__}:{number}"


def method(function: Body) -> type[Cipher]:
    """A cipher whose `encrypt` is this very function, so that its lines are the definition's."""
    members = {"encrypt": lambda self, block, keys: function(block, keys)}
    cipher = type("Misused", (toy(lambda block, keys: block),), members)
    cipher.encrypt.__wrapped__ = function  # type: ignore[attr-defined]
    return cipher


@pytest.mark.parametrize(("body", "message"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_misuse(body: Body, message: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        traced(method(body))
    text = str(caught.value)
    assert message in text
    assert text.startswith(arrow(body) + ": "), text


# -- the key schedule ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rubbish", [None, 5, [1, 2], "key", {1.5}, [[], [object()]]])
def test_key_schedule_that_returns_rubbish(rubbish: Any) -> None:
    def expand(key):
        return rubbish

    cipher = toy(lambda block, keys: block)
    cipher.expand_key = lambda self, key: expand(key)
    cipher.expand_key.__wrapped__ = expand  # type: ignore[attr-defined]
    with pytest.raises(DefinitionError, match="the key schedule returned") as caught:
        traced(cipher)
    assert "accepted: words, keyed functions and arrays in lists, tuples and dicts" in str(caught.value)
    assert str(caught.value).startswith(f"{__file__}:{inspect.getsourcelines(expand)[1]}: ")


def test_words_kept_aside_from_the_key_schedule() -> None:
    """They belong to another graph; only what expand_key returns is handed on."""
    kept = []

    def expand(key):
        kept[:] = [key[0] + 1]  # <-
        return key

    def encrypt(block, keys):
        return [block[0] + kept[0], *block[1:]]

    with pytest.raises(DefinitionError, match="only what expand_key returns") as caught:
        traced(toy(encrypt, expand))
    assert str(caught.value).startswith(f"{__file__}:")


def test_keyed_function_of_the_block() -> None:
    """What is declared to depend on the key alone must do so."""

    def encrypt(block, keys):
        f = tabulate(lambda x: x ^ block[1][0:8], 8)
        return [join(*(f[x] for x in block[0].bytes())), *block[1:]]  # <-

    with pytest.raises(DefinitionError, match="depends on the block") as caught:
        traced(toy(encrypt))
    assert str(caught.value).startswith(arrow(encrypt))


def test_keyed_function_that_reads_an_array_at_its_argument() -> None:
    def expand(key):
        A = Array(256, 8)
        return [tabulate(lambda x: A[x], 8)]  # <-

    with pytest.raises(DefinitionError, match="words of the key only") as caught:
        traced(toy(lambda block, keys: block, expand))
    assert str(caught.value).startswith(arrow(expand))


def test_key_that_is_no_whole_number_of_words() -> None:
    with pytest.raises(DefinitionError, match="56-bit keys are no whole number of words of 32 bits"):
        traced(toy(lambda block, keys: block, key_bits=(56,)))


def test_block_of_odd_words() -> None:
    with pytest.raises(DefinitionError, match="8, 16, 24, 32, 48 or 64 bits, not 12") as caught:
        words(4, WordType(12))  # <-
    assert str(caught.value).startswith(f"{__file__}:")


@pytest.mark.parametrize("count", [0, -1, 1.5, True])
def test_block_of_no_words(count: Any) -> None:
    with pytest.raises(DefinitionError, match="accepted: a positive number of words"):
        words(count, u32)


# -- outside of a definition --------------------------------------------------------------------------


def leaked() -> Any:
    """A word that has outlived its trace."""
    kept: list[Any] = []
    traced(toy(lambda block, keys: kept.extend(block) or block))
    return kept[0]


def outside() -> Iterator[Callable[[], Any]]:
    word = leaked()
    yield lambda: word + 1
    yield lambda: ~word
    yield lambda: BYTE[word[0:8]]
    yield lambda: BYTE[3]
    yield lambda: constant(1, 8)
    yield lambda: Array(4, 32)
    yield lambda: next(iter(rounds(3)))
    yield lambda: next(iter(loop(0, 3)))
    yield lambda: when(word == 0).__enter__()
    yield lambda: tabulate(lambda x: x, 8)


@pytest.mark.parametrize("use", list(outside()), ids=range(10))
def test_words_outside_of_a_trace(use: Callable[[], Any]) -> None:
    with pytest.raises(DefinitionError, match="words exist only while a definition is traced") as caught:
        use()
    assert str(caught.value).startswith(f"{__file__}:")


# -- definition files ---------------------------------------------------------------------------------

HEAD = "from finalist.language import *\n"
WHOLE = """
class Mine(Cipher):
    block = words(4, u32)
    key_bits = {bits}
    def expand_key(self, key): return key
    def encrypt(self, block, K): return block
"""
DECRYPT = "    def decrypt(self, block, K): return block\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = (", r":1: syntax error: "),
        ("import no_such_module_at_all", r":1: ModuleNotFoundError: "),
        ("x = 1", r"must define one Cipher; it defines none"),
        ("\n\nimport no_such_module_at_all", r":3: ModuleNotFoundError: "),
        (
            "\nfrom finalist.language import rotl",
            r":2: cannot import name 'rotl' from 'finalist.language'; accepted: BIG, .*rol, ror",
        ),
        ("\n1 / 0", r":2: ZeroDivisionError"),
        (HEAD + "T = Table([1, 2, 3])", r":2: a table of 3 entries; accepted"),
        (HEAD + "block = words(4, 12)", r":2: words of type 12; accepted: u8, u16, u24, u32, u48, u64"),
        (
            HEAD + "block = words(2, 32, LITTLE)",
            r":2: words of type 32; accepted: u8, u16, u24, u32, u48, u64",
        ),
        (HEAD + "block = words(2, u32, 'big')", r":2: words in the byte order 'big'; accepted: LITTLE, BIG"),
        (HEAD + WHOLE.format(bits="(128,)"), r":3: Mine must define decrypt"),
        (HEAD + WHOLE.format(bits="128") + DECRYPT, r":3: key_bits = 128; accepted: a tuple"),
        (HEAD + WHOLE.format(bits="(12,)") + DECRYPT, r":3: key_bits = \(12,\); accepted: a tuple"),
        (HEAD + "class Mine(Cipher): pass", r":2: Mine must declare block"),
    ],
)
def test_definition_files(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text)
    with pytest.raises(DefinitionError) as caught:
        catalogue.cipher(path)
    assert re.search(message, str(caught.value)), caught.value
    assert str(path) in str(caught.value)
