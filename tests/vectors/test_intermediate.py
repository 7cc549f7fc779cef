"""Values on the way: those that publications print come out under the definitions' own names."""

from __future__ import annotations

import re
from typing import Any

import pytest

from finalist.ciphers.catalogue import cipher
from finalist.errors import DataError
from finalist.language import Array, Cipher, StreamCipher, loop, rol, rounds, tabulate, u8, u32, words
from finalist.language.definition import trace
from finalist.vectors.compare import compare, lines, parse
from finalist.vectors.intermediate import AFTER, BEFORE, KEY_SCHEDULE, ROUND_KEYS, Way, way
from finalist.vectors.load import known_answers
from finalist.vectors.reorder import order_between, orders

ORDER = bytes(range(16))

#: Key, plaintext, what is published of the way.
PUBLISHED = {
    # The submission's debugging output; the first of its subkeys that are computed have numbers of their own.
    "hpc": (
        ORDER.hex(),
        ORDER.hex(),
        """
        output = 027ee6b533048904c1c397bcf9b42b4a
        round 0
        s = a2b0065b3cc165af 65c8a675b4f592b8
        round 6
        s = 86e3040b02568206 6150ac942affa803
        """,
    ),
    "magenta": (
        bytes(range(255, 239, -1)).hex(),
        ORDER.hex(),
        """
        round 0
        l = 08090A0B0C0D0E0F
        r = C992764CBC9E3A98
        round 1
        l = C992764CBC9E3A98
        r = 2DBCAE6463FDA6F7
        round 5
        r: 36:3E:AE:82:8A:50:4E:2B
        """,
    ),
    # Sample data of the Bluetooth specification: what goes into rounds 2, 3 and 8.
    "safer-plus": (
        bytes(16).hex(),
        bytes(16).hex(),
        """
        round keys
        K[1] = 4697b1baa3b7100ac537b3c95a28ac64
        K[16] = 884697b1baa3b7100ac537b3c95a28ac
        round 0
        b = 78d19f9307d2476a523ec7a8a026042a
        round 1
        b = 600265247668dda0e81c07bbb30ed503
        round 6
        b = 2665fadb13acf952bf74b4ab12264b9f
        """,
    ),
    "crypton-v1": (
        ORDER.hex(),
        ORDER.hex(),
        """
        before the rounds
        A = 507a1754 eb4659d2 09635110 8b04352c
        round 1
        A = 04a932dd 6e1a43b1 5d048b14 58d7865c
        round 2
        A = cc378dac fc95b576 686080ce 9e70bb0f
        """,
    ),
}


def one(name: str | type[Cipher], key: str, block: str, operation: str = "encrypt", **options: Any) -> Way:
    definition = cipher(name) if isinstance(name, str) else name
    (found,) = way(definition, operation, bytes.fromhex(key), bytes.fromhex(block), **options)
    return found


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_values(name: str) -> None:
    key, plaintext, text = PUBLISHED[name]
    given = parse(text)
    compared = compare(one(name, key, plaintext), given)
    assert (compared.agreed, compared.unknown, compared.difference) == (len(given), (), None)


@pytest.mark.parametrize("name", ["rijndael", pytest.param("loki97", marks=pytest.mark.check)])
def test_those_that_are_kept_with_the_vectors(name: str) -> None:
    rows = [row for row in known_answers(name) if row.intermediate]
    assert rows
    for row in rows:
        found = one(name, row.key.hex(), row.plaintext.hex())
        given = parse(row.intermediate, found.cipher.intermediate)
        compared = compare(found, given)
        assert (compared.agreed, compared.unknown, compared.difference) == (len(given), (), None)


@pytest.mark.parametrize("name", ["des", "dfc", "mars", "rc6", "twofish"])
def test_what_comes_out_is_the_ciphertext(name: str) -> None:
    """Both ways; every round has a state that it hands on."""
    row = next(row for row in known_answers(name) if not row.offset)
    found = one(name, row.key.hex(), row.plaintext.hex())
    assert found.output == row.ciphertext
    assert one(name, row.key.hex(), row.ciphertext.hex(), "decrypt").output == row.plaintext
    sections = {value.section for value in found.values if re.search(r"round \d", value.section)}
    assert sections
    assert {value.section for value in found.values if value.state} >= sections


