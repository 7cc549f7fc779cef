"""How many threads a process has beside those that it had, and what a fork does to them.

A script of the tests of `finalist.engine.parts`.
"""

from __future__ import annotations

import os
import threading
import time
import warnings

import finalist

#: So much that threads are worth waking for it on a processor that does twenty gigabytes a second.
DATA = bytes(1 << 21)
ALONE = finalist.new("rc6", bytes(16), finalist.MODE_ECB)
EXPECTED = ALONE.encrypt(DATA)
BEFORE = len(os.listdir("/proc/self/task"))


def more() -> str:
    time.sleep(0.02)  # a thread that has been joined may still be listed
    return f"{len(os.listdir('/proc/self/task')) - BEFORE} threads more"


def affinities() -> set[frozenset[int]]:
    """Where each thread may run now."""
    return {frozenset(os.sched_getaffinity(int(task))) for task in os.listdir("/proc/self/task")}


def processors() -> set[frozenset[int]]:
    """The same after messages that follow each other and some that do not. A thread that wakes moves away
    from its caller's processor by leaving that out for a moment, on a busy computer a long one."""
    cipher = finalist.new("rc6", bytes(16), finalist.MODE_ECB, threads=3)
    for number in range(100):
        time.sleep(0.001 * (number % 2))
        cipher.encrypt(DATA)
    for _ in range(500):
        if affinities() == {frozenset(os.sched_getaffinity(0))}:
            break
        time.sleep(0.01)
    return affinities()


def said(cipher: finalist.modes.ECB) -> str:
    return f"{'right' if cipher.encrypt(DATA) == EXPECTED else 'WRONG'}, {more()}"


def ended(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def one_fork(cipher: finalist.modes.ECB) -> None:
    child = os.fork()
    if not child:
        print(f"child of a fork: {more()}")
        print(f"its message: {said(cipher)}", flush=True)
        os._exit(0)
    after = more()
    assert ended(child) == 0
    print(f"after the fork: {after}")
    print(f"message after it: {said(cipher)}")


def forks_while_others_work(cipher: finalist.modes.ECB) -> bool:
    """Children whose parent was in the middle of messages."""
    stop, right = threading.Event(), []

    def work() -> None:
        while not stop.is_set():
            right.append(cipher.encrypt(DATA) == EXPECTED)

    callers = [threading.Thread(target=work) for _ in range(2)]
    for caller in callers:
        caller.start()
    for _ in range(20):
        child = os.fork()
        if not child:
            os._exit(0 if cipher.encrypt(DATA) == EXPECTED else 1)
        right.append(ended(child) == 0)
    stop.set()
    for caller in callers:
        caller.join()
    return all(right)


def main() -> None:
    cipher = finalist.new("rc6", bytes(16), finalist.MODE_ECB, threads=3)
    cipher.encrypt(DATA[: 1 << 16])
    print(f"short message: {more()}")
    cipher.encrypt(DATA)
    print(f"first message: {more()}")
    cipher.encrypt(DATA)
    print(f"second message: {more()}", flush=True)
    print(f"processors: {'as before' if processors() == {frozenset(os.sched_getaffinity(0))} else 'others'}")
    one_fork(cipher)
    warnings.simplefilter("ignore")  # from Python 3.12 on of forks beside threads of Python
    print(f"forks while others work: {'right' if forks_while_others_work(cipher) else 'WRONG'}")


if __name__ == "__main__":
    main()
