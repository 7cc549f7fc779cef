"""The commands for those who write definitions: vectors, run, trace; and what is shown of own vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from finalist.cli import app
from finalist.vectors.load import OWN
from tests.marks import needs_compiler

KEY, PLAIN = "000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff"
SECRET = "69c4e0d86a7b0430d8cdb78070b4c55a"

TOY = """
from finalist.language import LITTLE, Cipher, rol, rounds, u32, words


class Toy(Cipher):
    block = words(2, u32, LITTLE)
    key_bits = (64,)

    def expand_key(self, key):
        return [key[0], rol(key[1], 7)]

    def encrypt(self, block, keys):
        x, y = block
        for r in rounds(3):
            t = rol(y, 5) + keys[r % 2]
            x, y = y, x ^ t
        return x, y

    def decrypt(self, block, keys):
        x, y = block
        for r in rounds(2, -1, -1):
            x, y = y ^ (rol(x, 5) + keys[r % 2]), x
        return x, y
"""


@pytest.fixture(autouse=True)
def own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("RESULTS", "TUNING"):
        monkeypatch.setenv(f"FINALIST_{variable}", str(tmp_path / f"{variable}.jsonl"))


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    path = tmp_path / "toy.py"
    path.write_text(TOY, "utf-8")
    return path


def good(*arguments: str) -> str:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def as_json(*arguments: str) -> Any:
    return json.loads(good(*arguments, "--json"))


def refused(*arguments: str, code: int = 2) -> str:
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == code, done.output
    return done.stderr


class TestVectors:
    @pytest.fixture
    def with_own(self, toy: Path) -> str:
        """The definition with what the command printed put into it."""
        made = good("vectors", str(toy))
        toy.write_text(TOY.replace("    key_bits = (64,)\n", f"    key_bits = (64,)\n\n{made}\n"), "utf-8")
        return str(toy)

    def test_nothing_is_shown_of_a_definition_without(self, toy: Path) -> None:
        assert "`finalist vectors FILE` makes some" in refused("cycles", str(toy), code=1)

    def test_what_is_verified_is_marked(self, with_own: str) -> None:
        table = good("verify", with_own, "--machine", "interpreter")
        assert "toy *" in table and "* own vectors, not published" in table
        assert {(one["known_answers"], one["own"]) for one in as_json("verify", with_own)} == {(8, 8)}
        assert "*" not in good("verify", "rc6", "--machine", "interpreter", "--key-bits", "128")

    def test_cycles_are_marked(self, with_own: str) -> None:
        assert "toy *" in good("cycles", with_own) and "own vectors, not" in good("cycles", with_own)
        assert as_json("cycles", with_own)["toy"]["vectors"] == OWN

    @needs_compiler
    def test_figures_are_marked(self, with_own: str) -> None:
        options = ("-s", "blocks=1", "--seconds", "0.001", "--operation", "encrypt", "--bytes", "64")
        assert "own vectors, not published" in good("bench", with_own, *options)
        assert {row["vectors"] for row in as_json("bench", with_own, *options)} == {OWN}

    @needs_compiler
    def test_exported_tests_say_it(self, with_own: str, tmp_path: Path) -> None:
        good("emit", with_own, "--layout", "library", "--unchecked", "-o", str(tmp_path / "library"))
        assert "its own vectors, not published" in (tmp_path / "library/tests/toy.c").read_text("utf-8")
        assert "8 (8 of them own, not published)" in (tmp_path / "library/README.md").read_text("utf-8")
        texts = [path.read_text("utf-8") for path in (tmp_path / "library/src/toy").glob("*crypt*.c")]
        assert texts and all("vectors: own, not published" in text for text in texts)

    def test_they_are_counted_apart(self, with_own: str) -> None:
        (told,) = as_json("ciphers", with_own)
        assert (told["vectors"], told["own_vectors"]) == (0, 8)

    def test_a_change_is_caught(self, with_own: str) -> None:
        text = Path(with_own).read_text("utf-8")
        Path(with_own).write_text(text.replace("rol(key[1], 7)", "rol(key[1], 8)"), "utf-8")
        done = CliRunner().invoke(app, ["verify", with_own, "--machine", "interpreter"])
        assert done.exit_code == 1 and "toy.own_vectors[0]" in done.stdout

    def test_options(self, toy: Path) -> None:
        text = good("vectors", "rijndael", "--key-bits", "192", "--key-bits", "256", "--count", "2")
        assert text.count("-bit keys") == 2 and text.count("(\n") == 4
        told = as_json("vectors", str(toy), "--seed", "5", "--count", "9")
        assert told["definition"] == f"{toy}:Toy" and len(told["own_vectors"]) == 9
        assert told["own_vectors"] != as_json("vectors", str(toy), "--count", "9")["own_vectors"]
        assert "toy has no 65-bit keys; accepted: 64" in refused("vectors", str(toy), "--key-bits", "65")

    def test_a_wrong_decryption(self, toy: Path) -> None:
        toy.write_text(TOY.replace("(rol(x, 5)", "(rol(x, 6)"), "utf-8")
        assert "decryption does not undo encryption" in refused("vectors", str(toy), code=1)


class TestRun:
    @pytest.mark.parametrize(
        "options",
        [(), pytest.param(("-s", "blocks=1", "-s", "width=1"), marks=needs_compiler), ("--machine", "plx")],
    )
    def test_blocks(self, options: tuple[str, ...]) -> None:
        asked = ("run", "rijndael", "--key", KEY, *options)
        assert good(*asked, "--block", PLAIN) == f"{SECRET}\n"
        back = (*asked, "--operation", "decrypt", "--block", SECRET, "--block", SECRET * 2)
        assert good(*back) == f"{PLAIN}\n{PLAIN * 2}\n"

    def test_a_stream_cipher_takes_messages(self) -> None:
        """RFC 6229's key stream, from its beginning for each of them."""
        asked = ("run", "rc4", "--key", "0102030405", "--block", "00000000", "--block", "00" * 6)
        assert good(*asked) == "b2396305\nb2396305f03d\n"

    def test_hex_as_people_write_it(self) -> None:
        blocks = [
            "0x" + PLAIN.upper(),
            " ".join(PLAIN[i : i + 8] for i in range(0, 32, 8)),
            PLAIN[:2] + ":" + PLAIN[2:],
        ]
        asked = [part for block in blocks for part in ("--block", block)]
        assert good("run", "rijndael", "--key", KEY, *asked) == f"{SECRET}\n" * 3

    def test_json(self, toy: Path) -> None:
        told = as_json("run", str(toy), "--key", "00" * 8, "--block", "01" * 16)
        assert (told["definition"], told["machine"], told["key_bits"]) == (f"{toy}:Toy", "interpreter", 64)
        ((row,),) = [told["blocks"]]
        assert row["input"] == "01" * 16 and row["output"][:16] == row["output"][16:]

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (("--key", "00", "--block", PLAIN), "key of 1 bytes; rijndael accepts 16, 24, 32"),
            (("--key", KEY, "--block", "00"), "block of 1 bytes; rijndael accepts 16, or a multiple of that"),
            (("--key", KEY, "--block", ""), "block of 0 bytes"),
            (("--key", "0g", "--block", PLAIN), "--key '0g'; accepted: pairs of hex digits"),
            (("--key", KEY, "--block", "123"), "--block '123'; accepted: pairs of hex digits"),
            (("--key", KEY, "--block", PLAIN, "--operation", "undo"), "unknown operation 'undo'"),
            (("--key", KEY, "--block", PLAIN, "--machine", "abacus"), "unknown machine 'abacus'"),
            (
                ("--key", KEY, "--block", PLAIN, "--machine", "interpreter", "-s", "blocks=2"),
                "takes no schedule",
            ),
        ],
    )
    def test_errors(self, options: tuple[str, ...], said: str) -> None:
        assert said in refused("run", "rijndael", *options)


