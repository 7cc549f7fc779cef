"""The checker finds every fault that is planted; a checker that can't fail proves nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from finalist.errors import VectorError
from finalist.machines.base import Run
from finalist.schedule import Schedule
from finalist.vectors.check import check_known_answers, check_monte_carlo
from finalist.vectors.load import KnownAnswer, MonteCarlo
from finalist.vectors.matrix import Cell, Verdict, cells, verify, verifying

SIZE, LANES = 4, 4
KEY = bytes([1, 2, 3, 4])


def encrypt(key: bytes, block: bytes) -> bytes:
    """A toy: each byte plus the key's, turned by one place, so that bytes depend on their neighbours."""
    mixed = bytes((k + b) % 256 for k, b in zip(key, block, strict=True))
    return mixed[1:] + mixed[:1]


def decrypt(key: bytes, block: bytes) -> bytes:
    turned = block[-1:] + block[:-1]
    return bytes((b - k) % 256 for k, b in zip(key, turned, strict=True))


class Toy:
    """A program of the toy; ``fault`` spoils what a call yields, given the data and the right output."""

    cipher, key_bits, block_bytes, text = "toy", 32, SIZE, ""
    schedule = Schedule(blocks=LANES)
    stateful = False

    def __init__(
        self, operation: str = "encrypt", fault: Callable[[bytes, bytes], bytes] = lambda data, out: out
    ) -> None:
        self.operation = operation
        self.fault = fault

    def run(self, key: bytes, data: bytes) -> Run:
        one = encrypt if self.operation == "encrypt" else decrypt
        out = b"".join(one(key, data[i : i + SIZE]) for i in range(0, len(data), SIZE))
        return Run(self.fault(data, out))

    def run_many(self, keys: list[bytes], blocks: list[bytes]) -> list[bytes]:
        return [self.run(key, block).output for key, block in zip(keys, blocks, strict=True)]


class InPlace(Toy):
    """One that works in place, wrongly at one offset."""

    def __init__(self, wrong_at: int | None = None) -> None:
        super().__init__()
        self.wrong_at = wrong_at
        self.offsets: list[int] = []

    def crypt_in_place(self, key: bytes, data: bytes, offset: int) -> bytes:
        self.offsets.append(offset)
        out = self.run(key, data).output
        return data if offset == self.wrong_at else out


def answer(key: bytes, block: bytes, origin: str = "a row") -> KnownAnswer:
    return KnownAnswer(key, block, encrypt(key, block), origin)


ROWS = [answer(KEY, bytes([i, 2 * i, 3 * i, 7])) for i in range(6)] + [
    answer(b"\xff" * 4, b"abcd", "odd one")
]


def flipped(data: bytes) -> bytes:
    return bytes([data[0] ^ 1]) + data[1:]


class TestKnownAnswers:
    @pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
    def test_a_right_program_passes(self, operation: str) -> None:
        assert check_known_answers(Toy(operation), ROWS) == len(ROWS)

    @pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
    @pytest.mark.parametrize("place", range(len(ROWS)))
    @pytest.mark.parametrize("part", ["key", "plaintext", "ciphertext"])
    def test_each_wrong_vector_is_found(self, operation: str, place: int, part: str) -> None:
        rows = list(ROWS)
        change: dict[str, Any] = {part: flipped(getattr(rows[place], part))}
        rows[place] = replace(rows[place], **change)
        with pytest.raises(VectorError):
            check_known_answers(Toy(operation), rows)

    def test_the_message_names_everything(self) -> None:
        rows = [replace(ROWS[-1], ciphertext=b"\x01\x02\x03\x04")]
        with pytest.raises(VectorError) as caught:
            check_known_answers(Toy(), rows)
        for part in ("toy encrypt", "32-bit key", "blocks=4", "odd one", "ffffffff", "01020304", "61626360"):
            assert part in str(caught.value)

    def test_rows_of_other_key_lengths_are_not_its_own(self) -> None:
        other = KnownAnswer(bytes(8), bytes(4), bytes(4), "another key length")
        assert check_known_answers(Toy(), [*ROWS, other]) == len(ROWS)

    def test_no_vectors_is_no_match(self) -> None:
        with pytest.raises(VectorError, match="toy has no vectors for 32-bit keys"):
            check_known_answers(Toy(), [])

    @pytest.mark.parametrize("count", [0, 1, LANES - 1, LANES, LANES + 1, 2 * LANES + 1])
    def test_each_number_of_blocks_is_tried(self, count: int) -> None:
        def fault(data: bytes, out: bytes) -> bytes:
            return out + b"!" if len(data) == count * SIZE else out

        with pytest.raises(VectorError):
            check_known_answers(Toy(fault=fault), ROWS)

    def test_a_wrong_tail_is_found(self) -> None:
        def fault(data: bytes, out: bytes) -> bytes:
            whole = len(data) // (LANES * SIZE) * LANES * SIZE
            return out[:whole] + bytes(len(out) - whole) if whole else out

        with pytest.raises(VectorError, match=r"a call on 5 blocks .* block 4"):
            check_known_answers(Toy(fault=fault), ROWS)

    def test_in_place_at_every_offset(self) -> None:
        program = InPlace()
        check_known_answers(program, ROWS)
        assert program.offsets == list(range(16))

    @pytest.mark.parametrize("offset", [0, 1, 15])
    def test_wrong_in_place(self, offset: int) -> None:
        with pytest.raises(VectorError, match=f"in place at an offset of {offset} bytes"):
            check_known_answers(InPlace(offset), ROWS)


