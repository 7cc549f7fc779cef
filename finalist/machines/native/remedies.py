"""What else a schedule that is refused would have to say for it to be legal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from finalist.schedule import Schedule

#: What is tried, each if none of its words is chosen yet; of two where one says more, the shorter first.
_ADDED = (
    Schedule(width=1),
    Schedule(planes=1),
    Schedule(lookup="match"),
    Schedule(lookup="gather"),
    Schedule(lookup="permute"),
    Schedule(lookup="permute", word=32),
    Schedule(lookup="permute", word=32, width=512),
    Schedule(lookup="permute", word=64),
    Schedule(lookup="bitslice"),
    Schedule(word=32),
    Schedule(word=32, width=512),
    Schedule(word=64),
    Schedule(blocks=2),
    Schedule(width=128),
)


def remedies(schedule: Schedule, legal: Callable[[Schedule], bool]) -> Iterator[str]:
    """Choices that make a schedule legal, as they are written; none that another one is part of."""
    chosen = schedule.chosen().keys()
    found: list[Schedule] = []
    for added in _ADDED:
        own = added.chosen()
        longer = any(one.chosen().items() <= own.items() for one in found)
        if not longer and not chosen & own.keys() and legal(schedule.over(added)):
            found.append(added)
            yield str(added)
