"""Ciphers by name, or by the path of a user's definition file."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module, resources
from importlib.machinery import SOURCE_SUFFIXES, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from finalist import language, plugins
from finalist.ciphers import is_path
from finalist.errors import DefinitionError, PackageError, UnknownNameError, did_you_mean
from finalist.ir.program import Layout
from finalist.language.cipher import Cipher, CounterCipher, Permutation, StreamCipher
from finalist.language.parameters import parse, split, variant

#: Built-in ciphers by groups, each a folder: those of the AES contest and what its studies compare them with,
#: which tables are of where nothing is named; and those of today.
GROUPS = {"contest": "finalist.ciphers", "today": "finalist.ciphers.today"}
USUAL_GROUP = "contest"
#: What each group is of, as lists of ciphers say it.
GROUP_TITLES = {
    "contest": "The AES contest's, and those that its studies compare them with",
    "today": "Ciphers, permutations and stream ciphers of today",
}


@cache
def built_in(group: str = "") -> dict[str, str]:
    """The module of each built-in cipher, of a group or of all: the definitions in its folder."""
    if not group:
        return {name: module for one in GROUPS for name, module in built_in(one).items()}
    folder = GROUPS[group]
    files = (entry.name for entry in resources.files(folder).iterdir())
    stems = sorted(name[:-3] for name in files if name.endswith(".py"))
    skipped = {"__init__", Path(__file__).stem}
    return {stem.replace("_", "-"): f"{folder}.{stem}" for stem in stems if stem not in skipped}


def cipher_names(group: str = "") -> tuple[str, ...]:
    """All built-in ciphers, or those of a group."""
    return tuple(built_in(group))


def installed_names() -> tuple[str, ...]:
    """The ciphers that other packages offer, by name; see `finalist.plugins`."""
    return plugins.names(plugins.CIPHERS, _own_names())


def installed() -> Iterator[type[Cipher] | PackageError]:
    """These ciphers; in place of one that is not as it should be what is wrong with it."""
    return plugins.everything(plugins.CIPHERS, _own_names(), _installed)


def cipher(name: str | Path | type[Cipher]) -> type[Cipher]:
    """A cipher by its name or an alias, or the one defined in a file, or the class that was given.

    Names are those of built-in ciphers, or such as other packages offer. Anything that ends in .py or holds a
    path separator is a path. After a colon stand values of the definition's parameters, ``rc6:w=64,r=24``.
    Raises UnknownNameError, PackageError or
    DefinitionError (no such file, a syntax error, no cipher in it, a definition that lacks a part).
    """
    if isinstance(name, type):
        if not issubclass(name, Cipher):
            raise DefinitionError(f"{name.__name__} is no cipher; accepted: a class derived from Cipher")
        return _checked(name)
    text, values = split(str(name))
    found = _base(text)
    return _checked(variant(found, parse(found, values)))


def _base(text: str) -> type[Cipher]:
    """The definition of a name or path, its parameters as it has them."""
    if is_path(text):
        found = _checked(_only_cipher(_load_file(Path(text))))
        found.source, found.file = text, str(Path(text).resolve())
        return found
    plain = text.lower().replace("_", "-")
    if plain in built_in():
        return _built_in(plain)
    if plain in _aliases():
        return _built_in(_aliases()[plain])
    found_elsewhere = _installed(plain)
    if found_elsewhere is None:
        raise UnknownNameError(_unknown(text))
    return found_elsewhere


@cache
def _built_in(name: str) -> type[Cipher]:
    return _checked(_only_cipher(import_module(built_in()[name])))


@cache
def _installed(name: str) -> type[Cipher] | None:
    """The cipher that a package offers by a name; None where none does. Raises PackageError."""
    return plugins.load(plugins.CIPHERS, name, _own_names, partial(_as_offered, name))


def _as_offered(name: str, found: object) -> type[Cipher]:
    """What an entry point of this name is, if that is a cipher of this name. Raises DefinitionError."""
    if not isinstance(found, type) or not issubclass(found, Cipher):
        accepted = "a class derived from finalist.language.Cipher"
        raise DefinitionError(f"{found!r} is no cipher; accepted: {accepted}")
    if found.own_name() != name:
        told = f"{found.__name__} calls itself {found.own_name()!r}"
        raise DefinitionError(f"{told}; accepted: called = {name!r}, or an entry point of that name")
    return _checked(found)


@cache
def _aliases() -> dict[str, str]:
    """The built-in cipher that each other name means, as the definitions say."""
    return {alias: name for name in built_in() if _has_aliases(name) for alias in _built_in(name).aliases}


def _has_aliases(name: str) -> bool:
    """Whether a definition may have other names: to read them all takes a hundredth of importing them."""
    folder, _, stem = built_in()[name].rpartition(".")
    return b"aliases" in (resources.files(folder) / f"{stem}.py").read_bytes()


def _own_names() -> tuple[str, ...]:
    """Names that no other package's cipher can have."""
    return (*built_in(), *_aliases(), *GROUPS)