STREAM = bytes(n * n % 251 for n in range(300))


class ToyStream:
    """A stream cipher of one byte a step, whatever its key; ``late`` steps too late."""

    cipher, key_bits, block_bytes, text, stateful = "toy", 32, 1, "", True
    schedule = Schedule()

    def __init__(self, operation: str = "encrypt", late: int = 0) -> None:
        self.operation = operation
        self.late = late

    def run(self, key: bytes, data: bytes) -> Run:
        return Run(bytes(a ^ b for a, b in zip(data, STREAM[self.late :], strict=False)))

    def run_many(self, keys: list[bytes], blocks: list[bytes]) -> list[bytes]:
        return [self.run(key, block).output for key, block in zip(keys, blocks, strict=True)]


class StreamInPlace(ToyStream):
    """One that works in place, wrongly at one offset, and only far into the message."""

    def __init__(self, wrong_at: int | None = None) -> None:
        super().__init__()
        self.wrong_at = wrong_at
        self.seen: list[tuple[int, int]] = []

    def crypt_in_place(self, key: bytes, data: bytes, offset: int) -> bytes:
        self.seen.append((offset, len(data)))
        out = self.run(key, data).output
        return out[:-1] + data[-1:] if offset == self.wrong_at else out


def stream_row(size: int, offset: int) -> KnownAnswer:
    return KnownAnswer(KEY, bytes(size), STREAM[offset : offset + size], f"{size} at {offset}", offset)


STREAM_ROWS = [stream_row(16, 0), stream_row(16, 240), stream_row(100, 7), stream_row(1, 1)]


class TestStreams:
    @pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
    def test_a_right_program_passes(self, operation: str) -> None:
        assert check_known_answers(ToyStream(operation), STREAM_ROWS) == len(STREAM_ROWS)

    def test_a_message_that_is_no_zeros(self) -> None:
        secret = bytes(a ^ b for a, b in zip(b"a message", STREAM[5:], strict=False))
        row = KnownAnswer(KEY, b"a message", secret, "a letter", 5)
        for operation in ("encrypt", "decrypt"):
            assert check_known_answers(ToyStream(operation), [row]) == 1

    @pytest.mark.parametrize("place", range(len(STREAM_ROWS)))
    @pytest.mark.parametrize("change", ["offset", "ciphertext"])
    def test_each_wrong_row_is_found(self, place: int, change: str) -> None:
        row = STREAM_ROWS[place]
        wrong: dict[str, Any] = {"offset": row.offset + 3, "ciphertext": flipped(row.ciphertext)}
        rows = [*STREAM_ROWS[:place], replace(row, **{change: wrong[change]}), *STREAM_ROWS[place + 1 :]]
        with pytest.raises(VectorError, match=f"vector '{row.origin}'"):
            check_known_answers(ToyStream(), rows)

    def test_a_program_that_begins_too_late(self) -> None:
        for row in STREAM_ROWS:
            with pytest.raises(VectorError, match=row.origin):
                check_known_answers(ToyStream(late=1), [row])

    def test_in_place_at_every_offset(self) -> None:
        """The longest message, with what comes before it."""
        program = StreamInPlace()
        check_known_answers(program, STREAM_ROWS)
        assert program.seen == [(offset, 107) for offset in range(16)]

    @pytest.mark.parametrize("offset", [0, 1, 15])
    def test_wrong_in_place(self, offset: int) -> None:
        with pytest.raises(VectorError, match=f"in place at an offset of {offset} bytes"):
            check_known_answers(StreamInPlace(offset), STREAM_ROWS)


def xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def ecb(one: Callable[[bytes, bytes], bytes], block: bytes, times: int) -> bytes:
    for _ in range(times):
        block = one(KEY, block)
    return block


