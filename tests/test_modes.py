"""PEP 272 objects: NIST's own examples, the known answers, parts of messages, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import finalist
from finalist import MODE_CBC, MODE_CTR, MODE_ECB, api, notice
from finalist.ciphers.catalogue import cipher, cipher_names
from finalist.errors import DataError, FinalistError, KeyLengthError, UnknownNameError
from finalist.toolchain import compiler
from finalist.vectors.load import KnownAnswer, vectors_of

needs_compiler = pytest.mark.skipif(not compiler.available(), reason="needs a C compiler")

# NIST SP 800-38A, appendix F: one plaintext and one key of each length for all modes.
PLAINTEXT = bytes.fromhex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
KEYS = {
    128: "2b7e151628aed2a6abf7158809cf4f3c",
    192: "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
    256: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
}
IV = bytes(range(16))
COUNTER = bytes(range(0xF0, 0x100))
# F.2.1, F.2.3, F.2.5
CBC = {
    128: "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
    "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
    192: "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"
    "571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd",
    256: "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
    "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
}
# F.5.1, F.5.3, F.5.5
CTR = {
    128: "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
    "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
    192: "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
    "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
    256: "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
    "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
}
KEY = bytes(16)


@pytest.fixture(scope="class", params=[pytest.param("compiled", marks=needs_compiler), "interpreted"])
def served(request: pytest.FixtureRequest) -> Iterator[str]:
    """By compiled code, or by the interpreter where there is no compiler."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        if request.param == "interpreted":
            without_compiler(monkeypatch)
        yield request.param
    api._compiled.cache_clear()


def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/nonexistent")
    monkeypatch.setattr(notice, "_said", set())
    api._compiled.cache_clear()


def parts(data: bytes, sizes: list[int]) -> list[bytes]:
    cut, place = [], 0
    for size in sizes:
        cut.append(data[place : place + size])
        place += size
    return [*cut, data[place:]]


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("bits", [128, 192, 256])
class TestNist:
    def test_cbc(self, bits: int) -> None:
        key, expected = bytes.fromhex(KEYS[bits]), bytes.fromhex(CBC[bits])
        assert finalist.new("rijndael", key, MODE_CBC, iv=IV).encrypt(PLAINTEXT) == expected
        assert finalist.new("rijndael", key, MODE_CBC, IV=IV).decrypt(expected) == PLAINTEXT

    def test_ctr(self, bits: int) -> None:
        key, expected = bytes.fromhex(KEYS[bits]), bytes.fromhex(CTR[bits])
        for nonce in (b"", COUNTER[:5], COUNTER[:8], COUNTER[:15]):
            # With 15 bytes of nonce the four counters would have to carry into it, so only one fits.
            count = 16 if len(nonce) == 15 else 64
            made = finalist.new("rijndael", key, MODE_CTR, nonce=nonce, initial_value=COUNTER[len(nonce) :])
            assert made.encrypt(PLAINTEXT[:count]) == expected[:count]
        start = int.from_bytes(COUNTER, "big")
        back = finalist.new("rijndael", key, MODE_CTR, nonce=b"", initial_value=start)
        assert back.decrypt(expected) == PLAINTEXT


STREAMS = [name for name in cipher_names() if cipher(name).stateful]


def rows_of(name: str) -> list[KnownAnswer]:
    """The vectors of that key of the shortest length which has most."""
    of_key: dict[bytes, list[KnownAnswer]] = {}
    for row in vectors_of(cipher(name)):
        if len(row.key) * 8 == cipher(name).usual_key_bits():
            of_key.setdefault(row.key, []).append(row)
    return max(of_key.values(), key=len)


@pytest.mark.usefixtures("served")
class TestKnownAnswers:
    @pytest.mark.parametrize("name", STREAMS)
    def test_a_stream_in_parts(self, name: str) -> None:
        (row, *_) = vectors_of(cipher(name))
        for cut in (0, 1, len(row.plaintext)):
            for there, data, expected in (
                ("encrypt", row.plaintext, row.ciphertext),
                ("decrypt", row.ciphertext, row.plaintext),
            ):
                work = getattr(finalist.new(name, row.key), there)
                assert work(data[:cut]) + work(data[cut:]) == expected

    @pytest.mark.parametrize("name", ["blowfish", "des", "rc6", "rijndael"])
    def test_in_ecb(self, name: str) -> None:
        rows = rows_of(name)
        plain, secret = b"".join(r.plaintext for r in rows), b"".join(r.ciphertext for r in rows)
        assert finalist.new(name, rows[0].key, MODE_ECB).encrypt(plain) == secret
        assert finalist.new(name, rows[0].key, MODE_ECB).decrypt(secret) == plain


