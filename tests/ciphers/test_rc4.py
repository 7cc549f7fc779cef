"""RC4: its state after key set-up, its first bytes, messages in parts."""

from __future__ import annotations

import numpy as np
import pytest

from finalist import compile
from finalist.ciphers.rc4 import RC4
from finalist.ir import interpreter
from finalist.ir.execute import expand_keys
from finalist.machines.native.run import NativeProgram
from finalist.machines.tracing import traced

KEY = bytes([1, 2, 3, 4, 5])
FIRST = "b2396305f03dc027ccc3524a0a1118a8"


def test_state_after_key_set_up() -> None:
    program = traced(RC4, "encrypt", 40)
    S, ij = expand_keys(program, np.frombuffer(KEY, np.uint8)[None, :])
    assert S[:8].tolist() == [1, 3, 8, 201, 21, 27, 35, 67]
    assert sorted(S.tolist()) == list(range(256))
    assert ij.tolist() == [0, 0]


@pytest.mark.parametrize("machine", ["interpreter", "native"])
@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_first_bytes(machine: str, operation: str) -> None:
    assert compile("rc4", machine, operation, 40).run(KEY, bytes(16)).output.hex() == FIRST


def test_the_step_by_the_book() -> None:
    """300 bytes, so that the counter passes 255; each state is the one that the step before left."""
    program = traced(RC4, "encrypt", 40)
    state = expand_keys(program, np.frombuffer(KEY, np.uint8)[None, :])
    S, i, j, expected, found = state[0].tolist(), 0, 0, [], []
    for _ in range(300):
        i = (i + 1) % 256
        j = (j + S[i]) % 256
        S[i], S[j] = S[j], S[i]
        expected.append(S[(S[i] + S[j]) % 256])
        word, *state = interpreter.run(program.kernel, [np.zeros(1, np.uint8), *state])
        found.append(int(word[0]))
    assert found == expected
    assert state[0].ravel().tolist() == S
    assert state[1].ravel().tolist() == [i, j]


@pytest.mark.parametrize("cuts", [(1,), (16, 17), (0, 255, 256, 299)])
def test_parts_are_the_whole(cuts: tuple[int, ...]) -> None:
    program = compile("rc4", "native", "encrypt", 40)
    assert isinstance(program, NativeProgram)
    message = bytes(n % 251 for n in range(300))
    whole = compile("rc4", "interpreter", "encrypt", 40).run(KEY, message).output
    key = program.expand(KEY)
    parts = [program.crypt(key, message[a:b]) for a, b in zip((0, *cuts), (*cuts, 300), strict=True)]
    assert b"".join(parts) == whole


@pytest.mark.parametrize("machine", ["interpreter", "native"])
def test_each_run_begins_anew(machine: str) -> None:
    program = compile("rc4", machine, "encrypt", 40)
    assert [program.run(KEY, bytes(16)).output.hex() for _ in range(2)] == [FIRST] * 2


def test_a_key_twice_is_the_same_key() -> None:
    once, twice = compile("rc4", "native", "encrypt", 40), compile("rc4", "native", "encrypt", 80)
    assert once.run(KEY, bytes(64)).output == twice.run(KEY * 2, bytes(64)).output
