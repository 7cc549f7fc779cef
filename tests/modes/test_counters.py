"""Counter mode: where counters carry, wrap and end, and counters of any form."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import finalist
from finalist import MODE_CTR
from finalist.errors import CounterError, DataError, UsageError
from tests.marks import needs_compiler
from tests.modes.common import IV, KEY, encrypted, served

__all__ = ["served"]  # a fixture


def stream(counters: list[int]) -> bytes:
    """Key stream of counter blocks, one by one."""
    blocks = b"".join((counter % (1 << 128)).to_bytes(16, "big") for counter in counters)
    return encrypted(blocks)


class TestCounters:
    @pytest.mark.parametrize("start", [0, 255, 65534, 2**32 - 1, 2**63 - 1, 2**64 - 2, 2**96 - 1, 2**127 - 1])
    def test_carries(self, start: int) -> None:
        made = finalist.new("rc6", KEY, MODE_CTR, nonce=b"", initial_value=start)
        assert made.encrypt(bytes(16 * 5)) == stream([start + i for i in range(5)])

    def test_wraps(self) -> None:
        made = finalist.new("rc6", KEY, MODE_CTR, nonce=b"", initial_value=2**128 - 2)
        assert made.encrypt(bytes(16 * 4)) == stream([2**128 - 2, 2**128 - 1, 0, 1])

    @pytest.mark.parametrize("width", [1, 2, 7, 8, 9, 12])
    def test_wraps_within_its_own_bytes(self, width: int) -> None:
        nonce, last = bytes(range(1, 17 - width)), (1 << 8 * width) - 1
        made = finalist.new("rc6", KEY, MODE_CTR, nonce=nonce, initial_value=last - 1)
        head = int.from_bytes(nonce, "big") << 8 * width
        expected = stream([head + value for value in (last - 1, last, 0, 1)])
        assert made.encrypt(bytes(20)) + made.encrypt(bytes(44)) == expected

    def test_never_repeats(self) -> None:
        made = finalist.new("rc6", KEY, MODE_CTR, nonce=bytes(15), initial_value=200)
        with pytest.raises(CounterError, match="the counter of 1 bytes would repeat"):
            made.encrypt(bytes(16 * 256 + 1))
        assert len(made.encrypt(bytes(16 * 255 + 15))) == 16 * 255 + 15
        assert len(made.encrypt(b"a")) == 1
        with pytest.raises(CounterError, match="would repeat"):
            made.encrypt(b"a")
        assert made.encrypt(b"") == b""

    def test_initial_value_of_bytes(self) -> None:
        one = finalist.new("rc6", KEY, MODE_CTR, nonce=bytes(12), initial_value=b"\0\0\1\2")
        two = finalist.new("rc6", KEY, MODE_CTR, nonce=bytes(12), initial_value=258)
        assert one.encrypt(bytes(40)) == two.encrypt(bytes(40))

    @pytest.mark.parametrize("start", [0, 2**32 - 70, 2**64 - 70, 2**96 - 70, 2**128 - 70])
    def test_carries_in_long_messages(self, start: int) -> None:
        data = bytes(16 * 300 + 5)
        made = finalist.new("rc6", KEY, MODE_CTR, nonce=b"", initial_value=start)
        expected = stream([start + i for i in range(301)])
        assert made.encrypt(data) + made.encrypt(data[:11]) == expected

    @pytest.mark.parametrize("start", [0, 1, 200, 255])
    def test_a_counter_of_one_byte_to_its_end(self, start: int) -> None:
        nonce = bytes(range(1, 16))
        head = int.from_bytes(nonce, "big") << 8
        expected = stream([head + (start + i) % 256 for i in range(256)])
        made = finalist.new("rc6", KEY, MODE_CTR, nonce=nonce, initial_value=start)
        assert made.encrypt(bytes(16 * 256)) == expected
        made = finalist.new("rc6", KEY, MODE_CTR, nonce=nonce, initial_value=start)
        assert b"".join(made.encrypt(bytes(size)) for size in (3, 16 * 100, 16 * 156 - 4, 1)) == expected
        with pytest.raises(CounterError, match="would repeat"):
            made.encrypt(b"a")

    def test_its_end_is_an_overflow(self) -> None:
        made = finalist.new("rc6", KEY, MODE_CTR, nonce=bytes(15))
        with pytest.raises(OverflowError, match="would repeat"):
            made.encrypt(bytes(16 * 256 + 1))

    @needs_compiler
    @settings(deadline=None, max_examples=40)
    @given(
        st.lists(st.integers(0, 1500), max_size=8),
        st.sampled_from([0, 3, 2**32 - 9, 2**64 - 40, 2**128 - 90]),
    )
    def test_cuts_in_counter_mode(self, sizes: list[int], start: int) -> None:
        total = sum(sizes)
        whole = finalist.new("rc6", KEY, MODE_CTR, nonce=b"", initial_value=start).encrypt(bytes(total))
        made = finalist.new("rc6", KEY, MODE_CTR, nonce=b"", initial_value=start)
        assert b"".join(made.encrypt(bytes(size)) for size in sizes) == whole
        assert whole == stream([start + i for i in range(-(-total // 16))])[:total]


def fields(
    length: int, prefix: bytes = b"", suffix: bytes = b"", first: int = 1, little: bool = False
) -> Any:
    """What `Crypto.Util.Counter.new` of PyCryptodome returns."""
    return {
        "counter_len": length,
        "prefix": prefix,
        "suffix": suffix,
        "initial_value": first,
        "little_endian": little,
    }


def written(counter: Any, count: int) -> bytes:
    """The blocks of a counter, one by one."""
    order: Any = "little" if counter["little_endian"] else "big"
    length, first = counter["counter_len"], counter["initial_value"]
    numbers = [(first + i) % (1 << 8 * length) for i in range(count)]
    return b"".join(counter["prefix"] + n.to_bytes(length, order) + counter["suffix"] for n in numbers)


COUNTERS = [
    fields(16, first=2**128 - 3),
    fields(8, prefix=b"p" * 8, first=2**64 - 3),
    fields(8, prefix=b"p" * 8, first=2**64 - 3, little=True),
    fields(4, prefix=b"p" * 8, suffix=b"suff", first=2**32 - 3),
    fields(4, suffix=b"s" * 12, first=2**24 - 2, little=True),
    fields(16, first=2**64 - 3, little=True),
    fields(12, suffix=b"suff", first=2**64 - 2),
    fields(12, suffix=b"suff", first=2**96 - 2),
]


class TestCountersOfAnyForm:
    @pytest.mark.usefixtures("served")
    @pytest.mark.parametrize("counter", COUNTERS, ids=str)
    def test_fields(self, counter: Any) -> None:
        data = bytes(i % 251 for i in range(16 * 7 + 5))
        stream = encrypted(written(counter, 8))
        expected = bytes(a ^ b for a, b in zip(data, stream, strict=False))
        whole = finalist.new("rc6", KEY, MODE_CTR, counter=counter)
        assert whole.encrypt(data) == expected
        cut = finalist.new("rc6", KEY, MODE_CTR, counter=counter)
        assert b"".join(cut.decrypt(expected[i : i + 9]) for i in range(0, len(data), 9)) == data

    def test_the_nonce_is_what_the_block_begins_with(self) -> None:
        for little in (False, True):
            made = finalist.new("rc6", KEY, MODE_CTR, counter=fields(8, prefix=IV[:8], little=little))
            assert made.nonce == IV[:8]
        odd = finalist.new("rc6", KEY, MODE_CTR, counter=fields(4, prefix=IV[:8], suffix=IV[:4]))
        assert not hasattr(odd, "nonce")

    @pytest.mark.parametrize(
        "counter", [fields(1, bytes(15)), fields(1, bytes(14), b"s"), fields(1, bytes(15), little=True)]
    )
    def test_none_repeats(self, counter: Any) -> None:
        made = finalist.new("rc6", KEY, MODE_CTR, counter=counter)
        with pytest.raises(OverflowError, match="the counter of 1 bytes would repeat"):
            made.encrypt(bytes(16 * 256 + 1))
        assert len(made.encrypt(bytes(16 * 256))) == 16 * 256
        with pytest.raises(CounterError):
            made.encrypt(b"a")

    @pytest.mark.usefixtures("served")
    def test_functions(self) -> None:
        """PEP 272: a function that returns the next block."""
        blocks = [bytes([i]) * 16 for i in (7, 3, 200)]
        given = iter(blocks)
        made = finalist.new("rc6", KEY, MODE_CTR, counter=lambda: next(given))
        assert made.encrypt(bytes(20)) + made.encrypt(bytes(28)) == encrypted(b"".join(blocks))

    def test_a_function_may_come_back(self) -> None:
        """It is called while the object works; to wait there for its end would be for ever."""

        def counter() -> bytes:
            assert made.encrypt(b"") == b""
            return IV

        made = finalist.new("rc6", KEY, MODE_CTR, counter=counter)
        assert made.encrypt(bytes(16)) == encrypted(IV)

    @pytest.mark.parametrize("size", [0, 8, 15, 17])
    def test_functions_that_return_no_block(self, size: int) -> None:
        made = finalist.new("rc6", KEY, MODE_CTR, counter=lambda: bytes(size))
        with pytest.raises(DataError, match=f"counter returns {size} bytes; accepted: 16, a block"):
            made.encrypt(bytes(16))

    @pytest.mark.parametrize(
        ("counter", "said"),
        [
            (fields(15), "counter block of 15 bytes; accepted: 16"),
            (fields(17), "counter block of 17 bytes; accepted: 16"),
            (fields(0, bytes(16)), "counter_len 0"),
            (fields(2, bytes(14), first=1 << 16), "initial_value 65536"),
        ],
    )
    def test_fields_that_make_no_block(self, counter: Any, said: str) -> None:
        with pytest.raises(DataError, match=said):
            finalist.new("rc6", KEY, MODE_CTR, counter=counter)

    @pytest.mark.parametrize("counter", [{}, {"prefix": b""}, 3, b"counter", [1]])
    def test_what_is_no_counter(self, counter: Any) -> None:
        with pytest.raises(UsageError, match="counter"):
            finalist.new("rc6", KEY, MODE_CTR, counter=counter)

    @pytest.mark.parametrize("more", [{"nonce": bytes(8)}, {"initial_value": 0}])
    def test_it_says_all(self, more: Any) -> None:
        with pytest.raises(UsageError, match="counter says nonce and initial_value itself"):
            finalist.new("rc6", KEY, MODE_CTR, counter=fields(8, bytes(8)), **more)

    def test_a_short_block_has_no_safe_random_nonce(self) -> None:
        with pytest.raises(UsageError, match=r"nonce is missing: .*accepted: 0 to 7 bytes, or counter="):
            finalist.new("des", bytes(8), MODE_CTR)
