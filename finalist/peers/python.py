"""The PyPI packages that Finalist is measured beside, and Finalist itself, as their users call them.

All work on the same bytes object into memory that is there already; what Python takes for a call is in the
figure.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import finalist
from finalist.errors import VectorError

#: Works on a bytes object, into other memory.
Work = Callable[[bytes, bytearray], object]
#: A keyed cipher by cipher, mode, key and whether to decrypt, whose counters and chains begin at zero; None
#: for what there is not.
Open = Callable[[str, str, bytes, bool], Work | None]


@dataclass(frozen=True)
class Package:
    """A package: its name and version, what one call of it is, and what opens a cipher of it.

    ``room``: bytes that it wants to have past its output. ``ciphers``: those that it may have.
    """

    library: str
    version: str
    includes: str
    open: Open
    room: int = 0
    ciphers: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """Package and version."""
        return f"{self.library} {self.version}"

    def target(self, size: int) -> bytearray:
        """Memory for so many bytes of output."""
        return bytearray(size + self.room)


@dataclass(frozen=True)
class Opened:
    """A cipher of a package in a mode, as a function of key and data."""

    package: Package
    cipher: str
    mode: str
    decrypt: bool = False

    def __call__(self, key: bytes, data: bytes) -> bytes:
        """All of ``data`` in one call. Raises VectorError for a key that it can't have."""
        work, target = self.open(key), self.package.target(len(data))
        if work is None:
            raise VectorError(f"no key of {8 * len(key)} bits")
        work(data, target)
        return bytes(target[: len(data)])

    def open(self, key: bytes) -> Work | None:
        """A keyed cipher, or None."""
        return self.package.open(self.cipher, self.mode, key, self.decrypt)


def ours() -> Package:
    """Finalist's own objects."""
    return Package("Finalist", finalist.__version__, "finalist.new(...), encrypt with output=", _open_ours)


def packages() -> tuple[Package, ...]:
    """Those of others that are here."""
    return tuple(one for one in _described() if one.version)


def absent() -> tuple[str, ...]:
    """The names of those that aren't."""
    return tuple(one.library for one in _described() if not one.version)


def _described() -> Iterator[Package]:
    made = (
        ("cryptography", "encryptor().update_into", _open_cryptography, 15, frozenset(_CRYPTOGRAPHY)),
        ("pycryptodome", "encrypt with output=", _open_pycryptodome, 0, frozenset(_PYCRYPTODOME)),
    )
    for library, includes, opener, room, names in made:
        yield Package(library, _version(library), includes, opener, room, names)


def _version(package: str) -> str:
    """The version of a package that is here; empty if it isn't."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _open_ours(cipher: str, mode: str, key: bytes, decrypt: bool) -> Work:
    code = {"ecb": finalist.MODE_ECB, "ctr": finalist.MODE_CTR, "cbc": finalist.MODE_CBC}[mode]
    size = finalist.new(cipher, key, finalist.MODE_ECB).block_size
    made = finalist.new(cipher, key, code, **_zero(mode, size))
    return made.decrypt if decrypt else made.encrypt


def _zero(mode: str, block_bytes: int) -> dict[str, Any]:
    """What PEP 272 and its extensions call a counter or chain that begins at zero."""
    chosen: dict[str, dict[str, Any]] = {
        "ctr": {"nonce": b"", "initial_value": 0},
        "cbc": {"iv": bytes(block_bytes)},
    }
    return chosen.get(mode, {})


_PYCRYPTODOME = {"rijndael": "AES", "blowfish": "Blowfish", "des": "DES", "triple-des": "DES3"}
#: Module and name of each algorithm, and the bytes of its block.
_CRYPTOGRAPHY = {
    "rijndael": ("primitives.ciphers.algorithms", "AES", 16),
    "blowfish": ("decrepit.ciphers.algorithms", "Blowfish", 8),
    "triple-des": ("decrepit.ciphers.algorithms", "TripleDES", 8),
}


def _open_pycryptodome(cipher: str, mode: str, key: bytes, decrypt: bool) -> Work | None:
    if cipher not in _PYCRYPTODOME:
        return None
    module: Any = importlib.import_module(f"Crypto.Cipher.{_PYCRYPTODOME[cipher]}")
    try:
        made = module.new(key, getattr(module, f"MODE_{mode.upper()}"), **_zero(mode, module.block_size))
    except ValueError:  # of keys that it does not take
        return None
    found: Work = made.decrypt if decrypt else made.encrypt
    return found


def _open_cryptography(cipher: str, mode: str, key: bytes, decrypt: bool) -> Work | None:
    if cipher not in _CRYPTOGRAPHY:
        return None
    place, name, size = _CRYPTOGRAPHY[cipher]
    algorithms: Any = importlib.import_module(f"cryptography.hazmat.{place}")
    ciphers: Any = importlib.import_module("cryptography.hazmat.primitives.ciphers")
    lacking: Any = importlib.import_module("cryptography.exceptions").UnsupportedAlgorithm
    begin = () if mode == "ecb" else (bytes(size),)
    try:
        made = ciphers.Cipher(getattr(algorithms, name)(key), getattr(ciphers.modes, mode.upper())(*begin))
        context = made.decryptor() if decrypt else made.encryptor()
    except (ValueError, lacking):
        return None
    found: Work = context.update_into
    return found
