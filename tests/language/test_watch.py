"""What is noted of a definition's names while it is traced."""

from __future__ import annotations

from collections.abc import Sized

from finalist.language import LITTLE, Array, Cipher, rounds, u32, words
from finalist.language.definition import trace
from finalist.language.watch import BOUND, GIVEN, RETURNED, STATE, Event, Watcher, nodes_of


class Small(Cipher):
    """Two rounds of a function that is called."""

    block = words(2, u32, LITTLE)
    key_bits = (64,)

    def expand_key(self, key):
        kept = [key[0], key[1]]
        kept[1] = kept[1] + 1
        return kept

    def mixed(self, x, k):
        y = x + k
        return y  # noqa: RET504  # a name that is noted

    def encrypt(self, block, keys):
        a, b = block
        for r in rounds(2):
            a, b = b, self.mixed(a, keys[r])
        return a, b


class Listed(Small):
    """Of a list one entry is another one."""

    def encrypt(self, block, keys):
        state = list(block)
        state[1] = state[1] ^ keys[0]
        state = [state[1], state[0]]
        return state  # noqa: RET504  # as above


def watched(cipher: type[Cipher]) -> tuple[Watcher, Watcher]:
    both = Watcher(cipher), Watcher(cipher)
    trace(cipher, "encrypt", 64, watch=both)
    return both


def told(events: list[Event], kind: str) -> list[tuple[str, str, int, int, int]]:
    return [(e.function, e.name, e.depth, len(e.nodes), e.phase) for e in events if e.kind == kind]


def test_names_are_bound_function_by_function() -> None:
    _, watcher = watched(Small)
    assert told(watcher.events, BOUND) == [
        ("encrypt", "a", 1, 1, 0),
        ("encrypt", "b", 1, 1, 0),
        ("mixed", "y", 2, 1, 1),
        ("encrypt", "a", 1, 1, 1),
        ("encrypt", "b", 1, 1, 1),
        ("mixed", "y", 2, 1, 2),
        ("encrypt", "a", 1, 1, 2),
        ("encrypt", "b", 1, 1, 2),
    ]


def test_what_functions_are_given_and_return() -> None:
    _, watcher = watched(Small)
    given = told(watcher.events, GIVEN)
    assert given[0][:3] == ("encrypt", "block", 1)
    assert [one for one in given if one[0] == "mixed"] == [
        ("mixed", "x", 2, 1, 1),
        ("mixed", "k", 2, 1, 1),
        ("mixed", "x", 2, 1, 2),
        ("mixed", "k", 2, 1, 2),
    ]
    assert told(watcher.events, RETURNED) == [
        ("mixed", "", 2, 1, 1),
        ("mixed", "", 2, 1, 2),
        ("encrypt", "", 1, 2, 3),
    ]


def test_rounds_and_what_is_known_between_them() -> None:
    _, watcher = watched(Small)
    assert watcher.turns == {1: (1, 0), 2: (1, 1)}
    states = [one for one in told(watcher.events, STATE) if one[1] in ("a", "b")]
    assert states == [("encrypt", name, 1, 1, phase) for phase in (0, 1, 2) for name in "ab"]
    marks = [event.mark for event in watcher.events if event.kind == STATE]
    assert marks == sorted(marks) and len(set(marks)) == 3
    assert {event.mark for event in watcher.events if event.kind != STATE} == {0}


def test_lines_are_those_where_names_were_bound() -> None:
    _, watcher = watched(Small)
    line = Small.mixed.__code__.co_firstlineno
    found = {(e.function, e.line.rpartition(":")[2]) for e in watcher.events if e.name == "y"}
    assert found == {("mixed", str(line + 1))}
    assert all(e.line.startswith(__file__) for e in watcher.events)


def test_of_a_list_the_entries_that_are_others() -> None:
    expanding, watcher = watched(Listed)
    assert [one[1] for one in told(expanding.events, BOUND)] == ["kept", "kept[1]"]
    assert [(one[1], one[3]) for one in told(watcher.events, BOUND)] == [
        ("state", 2),
        ("state[1]", 1),
        ("state", 2),
    ]


def test_keys_are_what_the_operation_was_given() -> None:
    expanding, watcher = watched(Small)
    assert len(nodes_of(watcher.keys)) == 2 and expanding.keys is None


def test_nodes_of_whatever_holds_words() -> None:
    seen: list[Sized] = []

    class Holding(Small):
        def encrypt(self, block, keys):
            array = Array(4, 32)
            for value in (block[0], [block[0], (block[1],)], {"k": list(block)}, array, 7, None):
                seen.append(nodes_of(value))
            return block[0], block[1]

    trace(Holding, "encrypt", 64)
    assert list(map(len, seen)) == [1, 2, 2, 1, 0, 0]