def test_fips_197_is_printed_as_it_stands() -> None:
    """Appendix C.2 and C.3, for what differs from C.1."""
    found = one("rijndael", bytes(range(24)).hex(), bytes(17 * i for i in range(16)).hex())
    layout = found.cipher.intermediate
    assert layout is not None
    text = list(lines(found, layout))
    assert text[0].startswith(
        "PLAINTEXT:          00112233445566778899aabbccddeeff\nKEY:                0001"
    )
    assert text[1] == "round[ 0].input     00112233445566778899aabbccddeeff"
    assert "round[ 2].m_col     9f487f794f955f662afc86abd7f1ab29" in text
    assert text[-2:] == [
        "round[12].k_sch     a4970a331a78dc09c418c271e3a41d5d",
        "round[12].output    dda97ca4864cdfe06eaf70a0ec0d7191",
    ]
    back = one("rijndael", ORDER.hex(), "69c4e0d86a7b0430d8cdb78070b4c55a", "decrypt")
    text = list(lines(back, layout))
    assert [line.partition(".")[2].split()[0] for line in text[1:9]] == [
        *("iinput", "ik_sch", "istart", "is_row", "is_box", "ik_sch", "ik_add", "istart"),
    ]
    assert text[7] == "round[ 1].ik_add    e9f74eec023020f61bf2ccf2353c21c7"
    assert text[-1] == "round[10].ioutput   00112233445566778899aabbccddeeff"


# -- which values there are ----------------------------------------------------------------------------


def step(x: Any, k: Any) -> Any:
    t = rol(x, 3)
    return t + k


class Toy(Cipher):
    block = words(2, u32)
    key_bits = (64,)

    def expand_key(self, key: Any) -> Any:
        twice = key[0] + key[0]
        return {"K": [twice, key[1]]}

    def encrypt(self, block: Any, keys: Any) -> Any:
        x, y = block
        unused = x ^ 5
        for r in rounds(1, 3):
            x, y = y, x ^ step(y, keys["K"][r - 1])
        unused = y ^ 7  # noqa: F841
        z = x + 1
        return z, y

    decrypt = encrypt


def test_names_and_sections() -> None:
    found = one(Toy, "0100000002000000", "0300000004000000")
    by_section: dict[str, list[tuple[str, str, bool]]] = {}
    for value in found.values:
        by_section.setdefault(value.section, []).append((value.name, value.hex, value.state))
    assert by_section[ROUND_KEYS] == [
        ("keys['K'][0]", "00000002", False),
        ("keys['K'][1]", "00000002", False),
    ]
    assert by_section[BEFORE] == [
        ("unused", "00000006", False),
        ("x", "00000003", True),
        ("y", "00000004", True),
    ]
    # y = 4 is rotated to 0x20, and the round key 2 added.
    assert by_section["round 1"] == [
        ("step.k", "00000002", False),
        ("step.t", "00000020", False),
        ("step()", "00000022", False),
        ("x", "00000004", True),
        ("y", "00000021", True),
    ]
    assert [name for name, _, _ in by_section[AFTER]] == ["unused", "z"]
    assert all(line.line.startswith(__file__) for line in found.values if line.section == "round 1")


def test_the_key_schedule_if_it_is_asked_for() -> None:
    assert KEY_SCHEDULE not in {value.section for value in one(Toy, "00" * 8, "00" * 8).values}
    found = one(Toy, "0100000002000000", "00" * 8, key_schedule=True)
    (value,) = (value for value in found.values if value.section == KEY_SCHEDULE)
    assert (value.name, value.hex) == ("twice", "00000002")


def test_watching_changes_no_graph() -> None:
    from finalist.ir.printer import format_graph
    from finalist.language.watch import Watcher

    watchers = (Watcher(Toy), Watcher(Toy))
    watched, plain = trace(Toy, "encrypt", 64, watchers), trace(Toy, "encrypt", 64)
    assert format_graph(watched.kernel) == format_graph(plain.kernel)
    assert format_graph(watched.expand) == format_graph(plain.expand)


