"""``finalist byteorder``: what it shows, the page that it keeps, and how bad input ends."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from finalist.ciphers.catalogue import cipher
from finalist.cli import app, tables
from finalist.papers.byteorder import compare, published
from finalist.toolchain import compiler
from tests.marks import needs_compiler

PAGE = Path(__file__).parent.parent.parent / "docs" / "byteorder.md"
BEGIN, END = "<!-- finalist byteorder -->", "<!-- end of finalist byteorder -->"

TOY = """
from finalist.language import LITTLE, Cipher, u32, words


class Toy(Cipher):
    block = words(4, u32, LITTLE)
    key_bits = (128,)
    vectors = [("000102030405060708090a0b0c0d0e0f", "101112131415161718191a1b1c1d1e1f", "RESULT")]

    def expand_key(self, key):
        return key

    def encrypt(self, block, keys):
        a, b, c, d = [p * 3 + k for p, k in zip(block, keys)]
        return a + b, b * c, c + d, d + a

    decrypt = encrypt
"""


ANSWER = "707880880054fa02b0b8c0c89098a0a8"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["byteorder", *arguments], prog_name="finalist")


def refused(*arguments: str) -> str:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.startswith("finalist: ") and result.stderr.count("\n") == 1
    return result.stderr


def test_table() -> None:
    result = run("rc6", "hpc", "deal", "rc6")
    assert (result.exit_code, result.stderr) == (0, "")
    rows = {row[0]: row[1:] for row in (re.split("  +", line.strip()) for line in result.stdout.splitlines())}
    assert rows["rc6"] == ["4 of 32 bits, little-endian", "none", "none", "none", "agrees"]
    words = ["32-bit words", "64-bit words"]
    assert rows["hpc"] == ["2 of 64 bits, big-endian", *words, "64-bit words", "agrees in 64-bit words"]
    assert rows["deal"] == ["2 of 64 bits, big-endian", *words, "none", "differs"]
    assert "\ndeal: DES begins" in result.stdout
    assert result.stdout.count("\n rc6") == 1


def test_json() -> None:
    result = run("serpent", "--key-bits", "192", "--json")
    (record,) = json.loads(result.stdout)
    whole = "invert bytes in 128-bit words"
    assert record["found"]["64"] == {"key": whole, "plaintext": whole, "ciphertext": whole}
    assert (record["key_bits"], record["published"], record["agrees"]) == (192, whole, [32, 64])
    assert record["words"] == {"count": 4, "bits": 32, "order": "little"}
    assert all("192" in origin for origin in record["vectors"])


def test_bytes_have_no_order() -> None:
    assert json.loads(run("rijndael", "--json").stdout)[0]["words"] == {"count": 16, "bits": 8, "order": None}


@needs_compiler
def test_on_another_machine() -> None:
    assert run("rc6", "--machine", "native").stdout == run("rc6").stdout


class TestPage:
    def test_it_is_up_to_date(self) -> None:
        """`finalist byteorder -o docs/byteorder.md` renews it."""
        records = [
            tables.of_comparison(compare(cipher(name), 128, machine))
            for name in published()
            # FROG's key schedule takes the interpreter 15 seconds.
            for machine in ["native" if name == "frog" and compiler.available() else "interpreter"]
        ]
        text = PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]
        assert text.strip() == tables.byte_orders_in_markdown(records)

    def test_a_new_one(self, tmp_path: Path) -> None:
        path = tmp_path / "page.md"
        assert run("rc6", "-o", str(path)).stdout == f"{path}\n"
        text = path.read_text("utf-8")
        assert text.startswith(BEGIN) and text.endswith(END + "\n")
        assert "| rc6 | 4 of 32 bits, little-endian | none | none | none | agrees |\n" in text

    def test_the_rest_stays(self, tmp_path: Path) -> None:
        path = tmp_path / "page.md"
        path.write_text(f"before\n{BEGIN}\nold\n{END}\nafter, without an end of line", "utf-8")
        for _ in range(2):
            records = json.loads(run("rc6", "-o", str(path), "--json").stdout)
            text = path.read_text("utf-8")
            assert text.startswith(f"before\n{BEGIN}\n\nWithin")
            assert text.endswith(f"agrees |\n\n{END}\nafter, without an end of line")
        assert records[0]["cipher"] == "rc6"

    @pytest.mark.parametrize("text", ["", "a page", f"{BEGIN}\n", f"{END}\n{BEGIN}\n", f"{END}\n"])
    def test_a_file_of_something_else_is_kept(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "page.md"
        path.write_text(text, "utf-8")
        assert f"has no lines {BEGIN} and {END}" in refused("rc6", "-o", str(path))
        assert path.read_text("utf-8") == text

    def test_what_can_not_be_written(self, tmp_path: Path) -> None:
        assert "can't be read" in refused("rc6", "-o", str(tmp_path))
        assert "can't be written" in refused("rc6", "-o", str(tmp_path / "none" / "page.md"))

    def test_no_text(self, tmp_path: Path) -> None:
        path = tmp_path / "page.md"
        path.write_bytes(b"\xff")
        assert "can't be read" in refused("rc6", "-o", str(path))


class TestBadInput:
    def test_names(self) -> None:
        assert "unknown cipher 'abc'" in refused("abc")
        assert "unknown machine 'abacus'" in refused("rc6", "--machine", "abacus")
        assert "accepted: 128" in refused("blowfish")

    def test_key_bits(self) -> None:
        said = refused("rc6", "--key-bits", "129")
        assert "rc6 has no 129-bit keys; accepted: 8 to 2040 in steps of 8" in said
        assert run("rc6", "--key-bits", "0").exit_code == 2

    @pytest.mark.parametrize(
        ("text", "code", "said"),
        [
            (ANSWER, 0, ""),
            ("00" * 16, 1, "no re-ordering makes the vectors right"),
            ("00", 1, "plaintext of 16 bytes, ciphertext of 1"),
        ],
    )
    def test_a_definition_of_ones_own(self, tmp_path: Path, text: str, code: int, said: str) -> None:
        path = tmp_path / "toy.py"
        path.write_text(TOY.replace("RESULT", text), "utf-8")
        result = run(str(path))
        assert result.exit_code == code, result.output
        assert said in result.stderr