def _unknown(text: str) -> str:
    close = did_you_mean(text, (*_own_names(), *installed_names()))
    accepted = f"{', '.join((*built_in(), *installed_names()))}, or the path of a definition file"
    return f"unknown cipher {text!r}{close}; accepted: {accepted}"


# -- which definition it is ----------------------------------------------------------------------------


def is_built_in(found: type[Cipher]) -> bool:
    """Whether it is Finalist's own definition of its name, which published vectors and figures are of."""
    return built_in().get((found.base or found).own_name()) == found.__module__


def group_of(found: type[Cipher]) -> str:
    """The group of a built-in cipher; empty for a definition that is none."""
    name = (found.base or found).own_name()
    return next((one for one in GROUPS if is_built_in(found) and name in built_in(one)), "")


def identity(found: type[Cipher]) -> str:
    """What a definition is told from all others by: a built-in cipher's name, else file and class.

    ``/home/me/simon.py:Simon``; of a class that was never in a file of its own, module and class.
    """
    if is_built_in(found):
        return found.own_name()
    values = split(found.own_name())[1] if found.base else ""
    return f"{found.file or found.__module__}:{found.__qualname__}" + (f":{values}" if values else "")


@dataclass(frozen=True, slots=True)
class Reference:
    """A definition as another process can have it: its name or path, and what it is called in this run."""

    text: str
    shown: str = ""

    def load(self) -> type[Cipher]:
        """The definition. Raises as `cipher`."""
        found = cipher(self.text)
        found.shown = self.shown
        return found


def reference(found: type[Cipher]) -> Reference:
    """The reference to a definition that has a name or a file."""
    return Reference(found.source or found.name(), found.shown)


def ciphers(names: Iterable[str | Path]) -> list[type[Cipher]]:
    """These definitions, each once and under a name of its own.

    A group's name stands for all that are in it. Where two of them have one name, those of files are called
    as their files are: ``simon40``, or ``mine/simon`` where that does not tell them apart either. Raises as
    `cipher`.
    """
    each = (one for name in names for one in (cipher_names(str(name)) if str(name) in GROUPS else (name,)))
    found = list({identity(one): one for one in map(cipher, dict.fromkeys(each))}.values())
    taken = Counter(one.own_name() for one in found)
    clashing = [one for one in found if one.file and taken[one.own_name()] > 1]
    others = {one.own_name() for one in found if one not in clashing}
    for one, shown in zip(clashing, _by_file([one.file for one in clashing], others), strict=True):
        one.shown = shown
    return found


def _by_file(files: list[str], others: set[str]) -> list[str]:
    """Names after files, with as many folders as tell them from one another and from ``others``."""
    whole = [Path(file).with_suffix("").parts for file in files]
    for length in range(1, max(map(len, whole), default=0) + 1):
        names = ["/".join(parts[-length:]) for parts in whole]
        if len(set(names)) == len(names) and not others & set(names):
            return names
    return files


# -- definitions in files ------------------------------------------------------------------------------