def test_loops_arrays_and_keyed_functions() -> None:
    """What lies within has no value of its own and is counted; arrays are shown as they were at the time."""

    class Control(Toy):
        def expand_key(self, key: Any) -> Any:
            return [tabulate(lambda x: self.inner(x, key), 8)]

        def inner(self, x: Any, key: Any) -> Any:
            within = x ^ key[0][0:8]
            return within  # noqa: RET504 - for its name

        def encrypt(self, block: Any, keys: Any) -> Any:
            state = Array(2, 32)
            state[0] = block[0]
            state[1] = block[1]
            for i in loop(0, 2):
                turn = state[i] + 1
                state[i] = turn
            last = state[0]
            return last, state[1] ^ keys[0][last[0:8]].extend(32)

    found = one(Control, "00" * 8, "0100000002000000", key_schedule=True)
    shown = [(value.name, value.hex) for value in found.values if value.section == "the operation"]
    assert shown == [
        ("state", "00000000 00000000"),
        ("state", "00000001 00000000"),
        ("state", "00000001 00000002"),
        ("state", "00000002 00000003"),
        ("last", "00000002"),
    ]
    assert found.hidden >= 2


def test_a_stream_cipher_has_its_state_from_block_to_block() -> None:
    class Counting(StreamCipher):
        block = words(1, u8)
        key_bits = (8,)

        def expand_key(self, key: Any) -> Any:
            return Array.holding(key)

        def key_stream(self, state: Any) -> Any:
            now = state[0]
            state[0] = now + 1
            return [now]

    found = way(Counting, "encrypt", b"\x05", bytes(3))
    assert [one.output for one in found] == [b"\x05", b"\x06", b"\x07"]
    assert [[v.hex for v in one.values if v.name == "now"] for one in found] == [["05"], ["06"], ["07"]]


# -- comparing -----------------------------------------------------------------------------------------


class TestCompare:
    WAY = one(Toy, "0100000002000000", "0300000004000000")

    def told(self, text: str) -> Any:
        return compare(self.WAY, parse(text))

    def test_in_any_spelling(self) -> None:
        text = (
            "# mine\nkey: 0x01000000 02000000\nRound 1:\n  step.t = 20  # short\n* y = 0000_0021\nx=00000004"
        )
        assert self.told(text).agreed == 4

    def test_the_first_that_differs(self) -> None:
        told = self.told("round 1\nx = 00000004\ny = 00000022\nround 2\nx = 5")
        assert (told.agreed, str(told.difference)) == (1, "round 1: y is 00000022 in line 3, 00000021 here")

    def test_by_which_order_of_bytes_it_would_be_the_same(self) -> None:
        told = self.told("round 1\ny = 21000000")
        assert told.difference.order == "bytes reversed"
        assert str(told.difference).endswith("; the same with bytes reversed")

    def test_some_of_several_in_their_order(self) -> None:
        text = "round 1\nstep.k = 2\nround 2\ny = {}"
        assert self.told(text.format(self._last("y"))).difference is None
        assert self.told("unused = 6\nunused = 1").difference is not None

    def _last(self, name: str) -> str:
        return [value.hex for value in self.WAY.values if value.name == name][-1]

    def test_names_that_the_definition_has_not(self) -> None:
        told = self.told("round 1\nfoo = 1\nx = 4\nround 7\nx = 4")
        assert (told.agreed, told.unknown) == (1, ("foo in round 1", "x in round 7"))

    def test_the_beginning_of_a_long_value(self) -> None:
        assert self.told("input = 0300 ...").agreed == 1
        assert self.told("input = 0400 ...").difference is not None

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("round 1\nwhat is this", "line 2: 'what is this'; accepted: name = hex, round N, key schedule"),
            ("x = 12g", "line 1: 'x = 12g'; accepted"),
            ("{}", "no JSON of `finalist trace` .KeyError"),
            ("[1, 2", "no JSON of `finalist trace` .JSONDecodeError"),
        ],
    )
    def test_what_can_not_be_read(self, text: str, said: str) -> None:
        with pytest.raises(DataError, match=said):
            parse(text)


class TestOrders:
    def test_each_is_another(self) -> None:
        value = bytes(range(16))
        made = [order.apply(value) for order in orders(16)]
        assert made[0] == value and made[1] == value[::-1]
        assert len({bytes(one) for one in made}) == len(made) == 8
        assert all(sorted(one) == list(value) for one in made)

    @pytest.mark.parametrize(
        ("other", "name"),
        [
            ("0001020304050607", ""),
            ("0706050403020100", "bytes reversed"),
            ("0302010007060504", "bytes reversed within words of 32 bits"),
            ("0405060700010203", "words of 32 bits reversed"),
            ("0100030205040706", "bytes reversed within words of 16 bits"),
            ("0102030405060700", ""),
            ("00", ""),
        ],
    )
    def test_which_it_is(self, other: str, name: str) -> None:
        assert order_between(bytes(range(8)), bytes.fromhex(other)) == name
