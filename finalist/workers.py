"""Work in several processes: of this computer, or of a cluster that runs dask.distributed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    as_completed,
)
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
#: In place of a number of processes: work is done in this one, a task after the other.
HERE = 0
#: Seconds that a scheduler is waited for.
_PATIENCE = 20


class WorkersError(FinalistError):
    """A scheduler that can't be reached, or processes that end again and again."""


class Processes(ProcessPoolExecutor):
    """Processes that can be ended before their tasks are done."""

    def __init__(self, at_once: int | None) -> None:
        context = get_context("spawn")
        # Nothing is ever sent: what waits at one end learns that the other one is closed.
        ended, self._open = context.Pipe(duplex=False)
        begin = (notice.shared(), ended)
        super().__init__(max_workers=at_once, mp_context=context, initializer=_begin, initargs=begin)

    def end(self) -> None:
        """End all of them, whatever they are doing."""
        self._open.close()
        self.shutdown(wait=True, cancel_futures=True)


def processes(at_once: int | None = None) -> Processes:
    """Processes of this Python, ``at_once`` side by side, else as many as there are processors.

    They are started afresh, not forked, since this process may have threads; so its main module must be
    one that can be imported. An interrupt is left to this process; where it is killed, they end as well.
    What is said to the user once is said by one of them.
    """
    return Processes(at_once)


def _begin(said: Any, ended: connection.Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=[ended], daemon=True).start()
    notice.share(said)


def _end_with_parent(ended: connection.Connection) -> None:
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel, ended])
        os._exit(1)


class _Stretches(Executor):
    """Processes each of which has a stretch of the tasks, in their order: what it has made for one of them
    serves the next.

    They end with these tasks, so that what was compiled and loaded does not stay in memory. (A pool's own
    way to end processes after some tasks leaves it with none: bug 115634 of CPython.)
    """

    def __init__(self, at_once: int | None, tasks: int) -> None:
        count = min(at_once or os.cpu_count() or 1, tasks)
        self._pools = [processes(1) for _ in range(count)]
        self._tasks, self._given = tasks, 0

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As an executor's."""
        pool = self._pools[self._given * len(self._pools) // self._tasks]
        self._given += 1
        return pool.submit(function, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As an executor's."""
        for pool in self._pools:
            pool.shutdown(wait=wait, cancel_futures=cancel_futures)

    def end(self) -> None:
        """End all of them, whatever they are doing."""
        for pool in self._pools:
            pool.end()


def work(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    at_once: int | None = None,
    scheduler: str = "",
    stretches: bool = False,
    threads: bool = False,
) -> Iterator[tuple[Task, Result]]:
    """Each task and what ``function`` gives for it, as soon as it is known, in whatever order.

    In processes of this computer, ``at_once`` of them, each with a stretch of neighbouring tasks if that is
    asked for; or on the workers of a dask ``scheduler``, such as ``tcp://host:8786``. Function, tasks and
    results can be pickled; where they can't be, in ``threads``, or `HERE`. Tasks can be hashed. A task whose
    process ends is tried again, and so are those that had not begun; none whose result was given is. Where
    whoever asks wants no more, what runs is ended. Raises WorkersError, and what the function raises.
    """
    left, tries = dict.fromkeys(tasks), 0
    if at_once == HERE:
        yield from ((task, function(task)) for task in left)
        return
    while left:
        before = len(left)
        try:
            with _executor(at_once, scheduler, len(left) if stretches else 0, threads) as pool:
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
def _executor(at_once: int | None, scheduler: str, stretches: int, threads: bool) -> Iterator[Executor]:
    """What runs the tasks; ``stretches``: of how many, if each process has one. Those that have not begun
    when it is left never do, and those that have are ended, as far as they are other processes'."""
    if scheduler:
        with _cluster(scheduler) as pool:
            yield pool
        return
    if threads:
        pool = ThreadPoolExecutor(at_once or os.cpu_count() or 1)
        try:
            yield pool
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        return
    own = _Stretches(at_once, stretches) if stretches else processes(at_once)
    try:
        yield own
    except BaseException:
        own.end()
        raise
    own.shutdown(wait=True)


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
