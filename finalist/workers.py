"""Work in several processes: of this computer, or of a cluster that runs dask.distributed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing import connection, get_context, parent_process
from typing import Any, TypeVar

from finalist import notice
from finalist.errors import FinalistError

Task = TypeVar("Task")
Result = TypeVar("Result")
#: How often a task is tried whose process ends.
TRIES = 3
#: Seconds that a scheduler is waited for.
_PATIENCE = 20


class WorkersError(FinalistError):
    """A scheduler that can't be reached, or processes that end again and again."""


def processes(at_once: int | None = None) -> ProcessPoolExecutor:
    """Processes of this Python, ``at_once`` side by side, else as many as there are processors.

    They are started afresh, not forked, since this process may have threads; so its main module must be
    one that can be imported. An interrupt is left to this process; where it is killed, they end as well.
    What is said to the user once is said by one of them.
    """
    return ProcessPoolExecutor(
        max_workers=at_once,
        mp_context=get_context("spawn"),
        initializer=_begin,
        initargs=(notice.shared(),),
    )


def _begin(said: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    notice.share(said)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def work(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    at_once: int | None = None,
    scheduler: str = "",
) -> Iterator[tuple[Task, Result]]:
    """Each task and what ``function`` gives for it, as soon as it is known, in whatever order.

    In processes of this computer, ``at_once`` of them, or on the workers of a dask ``scheduler``, such as
    ``tcp://host:8786``. Function, tasks and results can be pickled; tasks can be hashed. A task whose process
    ends is tried again, and so are those that had not begun; none whose result was given is. Raises
    WorkersError, and what the function raises.
    """
    left, tries = dict.fromkeys(tasks), 0
    while left:
        before = len(left)
        try:
            with _executor(at_once, scheduler) as pool:
                running = {pool.submit(function, task): task for task in left}
                for done in as_completed(running):
                    result = done.result()
                    del left[running[done]]
                    yield running[done], result
        except BrokenExecutor as error:
            tries = tries + 1 if len(left) == before else 1
            if tries == TRIES:
                told = f"{len(left)} tasks are left, such as {next(iter(left))}"
                raise WorkersError(f"a process has ended {TRIES} times in a row; {told}") from error


@contextmanager
def _executor(at_once: int | None, scheduler: str) -> Iterator[Executor]:
    """What runs the tasks; those that have not begun when it is left never do."""
    if scheduler:
        with _cluster(scheduler) as pool:
            yield pool
        return
    pool = processes(at_once)
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _cluster(scheduler: str) -> Iterator[Executor]:
    check_scheduler(scheduler)
    from distributed import Client
    from distributed.scheduler import KilledWorker

    connect: Any = Client
    try:
        client = connect(scheduler, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        told = f"scheduler {scheduler} can't be reached ({error})"
        raise WorkersError(f"{told}; accepted: an address such as tcp://host:8786") from error
    with client:
        pool = client.get_executor()
        try:
            yield pool
        except KilledWorker as error:
            raise BrokenExecutor(str(error)) from error
        finally:
            pool.shutdown(wait=False)


def check_scheduler(scheduler: str) -> None:
    """Raises WorkersError where a scheduler is named, and what talks to it is missing."""
    if scheduler and find_spec("distributed") is None:
        missing = "dask.distributed, which is missing: pip install 'finalist[sweep]'"
        raise WorkersError(f"--scheduler takes {missing}")
