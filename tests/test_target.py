"""What callers know of a cipher before its definition is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from finalist import target as of_targets
from finalist.ciphers.catalogue import cipher, cipher_names
from finalist.errors import DefinitionError, UnknownNameError
from finalist.target import Target, target

SPECK = Path(__file__).parents[1] / "examples" / "speck.py"


@pytest.mark.parametrize("name", cipher_names())
def test_it_is_as_the_definition_says(name: str) -> None:
    definition, found = cipher(name), target(name)
    assert found.definition is definition
    assert (found.name, found.block_bytes) == (definition.name(), definition.block.bytes)
    assert found.key_bits == tuple(definition.key_bits) and found.stateful == definition.stateful
    assert found.identity("encrypt", 128) == (definition.__module__, name)
    assert target(definition).identity("encrypt", 128) == found.identity("encrypt", 128)


def test_a_parameter_makes_another_of_it() -> None:
    """What was compiled of the one must never be taken for the other."""
    names = ["rijndael", "rijndael:block-bits=192", "rijndael:block-bits=256"]
    assert len({target(name).identity("encrypt", 128) for name in names}) == 3
    assert target("rijndael:block-bits=128").identity("encrypt", 128) == target("rijndael").identity(
        "encrypt", 128
    )


def test_a_target_is_its_own() -> None:
    found = target("rc6")
    assert target(found) is found is target("rc6") is target(Path("rc6"))


def test_names_that_are_remembered_are_not_ever_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_targets, "_MOST", 3)
    names = [f"rc6:r={rounds}" for rounds in range(1, 9)]
    found = [target(name) for name in names]
    assert len(set(map(id, found))) == len(names) and len(of_targets._KNOWN) <= 3
    assert target(names[-1]) is found[-1] and target(names[0]).name == found[0].name


def test_lengths_of_keys_in_bytes() -> None:
    assert target("rijndael").key_bytes == {16, 24, 32}


def test_a_definition_of_a_user_is_known_by_its_graphs() -> None:
    found = target(SPECK)
    assert isinstance(found, Target) and found.module == ""
    bits = found.key_bits[0]
    identity = found.identity("encrypt", bits)
    assert identity != found.identity("decrypt", bits)
    assert target(str(SPECK)).identity("encrypt", bits) == identity


def test_a_byte_order_makes_another_of_it(tmp_path: Path) -> None:
    """What was compiled of the one must never be taken for the other."""
    text = SPECK.read_text("utf-8")
    assert text.count("LITTLE)") == 1
    (tmp_path / "speck.py").write_text(text.replace("LITTLE", "BIG"), "utf-8")
    wrong, right = target(tmp_path / "speck.py"), target(SPECK)
    assert wrong.name == right.name
    assert wrong.identity("encrypt", 128) != right.identity("encrypt", 128)


def test_what_there_is_not() -> None:
    with pytest.raises(UnknownNameError, match="unknown cipher 'none'"):
        target("none")
    with pytest.raises(DefinitionError, match="no definition file"):
        target("none.py")


WARM = """
import sys, finalist
cipher = finalist.new("rc6", bytes(16), finalist.MODE_CTR, nonce=bytes(8))
print(cipher.encrypt(bytes(40)).hex())
slow = {"numpy", "subprocess", "finalist.api", "finalist.language", "finalist.ir", "finalist.tuning.choose"}
print(sorted(slow & set(sys.modules)))
"""


def test_a_process_that_finds_all_compiled_imports_little() -> None:
    """Neither definitions nor passes, NumPy or a compiler: they take far longer than to load a library."""
    cold, warm = (
        subprocess.run([sys.executable, "-c", WARM], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    )
    assert warm.splitlines()[0] == cold.splitlines()[0]
    assert warm.splitlines()[1] == "[]"