def cbc_encrypted(iv: bytes, plaintext: bytes, times: int) -> bytes:
    """By the letter of the rule: C[-1] = IV, P[0] = PT; C[j] = E(P[j] ^ C[j-1]), P[j+1] = C[j-1]."""
    P, C = {0: plaintext}, {-1: iv}
    for j in range(times):
        C[j] = encrypt(KEY, xor(P[j], C[j - 1]))
        P[j + 1] = C[j - 1]
    return C[times - 1]


def cbc_decrypted(iv: bytes, ciphertext: bytes, times: int) -> bytes:
    """P[j] = D(C[j]) ^ V[j], V[j+1] = C[j], C[j+1] = P[j]; C[0] = CT, V[0] = IV."""
    C, V, P = {0: ciphertext}, {0: iv}, {}
    for j in range(times):
        P[j] = xor(decrypt(KEY, C[j]), V[j])
        V[j + 1], C[j + 1] = C[j], P[j]
    return P[times - 1]


START, IV, TIMES = b"\x10\x20\x30\x40", b"\x0a\x0b\x0c\x0d", 7
CHAINS = [
    MonteCarlo("ECB", "encrypt", KEY, b"", START, ecb(encrypt, START, TIMES), TIMES, 3, "a file"),
    MonteCarlo("ECB", "decrypt", KEY, b"", ecb(decrypt, START, TIMES), START, TIMES, 3, "a file"),
    MonteCarlo("CBC", "encrypt", KEY, IV, START, cbc_encrypted(IV, START, TIMES), TIMES, 3, "a file"),
    MonteCarlo("CBC", "decrypt", KEY, IV, cbc_decrypted(IV, START, TIMES), START, TIMES, 3, "a file"),
]


class TestMonteCarlo:
    @pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
    def test_a_right_program_passes(self, operation: str) -> None:
        assert check_monte_carlo(Toy(operation), CHAINS) == 2

    @pytest.mark.parametrize(
        ("row", "part"),
        [
            pytest.param(row, part, id=f"{row.mode}-{row.direction}-{part}")
            for row in CHAINS
            for part in ("key", "iv", "plaintext", "ciphertext", "iterations")
            if getattr(row, part) != b""  # ECB has no initial vector
        ],
    )
    def test_each_change_is_found(self, row: MonteCarlo, part: str) -> None:
        value = getattr(row, part)
        change: dict[str, Any] = {part: value + 1 if isinstance(value, int) else flipped(value)}
        changed = replace(row, **change)
        with pytest.raises(VectorError, match=rf"Monte Carlo, {row.mode}, entry 3 \(a file\)"):
            check_monte_carlo(Toy(row.direction), [changed])

    def test_other_key_lengths_are_not_its_own(self) -> None:
        assert check_monte_carlo(Toy(), [replace(CHAINS[0], key=bytes(8))]) == 0


class TestMatrix:
    def test_cells_are_the_whole_product(self) -> None:
        from finalist.ciphers.catalogue import cipher

        own = [Schedule(blocks=1), Schedule(blocks=2)]
        found = list(cells(cipher("rc6"), "interpreter", schedules=own))
        assert len(found) == 6 * 2 * 2
        assert len(set(found)) == len(found)
        assert {cell.schedule for cell in cells(cipher("rc6"), "interpreter")} == {Schedule()}

    def test_ok(self) -> None:
        from finalist.ciphers.catalogue import cipher

        verdict = verify(Cell(cipher("rc6"), 128, "encrypt", "interpreter", Schedule()))
        assert (verdict.status, verdict.reason) == ("ok", "")
        assert verdict.known_answers > 90

    def test_refused(self) -> None:
        from finalist.ciphers.catalogue import cipher

        verdict = verify(Cell(cipher("rc6"), 128, "encrypt", "interpreter", Schedule(blocks=2)))
        assert verdict.status == "refused"
        assert "takes no schedule" in verdict.reason

    def test_a_wrong_cipher_fails(self) -> None:
        from finalist.ciphers.catalogue import cipher

        class Spoiled(cipher("rc6")):  # type: ignore[misc]  # mypy follows no base class made by a call
            def encrypt(self, block, S):  # type: ignore[no-untyped-def]
                a, b, c, d = super().encrypt(block, S)
                return a, b, c, d ^ 1

            called = "rc6"
            vectors = "rc6"

        (pair,) = verifying([Cell(Spoiled, 128, "encrypt", "interpreter", Schedule())]).run()
        verdict = pair[1]
        assert isinstance(verdict, Verdict)
        assert verdict.status == "failed"
        assert "rc6 encrypt" in verdict.reason
        right = verify(Cell(Spoiled, 128, "decrypt", "interpreter", Schedule()))
        assert right.status == "ok"
