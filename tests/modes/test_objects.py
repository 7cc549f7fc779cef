"""PEP 272 objects: NIST's own examples, the known answers, parts of messages, memory of any kind."""

from __future__ import annotations

import copy
import pickle
import threading
from array import array
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np
import pytest

import finalist
from finalist import MODE_CBC, MODE_CFB, MODE_CTR, MODE_ECB, MODE_OFB, api
from finalist.ciphers.catalogue import cipher
from finalist.errors import DataError, UsageError
from finalist.vectors.load import KnownAnswer, Message, messages, vectors_of
from tests.catalogue import USUAL
from tests.marks import needs_compiler
from tests.modes.common import IV, KEY, PLAINTEXT, as_numpy, parts, served, without_compiler

__all__ = ["served"]  # a fixture


@pytest.mark.usefixtures("served")
class TestNist:
    @pytest.mark.parametrize("message", messages("rijndael"), ids=lambda message: message.origin)
    def test_published_messages(self, message: Message) -> None:
        code, options = {
            "cbc": (MODE_CBC, {"iv": message.iv}),
            "cfb": (MODE_CFB, {"IV": message.iv, "segment_size": 128}),
            "cfb8": (MODE_CFB, {"iv": message.iv}),
            "ofb": (MODE_OFB, {"iv": message.iv}),
            "ctr": (MODE_CTR, {"nonce": b"", "initial_value": message.iv}),
        }[message.mode]
        there: Any = finalist.new("rijndael", message.key, code, **options)  # type: ignore[call-overload]
        back: Any = finalist.new("rijndael", message.key, code, **options)  # type: ignore[call-overload]
        assert there.encrypt(message.plaintext) == message.ciphertext
        assert back.decrypt(message.ciphertext) == message.plaintext


STREAMS = [name for name in USUAL if cipher(name).stateful]


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

    @pytest.mark.parametrize("mode", [MODE_CBC, MODE_CFB, MODE_OFB, MODE_CTR])
    @pytest.mark.parametrize("first", ["encrypt", "decrypt"])
    @pytest.mark.parametrize("data", [bytes(16), b""])
    def test_one_direction(self, mode: int, first: str, data: bytes) -> None:
        made = finalist.new("rc6", KEY, mode)
        getattr(made, first)(data)
        getattr(made, first)(data)
        other = "decrypt" if first == "encrypt" else "encrypt"
        with pytest.raises(TypeError, match=rf"{other}\(\) after {first}\(\); accepted: one direction"):
            getattr(made, other)(data)

    def test_ecb_works_both_ways(self) -> None:
        made = finalist.new("rc6", KEY, MODE_ECB)
        expected = finalist.new("rc6", KEY, MODE_ECB).encrypt(PLAINTEXT)
        for _ in range(3):  # the first calls, and those that C makes
            assert made.encrypt(PLAINTEXT) == expected
            assert made.decrypt(expected) == PLAINTEXT
        target = bytearray(len(PLAINTEXT))
        assert made.decrypt(expected, output=target) is None
        assert bytes(target) == PLAINTEXT

    def test_a_refused_call_decides_nothing(self) -> None:
        made = finalist.new("rc6", KEY, MODE_CBC)
        with pytest.raises(DataError):
            made.encrypt(b"no block")
        made.decrypt(bytes(16))

    @pytest.mark.parametrize("mode", [MODE_ECB, MODE_CBC, MODE_CTR])
    @pytest.mark.parametrize("kind", [bytearray, memoryview, partial(array, "B"), as_numpy])
    def test_other_kinds_of_bytes(self, mode: int, kind: Any) -> None:
        options: dict[str, Any] = {MODE_CBC: {"iv": IV}, MODE_CTR: {"nonce": IV[:8]}}.get(mode, {})
        expected = finalist.new("rc6", KEY, mode, **options).encrypt(PLAINTEXT)
        given = {name: kind(value) for name, value in options.items()}
        made = finalist.new("rc6", kind(KEY), mode, **given)
        got = made.encrypt(kind(PLAINTEXT[:16])) + made.encrypt(kind(PLAINTEXT[16:]))
        assert got == expected
        assert type(got) is bytes

    def test_what_is_given_may_change_later(self) -> None:
        key, iv = bytearray(KEY), bytearray(IV)
        made = finalist.new("rc6", key, MODE_CBC, iv=iv)
        key[0] = iv[0] = 0xFF
        assert made.iv == made.IV == IV
        assert made.encrypt(PLAINTEXT) == finalist.new("rc6", KEY, MODE_CBC, iv=IV).encrypt(PLAINTEXT)

    @pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, pickle.dumps])
    def test_there_are_no_copies(self, how: Any) -> None:
        with pytest.raises(UsageError, match="CTR objects can't be copied or pickled"):
            how(finalist.new("rc6", KEY, MODE_CTR, nonce=bytes(8)))

    def test_what_is_shown_says_no_key(self) -> None:
        key = bytes(range(0xA0, 0xB0))
        made: Any = finalist.new("rc6", key, MODE_CBC, iv=IV)
        assert repr(made) == f"<rc6 CBC object, key: 128 bits, iv: {IV.hex()}>"
        made.decrypt(bytes(16))
        assert repr(made) == f"<rc6 CBC object, key: 128 bits, iv: {IV.hex()}, used to: decrypt>"
        assert IV.hex() in made._repr_html_() and key.hex() not in made._repr_html_()
        text = repr(finalist.new("rc6", KEY, MODE_CFB, iv=IV))
        assert text == f"<rc6 CFB object, key: 128 bits, iv: {IV.hex()}, segments: 8 bits>"
        text = repr(finalist.new("rc6", KEY, MODE_CTR, nonce=b"ab"))
        assert text == "<rc6 CTR object, key: 128 bits, nonce: 6162>"
        plain = finalist.new("rc6", KEY, MODE_ECB)
        plain.encrypt(bytes(16))
        assert repr(plain) == "<rc6 ECB object, key: 128 bits>"
        assert repr(finalist.new("rc4", KEY)) == "<rc4 Stream object, key: 128 bits>"


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


