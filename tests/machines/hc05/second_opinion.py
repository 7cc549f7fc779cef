"""SDCC's assembler and uCsim's simulator on programs of the card."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from finalist.isa.simulate.run import Session, SimulatedProgram
from finalist.machines.hc05.model import CODE

TOOLS = ("sdas6808", "sdld6808", "shc08")


def needed() -> None:
    """Skips the test where a tool is missing."""
    lacking = [tool for tool in TOOLS if shutil.which(tool) is None]
    if lacking:
        pytest.skip(f"no {', '.join(lacking)}: apt install sdcc sdcc-ucsim")


def source(program: SimulatedProgram, session: Session | None = None) -> str:
    """The text as sdas6808 takes it, with memory as it is in a session, and a reset to the operation."""
    lines = ["\t.hc05", "\t.area CODE (ABS)"]
    if session is not None:
        for place in range(0x40, min(CODE, len(session.memory)), 16):
            values = session.memory[place : place + 16]
            lines += [f"\t.org 0x{place:x}", "\t.db " + ", ".join(map(str, values))]
    lines.append(f"\t.org 0x{CODE:x}")
    for line in program.text.splitlines():
        text = line.partition(";")[0].rstrip()
        if text and not text.lstrip().startswith("."):
            lines.append(text)
    lines += ["\t.org 0xfffe", f"\t.dw {program.operation}"]
    return "\n".join(lines) + "\n"


def assembled(text: str, folder: Path) -> dict[int, tuple[bytes, int | None]]:
    """By address the bytes of each instruction, and its cycles where the listing has them."""
    (folder / "card.s").write_text(text)
    subprocess.run(["sdas6808", "-l", "-o", "-s", "card.s"], cwd=folder, check=True, capture_output=True)
    found = {}
    for line in (folder / "card.lst").read_text().splitlines():
        match = re.match(
            r"\s*([0-9A-F]{6}|[0-9A-F]{4}) ((?:[0-9A-F]{2} ?)+)\s+(?:\[\s*(\d+)\])?\s*\d+ \s*[a-z]", line
        )
        if match:
            cycles = None if match[3] is None else int(match[3])
            found[int(match[1], 16)] = bytes.fromhex(match[2].replace(" ", "")), cycles
    return found


def simulated(program: SimulatedProgram, key: bytes, block: bytes, folder: Path) -> bytes:
    """What shc08 makes of a block, with the key set up already."""
    session = Session(program, key, len(block))
    session.memory[0x40 : 0x40 + len(block)] = block
    assembled(source(program, session), folder)
    subprocess.run(["sdld6808", "-i", "card"], cwd=folder, check=True, capture_output=True)
    commands = 'set error stack off\nset error non-classified off\nfile "card.ihx"\nreset\n'
    stops = [CODE + at for at, one in program.simulator.code.items() if one.instruction.name == "stop"]
    commands += (
        "".join(f"break 0x{at:x}\n" for at in stops) + f"run\ndump rom 0x40 0x{0x3F + len(block):x}\nquit\n"
    )
    ran = subprocess.run(
        ["shc08", "-t", "HC08"],
        cwd=folder,
        input=commands,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    found: dict[int, int] = {}
    for line in ran.stdout.splitlines():
        match = re.match(r"(?:\d*> )?0x([0-9a-f]+)((?:\s+[0-9a-f]{2})+)\s", line)
        if match:
            for k, value in enumerate(match[2].split()[:16]):
                found[int(match[1], 16) + k] = int(value, 16)
    assert all(0x40 + k in found for k in range(len(block))), ran.stdout + ran.stderr
    return bytes(found[0x40 + k] for k in range(len(block)))
