"""Finalist: block ciphers written once, taken as verified, measured code to every kind of machine."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from finalist.version import VERSION as __version__

if TYPE_CHECKING:
    from finalist.api import compile
    from finalist.errors import FinalistError
    from finalist.modes import MODE_CBC, MODE_CFB, MODE_CTR, MODE_ECB, MODE_OFB, new
    from finalist.schedule import Schedule
    from finalist.tuning.legal import schedules

    def ciphers() -> tuple[str, ...]:
        """The names of all built-in ciphers, and of those that other packages offer."""

    def machines() -> tuple[str, ...]:
        """The names of all machines, also of those that other packages offer."""


__all__ = [
    "MODE_CBC",
    "MODE_CFB",
    "MODE_CTR",
    "MODE_ECB",
    "MODE_OFB",
    "FinalistError",
    "Schedule",
    "__version__",
    "ciphers",
    "compile",
    "machines",
    "new",
    "schedules",
]

#: Where each name is; imported when it is first asked for, since the command line needs little of it.
_HOMES = {
    **dict.fromkeys(("MODE_CBC", "MODE_CFB", "MODE_CTR", "MODE_ECB", "MODE_OFB", "new"), "finalist.modes"),
    "FinalistError": "finalist.errors",
    "Schedule": "finalist.schedule",
    "compile": "finalist.api",
    "schedules": "finalist.tuning.legal",
}


def __getattr__(name: str) -> object:
    if name in ("ciphers", "machines"):  # packages, which can be called
        return import_module(f"finalist.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
