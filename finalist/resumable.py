"""Long work: many tasks, and the result of each kept as soon as it is there, so that it goes on if stopped.

Sweeps, `verify`, `pareto`, `tune`, comparisons with other libraries and the papers' studies all run so.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Generic, TypeVar

from finalist import workers

Task = TypeVar("Task", bound=Hashable)
Result = TypeVar("Result")


def _nothing(*_: object) -> None:
    return None


@dataclass(frozen=True)
class Resumable(Generic[Task, Result]):
    """What ``function`` gives for each of ``tasks``, which have it in other processes: all can be pickled.

    ``known``: results of earlier runs. ``keep`` is given each task and its result before anybody else is, by
    this process. ``alone``: whether nothing else may run beside a task, which is so where time is measured.
    ``portion``: tasks of one, which stand together, have processes of their own, and neighbours among them
    have the same process. ``threads``: what can't be pickled is done by threads instead.
    """

    function: Callable[[Task], Result]
    tasks: Sequence[Task]
    known: Mapping[Task, Result] = field(default_factory=dict)
    keep: Callable[[Task, Result], object] = _nothing
    alone: Callable[[Task], object] = _nothing
    portion: Callable[[Task], object] | None = None
    threads: bool = False

    @property
    def left(self) -> list[Task]:
        """The tasks that nothing is known of, each once, in the order in which they are begun."""
        missing = list(dict.fromkeys(task for task in self.tasks if task not in self.known))
        return sorted(missing, key=lambda task: bool(self.alone(task)))

    def run(self, at_once: int | None = None, scheduler: str = "") -> Iterator[tuple[Task, Result]]:
        """Each task that is left, with its result, once that is kept; arguments as of `workers.work`.

        Raises WorkersError, and what ``function`` and ``keep`` do.
        """
        for own, count in self._portions(at_once, bool(scheduler)):
            for task, result in workers.work(
                self.function,
                own,
                at_once=count,
                scheduler=scheduler,
                stretches=self.portion is not None,
                threads=self.threads,
            ):
                self.keep(task, result)
                yield task, result

    def _portions(self, at_once: int | None, cluster: bool) -> Iterator[tuple[list[Task], int | None]]:
        """What is done one after the other, and how many tasks of each at once."""
        left = self.left
        alone = [task for task in left if self.alone(task)]
        for _, own in groupby(left[: len(left) - len(alone)], self.portion or _nothing):
            yield list(own), at_once
        # A cluster's workers may share a computer, so it is given one task at a time.
        for timed in [[task] for task in alone] if cluster else [alone]:
            yield timed, workers.HERE if at_once == workers.HERE else 1
