"""Folders for SUPERCOP: what it expects in them, and functions that do what it asks."""

from __future__ import annotations

import ctypes
from pathlib import Path

import finalist
from finalist.ciphers.catalogue import cipher
from finalist.export.plan import plans
from finalist.export.supercop import supercop_files
from finalist.schedule import Schedule
from finalist.toolchain import compiler
from tests.marks import needs_compiler

SPECK = str(Path(__file__).parents[2] / "examples" / "speck.py")
TEXTS = supercop_files("finalist emit", cipher(SPECK), plans(cipher(SPECK), (128,), Schedule()))


def test_the_files_of_an_implementation() -> None:
    stream = {path for path in TEXTS if path.startswith("crypto_stream/speck128ctr/finalist-portable/")}
    assert {path.rpartition("/")[2] for path in stream} == {"api.h", "implementors", "stream.c"}
    assert TEXTS["crypto_stream/speck128ctr/finalist-avx2/architectures"] == "amd64\n"
    assert {"crypto_stream/speck128ctr/designers", "crypto_core/speck128decrypt/description"} <= set(TEXTS)


def test_sizes() -> None:
    sizes = "#define CRYPTO_KEYBYTES 16\n#define CRYPTO_NONCEBYTES 16\n"
    assert TEXTS["crypto_stream/speck128ctr/finalist-portable/api.h"] == sizes


def library(path: str, header: str) -> ctypes.CDLL:
    text = TEXTS[path].replace(f'#include "{header}"', "")
    return ctypes.CDLL(str(compiler.build_shared_library(text, name="supercop", flags=("-O1", "-Werror"))))


@needs_compiler
def test_what_the_functions_do() -> None:
    key, nonce, text = bytes(range(16)), bytes(range(100, 116)), bytes(range(50))
    expected = finalist.compile(SPECK, "interpreter").run(key, nonce).output
    stream = library("crypto_stream/speck128ctr/finalist-portable/stream.c", "crypto_stream.h")
    size = ctypes.c_ulonglong(len(text))
    out, again = ctypes.create_string_buffer(len(text)), ctypes.create_string_buffer(len(text))
    assert stream.crypto_stream(out, size, nonce, key) == 0
    assert out.raw[:16] == expected
    assert stream.crypto_stream_xor(again, text, size, nonce, key) == 0
    assert bytes(a ^ b for a, b in zip(again.raw, text, strict=True)) == out.raw
    core = library("crypto_core/speck128encrypt/finalist-portable/core.c", "crypto_core.h")
    assert core.crypto_core(out, nonce, key, None) == 0
    assert out.raw[:16] == expected
