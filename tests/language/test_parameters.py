"""Parameters of definitions: how they are written, which class they make, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import finalist
from finalist.ciphers.catalogue import cipher, identity, is_built_in, reference
from finalist.errors import DefinitionError, UnknownNameError
from finalist.language import Cipher, rol, rounds, u16, u32, words
from finalist.language.parameters import split
from finalist.vectors.load import known_answers, vectors_of


class Toy(Cipher):
    """A parameter of each kind."""

    parameters = {"word": (16, 32), "steps": range(1, 9)}
    word, steps = 32, 4
    block = words(2, u32)
    key_bits = (64,)
    vectors = [("00" * 8, "00" * 8, "00" * 8)]

    @classmethod
    def shape(cls):
        return {"block": words(2, {16: u16, 32: u32}[cls.word])}

    def expand_key(self, key):
        return key

    def encrypt(self, block, K):
        x, y = block
        for r in rounds(self.steps):
            x, y = y, x ^ rol(y, 3) ^ K[r % 2]
        return x, y

    def decrypt(self, block, K):
        x, y = block
        for r in rounds(self.steps - 1, -1, -1):
            x, y = y ^ rol(x, 3) ^ K[r % 2], x
        return x, y


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("rc6", "rc6", ""),
        ("rc6:w=64,r=24", "rc6", "w=64,r=24"),
        ("./mine.py", "./mine.py", ""),
        ("a:b/mine.py:w=64", "a:b/mine.py", "w=64"),
        ("a:b=c/mine.py", "a:b=c/mine.py", ""),
        ("C:\\a=b\\mine.py", "C:\\a=b\\mine.py", ""),
        ("", "", ""),
    ],
)
def test_split(text: str, name: str, values: str) -> None:
    assert split(text) == (name, values)


def test_a_variant_is_one_class_under_its_own_name() -> None:
    small = Toy.of(word=16, steps=2)
    assert small is Toy.of(steps=2, word=16)
    assert small.name() == "toy:word=16,steps=2"
    assert (small.block.bytes, Toy.block.bytes) == (4, 8)
    assert (small.word, small.steps, small.base) == (16, 2, Toy)
    assert Toy.of() is Toy.of(word=32) is Toy
    assert identity(small) == f"{Toy.__module__}:Toy:word=16,steps=2"


def test_vectors_are_of_the_parameters_that_a_definition_has_by_itself() -> None:
    assert len(vectors_of(Toy)) == 1
    assert vectors_of(Toy.of(steps=2)) == ()


def test_variants_of_built_in_ciphers() -> None:
    wide = cipher("RC-6:w=64,r=24")
    assert wide.name() == "rc6:w=64,r=24"
    assert is_built_in(wide)
    assert wide is cipher("rc6").of(r=24, w=64)
    assert reference(wide).load() is wide
    assert cipher("aes:block-bits=256").name() == "rijndael:block-bits=256"
    assert cipher("rc6:w=32,r=20") is cipher("rc6")
    assert [len(row.key) for row in known_answers("rc6:w=64,r=24")] == [24]
    assert vectors_of(cipher("rc6:r=19")) == ()


def test_a_file_with_parameters(tmp_path: Path) -> None:
    lines = Path(__file__).read_text("utf-8").partition("\nclass Toy")
    body = lines[1] + lines[2].partition("\n\n\n")[0]
    file = tmp_path / "toy.py"
    file.write_text("from finalist.language import Cipher, rol, rounds, u16, u32, words\n" + body, "utf-8")
    found = cipher(f"{file}:steps=3")
    assert (found.source, found.steps) == (f"{file}:steps=3", 3)
    assert identity(found) == f"{file.resolve()}:Toy:steps=3"
    for operation in ("encrypt", "decrypt"):
        made = finalist.compile(f"{file}:word=16,steps=3", "interpreter", operation, 64)
        assert made.block_bytes == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rc6:w=24", r"rc6: w=24; accepted: 8, 16, 32, 64"),
        ("rc6:r=0", r"rc6: r=0; accepted: 1 to 255"),
        ("rc6:rounds=3", r"rc6 has no parameter rounds.*; accepted: w, r"),
        (
            "rijndael:block-bit=192",
            r"has no parameter block-bit \(did you mean block-bits\?\); accepted: block-bits",
        ),
        ("rc6:w=x", r"rc6: 'w=x'; accepted: a parameter such as w=64"),
        ("rc6:w=64,", r"rc6: ''; accepted: a parameter"),
        ("mars:w=64", r"mars has no parameter w; accepted: none"),
        ("nosuch:w=64", r"unknown cipher 'nosuch'"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        cipher(text)


def test_a_shape_that_is_wrong_is_told() -> None:
    class Wrong(Toy):
        @classmethod
        def shape(cls):
            return {"block": 4}

    with pytest.raises(DefinitionError, match="block = 4; accepted"):
        cipher(Wrong.of(steps=1))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"wide": (16, 32)}, "Wrong must declare wide, one of the values that parameters has for it"),
        ({"steps": (1, 2)}, "Wrong must declare steps, one of the values"),  # Toy has 4
        ({"steps": 4}, "parameters: 'steps' has 4; accepted: a tuple or range of values"),
        ({4: (1, 2)}, "Wrong must declare 4, one of the values"),
        (["steps"], r"parameters = \['steps'\]; accepted: values by name, such as"),
    ],
)
def test_parameters_that_are_wrong_are_told(parameters: Any, message: str) -> None:
    wrong = type("Wrong", (Toy,), {"parameters": parameters})
    with pytest.raises(DefinitionError, match=message):
        cipher(wrong)
