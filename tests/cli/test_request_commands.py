"""The commands that look at requests: canonical, key, explain and lint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import jsonschema
import pytest

from warmroute.prefix import canonical_json, routing_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

    Run = Callable[..., Ran]

CHAT: dict[str, Any] = {"temperature": 0.2, "messages": [{"role": "system", "content": "You help. " * 200}]}


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **(optional or {})},
        "additionalProperties": False,
    }


TEXT = _object({"text": {"type": "string", "minLength": 1}})
URI = {"type": "string", "pattern": "^([A-Za-z0-9._~!$&'()*+,;=@:/-]|%[0-9A-F]{2})+$"}
PLACE = _object(
    {
        "physicalLocation": _object(
            {
                "artifactLocation": _object({"uri": URI}, {"uriBaseId": {"type": "string"}}),
                "region": _object({"startLine": {"type": "integer", "minimum": 1}}),
            }
        )
    },
    {"logicalLocations": {"type": "array", "items": _object({"fullyQualifiedName": {"type": "string"}})}},
)
RESULT = _object(
    {
        "ruleId": {"type": "string"},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": TEXT,
        "locations": {"type": "array", "items": PLACE},
    }
)
RULE = _object({"id": {"type": "string"}, "shortDescription": TEXT})
DRIVER = _object({"name": {"type": "string"}, "rules": {"type": "array", "uniqueItems": True, "items": RULE}})
SARIF = _object(
    {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": _object({"tool": _object({"driver": DRIVER}), "results": {"type": "array", "items": RESULT}}),
        },
    },
    {"$schema": {"type": "string", "format": "uri"}},
)
"""What SARIF 2.1.0 says of the members that we write; others would have to be looked up there first."""


def _write(folder: Path, name: str, *values: Any) -> str:
    path = folder / name
    path.write_text("\n".join(json.dumps(value) for value in values), encoding="utf-8")
    return str(path)


def test_canonical_prints_what_clients_send(run: Run, tmp_path: Path) -> None:
    request = {**CHAT, "tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]}
    path = _write(tmp_path, "a.json", request)

    assert run("canonical", path).out.encode() == canonical_json(request)
    after = run("canonical", path, "--tools", "after_messages").out
    assert after.index('"messages"') < after.index('"tools"')


@pytest.mark.parametrize(("api", "body"), [("invoke", json.dumps(CHAT).encode()), ("openai", CHAT)])
def test_key_is_that_of_the_library(run: Run, tmp_path: Path, api: Any, body: Any) -> None:
    ran = run("key", _write(tmp_path, "a.json", CHAT), "--api", api, "--prefix-length", "1024", "--format", "json")

    expected = routing_key(body, api=api, prefix_length=1024)
    assert json.loads(ran.out) == {
        "digest": expected.digest.hex(),
        "window": 1024,
        "length": expected.length,
        "fills": True,
    }


def test_key_says_when_a_request_is_shorter_than_the_window(run: Run, tmp_path: Path) -> None:
    assert "Shorter than the window of 4,096 bytes" in run("key", _write(tmp_path, "a.json", CHAT)).out


def test_explain_names_cause_cost_and_remedy_without_the_text(run: Run, tmp_path: Path) -> None:
    other = {"messages": CHAT["messages"], "temperature": 0.2}
    ran = run("explain", _write(tmp_path, "a.json", CHAT), _write(tmp_path, "b.json", other))

    assert ran.code == 1
    assert "as sent: field order at the request, byte 2" in ran.out
    assert "affected: routing key" in ran.out
    assert "remedy: Send canonical_json(request)" in ran.out
    assert "in canonical form: the same" in ran.out
    assert "You help" not in ran.out
    shown = run("explain", str(tmp_path / "a.json"), str(tmp_path / "b.json"), "--show-text")
    assert "messages" in shown.out


def test_explain_finds_nothing_wrong_with_two_users_of_one_system_prompt(run: Run, tmp_path: Path) -> None:
    paths = [
        _write(tmp_path, f"{user}.json", {"messages": [*CHAT["messages"], {"role": "user", "content": user}]})
        for user in ("Where is it?", "How much?")
    ]

    ran = run("explain", *paths, "--prefix-length", "1024")
    assert ran.code == 0
    assert "affected: kv prefix" in ran.out
    assert "Nothing to do: no shared prefix is lost." in ran.out
    assert run("explain", *paths, "--prefix-length", "4096").code == 1


def test_explain_of_equal_requests_is_fine(run: Run, tmp_path: Path) -> None:
    path = _write(tmp_path, "a.json", CHAT)
    ran = run("explain", path, path, "--format", "json")

    assert (ran.code, json.loads(ran.out)["affected"]) == (0, "nothing")


def test_lint_finds_what_scatters_each_line(run: Run, tmp_path: Path) -> None:
    sound = {"messages": [{"role": "system", "content": "You help. " * 200}, {"role": "user", "content": "hi"}]}
    dated = {
        "messages": [{"role": "system", "content": "Today is 2026-11-30. " * 80}, {"role": "user", "content": "hi"}]
    }
    path = tmp_path / "requests.jsonl"
    lines = [canonical_json(sound), json.dumps(dated).encode(), b'{"messages": [', canonical_json({"messages": []})]
    path.write_bytes(b"\n".join(lines))

    ran = run("lint", str(path), "--prefix-length", "1024", "--format", "json")
    found = {(finding["line"], finding["id"]) for finding in json.loads(ran.out)}
    assert ran.code == 1
    assert {(2, "WP102"), (2, "WP104"), (3, "WP101"), (4, "WP103")} <= found
    assert not any(line == 1 for line, _ in found)
    assert "You help" not in ran.out


def test_lint_goes_on_after_a_request_that_it_cannot_place(run: Run, tmp_path: Path) -> None:
    odd_role = {"messages": [{"role": {"a": 1}, "content": "You help. " * 500}]}
    path = _write(tmp_path, "odd.jsonl", {"prompt": "a"}, odd_role, {"messages": []})

    ran = run("lint", path, "--api", "openai", "--format", "json")
    found = [(finding["line"], finding["id"]) for finding in json.loads(ran.out)]
    assert found[0] == (1, "WP105")
    assert 3 in {line for line, _ in found}
    assert run("lint", path).code == 1


def test_lint_takes_no_name_for_volatile_text(run: Run, tmp_path: Path) -> None:
    tools = [{"type": "function", "function": {"name": "run_query_v2", "parameters": {}}}]
    messages = [{"role": "system", "content": "You help. " * 500}, {"role": "user", "content": "hi"}]
    path = tmp_path / "a.json"
    path.write_bytes(canonical_json({"model": "gpt-4o-2024-08-06", "tools": tools, "messages": messages}))

    assert run("lint", str(path)).out == ""


def test_lint_reads_the_bodies_of_a_batch_and_is_quiet_when_there_is_nothing(run: Run, tmp_path: Path) -> None:
    body = {"model": "llama", "messages": [{"role": "system", "content": "You help. " * 500}]}
    path = tmp_path / "batch.jsonl"
    line = b'{"custom_id": "1", "method": "POST", "body": %b , "url": "/v1/chat/completions"}\n' % canonical_json(body)
    path.write_bytes(line * 2)

    ran = run("lint", str(path))
    assert (ran.code, ran.out) == (0, "")


def test_lint_sees_the_body_of_a_batch_as_it_is_written(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "batch.jsonl"
    twice = b'{"model":"a","model":"b","messages":[]}'
    number = b'{"inputs":"%b","seed":%b}' % (b"a" * 5_000, b"1" * 40)
    lines = [b'{"custom_id":"%d","n":[{"body":1}],"body":%b}' % (n, body) for n, body in enumerate((twice, number))]
    path.write_bytes(b"\n".join(lines))

    found = json.loads(run("lint", str(path), "--format", "json").out)
    assert [(each["line"], each["id"], each["path"]) for each in found if each["id"] != "WP103"] == [
        (1, "WP101", "model"),
    ]


def test_lint_as_sarif(run: Run, tmp_path: Path) -> None:
    log = json.loads(run("lint", _write(tmp_path, "a.json", CHAT), "--format", "sarif").out)

    (sarif_run,) = log["runs"]
    rules = {rule["id"] for rule in sarif_run["tool"]["driver"]["rules"]}
    assert log["version"] == "2.1.0"
    assert {result["ruleId"] for result in sarif_run["results"]} <= rules
    assert sarif_run["results"][0]["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}


NAME, QUOTED = "a b#é%:?.json", "a%20b%23%C3%A9%25%3A%3F.json"


def test_sarif_gives_a_file_in_the_working_folder_from_there(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    path = _write(tmp_path / "x", NAME, CHAT)
    for given in (path, f"x/{NAME}", f"./x/../x/{NAME}"):
        log = json.loads(run("lint", given, "--format", "sarif").out)
        place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": f"x/{QUOTED}", "uriBaseId": "%SRCROOT%"}
        jsonschema.validate(log, SARIF)


def test_sarif_gives_another_file_as_an_absolute_uri(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").mkdir()
    monkeypatch.chdir(tmp_path / "x")
    path = _write(tmp_path, NAME, CHAT)
    for given in (path, f"../{NAME}"):
        log = json.loads(run("lint", given, "--format", "sarif").out)
        place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": f"file://{quote(str(tmp_path))}/{QUOTED}"}
        jsonschema.validate(log, SARIF)
    log = json.loads(run("lint", "-", "--format", "sarif", stdin="{}").out)
    assert log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "stdin"}
    jsonschema.validate(log, SARIF)


@pytest.mark.parametrize("command", [["canonical"], ["key"], ["explain", "-"], ["lint"]])
def test_a_missing_file_is_one_line(run: Run, command: list[str]) -> None:
    ran = run(*command, "missing.json", stdin="{}")

    assert ran.code == 1
    assert ran.err == "missing.json: No such file or directory. Give the path of a file with JSON.\n"


def test_what_is_no_json_is_said_with_its_place(run: Run) -> None:
    ran = run("canonical", "-", stdin='{"messages": [1, 2')

    assert ran.code == 1
    assert "Traceback" not in ran.err
    assert len(ran.err.splitlines()) == 1
