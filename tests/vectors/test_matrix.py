"""Verification on several programs at once: in processes of their own it comes to the same."""

from __future__ import annotations

from pathlib import Path

from finalist.ciphers.catalogue import cipher
from finalist.cli.output import done
from finalist.schedule import Schedule
from finalist.vectors.matrix import Cell, Verdict, cells, verifying

WRONG = """
from finalist.language import Cipher, u32, words


class Wrong(Cipher):
    block = words(1, u32)
    key_bits = (32,)
    vectors = [("00000001", "00000002", "00000003"), ("00000001", "00000002", "00000004")]

    def expand_key(self, key):
        return key

    def encrypt(self, block, keys):
        return block[0] ^ keys[0]

    decrypt = encrypt
"""


def quick(folder: Path) -> list[Cell]:
    """One that is right, one that is refused, one that is wrong, of a definition in a file."""
    (folder / "wrong.py").write_text(WRONG, "utf-8")
    rc4 = cipher("rc4")
    return [
        Cell(rc4, 40, "encrypt", "interpreter", Schedule()),
        Cell(rc4, 40, "decrypt", "interpreter", Schedule(blocks=2)),
        Cell(cipher(folder / "wrong.py"), 32, "encrypt", "interpreter", Schedule()),
    ]


def test_processes_come_to_the_same_as_threads(tmp_path: Path) -> None:
    given = quick(tmp_path)
    threads, processes = (list(done(verifying(given, processes=own)).items()) for own in (False, True))
    assert [cell for cell, _ in processes] == given
    assert processes == threads
    verdicts = [verdict for _, verdict in processes]
    assert all(isinstance(verdict, Verdict) for verdict in verdicts)
    assert [verdict.status for verdict in verdicts if isinstance(verdict, Verdict)] == [
        "ok",
        "refused",
        "failed",
    ]


def test_none_at_all() -> None:
    assert list(verifying([], processes=True).run()) == list(verifying([]).run()) == []


def test_a_range_of_key_lengths_is_verified_where_it_has_vectors() -> None:
    lengths = {cell.key_bits for cell in cells(cipher("rc4"), "interpreter")}
    assert lengths < set(cipher("rc4").key_bits)
    assert {40, 128, 256} <= lengths
    (one,) = cells(cipher("rc4"), "interpreter", key_bits=[8], operations=["encrypt"])
    assert one.key_bits == 8