class _Source(SourceFileLoader):
    """A file as it is now: Python's kept bytecode is told from another's by size and second only."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise DefinitionError(f"no definition file {path}")
    whole = path.resolve()
    # A name of its own for each file, so that two of one stem are two modules.
    name = f"finalist_user_{path.stem}_{hashlib.sha256(str(whole).encode()).hexdigest()[:12]}"
    if whole.suffix not in SOURCE_SUFFIXES:
        raise DefinitionError(f"{path} is no Python file")
    loader = _Source(name, str(whole))
    spec = importlib.util.spec_from_file_location(name, whole, loader=loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # so that Python finds the source of what it defines
    # What a definition prints is for its writer, and must not end up in the code or JSON on standard output.
    vars(module)["print"] = partial(_print, print)
    try:
        loader.exec_module(module)
    except SyntaxError as error:
        raise DefinitionError(
            f"syntax error: {error.msg}", f"{error.filename or path}:{error.lineno}"
        ) from error
    except DefinitionError:
        raise
    except ImportError as error:
        raise DefinitionError(_not_imported(error), _line_in(whole, error)) from error
    except Exception as error:
        raise DefinitionError(f"{type(error).__name__}: {error}", _line_in(whole, error)) from error
    return module


def _not_imported(error: ImportError) -> str:
    if error.name == language.__name__:
        accepted = f"{', '.join(language.__all__)} (docs/write-your-own-cipher.md)"
        return f"{str(error).partition(' (')[0]}; accepted: {accepted}"
    meant = did_you_mean(error.name, (language.__name__,))
    accepted = f"modules that are installed for {sys.executable}; a definition is one file"
    return f"{type(error).__name__}: {error}{meant}; accepted: {accepted}"


def _print(show: Callable[..., None], *values: object, **options: Any) -> None:
    """Print, on standard error where nothing else is said."""
    show(*values, **{"file": sys.stderr, **options})


def _line_in(path: Path, error: Exception) -> str:
    """The last line of the file that the error passed through."""
    line, step = 1, error.__traceback__
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
    base = next(one for one in (CounterCipher, StreamCipher, Permutation, Cipher) if issubclass(found, one))
    for method in _methods(found):
        if getattr(found, method) is getattr(base, method):
            raise DefinitionError(f"{found.__name__} must define {method}", _line(found))
    for attribute in ("block", "key_words", "public"):
        value = getattr(found, attribute)
        if not isinstance(value, Layout) and (value is not None or attribute == "block"):
            accepted = "words(4, u32) or another number of u8, u16, u24, u32, u48, u64"
            raise DefinitionError(f"{attribute} = {value!r}; accepted: {accepted}", _line(found))
    bits = found.key_bits
    whole = isinstance(bits, tuple | range) and len(bits) > 0
    least = 0 if issubclass(found, Permutation) else 8
    if not whole or not all(isinstance(b, int) and b >= least and b % 8 == 0 for b in bits):
        accepted = "a tuple or range of positive multiples of 8"
        raise DefinitionError(f"key_bits = {bits!r}; accepted: {accepted}", _line(found))
    _check_public(found)
    _check_parameters(found)
    return found


def _methods(found: type[Cipher]) -> tuple[str, ...]:
    """What a definition of its kind has to define."""
    if issubclass(found, CounterCipher):
        return ("start", "stream_block")
    if issubclass(found, Permutation):
        return ("permute", "invert")
    return ("expand_key", "key_stream") if found.stateful else ("expand_key", "encrypt", "decrypt")


def _check_public(found: type[Cipher]) -> None:
    """What is public is words as those of the key, and leaves some of it."""
    if found.public is None:
        return
    key = found.key_words or found.block
    if (found.public.width, found.public.order) != (key.width, key.order):
        accepted = f"words of the key's kind, {key.width} bits, {key.order.value} endian"
        raise DefinitionError(f"public = {found.public}; accepted: {accepted}", _line(found))
    if min(found.key_bits) <= 8 * found.public.bytes:
        told = f"key_bits = {found.key_bits!r} counts what is public, {8 * found.public.bytes} bits of it"
        raise DefinitionError(f"{told}; accepted: more than that", _line(found))
    counter = getattr(found, "counter_words", None)
    if counter is None:
        return
    if not isinstance(counter, slice) or not _within(counter, found.public.count):
        accepted = f"slice(begin, end) of the {found.public.count} words that are public"
        raise DefinitionError(f"counter_words = {counter!r}; accepted: {accepted}", _line(found))


def _within(part: slice, count: int) -> bool:
    """Whether a slice is of words one after the other, of so many, and says so."""
    try:
        same = part.indices(count) == (part.start, part.stop, 1)
    except TypeError:  # its ends are no numbers
        return False
    return same and part.step is None and part.start < part.stop


def _check_parameters(found: type[Cipher]) -> None:
    """Of each parameter the definition has a value of its own, one of those that it allows."""
    if not isinstance(found.parameters, Mapping):
        accepted = 'values by name, such as {"w": (16, 32, 64)}'
        raise DefinitionError(f"parameters = {found.parameters!r}; accepted: {accepted}", _line(found))
    for name, allowed in found.parameters.items():
        if not isinstance(allowed, tuple | range):
            told = f"parameters: {name!r} has {allowed!r}; accepted: a tuple or range of values"
            raise DefinitionError(told, _line(found))
        if not isinstance(name, str) or getattr(found, name, None) not in allowed:
            told = f"{found.__name__} must declare {name}, one of the values that parameters has for it"
            raise DefinitionError(told, _line(found))


def _line(found: type[Cipher]) -> str:
    try:
        return f"{inspect.getsourcefile(found)}:{inspect.getsourcelines(found)[1]}"
    except (OSError, TypeError):
        return found.__module__