class TestObjects:
    def test_attributes(self) -> None:
        made: Any = finalist.new("twofish", bytes(24), MODE_CBC, IV=IV)
        assert (made.block_size, made.key_size, made.mode, made.iv, made.IV) == (16, 24, MODE_CBC, IV, IV)
        assert [finalist.new("rc6", KEY, mode).mode for mode in (MODE_ECB, MODE_CTR)] == [1, 6]

    def test_random_start(self) -> None:
        first: Any = finalist.new("rc6", KEY, MODE_CBC)
        second: Any = finalist.new("rc6", KEY, MODE_CBC)
        assert len(first.iv) == 16 and first.iv != second.iv
        one: Any = finalist.new("rc6", KEY, MODE_CTR)
        other: Any = finalist.new("rc6", KEY, MODE_CTR)
        assert len(one.nonce) == 8 and one.nonce != other.nonce

    @pytest.mark.parametrize("mode", [MODE_ECB, MODE_CBC, MODE_CTR])
    @pytest.mark.parametrize("first", ["encrypt", "decrypt"])
    @pytest.mark.parametrize("data", [bytes(16), b""])
    def test_one_direction(self, mode: int, first: str, data: bytes) -> None:
        made = finalist.new("rc6", KEY, mode)
        getattr(made, first)(data)
        getattr(made, first)(data)
        other = "decrypt" if first == "encrypt" else "encrypt"
        with pytest.raises(TypeError, match=rf"{other}\(\) after {first}\(\); accepted: one direction"):
            getattr(made, other)(data)

    def test_a_refused_call_decides_nothing(self) -> None:
        made = finalist.new("rc6", KEY, MODE_ECB)
        with pytest.raises(DataError):
            made.encrypt(b"no block")
        made.decrypt(bytes(16))

    @pytest.mark.parametrize("mode", [MODE_ECB, MODE_CBC, MODE_CTR])
    @pytest.mark.parametrize("kind", [bytearray, memoryview])
    def test_other_kinds_of_bytes(self, mode: int, kind: Any) -> None:
        options: dict[str, Any] = {MODE_CBC: {"iv": IV}, MODE_CTR: {"nonce": IV[:8]}}.get(mode, {})
        expected = finalist.new("rc6", KEY, mode, **options).encrypt(PLAINTEXT)
        given = {name: kind(value) for name, value in options.items()}
        got = finalist.new("rc6", kind(KEY), mode, **given).encrypt(kind(PLAINTEXT))
        assert got == expected
        assert type(got) is bytes


@pytest.mark.usefixtures("served")
class TestParts:
    """A message may come in parts; where it is cut makes no difference."""

    @pytest.mark.parametrize("sizes", [[0, 16], [16, 16], [48, 0], [16, 32]])
    @pytest.mark.parametrize("mode", [MODE_ECB, MODE_CBC])
    def test_blocks(self, mode: int, sizes: list[int]) -> None:
        options: dict[str, Any] = {"iv": IV} if mode == MODE_CBC else {}
        whole = finalist.new("rijndael", KEY, mode, **options).encrypt(PLAINTEXT)
        made = finalist.new("rijndael", KEY, mode, **options)
        assert b"".join(made.encrypt(part) for part in parts(PLAINTEXT, sizes)) == whole
        back = finalist.new("rijndael", KEY, mode, **options)
        assert b"".join(back.decrypt(part) for part in parts(whole, sizes)) == PLAINTEXT

    @pytest.mark.parametrize("sizes", [[1], [0, 15, 1], [17, 3, 0, 30], [1] * 40, [16, 16], [63]])
    def test_bytes_in_counter_mode(self, sizes: list[int]) -> None:
        whole = finalist.new("rijndael", KEY, MODE_CTR, nonce=IV[:8]).encrypt(PLAINTEXT)
        made = finalist.new("rijndael", KEY, MODE_CTR, nonce=IV[:8])
        assert b"".join(made.encrypt(part) for part in parts(PLAINTEXT, sizes)) == whole

    def test_many_blocks(self) -> None:
        data = bytes(i % 251 for i in range(16 * 19))
        one = finalist.new("rc6", KEY, MODE_ECB)
        each = b"".join(one.encrypt(data[i : i + 16]) for i in range(0, len(data), 16))
        assert finalist.new("rc6", KEY, MODE_ECB).encrypt(data) == each
        secret = finalist.new("rc6", KEY, MODE_CBC, iv=IV).encrypt(data)
        assert finalist.new("rc6", KEY, MODE_CBC, iv=IV).decrypt(secret) == data


