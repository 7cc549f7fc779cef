"""Messages that several threads work on come to what one thread makes of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import finalist
from finalist import MODE_CBC, MODE_CFB, MODE_CTR, MODE_ECB, MODE_OFB, modes
from finalist.engine import parts
from finalist.errors import CounterError, DataError, UsageError
from tests.marks import needs_compiler
from tests.modes.common import IV, KEY, served

__all__ = ["served"]  # a fixture

#: Bytes for each thread.
LEAST = 1 << 16
DATA = bytes(i * i % 251 for i in range(251)) * 2100  # half a megabyte, out of step with blocks
#: Modes, what they take for a block of so many bytes, and whether messages are whole blocks.
MODES: dict[str, tuple[int, Any, bool]] = {
    "ecb": (MODE_ECB, lambda block: {}, True),
    "cbc": (MODE_CBC, lambda block: {"iv": IV[:1] * block}, True),
    "cfb": (MODE_CFB, lambda block: {"iv": IV[:1] * block, "segment_size": 8 * block}, False),
    "cfb24": (MODE_CFB, lambda block: {"iv": IV[:1] * block, "segment_size": 24}, False),
    "ctr": (MODE_CTR, lambda block: {"nonce": b"", "initial_value": (1 << 8 * block - 40) - 700}, False),
}


def two(name: str, key: bytes, mode: str, threads: int) -> tuple[Any, Any]:
    """An object of one thread, and one of several."""
    number, options, _ = MODES[mode]
    block = finalist.new(name, key, MODE_ECB).block_size
    new: Any = finalist.new
    return tuple(new(name, key, number, threads=count, **options(block)) for count in (1, threads))


@needs_compiler
class TestEqual:
    @pytest.mark.every(2)
    @pytest.mark.parametrize("threads", [2, 3])
    @pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
    @pytest.mark.parametrize("mode", MODES)
    def test_around_the_least(self, mode: str, direction: str, threads: int) -> None:
        """On both sides of where another thread comes, in blocks and in bytes; a message after the other."""
        alone, together = two("rc6", KEY, mode, threads)
        whole = MODES[mode][2]
        for least in (LEAST, 2 * LEAST, 3 * LEAST):
            for more in (-16, 0, 16, *(() if whole else (-1, 1, 5, 21))):
                data = DATA[: least + more]
                expected = getattr(alone, direction)(data)
                assert getattr(together, direction)(data) == expected, (least, more)

    @pytest.mark.every(3)
    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize(
        ("name", "key"), [("des", 8), ("rijndael:block-bits=192", 16), ("rijndael:block-bits=256", 16)]
    )
    def test_other_blocks(self, name: str, key: int, mode: str) -> None:
        alone, together = two(name, bytes(range(key)), mode, 3)
        size = 200_000 // alone.block_size * alone.block_size
        for more in (0, *(() if MODES[mode][2] else (7, alone.block_size - 7))):
            assert together.decrypt(DATA[: size + more]) == alone.decrypt(DATA[: size + more])

    @pytest.mark.parametrize("mode", MODES)
    def test_in_place_and_misaligned(self, mode: str) -> None:
        alone, together = two("rc6", KEY, mode, 2)
        size = 14_000 * 16
        for source, target in [(0, 0), (1, 1), (13, 13), (3, size + 8), (size + 5, 0)]:
            memory = memoryview(bytearray(2 * size + 100))
            memory[source : source + size] = DATA[:size]
            assert together.decrypt(memory[source : source + size], memory[target : target + size]) is None
            assert memory[target : target + size] == alone.decrypt(DATA[:size])
            beside = bytes(memory[target + size :][:16]), bytes(memory[: target - size])
            assert not any(beside[0]) or source > target

    def test_both_directions_of_one_object(self) -> None:
        cipher = finalist.new("rc6", KEY, MODE_ECB, threads=2)
        for _ in range(2):
            secret = cipher.encrypt(DATA[: 4 * LEAST])
            assert cipher.decrypt(secret) == DATA[: 4 * LEAST]

    @settings(deadline=None, max_examples=60)
    @given(
        st.sampled_from(sorted(MODES)),
        st.integers(2, 5),
        st.integers(1, 9),
        st.lists(st.integers(0, 1200), min_size=1, max_size=4),
    )
    def test_cuts(self, mode: str, threads: int, grain: int, sizes: list[int]) -> None:
        """Very short shares and grains, so that messages are cut in every way there is."""
        with pytest.MonkeyPatch.context() as patched:
            for name, value in (("LEAST_A_THREAD", 1), ("_GRAIN_BYTES", 1), ("_GRAIN_BLOCKS", grain)):
                patched.setattr(parts, name, value)
            alone, together = two("rc6", KEY, mode, threads)
            for size in sizes:
                data = DATA[: size // 16 * 16 if MODES[mode][2] else size]
                place = bytearray(data)
                together.decrypt(place, place)
                assert place == alone.decrypt(data)


@needs_compiler
class TestCounters:
    @pytest.mark.parametrize("width", [2, 3, 4, 7, 8, 9, 12, 15, 16])
    @pytest.mark.parametrize("before", [1, 4095, 4096, 4097, 8191, 12000])
    def test_wraps_within_its_own_bytes(self, width: int, before: int) -> None:
        """The counter is zero again after so many blocks, within a share, at its end, or in the next one."""
        options: Any = {"nonce": bytes(range(1, 17 - width)), "initial_value": (1 << 8 * width) - before}
        alone = finalist.new("rc6", KEY, MODE_CTR, **options)
        together = finalist.new("rc6", KEY, MODE_CTR, threads=3, **options)
        for size in (200_001, 7, 140_000):
            assert together.encrypt(DATA[:size]) == alone.encrypt(DATA[:size])

    def test_never_repeats(self) -> None:
        options: Any = {"nonce": bytes(14), "initial_value": 40_000}
        cipher = finalist.new("rc6", KEY, MODE_CTR, threads=2, **options)
        alone = finalist.new("rc6", KEY, MODE_CTR, **options)
        whole = bytes(1 << 20)
        with pytest.raises(CounterError, match="the counter of 2 bytes would repeat"):
            cipher.encrypt(whole + b"a")
        assert cipher.encrypt(whole) == alone.encrypt(whole)
        with pytest.raises(CounterError, match="would repeat"):
            cipher.encrypt(b"a")

    def test_a_counter_of_fields_that_ends_the_block(self) -> None:
        fields = {
            "counter_len": 8,
            "prefix": b"p" * 8,
            "suffix": b"",
            "initial_value": 2**64 - 3000,
            "little_endian": False,
        }
        alone = finalist.new("rc6", KEY, MODE_CTR, counter=fields)
        together = finalist.new("rc6", KEY, MODE_CTR, counter=fields, threads=2)
        assert together.encrypt(DATA) == alone.encrypt(DATA)

    @pytest.mark.parametrize(("suffix", "little"), [(b"s", False), (b"", True)])
    def test_other_fields_are_for_one_thread(self, suffix: bytes, little: bool) -> None:
        """As in PyCryptodome `threads` is taken: it is how many at most."""
        fields = {
            "counter_len": 8,
            "prefix": bytes(8 - len(suffix)),
            "suffix": suffix,
            "initial_value": 1,
            "little_endian": little,
        }
        alone = finalist.new("rc6", KEY, MODE_CTR, counter=fields)
        assert finalist.new("rc6", KEY, MODE_CTR, counter=fields, threads=2).encrypt(DATA) == alone.encrypt(
            DATA
        )

    def test_functions_are_for_one_thread(self) -> None:
        blocks = iter(range(1 << 16))
        cipher = finalist.new(
            "rc6", KEY, MODE_CTR, counter=lambda: next(blocks).to_bytes(16, "big"), threads=2
        )
        alone = finalist.new("rc6", KEY, MODE_CTR, nonce=b"")
        assert cipher.encrypt(DATA) == alone.encrypt(DATA)


@needs_compiler
class TestCallers:
    def test_one_object_of_several_callers(self) -> None:
        """Callers of threads of their own, and an object that has several for each call."""
        data = DATA[: 3 * LEAST]
        cipher = finalist.new("rc6", KEY, MODE_ECB, threads=3)
        expected = finalist.new("rc6", KEY, MODE_ECB).encrypt(data)
        with ThreadPoolExecutor(4) as pool:
            assert all(made == expected for made in pool.map(cipher.encrypt, [data] * 40))

    def test_each_byte_of_a_key_stream_serves_once(self) -> None:
        cipher = finalist.new("rc6", KEY, MODE_CTR, nonce=b"", threads=2)
        sizes = [2 * LEAST + 17, 100, 3 * LEAST, 31] * 3
        with ThreadPoolExecutor(4) as pool:
            taken = list(pool.map(cipher.encrypt, map(bytes, sizes)))
        whole = finalist.new("rc6", KEY, MODE_CTR, nonce=b"").encrypt(bytes(sum(sizes)))
        places = sorted((whole.index(piece), len(piece)) for piece in taken)
        assert [at for at, _ in places] == list(accumulate((size for _, size in places[:-1]), initial=0))


class TestArgument:
    @pytest.mark.usefixtures("served")
    @pytest.mark.parametrize("mode", MODES)
    def test_short_messages(self, mode: str) -> None:
        alone, together = two("rc6", KEY, mode, 64)
        for size in (0, 16, 160):
            assert together.encrypt(DATA[:size]) == alone.encrypt(DATA[:size])

    @pytest.mark.parametrize("mode", [MODE_ECB, MODE_CBC, MODE_CFB, MODE_CTR])
    @pytest.mark.parametrize("threads", [-1, 65])
    def test_how_many(self, mode: int, threads: int) -> None:
        with pytest.raises(DataError, match=f"threads={threads}; accepted: how many at most, 1 to 64, or 0"):
            finalist.new("rc6", KEY, mode, threads=threads)

    @pytest.mark.parametrize("threads", [1.5, "2", None, True])
    def test_of_a_wrong_type(self, threads: Any) -> None:
        with pytest.raises(UsageError, match=r"threads is .*; accepted: int, how many at most"):
            finalist.new("rc6", KEY, MODE_CTR, threads=threads)

    @pytest.mark.parametrize(("processors", "threads"), [(1, 1), (3, 3), (200, 64)])
    def test_one_a_processor(self, processors: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(modes, "_processors", lambda: processors)
        shown = repr(finalist.new("rc6", KEY, MODE_CTR, threads=0))
        assert (f"threads: {threads}" in shown) is (threads > 1)
        assert finalist.new("rc6", KEY, MODE_OFB, threads=1).encrypt(b"a")

    def test_modes_without(self) -> None:
        with pytest.raises(UsageError, match="threads: OFB takes none"):
            finalist.new("rc6", KEY, MODE_OFB, threads=2)
        with pytest.raises(UsageError, match="threads: a stream cipher takes none"):
            finalist.new("rc4", KEY, threads=2)  # type: ignore[call-overload]
        assert finalist.new("rc6", KEY, MODE_OFB, threads=1).encrypt(b"a")

    def test_an_object_shows_them(self) -> None:
        for mode in (MODE_ECB, MODE_CBC, MODE_CFB, MODE_CTR):
            assert "threads: 2" in repr(finalist.new("rc6", KEY, mode, threads=2))
            assert "threads" not in repr(finalist.new("rc6", KEY, mode))
