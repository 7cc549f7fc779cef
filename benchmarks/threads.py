"""How many times as quick several threads are as one on a message, by cipher and mode.

    python benchmarks/threads.py [--threads 2] [--bytes 1048576] [--rounds 9] [--seconds 0.3] [--pause 0]
        [CIPHER...]

Messages are worked on in place by objects of one thread and of several in turns, one after the other or
after a pause (microseconds). In each round the least time of either counts. Printed are the ratio of the best
round, in brackets that of the middle one, and the best one's times in microseconds. Other work on the
computer disturbs either: rounds whose ratio is above the number of threads, which can't be, are never the
best one, but they count for the middle.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import finalist
from finalist.ciphers.catalogue import USUAL_GROUP, cipher, cipher_names

#: Calls that follow each other: the first ones find the message in another processor's cache.
CALLS = 8
#: A ratio for each thread that there can't be.
MOST = 1.01
MODES: dict[str, tuple[int, str, Callable[[int], dict[str, Any]]]] = {
    "ECB": (finalist.MODE_ECB, "encrypt", lambda block: {}),
    "ECB, decr.": (finalist.MODE_ECB, "decrypt", lambda block: {}),
    "CTR": (finalist.MODE_CTR, "encrypt", lambda block: {"nonce": b""}),
    "CBC, decr.": (finalist.MODE_CBC, "decrypt", lambda block: {"iv": bytes(block)}),
}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    asked.add_argument("ciphers", nargs="*", metavar="CIPHER")
    for name, default in (("threads", 2), ("bytes", 1 << 20), ("rounds", 9), ("pause", 0)):
        asked.add_argument(f"--{name}", type=int, default=default)
    asked.add_argument("--seconds", type=float, default=0.3, help="of a round")
    given = asked.parse_args()
    print(f"| cipher | {' | '.join(MODES)} |\n|---|{'---:|' * len(MODES)}")
    for name in given.ciphers or (name for name in cipher_names(USUAL_GROUP) if not cipher(name).stateful):
        figures = (figure(name, mode, given) for mode in MODES)
        print(f"| {name} | {' | '.join(figures)} |", flush=True)


def figure(name: str, mode: str, given: argparse.Namespace) -> str:
    """The ratios of the best and the middle round, and the times of the best."""
    calls = [worked(name, mode, threads, given.bytes) for threads in (1, given.threads)]
    for call in calls * 3:
        call()
    found = rounds(calls, given)
    ratios = [one / several for one, several in found]
    likely = [ratio for ratio in ratios if ratio <= MOST * given.threads] or [min(ratios)]
    one, several = found[ratios.index(max(likely))]
    return f"{max(likely):.2f} ({median(ratios):.2f}), {1e6 * one:.0f}/{1e6 * several:.0f}"


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


def rounds(calls: list[Callable[[], object]], given: argparse.Namespace) -> list[list[float]]:
    """The least seconds of each call in each round."""
    found = []
    for _ in range(given.rounds):
        least, end = [float("inf")] * len(calls), time.perf_counter() + given.seconds
        while time.perf_counter() < end:
            for place, call in enumerate(calls):
                least[place] = min(least[place], *(seconds(call, given.pause) for _ in range(CALLS)))
        found.append(least)
    return found


def seconds(call: Callable[[], object], pause: float) -> float:
    if pause:
        time.sleep(1e-6 * pause)
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