class TestTrace:
    ASKED = ("trace", "rijndael", "--key", KEY, "--block", PLAIN)

    def test_as_published_where_the_definition_says_how(self) -> None:
        text = good(*self.ASKED)
        assert text.startswith(f"PLAINTEXT:          {PLAIN}\nKEY:                {KEY}\n")
        assert text.endswith(f"round[10].output    {SECRET}\n")

    def test_by_the_definition_s_names(self, toy: Path) -> None:
        text = good("trace", str(toy), "--key", "00" * 8, "--block", "0100000002000000")
        assert "\nround 0\n    t = 00000040\n  * x = 00000002\n  * y = 00000041\n" in text
        assert "    keys[1] = 00000000\n" in text
        assert good(*self.ASKED, "--layout", "definition").count("sub_bytes() = ") == 10
        states = good(*self.ASKED, "--states")
        assert "sub_bytes" not in states and states.count("* state = ") == 10

    def test_json(self) -> None:
        told = as_json(*self.ASKED)
        assert told["output"] == SECRET and len(told["published"]) == 52
        assert {"section", "name", "hex", "state", "line"} <= told["values"][0].keys()
        blocks = as_json("trace", "rc4", "--key", "0102030405", "--block", "0000")
        assert [one["output"] for one in blocks] == ["b2", "39"]

    def test_the_key_schedule(self, toy: Path) -> None:
        asked = ("trace", "rijndael", "--key", KEY, "--block", PLAIN, "--key-schedule")
        assert "\nkey schedule\n" in good(*asked) and "\nkey schedule\n" not in good(*self.ASKED)

    @pytest.mark.parametrize("options", [(), ("--layout", "definition"), ("--json",), ("--key-schedule",)])
    def test_its_own_output_agrees(self, options: tuple[str, ...], tmp_path: Path) -> None:
        file = tmp_path / "values"
        file.write_text(good(*self.ASKED, *options), "utf-8")
        again = [option for option in options if option == "--key-schedule"]
        assert good(*self.ASKED, "--against", str(file), *again).endswith(" values agree\n")

    def test_the_first_value_that_differs(self, tmp_path: Path) -> None:
        file = tmp_path / "values.txt"
        file.write_text(good(*self.ASKED).replace("s_row     a7be1a69", "s_row     a7be1a68"), "utf-8")
        done = CliRunner().invoke(app, [*self.ASKED, "--against", str(file)])
        assert done.exit_code == 1
        assert f"{file}: round 2: s_row is a7be1a68" in done.stdout
        assert "11 values before it agree" in done.stdout
        done = CliRunner().invoke(app, [*self.ASKED, "--against", str(file), "--json"])
        assert done.exit_code == 1 and json.loads(done.stdout)["difference"]["name"] == "s_row"

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("round 1\nnobody = 00", "has no value that the definition has a name for; accepted: "),
            ("round 1\n???", "line 2: '???'; accepted"),
        ],
    )
    def test_files_that_are_none(self, text: str, said: str, tmp_path: Path) -> None:
        file = tmp_path / "values.txt"
        file.write_text(text, "utf-8")
        assert said in refused(*self.ASKED, "--against", str(file))
        said = refused(*self.ASKED, "--against", str(tmp_path / "none"))
        assert "none can't be read: No such file or directory" in said

    def test_errors(self, toy: Path) -> None:
        assert "unknown layout 'mine'; accepted: definition, published" in refused(
            *self.ASKED, "--layout", "mine"
        )
        given = ("trace", str(toy), "--key", "00" * 8)
        assert "does not say how its publication prints" in refused(
            *given, "--block", "00" * 8, "--layout", "published"
        )
        assert "block of 3 bytes; toy accepts 8" in refused(*given, "--block", "000000")
        assert "2 blocks; with --against one is accepted" in refused(
            *given, "--block", "00" * 16, "--against", str(toy)
        )
