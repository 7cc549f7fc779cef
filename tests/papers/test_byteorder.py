"""The re-ordering that printed vectors need is found, is the only one, and is laid beside the paper's."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from finalist import api
from finalist.ciphers.catalogue import cipher, cipher_names
from finalist.errors import DataError, KeyLengthError, UnknownNameError, VectorError
from finalist.language import BIG, LITTLE, Cipher, rol, u8, u32, u64, words
from finalist.papers.byteorder import READINGS, Action, Actions, compare, find, published, telling
from finalist.papers.load import notes_on, paper
from finalist.toolchain import compiler
from finalist.vectors.load import KnownAnswer, known_answers

NONE, IN_32, IN_64, WHOLE = Action
#: In 32-bit and in 64-bit words; whether the paper has one of the two.
EXPECTED = {
    "cast-256": (IN_32, IN_64, True),
    "crypton-v05": (NONE, NONE, True),
    "crypton-v1": (NONE, NONE, True),
    "deal": (IN_32, IN_64, False),
    "dfc": (IN_32, IN_64, True),
    "e2": (IN_32, IN_64, True),
    "frog": (WHOLE, WHOLE, False),
    "hpc": (IN_32, IN_64, True),
    "loki97": (IN_32, IN_64, True),
    "magenta": (NONE, NONE, True),
    "mars": (NONE, NONE, True),
    "rc6": (NONE, NONE, True),
    "rijndael": (NONE, NONE, True),
    "safer-plus": (WHOLE, WHOLE, True),
    "serpent": (WHOLE, WHOLE, True),
    "twofish": (NONE, NONE, True),
}


def machine_for(name: str) -> str:
    """The interpreter, except for FROG, whose key schedule takes it 15 seconds."""
    return "native" if name == "frog" and compiler.available() else "interpreter"


class TestActions:
    VALUE = bytes(range(24))

    def test_words(self) -> None:
        assert NONE.apply(self.VALUE) == self.VALUE
        assert IN_32.apply(self.VALUE)[:8] == bytes([3, 2, 1, 0, 7, 6, 5, 4])
        assert IN_64.apply(self.VALUE)[8:] == bytes([*range(15, 7, -1), *range(23, 15, -1)])

    def test_a_long_key_is_inverted_as_a_whole(self) -> None:
        assert WHOLE.apply(self.VALUE) == bytes(range(23, -1, -1))

    @pytest.mark.parametrize("action", Action)
    def test_twice_is_nothing(self, action: Action) -> None:
        assert action.apply(action.apply(self.VALUE)) == self.VALUE

    def test_all_differ(self) -> None:
        assert len({action.apply(self.VALUE) for action in Action}) == 4


class TestPaper:
    def test_every_entry_has_definitions(self) -> None:
        entries = paper("gladman")["byte_order_action_for_nist_vectors_on_little_endian"].values()
        assert sum(map(len, entries)) == 15
        assert set(published()) == set(EXPECTED) <= set(cipher_names())

    def test_entries(self) -> None:
        assert published()["crypton-v05"] is published()["crypton-v1"] is published()["frog"] is NONE
        assert published()["dfc"] is IN_32
        assert published()["hpc"] is IN_64
        assert published()["serpent"] is WHOLE

    def test_every_difference_has_a_note(self) -> None:
        notes = notes_on("gladman")["byte_order"]["notes"]
        assert set(notes) <= set(EXPECTED)
        assert {name for name, (*_, agrees) in EXPECTED.items() if not agrees} <= set(notes)


@pytest.mark.parametrize("name", EXPECTED)
class TestCandidates:
    @pytest.mark.parametrize("key_bits", [128, 192, 256])
    @pytest.mark.every(12)
    def test_found(self, name: str, key_bits: int) -> None:
        if name == "frog" and not compiler.available():
            pytest.skip("slow without a compiler")
        finding = find(cipher(name), key_bits, machine_for(name))
        in_32, in_64, _ = EXPECTED[name]
        assert finding.actions == {32: Actions(*[in_32] * 3), 64: Actions(*[in_64] * 3)}
        assert (finding.cipher, finding.key_bits, finding.block) == (name, key_bits, cipher(name).block)
        assert 3 <= len(finding.vectors) <= 6

    def test_beside_the_paper(self, name: str) -> None:
        found = compare(cipher(name), 128, machine_for(name))
        assert found.published is published()[name]
        assert bool(found.agrees) == EXPECTED[name][2]
        assert found.agrees == tuple(b for b in READINGS if found.finding.actions[b].key is found.published)


def test_what_a_little_endian_machine_holds() -> None:
    """LOKI97 by hand: words of 32 bits, read little-endian after the inversion, the high one first."""
    row = next(row for row in known_answers("loki97") if len(set(row.plaintext)) > 8 and len(row.key) == 16)

    def held(value: bytes) -> bytes:
        halves = struct.unpack("<4I", IN_32.apply(value))
        return struct.pack(">2Q", halves[0] << 32 | halves[1], halves[2] << 32 | halves[3])

    program = api.compile("loki97", "interpreter", "encrypt", 128)
    assert program.run(held(row.key), held(row.plaintext)).output == held(row.ciphertext)


# -- definitions of one's own ----------------------------------------------------------------------------

KEY, TEXT = (bytes((step * n + 201) % 256 for n in range(16)) for step in (37, 91))
AS_IT_IS = Actions(NONE, NONE, NONE)


class Toy(Cipher):
    block = words(4, u32, BIG)
    key_bits = (128,)

    def expand_key(self, key: Any) -> Any:
        return key

    def encrypt(self, block: Any, keys: Any) -> Any:
        last = block[-1]
        for _ in range(2):
            for n, (p, k) in enumerate(zip(block, keys, strict=True)):
                last = rol(last * 5 ^ (p + k), 3)
                block = [*block[:n], last, *block[n + 1 :]]
        return block

    def decrypt(self, block: Any, keys: Any) -> Any:
        return block


def toy(printed: Actions = AS_IT_IS, **changes: Any) -> type[Cipher]:
    """A cipher with vectors that were printed after each part was re-ordered."""
    base = type("Toy", (Toy,), changes)
    output = api.compile(base, "interpreter", "encrypt", base.key_bits[0]).run(KEY, TEXT).output
    values = (KEY, TEXT, output)
    row = [action.apply(value).hex() for action, value in zip(printed, values, strict=True)]
    return type("Toy", (Toy,), {**changes, "vectors": [tuple(row)]})


class TestDefinitions:
    @pytest.mark.parametrize("layout", [words(4, u32, BIG), words(2, u64, BIG)])
    def test_big_endian_words(self, layout: Any) -> None:
        found = find(toy(block=layout), 128).actions
        assert found == {32: Actions(IN_32, IN_32, IN_32), 64: Actions(IN_64, IN_64, IN_64)}

    @pytest.mark.parametrize("layout", [words(4, u32, LITTLE), words(2, u64, LITTLE), words(16, u8)])
    def test_no_difference(self, layout: Any) -> None:
        assert set(find(toy(block=layout), 128).actions.values()) == {AS_IT_IS}

    @pytest.mark.parametrize("printed", [Actions(IN_32, NONE, WHOLE), Actions(WHOLE, IN_64, IN_32)])
    def test_each_part_by_itself(self, printed: Actions) -> None:
        little = toy(printed, block=words(4, u32, LITTLE))
        assert set(find(little, 128).actions.values()) == {printed}

    def test_a_key_in_words_of_its_own(self) -> None:
        found = find(toy(key_words=words(4, u32, LITTLE)), 128).actions
        assert found[32] == Actions(NONE, IN_32, IN_32)

    def test_a_key_in_bytes_is_read_as_blocks_are(self) -> None:
        class Bytes(Toy):
            key_words = words(1, u8)

            def expand_key(self, key: Any) -> Any:
                return [byte.extend(32) for byte in key[::4]]

        output = api.compile(Bytes, "interpreter").run(KEY, TEXT).output
        Bytes.vectors = [(KEY.hex(), TEXT.hex(), output.hex())]  # type: ignore[attr-defined]
        assert find(Bytes, 128).actions[32] == Actions(IN_32, IN_32, IN_32)

    def test_not_in_the_paper(self) -> None:
        found = compare(toy(), 128)
        assert (found.published, found.agrees, found.note) == (None, (), "")


class TestVectors:
    def rows(self, *pairs: tuple[bytes, bytes]) -> list[KnownAnswer]:
        return [KnownAnswer(key, text, bytes(16), f"row {n}") for n, (key, text) in enumerate(pairs)]

    def test_those_that_tell_nothing_are_passed_over(self) -> None:
        zero, even, same_halves = bytes(16), b"\5" * 16, bytes([*range(4), *range(4)]) * 2
        rows = self.rows((zero, zero), (even, same_halves), (KEY, zero), (zero, TEXT), (KEY, TEXT))
        palindrome = KEY[:8] + KEY[7::-1]
        rows += self.rows((palindrome, zero))
        assert telling(rows) == [rows[2], rows[4], rows[3]]

    def test_a_few_are_enough(self) -> None:
        rows = self.rows(*[(bytes([n]) + KEY[1:], bytes(16)) for n in range(9)])
        assert telling(rows) == rows[:3]

    def test_none_that_tells(self) -> None:
        zeros = type("Toy", (Toy,), {"vectors": [("00" * 16, "00" * 16, "00" * 16)]})
        with pytest.raises(VectorError, match=r"toy, 128-bit keys, .*: no vector has a key or plaintext"):
            find(zeros, 128)

    def test_a_wrong_one(self) -> None:
        good = toy()
        wrong = type("Toy", (Toy,), {"vectors": [*good.vectors, (KEY.hex(), "01" + "00" * 15, "99" * 16)]})  # type: ignore[attr-defined]
        with pytest.raises(
            VectorError, match=r"no re-ordering makes the vectors right, of which 'toy.vectors\[0\]'"
        ):
            find(wrong, 128)

    def test_too_few(self) -> None:
        """A key that nothing depends on can be in any order."""

        class Keyless(Toy):
            vectors = [(KEY.hex(), TEXT.hex(), TEXT.hex())]

            def encrypt(self, block: Any, keys: Any) -> Any:
                return block

        with pytest.raises(VectorError, match="16 re-orderings make the vectors right; others are needed"):
            find(Keyless, 128)


@pytest.mark.parametrize(
    ("name", "key_bits", "error", "said"),
    [
        ("blowfish", 128, DataError, "blowfish has blocks of 64 bits; accepted: 128"),
        ("rc4", 128, DataError, "rc4 has blocks of 8 bits; accepted: 128"),
        ("rc6", 129, KeyLengthError, "rc6 has no 129-bit keys; accepted: 8 to 2040 in steps of 8"),
        ("dfc", 136, KeyLengthError, "136-bit keys are no whole number of words; accepted: multiples of 64"),
        ("dfc", 64, VectorError, "dfc, 64-bit keys, .*: no vector has a key or plaintext"),
    ],
)
def test_refused(name: str, key_bits: int, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        find(cipher(name), key_bits)


def test_unknown_machine() -> None:
    with pytest.raises(UnknownNameError, match="unknown machine 'abacus'"):
        find(cipher("rc6"), 128, "abacus")
