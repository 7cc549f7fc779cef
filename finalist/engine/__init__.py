"""What serves the objects of `finalist.modes`: compiled programs, or the interpreter where no compiler is."""

from __future__ import annotations

from finalist.calling import ENDLESS
from finalist.engine.ladder import PATIENCE, Compiled, forget, ladder_of, ladders
from finalist.engine.plans import schedule
from finalist.engine.work import Slow, Work
from finalist.errors import CompilerError
from finalist.notice import notice_no_compiler
from finalist.target import Target

__all__ = ["ENDLESS", "PATIENCE", "Compiled", "Slow", "Work", "forget", "schedule", "work"]


def work(
    target: Target, key: bytes, mode: str, operation: str, state: bytes = b"", free: int = ENDLESS
) -> Work:
    """The work of a mode that begins with ``state``, compiled if there is a compiler.

    ``free``: calls of fewer blocks in all are quick. Without a compiler the interpreter serves, after one
    line that says so.
    """
    asked = target, operation, 8 * len(key), mode
    try:
        return Compiled(ladders.get(asked) or ladder_of(*asked), key, state, free)
    except CompilerError as error:
        from finalist.engine.interpreted import Interpreted

        notice_no_compiler(error)
        return Interpreted(target, key, mode, operation, state, free)
