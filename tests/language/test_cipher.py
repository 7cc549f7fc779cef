"""What a definition declares: key lengths, facts, what the catalogue accepts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import finalist
from finalist.ciphers.catalogue import cipher, cipher_names
from finalist.errors import DefinitionError
from finalist.language import Cipher, Facts, u32, words
from finalist.language.cipher import STATES

TEXT = """
from finalist.language import Array, Cipher, Facts, StreamCipher, u32, words


class Mine({base}):
    block = words(4, u32)
    key_bits = {key_bits}

    def expand_key(self, key):
        return Array.holding(key)

    def {method}(self, *arguments):
        return arguments[0]

    def decrypt(self, block, keys):
        return block
"""


def definition(folder: Path, key_bits: str = "(128,)", base: str = "Cipher", method: str = "encrypt") -> Path:
    path = folder / "mine.py"
    path.write_text(TEXT.format(key_bits=key_bits, base=base, method=method), "utf-8")
    return path


def with_lengths(lengths: Sequence[int]) -> type[Cipher]:
    return type("Mine", (Cipher,), {"block": words(4, u32), "key_bits": lengths})


@pytest.mark.parametrize(
    ("lengths", "bits", "size", "usual"),
    [
        ((128, 192, 256), "128, 192, 256", "16, 24, 32", 128),
        ((64,), "64", "8", 64),
        ((256, 128), "256, 128", "32, 16", 128),
        (range(32, 449, 8), "32 to 448 in steps of 8", "4 to 56 in steps of 1", 128),
        (range(160, 257, 32), "160 to 256 in steps of 32", "20 to 32 in steps of 4", 160),
        (range(80, 81), "80", "10", 80),
        (range(64, 129, 64), "64 to 128 in steps of 64", "8 to 16 in steps of 8", 128),
    ],
)
def test_key_lengths(lengths: Sequence[int], bits: str, size: str, usual: int) -> None:
    found = with_lengths(lengths)
    assert (found.key_sizes(), found.key_sizes(unit=8)) == (bits, size)
    assert found.usual_key_bits() == usual


@pytest.mark.parametrize("given", ["(128,)", "range(8, 65, 8)", "range(128, 257, 64)", "(8, 2048)"])
def test_key_lengths_that_are_accepted(given: str, tmp_path: Path) -> None:
    assert cipher(definition(tmp_path, given)).key_bits == eval(given)


@pytest.mark.parametrize("given", ["32", "None", "0", "[('00', '00', '00')]", "(4, 32)"])
def test_layouts_that_are_refused(given: str, tmp_path: Path) -> None:
    """Also where one attribute is given another's name: ``block`` for ``vectors``."""
    for attribute in ("block", "key_words"):
        path = definition(tmp_path, "(128,)")
        text = path.read_text("utf-8").replace("    key_bits", f"    {attribute} = {given}\n    key_bits", 1)
        path.write_text(text, "utf-8")
        if attribute == "key_words" and given == "None":
            assert cipher(path).key_words is None
            continue
        with pytest.raises(DefinitionError) as caught:
            cipher(path)
        assert f"{path}:5: {attribute} = {eval(given)!r}; accepted: words(4, u32) or another" in str(
            caught.value
        )


@pytest.mark.parametrize(
    "given",
    [
        "()",
        "range(0)",
        "128",
        "[128]",
        "(12,)",
        "(128, 0)",
        "(-8,)",
        "range(8, 65, 4)",
        "('128',)",
        "(8.0,)",
        "None",
    ],
)
def test_key_lengths_that_are_refused(given: str, tmp_path: Path) -> None:
    path = definition(tmp_path, given)
    with pytest.raises(
        DefinitionError, match="accepted: a tuple or range of positive multiples of 8"
    ) as caught:
        cipher(path)
    assert f"key_bits = {eval(given)!r}" in str(caught.value)
    assert str(caught.value).startswith(f"{path}:5: ")


@pytest.mark.parametrize(
    ("base", "method", "lacks"),
    [
        ("Cipher", "key_stream", "encrypt"),
        ("StreamCipher", "encrypt", "key_stream"),
    ],
)
def test_methods_that_are_lacking(base: str, method: str, lacks: str, tmp_path: Path) -> None:
    path = definition(tmp_path, base=base, method=method)
    with pytest.raises(DefinitionError, match=f"Mine must define {lacks}"):
        cipher(path)


def test_a_stream_cipher_needs_no_encrypt(tmp_path: Path) -> None:
    assert cipher(definition(tmp_path, base="StreamCipher", method="key_stream")).stateful
    assert not cipher(definition(tmp_path)).stateful


FACTS: dict[str, Any] = {
    "title": "Mine",
    "year": 1998,
    "designers": "me",
    "structure": "SPN",
    "analysis": "none yet",
}


@pytest.mark.parametrize("state", STATES)
def test_states(state: str) -> None:
    assert Facts(**FACTS, state=state).state == state


@pytest.mark.parametrize("state", ["", "secure", "Broken"])
def test_states_that_are_none(state: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        Facts(**FACTS, state=state)
    said = f"state {state!r} of Mine; accepted: standard, unbroken, weak, broken, withdrawn"
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{__file__}:")


@pytest.mark.parametrize("name", cipher_names())
def test_facts_of_the_ciphers(name: str) -> None:
    facts = cipher(name).facts
    assert facts is not None
    assert 1970 <= facts.year <= 2030
    assert all((facts.title, facts.designers, facts.structure, facts.analysis))


def test_a_failed_import_has_its_line_whatever_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("\n\nfrom finalist.language import nothing\n", "utf-8")
    with pytest.raises(DefinitionError, match=r"mine\.py:3: cannot import name 'nothing'"):
        cipher("mine.py")


def test_what_a_definition_prints_is_not_on_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where code and JSON are."""
    path = tmp_path / "mine.py"
    path.write_text(
        "from finalist.language import *\nclass Mine(Cipher):\n    block, key_bits = words(1, u32), (32,)\n"
        "    def expand_key(self, key): return key\n"
        "    def encrypt(self, block, K):\n        print('sum', block[0] + K[0])\n        return block\n"
        "    decrypt = encrypt\n",
        "utf-8",
    )
    finalist.compile(path, "interpreter")
    out, err = capsys.readouterr()
    assert (out, err) == ("", "sum (p0 + key[0]) (a word of 32 bits; `finalist trace` shows values)\n")
