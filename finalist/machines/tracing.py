"""Definitions traced, for machines: once for all schedules."""

from __future__ import annotations

from collections.abc import Callable

from finalist.ir.memoized import memoized
from finalist.ir.program import Program
from finalist.language.cipher import Cipher
from finalist.language.definition import trace

#: The program of a cipher, operation (encrypt or decrypt) and length of keys in bits. Raises DefinitionError.
traced: Callable[[type[Cipher], str, int], Program] = memoized(trace)
