"""How many times as quick several threads are as one on a message, by cipher and mode.

    python benchmarks/threads.py [--threads 2] [--bytes 1048576] [--rounds 14] [--seconds 0.3] [CIPHER...]

Messages are worked on in place, one after the other, by objects of one thread and of several in turns. The
figure is the ratio of their least times in a round, the best of as many rounds at most since other work on
the computer makes it less, then both times in microseconds. The caller is held to a processor, and other
threads to others, where the system can do that.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import finalist
from finalist.ciphers.catalogue import cipher, cipher_names

#: Calls that follow each other: the first ones find the message in another processor's cache.
CALLS = 8
#: Rounds at least; a ratio for each thread at which there is no need for more; and one that there can't be.
FEWEST, GOOD, MOST = 3, 0.98, 1.01
MODES: dict[str, tuple[int, str, Callable[[int], dict[str, Any]]]] = {
    "ECB": (finalist.MODE_ECB, "encrypt", lambda block: {}),
    "ECB, decr.": (finalist.MODE_ECB, "decrypt", lambda block: {}),
    "CTR": (finalist.MODE_CTR, "encrypt", lambda block: {"nonce": b""}),
    "CBC, decr.": (finalist.MODE_CBC, "decrypt", lambda block: {"iv": bytes(block)}),
}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    asked.add_argument("ciphers", nargs="*", metavar="CIPHER")
    for name, default in (("threads", 2), ("bytes", 1 << 20), ("rounds", 14)):
        asked.add_argument(f"--{name}", type=int, default=default)
    asked.add_argument("--seconds", type=float, default=0.3, help="of a round")
    given = asked.parse_args()
    print(f"| cipher | {' | '.join(MODES)} |\n|---|{'---:|' * len(MODES)}")
    for name in given.ciphers or (name for name in cipher_names() if not cipher(name).stateful):
        figures = (figure(name, mode, given) for mode in MODES)
        print(f"| {name} | {' | '.join(figures)} |", flush=True)


def figure(name: str, mode: str, given: argparse.Namespace) -> str:
    """The ratio, and the times."""
    calls = [worked(name, mode, threads, given.bytes) for threads in (1, given.threads)]
    for call in calls * 3:
        call()
    hold_apart(given.threads)
    one, several = best(calls, given)
    return f"{one / several:.2f}, {1e6 * one:.0f}/{1e6 * several:.0f}"


def worked(name: str, mode: str, threads: int, size: int) -> Callable[[], object]:
    """A call of an object of so many threads on a message of its own, which has to be that of one thread."""
    definition, (number, direction, options) = cipher(name), MODES[mode]
    key = bytes(range(max(bits for bits in definition.key_bits if bits <= 128) // 8))
    new: Any = finalist.new
    made, alone = (
        new(name, key, number, threads=count, **options(definition.block.bytes)) for count in (threads, 1)
    )
    message = bytearray(bytes(range(256)) * (size // 256))
    if getattr(made, direction)(message) != getattr(alone, direction)(message):
        raise SystemExit(f"{name}, {mode}: {threads} threads come to something else than one")
    return lambda: getattr(made, direction)(message, message)


def hold_apart(threads: int) -> None:
    """This thread on a processor, and those that have been made on others."""
    processors = sorted(os.sched_getaffinity(os.getppid())) if hasattr(os, "sched_setaffinity") else []
    if len(processors) < threads:
        return
    os.sched_setaffinity(0, processors[:1])
    for place, task in enumerate(map(int, os.listdir("/proc/self/task"))):
        if task != os.getpid():
            os.sched_setaffinity(task, {processors[1 + place % (len(processors) - 1)]})


def best(calls: list[Callable[[], object]], given: argparse.Namespace) -> list[float]:
    """The least seconds of each call in the round whose ratio was best.

    A ratio above the number of threads says that other work disturbed the one.
    """
    found, ratio = [0.0, 0.0], 0.0
    for number in range(given.rounds):
        least, end = [float("inf")] * len(calls), time.perf_counter() + given.seconds
        while time.perf_counter() < end:
            for place, call in enumerate(calls):
                least[place] = min(least[place], *(seconds(call) for _ in range(CALLS)))
        if ratio < least[0] / least[1] <= MOST * given.threads:
            found, ratio = least, least[0] / least[1]
        if number + 1 >= FEWEST and ratio >= GOOD * given.threads:
            break
    return found


def seconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
