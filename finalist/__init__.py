"""Finalist: block ciphers written once, taken as verified, measured code to every kind of machine."""

from finalist.api import compile
from finalist.modes import MODE_CBC, MODE_CTR, MODE_ECB, new
from finalist.schedule import Schedule
from finalist.version import VERSION as __version__

__all__ = ["MODE_CBC", "MODE_CTR", "MODE_ECB", "Schedule", "__version__", "compile", "new"]
