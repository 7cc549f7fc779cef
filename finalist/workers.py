"""Work in several processes."""

from __future__ import annotations

import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from finalist import notice


def processes(at_once: int | None = None) -> ProcessPoolExecutor:
    """Processes of this Python, ``at_once`` side by side, else as many as there are processors.

    They are started afresh, not forked, since this process may have threads; so its main module must be
    one that can be imported. An interrupt is left to this process. What is said to the user once is said by
    one of them.
    """
    return ProcessPoolExecutor(
        max_workers=at_once,
        mp_context=get_context("spawn"),
        initializer=_begin,
        initargs=(notice.shared(),),
    )


def _begin(said: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    notice.share(said)
