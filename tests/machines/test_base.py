"""How programs and what they give look in a shell and in a notebook."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import finalist
from finalist.errors import UsageError
from finalist.machines.base import Run, bytes_of
from tests.test_api import with_slow_ones_checked

SHOWN = {
    "native": "<NativeProgram rc6 encrypt, key of 128 bits, blocks=2 width=1 ",
    "interpreter": "<InterpretedProgram rc6 encrypt, key of 128 bits, default>",
    "fpga": "<Hardware rc6 encrypt, key of 128 bits, ",
    "plx": "<SimulatedProgram rc6 encrypt, key of 128 bits, ",
    "c62x": "<SimulatedProgram rc6 encrypt, key of 128 bits, ",
    "c64x": "<SimulatedProgram rc6 encrypt, key of 128 bits, ",
    "hc05": "<CardProgram rc6 encrypt, key of 128 bits, ",
}


@pytest.mark.parametrize("machine", with_slow_ones_checked())
def test_programs(machine: str) -> None:
    choices: dict[str, dict[str, Any]] = {"native": {"blocks": 2, "width": 1}, "hc05": {"rounds": 1}}
    program: Any = finalist.compile("rc6", machine, **choices.get(machine, {}))
    assert repr(program).startswith(SHOWN[machine])
    text = program._repr_html_()
    assert "rc6 encrypt" in text and "128 bits" in text and "16 bytes" in text
    assert ("constant-time" in text) == (machine != "interpreter")
    assert f"text, {len(program.text.splitlines())} lines" in text


def test_a_program_says_its_modes() -> None:
    program = finalist.compile("rc6", blocks=1, width=1).in_modes("ctr", "ofb")
    assert ">ctr, ofb</td>" in program._repr_html_()


def test_runs() -> None:
    assert repr(Run(b"abcd")) == "<Run output: 4 bytes: 61626364>"
    run = Run(bytes(4096), cycles=12, figures={"cycles a byte": 0.5})
    assert len(repr(run)) < 250 and repr(run).endswith(" ..., cycles: 12, cycles a byte: 0.5>")
    text = run._repr_html_()
    assert ">12</td>" in text and ">0.5</td>" in text and "4096 bytes" in text


@cache
def compiled(machine: str) -> Any:
    return finalist.compile("rc6", machine)


@pytest.mark.parametrize("machine", with_slow_ones_checked())
@pytest.mark.parametrize("value", ["text", None, 5, [1] * 16, object()])
def test_what_is_neither_key_nor_data(machine: str, value: Any) -> None:
    program = compiled(machine)
    good = bytes(16)
    for key, data, name in ((value, good, "key"), (good, value, "data")):
        with pytest.raises(
            finalist.FinalistError, match=f"^{name} is {type(value).__name__}; accepted: bytes"
        ):
            program.run(key, data)


def test_any_object_with_memory_is_a_key_and_data() -> None:
    program = finalist.compile("rc6", "interpreter")
    expected = program.run(bytes(range(16)), bytes(range(32))).output
    kinds: list[Any] = [bytearray, memoryview, lambda found: np.frombuffer(found, np.uint32)]
    for kind in kinds:
        assert program.run(kind(bytes(range(16))), kind(bytes(range(32)))).output == expected


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.zeros(32, np.uint8)[::2], "key: ndarray is not contiguous; accepted: memory in one piece"),
        (np.array([object()] * 2), "key: its elements are references to objects; accepted: memory"),
    ],
)
def test_memory_that_is_not_taken(value: Any, message: str) -> None:
    with pytest.raises(UsageError, match=f"^{message}"):
        bytes_of(value, "key")
    with pytest.raises(UsageError, match=f"^{message}"):
        finalist.new("rc6", value)


def test_memory_is_taken_as_it_lies() -> None:
    columns = np.asfortranarray(np.arange(16, dtype=np.uint8).reshape(4, 4))
    assert bytes_of(columns, "key") == columns.tobytes(order="A") != columns.tobytes()
