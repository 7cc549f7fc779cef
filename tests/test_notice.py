"""Notices: each once, by this process and by those that share what was said."""

from __future__ import annotations

import pytest

from finalist import notice


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notice, "_said", set())
    monkeypatch.setattr(notice, "_together", None)


def told(capsys: pytest.CaptureFixture[str], *texts: str) -> list[str]:
    for text in texts:
        notice.notice(text)
    return capsys.readouterr().err.splitlines()


def test_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "a", "b", "a") == ["finalist: a", "finalist: b"]


def test_nothing_that_another_process_has_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told(capsys, "a")
    memory = notice.shared()
    assert notice.shared() is memory
    told(capsys, "b")
    monkeypatch.setattr(notice, "_said", set())  # as in a process that was started with that memory
    notice.share(memory)
    assert told(capsys, "a", "b", "c", "c") == ["finalist: c"]


def test_more_than_there_is_room_for(capsys: pytest.CaptureFixture[str]) -> None:
    notice.shared()
    texts = [str(number) for number in range(notice._ROOM + 3)]
    assert told(capsys, *texts, *texts) == [f"finalist: {text}" for text in texts]


def test_a_system_without_memory_to_share(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Context:
        def Array(self, *given: object) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(notice, "get_context", lambda name: Context())
    assert notice.shared() is None
    assert told(capsys, "a", "a") == ["finalist: a"]