def stream(counters: list[int]) -> bytes:
    """Key stream of counter blocks, one by one."""
    blocks = b"".join((counter % (1 << 128)).to_bytes(16, "big") for counter in counters)
    return finalist.new("rc6", KEY, MODE_ECB).encrypt(blocks)


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
        with pytest.raises(DataError, match="the counter of 1 bytes would repeat"):
            made.encrypt(bytes(16 * 256 + 1))
        assert len(made.encrypt(bytes(16 * 255 + 15))) == 16 * 255 + 15
        assert len(made.encrypt(b"a")) == 1
        with pytest.raises(DataError, match="would repeat"):
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
        with pytest.raises(DataError, match="would repeat"):
            made.encrypt(b"a")


DATA = bytes(i * i % 251 for i in range(6000))
MODES: dict[int, dict[str, Any]] = {MODE_ECB: {}, MODE_CBC: {"iv": IV}, MODE_CTR: {"nonce": IV[:15]}}


@needs_compiler
class TestSizes:
    """Short messages, long ones, and those between: by which program they are done makes no difference."""

    @pytest.mark.parametrize("name", ["rc6", "des"])
    @pytest.mark.parametrize("mode", MODES)
    def test_one_object_for_all_sizes(self, mode: int, name: str) -> None:
        size = cipher(name).block.bytes
        options: dict[str, Any] = {MODE_CBC: {"iv": IV[:size]}, MODE_CTR: {"nonce": b""}}.get(mode, {})
        key = bytes(cipher(name).usual_key_bits() // 8)
        counts = [1, 2, 3, 7, 8, 9, 63, 64, 65, 1, 129, 2, 0, 31, 100]
        data = DATA[: sum(counts) * size]
        whole = finalist.new(name, key, mode, **options).encrypt(data)
        there, back = finalist.new(name, key, mode, **options), finalist.new(name, key, mode, **options)
        pieces = parts(data, [count * size for count in counts])
        assert b"".join(map(there.encrypt, pieces)) == whole
        assert (
            b"".join(back.decrypt(piece) for piece in parts(whole, [count * size for count in counts]))
            == data
        )

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


def variants(data: bytes) -> list[Any]:
    """The same bytes as other objects, one of them in pieces."""
    spaced = bytearray(2 * len(data))
    spaced[::2] = data
    return [data, bytearray(data), memoryview(data), memoryview(bytearray(data)), memoryview(spaced)[::2]]


@pytest.mark.usefixtures("served")
class TestMemory:
    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize("size", [16, 1600])
    def test_from_anywhere_to_anywhere(self, served: str, mode: int, size: int) -> None:
        size = min(size, 32) if served == "interpreted" else size
        data = DATA[:size]
        expected = finalist.new("rc6", KEY, mode, **MODES[mode]).encrypt(data)
        for source in variants(data):
            assert finalist.new("rc6", KEY, mode, **MODES[mode]).encrypt(source) == expected
            target = bytearray(size)
            for place in (target, memoryview(bytearray(size + 7))[3 : size + 3]):
                made: Any = finalist.new("rc6", KEY, mode, **MODES[mode])
                assert made.encrypt(source, output=place) is None
                assert bytes(place) == expected

    @pytest.mark.parametrize("mode", MODES)
    def test_in_place(self, mode: int) -> None:
        """Also from the second call on, which takes another way through."""
        there, back = (finalist.new("rc6", KEY, mode, **MODES[mode]) for _ in range(2))
        memory = bytearray(DATA[:1600])
        for start, stop in ((0, 16), (16, 48), (48, 1600)):
            view = memoryview(memory)[start:stop]
            there.encrypt(view, output=view)
        assert bytes(memory) == finalist.new("rc6", KEY, mode, **MODES[mode]).encrypt(DATA[:1600])
        back.decrypt(memory, output=memory)
        assert bytes(memory) == DATA[:1600]

    def test_parts_of_blocks_in_counter_mode(self) -> None:
        expected = finalist.new("rc6", KEY, MODE_CTR, nonce=IV[:8]).encrypt(DATA[:500])
        made, target, done = finalist.new("rc6", KEY, MODE_CTR, nonce=IV[:8]), bytearray(500), 0
        for size in (1, 0, 16, 5, 10, 32, 200, 236):
            made.encrypt(DATA[done : done + size], output=memoryview(target)[done : done + size])
            done += size
        assert bytes(target) == expected

    def test_a_stream_cipher(self) -> None:
        whole, target = finalist.new("rc4", KEY).encrypt(DATA), bytearray(len(DATA))
        made = finalist.new("rc4", KEY)
        made.encrypt(DATA[:100], output=memoryview(target)[:100])
        made.encrypt(bytearray(DATA[100:]), output=memoryview(target)[100:])
        assert bytes(target) == whole

    @pytest.mark.parametrize("first", [True, False])
    def test_wrong_outputs(self, first: bool) -> None:
        made = finalist.new("rc6", KEY, MODE_ECB)
        if not first:
            made.encrypt(bytes(16))
        for size in (0, 15, 17, 32):
            with pytest.raises(DataError, match=f"output of {size} bytes; accepted: 16, as many as the data"):
                made.encrypt(bytes(16), output=bytearray(size))
        wrong: Any
        for wrong in (bytes(16), "text", 3):
            with pytest.raises(TypeError, match=r"output is .*; accepted: bytearray, writable memoryview"):
                made.encrypt(bytes(16), output=wrong)
        for wrong in (memoryview(bytes(16)), memoryview(bytearray(32))[::2]):
            with pytest.raises(TypeError, match=r"output: .*; accepted: writable memory in one piece"):
                made.encrypt(bytes(16), output=wrong)

    @pytest.mark.parametrize("apart", [1, 16, 47])
    def test_memory_that_overlaps(self, apart: int) -> None:
        memory = memoryview(bytearray(100))
        for source, target in ((0, apart), (apart, 0)):
            with pytest.raises(DataError, match="output overlaps the data"):
                finalist.new("rc6", KEY, MODE_ECB).encrypt(
                    memory[source : source + 48], output=memory[target : target + 48]
                )

    def test_memory_is_let_go(self) -> None:
        source, target = bytearray(64), bytearray(64)
        made = finalist.new("rc6", KEY, MODE_ECB)
        for _ in range(2):
            made.encrypt(source, output=target)
            made.encrypt(bytes(64), output=target)
        source.clear()
        target.clear()


class TestRefusals:
    @pytest.mark.parametrize("name", cipher_names())
    def test_key_lengths(self, name: str) -> None:
        accepted = [bits // 8 for bits in cipher(name).key_bits]
        listed = cipher(name).key_sizes(unit=8)
        mode = None if name in STREAMS else MODE_ECB
        for size in range(65):
            if size in accepted:
                assert finalist.new(name, bytes(size), mode).key_size == size
            else:
                with pytest.raises(KeyLengthError, match=f"key of {size} bytes; {name} accepts {listed}"):
                    finalist.new(name, bytes(size), mode)

    @pytest.mark.parametrize("name", STREAMS)
    @pytest.mark.parametrize("strange", [{"mode": MODE_ECB}, {"iv": bytes(16)}, {"nonce": b""}])
    def test_a_stream_takes_nothing_but_a_key(self, name: str, strange: dict[str, Any]) -> None:
        with pytest.raises(DataError, match=f"{next(iter(strange))}: a stream cipher takes none"):
            finalist.new(name, bytes(16), **strange)

    def test_a_block_cipher_needs_a_mode(self) -> None:
        with pytest.raises(UnknownNameError, match="unknown mode None; accepted: MODE_ECB"):
            finalist.new("rc6", bytes(16))

    @pytest.mark.parametrize("key", ["0" * 16, 16, None, [0] * 16])
    def test_keys_of_a_wrong_type(self, key: Any) -> None:
        with pytest.raises(TypeError, match=r"key is .*; accepted: bytes, bytearray, memoryview"):
            finalist.new("rc6", key, MODE_ECB)

    @pytest.mark.parametrize("mode", [0, 3, -1, 99, "ECB", None])
    def test_modes(self, mode: Any) -> None:
        with pytest.raises(UnknownNameError, match="accepted: MODE_ECB, MODE_CBC, MODE_CTR"):
            finalist.new("rc6", KEY, mode)

    def test_ciphers(self) -> None:
        with pytest.raises(UnknownNameError, match="unknown cipher 'desx'"):
            finalist.new("desx", KEY, MODE_ECB)

    @pytest.mark.parametrize("mode", [MODE_ECB, MODE_CBC])
    @pytest.mark.parametrize("size", [1, 15, 17, 33])
    @pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
    def test_data_of_no_whole_blocks(self, mode: int, size: int, direction: str) -> None:
        made = finalist.new("rc6", KEY, mode)
        with pytest.raises(DataError, match=f"data of {size} bytes; accepted: a multiple of 16"):
            getattr(made, direction)(bytes(size))

    @pytest.mark.parametrize("mode", [MODE_ECB, MODE_CBC, MODE_CTR])
    @pytest.mark.parametrize("data", ["text", 3, None, [1, 2]])
    def test_data_of_a_wrong_type(self, mode: int, data: Any) -> None:
        with pytest.raises(TypeError, match=r"plaintext is .*; accepted: bytes"):
            finalist.new("rc6", KEY, mode).encrypt(data)
        with pytest.raises(TypeError, match=r"ciphertext is .*; accepted: bytes"):
            finalist.new("rc6", KEY, mode).decrypt(data)

    @pytest.mark.parametrize("size", [0, 1, 15, 17, 32])
    def test_iv(self, size: int) -> None:
        with pytest.raises(DataError, match=f"iv of {size} bytes; accepted: 16"):
            finalist.new("rc6", KEY, MODE_CBC, iv=bytes(size))

    def test_iv_of_a_wrong_type(self) -> None:
        with pytest.raises(TypeError, match="iv is str"):
            finalist.new("rc6", KEY, MODE_CBC, iv="0" * 16)  # type: ignore[arg-type]

    def test_both_ivs(self) -> None:
        with pytest.raises(FinalistError, match="iv"):
            finalist.new("rc6", KEY, MODE_CBC, iv=IV, IV=bytes(16))

    @pytest.mark.parametrize("size", [16, 17])
    def test_nonce(self, size: int) -> None:
        with pytest.raises(DataError, match=f"nonce of {size} bytes; accepted: 0 to 15"):
            finalist.new("rc6", KEY, MODE_CTR, nonce=bytes(size))

    @pytest.mark.parametrize("value", [-1, 2**64, True, 1.0, "1", b"", bytes(7), bytes(9)])
    def test_initial_value(self, value: Any) -> None:
        with pytest.raises(DataError, match="initial_value"):
            finalist.new("rc6", KEY, MODE_CTR, nonce=bytes(8), initial_value=value)

    @pytest.mark.parametrize(
        ("mode", "options"),
        [
            (MODE_ECB, {"iv": IV}),
            (MODE_ECB, {"IV": IV}),
            (MODE_ECB, {"iv": b""}),
            (MODE_ECB, {"nonce": b""}),
            (MODE_ECB, {"initial_value": 1}),
            (MODE_CBC, {"nonce": bytes(8)}),
            (MODE_CTR, {"iv": IV}),
        ],
    )
    def test_what_a_mode_does_not_take(self, mode: int, options: dict[str, Any]) -> None:
        with pytest.raises(DataError, match="takes none"):
            finalist.new("rc6", KEY, mode, **options)


class TestWithoutACompiler:
    def test_it_is_said_once(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        without_compiler(monkeypatch)
        for _ in range(2):
            finalist.new("rc6", KEY, MODE_ECB).encrypt(bytes(16))
        api._compiled.cache_clear()
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "the NumPy interpreter serves instead" in said
