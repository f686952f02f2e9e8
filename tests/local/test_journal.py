"""The directory of a state: what is in it, who may have it, and what is refused."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.errors import LocalEndpointError
from warmroute.local.state import Journal
from warmroute.local.state.calls import Call


def _entries(directory: Path) -> list[dict[str, Any]]:
    with closing(Journal(directory)) as journal:
        return list(journal.entries())


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A state with three calls."""
    directory = tmp_path / "new" / "state"
    with closing(Journal(directory)) as journal:
        for number in range(3):
            journal.append({"number": number})
    return directory


def test_what_was_written_is_there_in_its_order(directory: Path) -> None:
    assert _entries(directory) == [{"number": 0}, {"number": 1}, {"number": 2}]
    with closing(Journal(directory)) as journal:
        assert len(list(journal.entries())) == 3
        journal.append({"number": 3})
    assert [entry["number"] for entry in _entries(directory)] == [0, 1, 2, 3]


def test_nobody_else_can_read_it(directory: Path) -> None:
    assert (directory / "journal").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("cut", [1, 5, 15])
def test_a_line_that_was_never_finished_is_dropped_and_written_over(directory: Path, cut: int) -> None:
    with (directory / "journal").open("r+b") as file:
        file.truncate((directory / "journal").stat().st_size - cut)

    with closing(Journal(directory)) as journal:
        assert [entry["number"] for entry in journal.entries()] == [0, 1]
        journal.append({"number": 7})
    assert [entry["number"] for entry in _entries(directory)] == [0, 1, 7]


def test_damage_is_one_line_that_says_where(directory: Path) -> None:
    content = (directory / "journal").read_bytes()
    (directory / "journal").write_bytes(content.replace(b'"number":1', b'"number":8'))

    with pytest.raises(LocalEndpointError, match=r"State in .*: line 3 of its journal is damaged\. Name another"):
        _entries(directory)


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"hello", b"hello\n", b'{"is": "warmroute local state"}\n', b"\0" * 99]
)
def test_a_journal_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "journal").write_bytes(content)
    with pytest.raises(LocalEndpointError, match=r"State in .* Name another directory, or delete this one"):
        Journal(tmp_path)
    assert (tmp_path / "journal").read_bytes() == content


def test_another_format_is_refused_by_its_number(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warmroute.local.state.journal.FORMAT", 2)
    with pytest.raises(LocalEndpointError, match="it was written in format 1, and this release reads 2"):
        Journal(directory)


def test_a_directory_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(LocalEndpointError, match=r"holds something else: notes\.txt\. Name an empty or a new one"):
        Journal(tmp_path)
    assert not (tmp_path / "journal").exists()


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LocalEndpointError, match=r"State in .*file: File exists\. Name another directory"):
        Journal(tmp_path / "file")


def test_one_at_a_time(directory: Path) -> None:
    with closing(Journal(directory)), pytest.raises(LocalEndpointError, match="another local endpoint is using it"):
        Journal(directory)
    assert len(_entries(directory)) == 3


def test_what_is_forgotten_is_gone_at_once(directory: Path) -> None:
    with closing(Journal(directory)) as journal:
        before = journal.secret
        journal.clear()
        journal.append({"number": 9})
        assert journal.secret != before
    assert _entries(directory) == [{"number": 9}]


def test_a_full_disk_leaves_the_journal_as_it_was(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with closing(Journal(directory)) as journal:
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            with pytest.raises(OSError, match="No space left"):
                journal.append({"number": 3})
        journal.append({"number": 4})
    assert [entry["number"] for entry in _entries(directory)] == [0, 1, 2, 4]


HEADERS = st.lists(st.tuples(st.sampled_from(["x-amz-target", "content-type", "host"]), st.text("ab./é", max_size=9)))


@given(
    method=st.sampled_from(["GET", "POST", "PUT"]),
    path=st.sampled_from(["/", "/b/k%2F1"]),
    headers=HEADERS,
    body=st.binary(max_size=99),
)
def test_a_call_is_kept_to_the_byte(method: str, path: str, headers: list[tuple[str, str]], body: bytes) -> None:
    call = Call(method, path, "a=b", tuple(headers), body)
    assert Call.from_kept(call.kept()) == call


JSON, FORM = {"x-amz-target": "SageMaker.%s"}, {"content-type": "application/x-www-form-urlencoded; charset=utf-8"}


@pytest.mark.parametrize(
    ("headers", "path", "body"),
    [
        (JSON, "/", b"{}"),
        (FORM, "/", b"Action=%s&Version=2010"),
        (FORM, "/", b"Version=2010&Action=%s"),
        ({}, "/service/GraniteServiceVersion20100801/operation/%s", b""),
    ],
)
@pytest.mark.parametrize(
    ("action", "changes"),
    [
        ("CreateEndpoint", True),
        ("UpdateEndpoint", True),
        ("PutMetricAlarm", True),
        ("AssumeRole", True),
        ("DetectStackDrift", True),
        ("DescribeEndpoint", False),
        ("ListModels", False),
        ("GetCallerIdentity", False),
    ],
)
def test_the_name_of_a_call_tells_whether_it_changes_something(
    headers: dict[str, str], path: str, body: bytes, action: str, changes: bool
) -> None:
    filled = tuple((key, value.replace("%s", action)) for key, value in headers.items())
    call = Call("POST", path.replace("%s", action), "", filled, body.replace(b"%s", action.encode()))

    assert (call.action, call.name, call.changes_something) == (action, action, changes)


@pytest.mark.parametrize(("method", "changes"), [("GET", False), ("HEAD", False), ("PUT", True), ("DELETE", True)])
def test_of_rest_the_method_tells(method: str, changes: bool) -> None:
    call = Call(method, "/bucket/Action", "", (), b"Action=DescribeStacks")
    assert (call.action, call.changes_something, call.name) == ("", changes, f"{method} /bucket/Action")
