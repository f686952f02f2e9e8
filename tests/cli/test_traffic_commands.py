"""The commands that generate and convert traffic: sample and convert."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

    Run = Callable[..., Ran]

CHAT = {"messages": [{"role": "user", "content": "Hi"}]}
BATCH = [
    {"custom_id": str(number), "method": "POST", "url": "/v1/chat/completions", "body": CHAT} for number in range(3)
]


@pytest.fixture
def batch(tmp_path: Path) -> str:
    path = tmp_path / "batch.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in BATCH) + "{broken\n", "utf-8")
    return str(path)


def test_a_sample_is_converted_and_what_is_lost_is_said(run: Run, tmp_path: Path) -> None:
    made = run("sample", str(tmp_path / "captures"), "--requests", "300", "--hours", "0.1")
    assert (made.code, made.err) == (0, "")
    assert "support-assistant: 300 requests in " in made.out
    assert "Broken on purpose, as in real captures: 1 more." in made.out

    trace = tmp_path / "trace.jsonl"
    ran = run("convert", str(tmp_path / "captures"), "--to", "anonymised", "-o", str(trace), "--time-step", "60")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith(f"Wrote 300 requests to {trace}.\n1 rejected: not JSON (first: ")
    assert "The format has no place for bodies (300), texts (300).\n" in ran.err
    assert {json.loads(line)["timestamp"] % 60 for line in trace.read_text().splitlines()} == {0}

    again = run("convert", str(trace), "--to", "mooncake", "-o", "-")
    assert again.code == 0
    assert len(again.out.splitlines()) == 300
    assert "300 requests to -" in again.err


def test_a_batch_without_times_or_answers_has_those_that_are_given(run: Run, batch: str) -> None:
    options = ("--rate", "2", "--output-tokens", "50")
    ran = run("convert", batch, "--to", "vllm-timed", "-o", "-", *options)
    lines = [json.loads(line) for line in ran.out.splitlines()]
    assert [line["output_length"] for line in lines] == [50] * 3
    assert 0 == lines[0]["timestamp"] < lines[1]["timestamp"] < lines[2]["timestamp"]
    assert "In 3: answer lengths set to 50 tokens.\n" in ran.err
    assert run("convert", batch, "--to", "vllm-timed", "-o", "-", *options).out == ran.out


def test_what_is_left_out_is_listed_by_line_and_reason(run: Run, batch: str, tmp_path: Path) -> None:
    rejects = tmp_path / "rejects.jsonl"
    ran = run(
        "convert", batch, "--to", "mooncake", "-o", str(tmp_path / "out"), "--rate", "1", "--rejects", str(rejects)
    )
    assert ran.code == 1
    assert ran.err == (
        "No request can be written as mooncake: 3 with no answer length. "
        "Give the length of such answers (--output-tokens).\n"
    )
    cases = [json.loads(line) for line in rejects.read_text().splitlines()]
    assert sorted((case["line"], case["reason"]) for case in cases) == [
        *((line, "not written: no answer length") for line in (1, 2, 3)),
        (4, "not JSON"),
    ]
    assert not (tmp_path / "out").exists()


def test_an_output_that_exists_needs_force(run: Run, batch: str, tmp_path: Path) -> None:
    there = tmp_path / "there.jsonl"
    there.write_text("mine")
    ran = run("convert", batch, "--to", "openai-batch", "-o", str(there))
    assert ran.code == 1
    assert "the file exists" in ran.err
    assert run("convert", batch, "--to", "openai-batch", "-o", str(there), "--force").code == 0


def test_what_is_read_is_not_written_to(run: Run, batch: str, tmp_path: Path) -> None:
    before = Path(batch).read_bytes()
    link = tmp_path / "link"
    link.symlink_to(batch)
    out = str(tmp_path / "out")
    for options in (("-o", batch), ("-o", str(link)), ("-o", out, "--rejects", batch)):
        ran = run("convert", batch, "--to", "openai-batch", "--force", *options)
        assert (ran.code, "this is one of the files to read" in ran.err) == (1, True)
    assert "this is one of the files to read" in run("digest", batch, "-o", batch).err
    assert "this is one of the files to read" in run("digest", batch, "-o", out, "--rejects", batch).err
    assert "name the same file" in run("convert", batch, "--to", "aiperf", "-o", out, "--rejects", out).err
    assert Path(batch).read_bytes() == before


def test_rejects_replace_nothing_but_rejects(run: Run, batch: str, tmp_path: Path) -> None:
    rejects, other = tmp_path / "rejects.jsonl", tmp_path / "other.jsonl"
    other.write_text('{"mine": true}\n')
    options = ("convert", batch, "--to", "mooncake", "-o", "-", "--rate", "1", "--rejects")
    first = run(*options, str(rejects))
    told = rejects.read_bytes()
    again = run(*options, str(rejects))
    refused = run(*options, str(other))

    assert told
    assert (again.out, rejects.read_bytes()) == (first.out, told)
    assert (refused.code, "holds no rejects" in refused.err) == (1, True)
    assert other.read_text() == '{"mine": true}\n'


def test_another_word_than_a_format_lists_them(run: Run, batch: str) -> None:
    ran = run("convert", batch, "--to", "?", "-o", "-")
    assert ran.code == 1
    assert "Use one of mooncake, anonymised, aiperf, aiperf-raw-payload, vllm-custom, vllm-timed, openai-b" in ran.err


@pytest.mark.parametrize(
    "options", [("--rate", "0"), ("--rate", "nan"), ("--output-tokens", "0"), ("--time-step", "-1")]
)
def test_numbers_out_of_range_are_one_message(run: Run, batch: str, options: tuple[str, str]) -> None:
    ran = run("convert", batch, "--to", "openai-batch", "-o", "-", *options)
    assert (ran.code, ran.out) == (1, "")
    assert len(ran.err.splitlines()) == 1


def test_a_sample_of_nothing_is_refused(run: Run, tmp_path: Path) -> None:
    ran = run("sample", str(tmp_path), "--requests", "0")
    assert ran.code == 1
    assert "Give 1 to 1,000,000 requests" in ran.err
