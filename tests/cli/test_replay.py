"""``warmroute replay`` refuses what cannot be replayed, in one line."""

from __future__ import annotations

import pytest

LINE = '{"timestamp": 0, "input_length": 10, "output_length": 2, "hash_ids": [1]}\n'


@pytest.fixture(autouse=True)
def account(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for name, value in (("ACCESS_KEY_ID", "k"), ("SECRET_ACCESS_KEY", "s"), ("DEFAULT_REGION", "us-east-1")):
        monkeypatch.setenv(f"AWS_{name}", value)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", ["--endpoint", "bot"], "trace.jsonl: no request."),
        ('{"a": 1}\n', ["--endpoint", "bot"], "trace.jsonl: no known format of traffic."),
        (LINE, ["--endpoint", "bot", "--input-format", "x"], "There is no format 'x'."),
        (LINE, [], "No target is named. Give --endpoint, or --api openai and --base-url."),
        (LINE, ["--base-url", "http://h/v1"], "--base-url names the whole target."),
        (LINE, ["--api", "openai", "--base-url", "h"], "h: not the URL of a server."),
        (LINE, ["--api", "openai", "--endpoint", "b", "--variant", "a"], "takes no target variant"),
        (LINE, ["--endpoint", "arn:aws:x"], "endpoint_name: 'arn:aws:x' is not a name."),
        (LINE, ["--endpoint", "bot", "--speed", "0"], "--speed: 0.0 is not above 0.0. Allowed: more than 0"),
        (LINE, ["--endpoint", "bot", "--duration", "-1"], "--duration: -1.0 is not above 0.0. Allowed: more than 0"),
        (LINE, ["--endpoint", "bot", "--rate", "1", "--speed", "2"], "A rate replaces the trace's times"),
        (LINE.replace('"timestamp": 0, ', ""), ["--endpoint", "bot"], "the trace does not say when it came."),
    ],
)
def test_what_cannot_be_replayed(run, tmp_path, content, options, message):
    (tmp_path / "trace.jsonl").write_text(content, "utf-8")

    ran = run("replay", "trace.jsonl", *options)

    assert ran.code == 1
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["trace.jsonl"]
