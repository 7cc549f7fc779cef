"""Python's search for cycles, which proofs do without."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from weakref import ReferenceType

from finalist.prove.store import Store

#: Sums of a store from which on its memory, gigabytes perhaps, is asked back before another one is begun, and
#: where it is closed.
LARGE = 500_000


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for cycles meanwhile. A store is millions of tuples and no cycle among them: to look through
    them again and again takes a quarter of the time of a long proof."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def put_aside() -> None:
    """Have what there is now taken for old, without a look at it: of millions of objects that are needed
    further on a search for cycles would find none."""
    gc.freeze()
    gc.unfreeze()


def ask_back(store: ReferenceType[Store] | None) -> None:
    """Frees a large store. Its parts know each other, and with those Python waits while little is made."""
    if store is not None and _is_large(store()):
        gc.collect()


def give_back(store: Store, parts: Sequence[object]) -> None:
    """Empties a store and its parts. What others made over a large one, and is in cycles, is searched for: a
    gigabyte, of which little is looked at."""
    large = _is_large(store)
    for part in (store, *parts):
        vars(part).clear()
    if large:
        gc.collect()


def _is_large(store: Store | None) -> bool:
    return store is not None and len(getattr(store, "sets", ())) > LARGE
