"""Ciphers by name, or by the path of a user's definition file."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from functools import cache
from importlib import import_module, resources
from pathlib import Path
from types import ModuleType

from finalist.errors import DefinitionError, UnknownNameError
from finalist.language.cipher import Cipher, StreamCipher


@cache
def built_in() -> dict[str, str]:
    """The module of each built-in cipher: every definition in this folder, by file name."""
    files = (entry.name for entry in resources.files("finalist.ciphers").iterdir())
    stems = sorted(name[:-3] for name in files if name.endswith(".py"))
    skipped = {"__init__", Path(__file__).stem}
    return {stem.replace("_", "-"): f"finalist.ciphers.{stem}" for stem in stems if stem not in skipped}


def cipher_names() -> tuple[str, ...]:
    """All built-in ciphers."""
    return tuple(built_in())


def cipher(name: str | Path | type[Cipher]) -> type[Cipher]:
    """A built-in cipher by name, or the one defined in a file, or the class that was given.

    Anything that ends in .py or holds a path separator is a path. Raises UnknownNameError or
    DefinitionError (no such file, a syntax error, no cipher in it, a definition that lacks a part).
    """
    if isinstance(name, type):
        if not issubclass(name, Cipher):
            raise DefinitionError(f"{name.__name__} is no cipher; accepted: a class derived from Cipher")
        return _checked(name)
    text = str(name)
    if text.endswith(".py") or "/" in text or "\\" in text:
        found = _checked(_only_cipher(_load_file(Path(text))))
        found.source = text
        return found
    if text.lower() not in built_in():
        raise UnknownNameError(
            f"unknown cipher {text!r}; accepted: {', '.join(built_in())}, or the path of a definition file"
        )
    return _built_in(built_in()[text.lower()])


@cache
def _built_in(module: str) -> type[Cipher]:
    return _checked(_only_cipher(import_module(module)))


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise DefinitionError(f"no definition file {path}")
    spec = importlib.util.spec_from_file_location(f"finalist_user_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise DefinitionError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # so that Python finds the source of what it defines
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise DefinitionError(f"syntax error: {error.msg}", f"{path}:{error.lineno}") from error
    except DefinitionError:
        raise
    except Exception as error:
        raise DefinitionError(f"{type(error).__name__}: {error}", _line_in(path, error)) from error
    return module


def _line_in(path: Path, error: Exception) -> str:
    """The last line of the file that the error passed through."""
    line, step = 0, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == str(path):
            line = step.tb_lineno
        step = step.tb_next
    return f"{path}:{line}"


def _only_cipher(module: ModuleType) -> type[Cipher]:
    own = [
        value
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, Cipher) and value.__module__ == module.__name__
    ]
    if len(own) != 1:
        found = ", ".join(c.__name__ for c in own) or "none"
        raise DefinitionError(f"{module.__file__} must define one Cipher; it defines {found}")
    return own[0]


def _checked(found: type[Cipher]) -> type[Cipher]:
    """The cipher, if it declares all that a cipher must."""
    for attribute in ("block", "key_bits"):
        if not hasattr(found, attribute):
            raise DefinitionError(f"{found.__name__} must declare {attribute}", _line(found))
    base = StreamCipher if issubclass(found, StreamCipher) else Cipher
    for method in ("expand_key", "key_stream") if found.stateful else ("expand_key", "encrypt", "decrypt"):
        if getattr(found, method) is getattr(base, method):
            raise DefinitionError(f"{found.__name__} must define {method}", _line(found))
    bits = found.key_bits
    whole = isinstance(bits, tuple | range) and len(bits) > 0
    if not whole or not all(isinstance(b, int) and b > 0 and b % 8 == 0 for b in bits):
        accepted = "a tuple or range of positive multiples of 8"
        raise DefinitionError(f"key_bits = {bits!r}; accepted: {accepted}", _line(found))
    return found


def _line(found: type[Cipher]) -> str:
    try:
        return f"{inspect.getsourcefile(found)}:{inspect.getsourcelines(found)[1]}"
    except (OSError, TypeError):
        return found.__module__
