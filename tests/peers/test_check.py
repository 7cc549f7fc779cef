"""What is compared is held to the vectors first: planted faults are found, orders of bytes are named."""

from __future__ import annotations

import pytest

import finalist
from finalist.ciphers.catalogue import cipher
from finalist.errors import VectorError
from finalist.peers import check
from finalist.peers.check import ORDERS, Crypt, check_mode, check_vectors, many_blocks, reordered
from finalist.vectors.load import vectors_of

RC6 = cipher("rc6")
ROWS = [row for row in vectors_of(RC6) if len(row.key) == 16 and any(row.key[4:])][:5]
KEY = ROWS[0].key
_PROGRAMS = {
    operation: finalist.compile(RC6, "interpreter", operation, 128) for operation in ("encrypt", "decrypt")
}


def ecb(key: bytes, data: bytes) -> bytes:
    return _PROGRAMS["encrypt"].run(key, data).output


def decrypt(key: bytes, data: bytes) -> bytes:
    return _PROGRAMS["decrypt"].run(key, data).output


@pytest.fixture(autouse=True)
def shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter is slow."""
    monkeypatch.setattr(check, "LONG", 3)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.every(3)
def test_an_order_of_bytes_is_found_and_undone(order: str) -> None:
    # Orders are their own inverses, so the same function plants one and takes it away.
    other = reordered(ecb, order, 16)
    assert check_vectors(other, ROWS, "encrypt") == order
    assert reordered(other, order, 16)(KEY, many_blocks(16)) == ecb(KEY, many_blocks(16))


def test_both_operations_are_held_to_the_vectors() -> None:
    assert check_vectors(decrypt, ROWS, "decrypt") == ""
    with pytest.raises(VectorError, match=KEY.hex()):
        check_vectors(ecb, ROWS, "decrypt")


def test_a_fault_in_many_blocks_only_is_found() -> None:
    def faulty(key: bytes, data: bytes) -> bytes:
        right = ecb(key, data)
        return right if len(data) == 16 else right[:-1] + bytes([right[-1] ^ 1])

    with pytest.raises(VectorError, match="at once"):
        check_vectors(faulty, ROWS, "encrypt")


@pytest.mark.parametrize("mode", ["ecb", "ctr", "cbc"])
def test_a_fault_in_long_messages_only_is_found(mode: str) -> None:
    right = {"ecb": ecb, "ctr": counter(0), "cbc": chain(bytes(16))}[mode]

    def faulty(key: bytes, data: bytes) -> bytes:
        made = right(key, data)
        return made if len(data) <= 131 * 16 else made[: 131 * 16] + bytes(len(data) - 131 * 16)

    if mode == "ecb":
        with pytest.raises(VectorError, match="393 blocks at once differ"):
            check_vectors(faulty, ROWS, "encrypt")
    else:
        with pytest.raises(VectorError, match="of 6288 bytes disagrees"):
            check_mode(mode, faulty, ecb, KEY, 16)


def xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


def counter(first: int) -> Crypt:
    def crypt(key: bytes, data: bytes) -> bytes:
        blocks = range(first, first + len(data) // 16)
        return xor(data, ecb(key, b"".join(n.to_bytes(16, "big") for n in blocks)))

    return crypt


def chain(first: bytes) -> Crypt:
    def crypt(key: bytes, data: bytes) -> bytes:
        done = [first]
        for at in range(0, len(data), 16):
            done.append(ecb(key, xor(data[at : at + 16], done[-1])))
        return b"".join(done[1:])

    return crypt


def test_streams_are_held_to_vectors_from_further_on_too() -> None:
    rc4 = finalist.compile("rc4", "interpreter", "encrypt", 128)
    rows = [row for row in vectors_of(cipher("rc4")) if len(row.key) == 16 and row.offset < 300]
    assert any(row.offset for row in rows)

    def stream(key: bytes, data: bytes) -> bytes:
        return rc4.run(key, data).output

    def ends(key: bytes, data: bytes) -> bytes:
        return stream(key, data[:250]) + data[250:]

    assert check_vectors(stream, rows, "encrypt", stream=True) == ""
    with pytest.raises(VectorError, match="disagrees with the vectors of key 0102"):
        check_vectors(ends, rows, "encrypt", stream=True)


@pytest.mark.parametrize(
    ("mode", "right", "wrong"),
    [("ctr", counter(0), counter(1)), ("cbc", chain(bytes(16)), chain(bytes(15) + b"\1"))],
)
def test_modes_are_held_to_ecb(mode: str, right: Crypt, wrong: Crypt) -> None:
    check_mode(mode, right, ecb, KEY, 16)
    with pytest.raises(VectorError, match=mode.upper()):
        check_mode(mode, wrong, ecb, KEY, 16)