DATA = bytes(i * i % 251 for i in range(6000))
MODES: dict[int, dict[str, Any]] = {
    MODE_ECB: {},
    MODE_CBC: {"iv": IV},
    MODE_CFB: {"iv": IV, "segment_size": 128},
    MODE_OFB: {"iv": IV},
    MODE_CTR: {"nonce": IV[:15]},
}


@needs_compiler
class TestSizes:
    """Short messages, long ones, and those between: by which program they are done makes no difference."""

    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize("name", ["rc6", pytest.param("des", marks=pytest.mark.check)])
    def test_one_object_for_all_sizes(self, mode: int, name: str) -> None:
        size = cipher(name).block.bytes
        options = dict(MODES[mode])
        options |= {"nonce": b""} if mode == MODE_CTR else {"iv": IV[:size]} if "iv" in options else {}
        options |= {"segment_size": 8 * size} if mode == MODE_CFB else {}
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


def variants(data: bytes) -> list[Any]:
    """The same bytes as other objects; of some their elements have more bytes than one."""
    return [data, bytearray(data), memoryview(data), array("H", data), as_numpy(data).view(np.uint32)]


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
            part = memoryview(bytearray(size + 7))[3 : size + 3]
            for place in (target, part, array("L", bytes(size)), np.zeros((2, size // 4), np.uint16)):
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
            with pytest.raises(TypeError, match=r"output(:| is) .*; accepted: (bytearray, memory|writable)"):
                made.encrypt(bytes(16), output=wrong)
        frozen = np.zeros(16, np.uint8)
        frozen.flags.writeable = False
        for wrong in (memoryview(bytes(16)), memoryview(bytearray(32))[::2], frozen, np.zeros((8, 8))[:, 0]):
            with pytest.raises(TypeError, match=r"output: .*; accepted: writable memory in one piece"):
                made.encrypt(bytes(16), output=wrong)

    @pytest.mark.parametrize("first", [True, False])
    def test_memory_in_pieces(self, first: bool) -> None:
        made = finalist.new("rc6", KEY, MODE_ECB)
        if not first:
            made.encrypt(bytes(16))
            made.decrypt(bytes(16))
        wrong: Any
        array = np.zeros((4, 8), np.uint8)
        for wrong in (memoryview(bytes(32))[::2], array[:, :4], array.T):
            with pytest.raises(UsageError, match=r"plaintext: .*contiguous; accepted: memory in one piece"):
                made.encrypt(wrong)
            with pytest.raises(UsageError, match=r"ciphertext: .*contiguous; accepted: memory in one piece"):
                made.decrypt(wrong)

    @pytest.mark.parametrize("first", [True, False])
    def test_memory_of_references(self, first: bool) -> None:
        """Written over, they would take Python with them."""
        made, objects = finalist.new("rc6", KEY, MODE_ECB), np.array([None, "text"], dtype=object)
        if not first:
            made.encrypt(bytes(16))
        with pytest.raises(UsageError, match="plaintext: its elements are references to objects"):
            made.encrypt(objects)
        with pytest.raises(UsageError, match="output: its elements are references to objects"):
            made.encrypt(bytes(16), output=objects)
        assert list(objects) == [None, "text"]

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


#: Bytes of calls: within a block and beyond, short, and long enough for other threads to run meanwhile.
PIECES = (17, 63, 65, 129, 1000, 5000)
#: As `Crypto.Util.Counter.new(128, little_endian=True)` has it.
LITTLE = {"counter_len": 16, "prefix": b"", "suffix": b"", "initial_value": 1, "little_endian": True}
KEY_STREAMS: dict[str, tuple[int, dict[str, Any]]] = {
    "ofb": (MODE_OFB, {"iv": IV}),
    "ctr": (MODE_CTR, {"nonce": b""}),
    "ctr, counter=": (MODE_CTR, {"counter": LITTLE}),
}


@needs_compiler
class TestThreads:
    """One object, eight threads: their calls take turns."""

    @pytest.mark.parametrize("start", KEY_STREAMS)
    def test_each_byte_of_a_key_stream_serves_once(self, start: str) -> None:
        mode, options = KEY_STREAMS[start]
        made: Any = finalist.new("rc6", KEY, mode, **options)  # type: ignore[call-overload]
        alone: Any = finalist.new("rc6", KEY, mode, **options)  # type: ignore[call-overload]
        taken = together(made.encrypt)
        whole = alone.encrypt(bytes(sum(map(len, taken))))
        places = sorted((whole.index(piece), len(piece)) for piece in taken)
        assert [place for place, _ in places] == list(
            accumulate((size for _, size in places[:-1]), initial=0)
        )

    @pytest.mark.parametrize("bits", [8, 64, 128])
    def test_a_chain(self, bits: int) -> None:
        made = finalist.new("rc6", KEY, MODE_CFB, iv=IV, segment_size=bits)
        assert len(set(together(made.encrypt))) == 8 * len(PIECES) * TURNS

    def test_both_directions_at_once(self) -> None:
        made = finalist.new("rc6", KEY, MODE_ECB)
        expected = {
            bytes(size): finalist.new("rc6", KEY, MODE_ECB).encrypt(bytes(size)) for size in (16, 8192)
        }

        def there_and_back(data: bytes) -> bytes:
            whole = bytes(16 if len(data) < 100 else 8192)
            assert made.encrypt(whole) == expected[whole]
            return made.decrypt(expected[whole])

        assert set(together(there_and_back)) == set(expected)


TURNS = 4


def together(function: Callable[[bytes], bytes]) -> list[bytes]:
    """What eight threads have of a function of zeros, a few times for each of PIECES."""
    begin = threading.Barrier(8)

    def work(number: int) -> list[bytes]:
        begin.wait()
        pieces = PIECES[number % len(PIECES) :] + PIECES[: number % len(PIECES)]
        return [function(bytes(size)) for size in pieces * TURNS]

    with ThreadPoolExecutor(8) as pool:
        return [piece for done in pool.map(work, range(8)) for piece in done]


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
