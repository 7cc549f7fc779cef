"""The PyPI packages that Finalist is measured beside, and Finalist itself, as their users call them.

All work on the same bytes object into memory that is there already; what Python takes for a call is in the
figure.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import finalist
from finalist.errors import VectorError
from finalist.target import target

#: Works on a bytes object, into other memory; or gives what it has made of it.
Work = Callable[[bytes, bytearray], object]
#: One message under a key: an object is made, and enciphers it all.
Once = Callable[[bytes, bytes], bytes]
#: A keyed cipher by cipher, mode, key and whether to decrypt, whose counters and chains begin at zero; None
#: for what there is not.
Open = Callable[[str, str, bytes, bool], Work | None]


@dataclass(frozen=True)
class Package:
    """A package: its name and version, what one call of it is, and what opens a cipher of it.

    ``once``: what enciphers single messages by cipher and mode, where ``open`` opens one;
    ``includes_once``: what one call of that is. ``room``: bytes that it wants to have past its output.
    ``ciphers``: those that it may have.
    """

    library: str
    version: str
    includes: str
    open: Open
    includes_once: str
    once: Callable[[str, str], Once]
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
        made = work(data, target)
        return made if isinstance(made, bytes) else bytes(target[: len(data)])

    def open(self, key: bytes) -> Work | None:
        """A keyed cipher, or None."""
        return self.package.open(self.cipher, self.mode, key, self.decrypt)


def ours() -> Package:
    """Finalist's own objects."""
    return Package(
        "Finalist",
        finalist.__version__,
        "finalist.new(...), encrypt with output=",
        _open_ours,
        "finalist.new(...).encrypt",
        _once_ours,
    )


def packages() -> tuple[Package, ...]:
    """Those of others that are here."""
    return tuple(one for one in _described() if one.version)


def absent() -> tuple[str, ...]:
    """The names of those that aren't."""
    return tuple(one.library for one in _described() if not one.version)


def _described() -> Iterator[Package]:
    yield Package(
        "cryptography",
        _version("cryptography"),
        "encryptor().update_into",
        _open_cryptography,
        "Cipher(...).encryptor().update",
        _once_cryptography,
        room=15,
        ciphers=frozenset(_CRYPTOGRAPHY),
    )
    yield Package(
        "pycryptodome",
        _version("pycryptodome"),
        "encrypt with output=",
        _open_pycryptodome,
        "new(...).encrypt",
        _once_pycryptodome,
        ciphers=frozenset(_PYCRYPTODOME),
    )


def _version(package: str) -> str:
    """The version of a package that is here; empty if it isn't."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


_MODES = {"ecb": finalist.MODE_ECB, "ctr": finalist.MODE_CTR, "cbc": finalist.MODE_CBC}


def _open_ours(cipher: str, mode: str, key: bytes, decrypt: bool) -> Work:
    made = _new_ours(cipher, mode)(key)
    found: Work = made.decrypt if decrypt else made.encrypt
    return found


def _once_ours(cipher: str, mode: str) -> Once:
    new = _new_ours(cipher, mode)
    return lambda key, data: new(key).encrypt(data)


def _new_ours(cipher: str, mode: str) -> Callable[[bytes], Any]:
    """What makes an object of a key; of a stream cipher without a mode."""
    if _is_stream(cipher):
        return partial(finalist.new, cipher)
    return partial(finalist.new, cipher, mode=_MODES[mode], **_zero(mode, target(cipher).block_bytes))


def _zero(mode: str, block_bytes: int) -> dict[str, Any]:
    """What PEP 272 and its extensions call a counter or chain that begins at zero."""
    chosen: dict[str, dict[str, Any]] = {
        "ctr": {"nonce": b"", "initial_value": 0},
        "cbc": {"iv": bytes(block_bytes)},
    }
    return chosen.get(mode, {})


_PYCRYPTODOME = {
    "rijndael": "AES",
    "blowfish": "Blowfish",
    "des": "DES",
    "triple-des": "DES3",
    "rc4": "ARC4",
}
#: Module and name of each algorithm, and the bytes of its block.
_CRYPTOGRAPHY = {
    "rc4": ("decrepit.ciphers.algorithms", "ARC4", 1),
    "rijndael": ("primitives.ciphers.algorithms", "AES", 16),
    "blowfish": ("decrepit.ciphers.algorithms", "Blowfish", 8),
    "triple-des": ("decrepit.ciphers.algorithms", "TripleDES", 8),
}


def _open_pycryptodome(cipher: str, mode: str, key: bytes, decrypt: bool) -> Work | None:
    if cipher not in _PYCRYPTODOME or _lacks(cipher, mode):
        return None
    try:
        made = _new_pycryptodome(cipher, mode)(key)
    except ValueError:  # of keys that it does not take
        return None
    found: Callable[..., object] = made.decrypt if decrypt else made.encrypt
    return (lambda data, target: found(data)) if _is_stream(cipher) else found


def _once_pycryptodome(cipher: str, mode: str) -> Once:
    new = _new_pycryptodome(cipher, mode)
    return lambda key, data: new(key).encrypt(data)


def _new_pycryptodome(cipher: str, mode: str) -> Callable[[bytes], Any]:
    """What makes an object of a key; of a stream cipher without a mode."""
    module: Any = importlib.import_module(f"Crypto.Cipher.{_PYCRYPTODOME[cipher]}")
    if _is_stream(cipher):
        new: Callable[[bytes], Any] = module.new
        return new
    return partial(module.new, mode=getattr(module, f"MODE_{mode.upper()}"), **_zero(mode, module.block_size))


def _is_stream(cipher: str) -> bool:
    """Whether it has no modes."""
    return target(cipher).stateful


def _lacks(cipher: str, mode: str) -> bool:
    """Whether it has no such mode."""
    return _is_stream(cipher) and mode != "ecb"


def _open_cryptography(cipher: str, mode: str, key: bytes, decrypt: bool) -> Work | None:
    if cipher not in _CRYPTOGRAPHY or _lacks(cipher, mode):
        return None
    lacking: Any = importlib.import_module("cryptography.exceptions").UnsupportedAlgorithm
    make, algorithm, begun = _parts(cipher, mode)
    try:
        made = make(algorithm(key), begun())
        context = made.decryptor() if decrypt else made.encryptor()
    except (ValueError, lacking):
        return None
    found: Work = context.update_into
    return found


def _once_cryptography(cipher: str, mode: str) -> Once:
    make, algorithm, begun = _parts(cipher, mode)
    return lambda key, data: make(algorithm(key), begun()).encryptor().update(data)


def _parts(cipher: str, mode: str) -> tuple[Any, Any, Callable[[], Any]]:
    """Of `cryptography`: what makes a cipher, its algorithm, and what makes its mode, or None."""
    place, name, size = _CRYPTOGRAPHY[cipher]
    algorithms: Any = importlib.import_module(f"cryptography.hazmat.{place}")
    ciphers: Any = importlib.import_module("cryptography.hazmat.primitives.ciphers")
    make, algorithm = ciphers.Cipher, getattr(algorithms, name)
    if _is_stream(cipher):
        return make, algorithm, lambda: None
    begin = () if mode == "ecb" else (bytes(size),)
    return make, algorithm, partial(getattr(ciphers.modes, mode.upper()), *begin)
