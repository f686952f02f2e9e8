"""An export that is shared tells how prompts begin alike, and nothing that names or confirms a text."""

from __future__ import annotations

import json
from itertools import takewhile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warmroute.traffic.record import TrafficRequest
from warmroute.traffic.writers import write_traffic
from warmroute.traffic.writers.lengths import prompt_blocks

SECRET = "The patient Ada Lovelace has a rash. " * 40


def request(line=1, **known):
    told = {"arrival_seconds": 1.7e9 + line, "text": SECRET, "output_tokens": 5, **known}
    return TrafficRequest(source="s3://ward-9/trace.jsonl", line=line, **told)


@pytest.fixture
def exported(tmp_path):
    def export(requests, **options):
        path = tmp_path / "shared.jsonl"
        write_traffic(requests, path, format="anonymised", overwrite=True, **options)
        return [json.loads(line) for line in path.read_text().splitlines()]

    return export


def names(lines):
    return {name for line in lines for name in (*line["hash_ids"], line["chat_id"])}


def test_the_fields_are_those_of_bailian_traces_and_no_others(exported):
    (line,) = exported([request()])
    tokens = -(-len(SECRET) // 4)
    assert line == {
        "timestamp": 0.0,
        "chat_id": line["chat_id"],
        "parent_chat_id": -1,
        "turn": 1,
        "type": "text",
        "input_length": tokens,
        "output_length": 5,
        "hash_ids": line["hash_ids"],
    }
    assert len(set(line["hash_ids"])) == -(-tokens // 16)


def test_equal_prompts_have_equal_names_and_others_as_far_as_they_are_equal(exported):
    other = SECRET[:640] + "x" + SECRET[641:]
    first, second, third = (line["hash_ids"] for line in exported([request(1), request(2), request(3, text=other)]))
    assert first == second
    assert first[:10] == third[:10]
    assert not set(first[10:]) & set(third[10:])


def test_two_exports_have_no_name_in_common(exported):
    requests = [request(line, session="ward", text=SECRET + str(line)) for line in range(1, 30)]
    assert not names(exported(requests)) & names(exported(requests))


@pytest.mark.parametrize("known", [{}, {"text": None, "block_hashes": tuple(range(93)), "block_tokens": 16}])
def test_names_cannot_be_made_from_a_guess(exported, known):
    """Neither from the text nor from a trace's own names, which may be plain hashes of texts."""
    (line,) = exported([request(**known)])
    _, guessed = prompt_blocks(request(**known), 16, set())
    assert len(line["hash_ids"]) == len(guessed)
    assert not set(line["hash_ids"]) & set(guessed)


def test_no_text_id_or_date_of_the_source_is_in_it(exported, tmp_path):
    told = {"session": "ward-9", "prefix_aware_id": "lovelace", "adapter": "rash", "prompt_root": "patient-tools"}
    exported([request(**told, body=b'{"prompt": "rash"}', input_tokens=370)])
    data = (tmp_path / "shared.jsonl").read_text()
    assert not [
        word for word in ("Ada", "patient", "ward", "lovelace", "rash", "trace", "s3", "17000000") if word in data
    ]


def test_sessions_are_chains_of_chats_under_other_names(exported):
    known = ["a", "b", "a", "", "", "a"]
    lines = exported([request(line, session=session) for line, session in enumerate(known, 1)])
    chats = [line["chat_id"] for line in lines]
    assert len(set(chats)) == 6
    assert [line["parent_chat_id"] for line in lines] == [-1, -1, chats[0], -1, -1, chats[2]]
    assert [line["turn"] for line in lines] == [1, 1, 2, 1, 1, 3]


def test_times_can_be_blurred(exported):
    lines = exported([request(line) for line in (1, 2, 65)], time_step_seconds=60)
    assert [line["timestamp"] for line in lines] == [0, 0, 60]


@settings(max_examples=30)
@given(st.lists(st.text("ab", min_size=64, max_size=400), min_size=2, max_size=6))
def test_what_is_shared_is_kept_exactly(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("shared") / "out.jsonl"
    write_traffic([request(line, text=text) for line, text in enumerate(texts)], path, format="anonymised")
    lines = [json.loads(line)["hash_ids"] for line in path.read_text().splitlines()]
    for first, first_names in zip(texts, lines, strict=True):
        for second, second_names in zip(texts, lines, strict=True):
            alike = len(list(takewhile(bool, (a == b for a, b in zip(first, second, strict=False)))))
            common = len(set(first_names) & set(second_names))
            assert common == (len(first_names) if first == second else alike // 64)
            assert first_names[:common] == second_names[:common]
