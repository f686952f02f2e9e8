"""The control plane with a memory, in front of one that only counts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from warmroute.errors import LocalEndpointError
from warmroute.local.control import Clock
from warmroute.local.control.chance import CHANCE
from warmroute.local.state import Journal, remembering
from warmroute.local.state.remembering import RememberingControlPlane


class Account:
    """What the control plane has: an id, a time and a body for each call that was made."""

    def __init__(self, directory: Path) -> None:
        self.clock = Clock(0, start=0)
        self.journal = Journal(directory)
        self.made: list[tuple[str, float, str]] = []
        self.restoring: list[bool] = []
        self.refusing: set[str] = set()
        self.waits: list[float] = []
        """Times until which something is under way."""
        self.settled: list[float] = []
        self.memory = RememberingControlPlane(self, self.journal, self.clock, self.settle)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        before = self.clock.now()
        body = (await receive())["body"].decode()
        await asyncio.sleep(0)
        status = 400 if body in self.refusing else 200
        if status == 200 and dict(scope["headers"])[b"x-amz-target"].startswith(b"S.Create"):
            assert self.clock.now() == before
            self.made.append((str(CHANCE.uuid4()), self.clock.now(), body))
            self.restoring.append(self.memory.is_restoring)
        else:
            CHANCE.uuid4()  # Readers draw too.
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": body.encode()})

    def settle(self) -> bool:
        self.settled.append(self.clock.now())
        return any(self.clock.now() < until for until in self.waits)

    async def ask(self, action: str, body: str = "", path: str = "/") -> tuple[int, bytes]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        waiting = [{"type": "http.request", "body": part.encode(), "more_body": bool(part)} for part in (body, "")]

        async def receive() -> Any:
            return waiting.pop(0)

        headers = [(b"x-amz-target", f"S.{action}".encode())] if action else []
        scope = {"type": "http", "method": "POST", "raw_path": path.encode(), "query_string": b"", "headers": headers}
        if not action:
            scope["headers"] = [(b"x-amz-target", b"")]
        await self.memory(scope, receive, send)
        return sent[0]["status"], sent[1]["body"]


@pytest.fixture(autouse=True)
def _other_tests_draw_freely(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(remembering, "make_repeatable", lambda: None)
    state = CHANCE.getstate()
    yield
    CHANCE.setstate(state)


def _made(directory: Path, *calls: tuple[str, str], at: float = 100.0) -> list[tuple[str, float, str]]:
    account = Account(directory)

    async def live() -> None:
        await account.memory.restore(1)
        account.clock._base = at
        for action, body in calls:
            await account.ask(action, body)

    with closing(account.journal):
        asyncio.run(live())
    return account.made


def _restored(directory: Path, refusing: set[str] = frozenset()) -> tuple[Account, list[str]]:
    account = Account(directory)
    account.refusing = refusing
    with closing(account.journal):
        return account, asyncio.run(account.memory.restore(2))


def test_what_was_made_is_made_again_with_its_ids_and_times(tmp_path: Path) -> None:
    made = _made(tmp_path, ("CreateA", "1"), ("DescribeA", ""), ("CreateA", "2"), ("ListA", ""), ("CreateB", "3"))
    account, lost = _restored(tmp_path)

    assert [body for *_, body in made] == ["1", "2", "3"]
    assert len({number for number, *_ in made}) == 3
    assert account.made == made
    assert not lost
    assert account.clock.speed == 2
    assert account.restoring == [True] * 3
    assert not account.memory.is_restoring


def test_ids_are_another_directory_s_own(tmp_path: Path) -> None:
    first, second = (_made(tmp_path / name, ("CreateA", "1")) for name in "ab")
    assert first[0][0] != second[0][0]


def test_what_was_refused_is_not_kept(tmp_path: Path) -> None:
    account = Account(tmp_path)
    account.refusing = {"no"}
    with closing(account.journal):
        assert asyncio.run(account.ask("CreateA", "no"))[0] == 400
    assert _restored(tmp_path)[0].made == []


def test_what_is_refused_now_is_told(tmp_path: Path) -> None:
    _made(tmp_path, ("CreateA", "1"), ("CreateB", "2"), ("CreateC", "3"))
    account, lost = _restored(tmp_path, refusing={"2"})

    assert lost == ["CreateB, line 3"]
    assert [body for *_, body in account.made] == ["1", "3"]


def test_a_reset_forgets_what_came_before(tmp_path: Path) -> None:
    account = Account(tmp_path)

    async def live() -> None:
        await account.ask("CreateA", "1")
        await account.ask("", path="/moto-api/reset")
        await account.ask("CreateB", "2")

    with closing(account.journal):
        asyncio.run(live())
    assert [body for *_, body in _restored(tmp_path)[0].made] == ["2"]


def test_a_call_that_cannot_be_written_down_is_not_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = Account(tmp_path)

    def full(_: Any) -> None:
        raise OSError(28, "No space left on device")

    with closing(account.journal):
        monkeypatch.setattr(account.journal, "append", full)
        status, body = asyncio.run(account.ask("CreateA", "1"))
    assert status == 500
    assert json.loads(body)["message"].endswith("the state cannot be written: No space left on device")


def test_what_was_under_way_goes_on_step_by_step_until_the_next_call(tmp_path: Path) -> None:
    account = Account(tmp_path)
    with closing(account.journal):
        for at in (100.0, 110.0):
            account.clock.advance(at - account.clock.now())
            asyncio.run(account.ask("CreateA", str(at)))

    account = Account(tmp_path)
    account.waits = [101.0]
    with closing(account.journal):
        asyncio.run(account.memory.restore(1))
    steps = [when for when in account.settled if 100 < when < 110]
    assert steps == [100.25, 100.5, 100.75, 101.0]


def test_calls_are_answered_one_after_the_other(tmp_path: Path) -> None:
    account = Account(tmp_path)

    async def many() -> None:
        await asyncio.gather(*(account.ask("CreateA", str(number)) for number in range(20)))

    with closing(account.journal):
        asyncio.run(many())
        bodies = [body for *_, body in account.made]
    assert sorted(bodies, key=int) == [str(number) for number in range(20)]
    assert [each[0] for each in _restored(tmp_path)[0].made] == [each[0] for each in account.made]


def test_a_request_that_its_client_gives_up_is_nothing(tmp_path: Path) -> None:
    account = Account(tmp_path)

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        raise AssertionError(message)

    scope = {"type": "http", "method": "POST", "raw_path": b"/", "query_string": b"", "headers": []}
    with closing(account.journal):
        asyncio.run(account.memory(scope, receive, send))
    assert _restored(tmp_path)[0].made == []


def test_a_line_that_is_no_call_is_one_line(tmp_path: Path) -> None:
    with closing(Journal(tmp_path)) as journal:
        journal.append({"at": 1.0, "call": {"method": "GET"}})
    with pytest.raises(LocalEndpointError, match="line 2 of its journal is no call"):
        _restored(tmp_path)
