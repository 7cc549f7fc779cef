"""Beside the papers: what is laid there is theirs and ours, and every note is of a cipher that they have."""

from __future__ import annotations

from functools import cache

import pytest

from finalist.ciphers.catalogue import cipher, cipher_names
from finalist.papers.load import notes_on, paper
from finalist.report import compare
from finalist.report.kinds import Kind
from finalist.report.path import critical_path
from finalist.report.profile import COMPILED, Profile, lowered, profile


@cache
def of(name: str) -> Profile:
    return profile(cipher(name), 128)


def test_ciphers_without_figures_have_no_section() -> None:
    assert list(compare.sections(of("hpc"))) == []


def test_lookups() -> None:
    text = compare.lookup_tables(of("blowfish"))
    assert text is not None
    rows = [line.split(" | ") for line in text.splitlines()[2:]]
    assert [row[0].strip("| ") for row in rows] == ["paper", "Finalist"]
    assert [row[-1].strip("| ") for row in rows] == ["64", "64"]


def test_reads_and_writes_of_a_stream() -> None:
    text = compare.lookup_tables(of("rc4"))
    assert text is not None
    assert "| 3 | 2 |" in text
    assert "| 5 | 2 |" in text


def test_core_operations() -> None:
    text = compare.core_operations(of("rc6"))
    assert text is not None
    assert "| multiplication modulo 2^32 | yes | 40 |" in text
    assert "| S-box |  |  |" in text


@pytest.mark.parametrize(
    ("name", "operation", "cycles"),
    [("rc6", "encrypt", 181), ("rc6", "decrypt", 161), ("rijndael", "encrypt", 71)],
)
def test_the_latencies_are_those_under_which_the_paths_are_clapp_s(
    name: str, operation: str, cycles: int
) -> None:
    latency = {Kind[kind]: n for kind, n in notes_on("dsp")["critical_path"]["latency"].items()}
    kernel = lowered(cipher(name), operation, 128).kernel
    assert critical_path(kernel, latency, trees=True) == cycles
    theirs = paper("dsp")["critical_path_cycles_clapp"][name]
    assert cycles in (theirs, theirs[operation] if isinstance(theirs, dict) else None)


def test_paths_beside_each_other() -> None:
    text = compare.critical_paths(of("rc6"))
    assert text is not None
    assert "| Clapp, cycles | 181 | 161 |" in text
    assert f"| Finalist, operations | {of('rc6').form(COMPILED).path} |" in text


@pytest.mark.parametrize(
    ("name", "part"), [("ptlu", "lookup_tables"), ("fpga", "core_operations"), ("dsp", "critical_path")]
)
def test_notes_are_of_ciphers_that_there_are(name: str, part: str) -> None:
    notes = notes_on(name)[part]
    named = {cipher_name for names in notes["names"].values() for cipher_name in names}
    assert named | set(notes["notes"]) <= set(cipher_names())
