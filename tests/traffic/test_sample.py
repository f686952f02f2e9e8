"""The generated capture is what its description says, so that others may check their findings against it."""

from __future__ import annotations

import base64
import json
from collections import Counter, defaultdict
from datetime import datetime
from pathlib import Path

import pytest

from warmroute.errors import DocumentError, WarmrouteError
from warmroute.traffic import sample
from warmroute.traffic.sample import calls, write_sample


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return write_sample(tmp_path_factory.mktemp("captures"))


@pytest.fixture(scope="module")
def captured(made):
    """Body, answer, encoding, time and file of each captured request, by a parser of its own."""
    found = []
    for path in sorted(made.path.rglob("*.jsonl")):
        for line in path.read_text("utf-8").split("\n")[:-1]:
            try:
                event = json.loads(line)
                sides = [event["captureData"][side] for side in ("endpointInput", "endpointOutput")]
                data = [
                    base64.b64decode(side["data"], validate=True)
                    if side["encoding"] == "BASE64"
                    else side["data"].encode()
                    for side in sides
                ]
                values = [json.loads(each) for each in data]
            except (ValueError, KeyError):
                continue
            found.append((data[0], *values, sides[0]["encoding"], event["eventMetadata"], path))
    return found


def text_of(body):
    return "".join(message["content"] or "" for message in body["messages"])


def tenant_of(body):
    return int(text_of(body)[sample.SYSTEM_CHARACTERS :][:3])


def test_there_are_as_many_requests_as_asked_for_and_a_few_broken_lines(made, captured):
    lines = sum(path.read_bytes().count(b"\n") for path in made.path.rglob("*.jsonl"))
    assert len(captured) == made.requests == 2_000
    assert lines - len(captured) == made.broken_lines == 2_000 // sample.BROKEN_EVERY
    assert len(list(made.path.rglob("*.jsonl"))) == made.files


def test_files_lie_in_the_folder_of_their_hour_and_those_of_two_instances_overlap(made, captured):
    spans = defaultdict(list)
    for *_, metadata, path in captured:
        when = datetime.fromisoformat(metadata["inferenceTime"])
        endpoint, variant, *hour = path.relative_to(made.path.parent).parts[:-1]
        assert (endpoint, variant) == (sample.ENDPOINT, "main")
        assert hour == [f"{when:%Y}", f"{when:%m}", f"{when:%d}", f"{when:%H}"]
        spans[path].append(when)
    assert all(times == sorted(times) for times in spans.values())
    assert any(a[0] < b[0] < a[-1] for a in spans.values() for b in spans.values())
    assert len({metadata["eventId"] for *_, metadata, _ in captured}) == len(captured)


def test_texts_part_where_the_description_says(captured):
    texts = [text_of(body) for _, body, *_ in captured]
    shortest = sample.SYSTEM_CHARACTERS + sample.DOCUMENT_CHARACTERS[0]
    assert len({text[: sample.SYSTEM_CHARACTERS] for text in texts}) == 1
    assert len({text[: sample.SYSTEM_CHARACTERS + 3] for text in texts}) == sample.TENANTS
    assert len({text[:shortest] for text in texts}) == sample.TENANTS


def test_conversations_part_at_their_ticket_and_grow_from_call_to_call():
    last, ends = {}, defaultdict(set)
    for call in calls(600, seed=3, seconds=600):
        messages = json.loads(call.body)["messages"]
        said, turn = last.get(call.conversation, ([], -1))
        assert messages[: len(said)] == said
        assert call.turn == turn + 1
        last[call.conversation] = [*messages, call.answer], call.turn
        ends[call.tenant.number].add(
            text_of({"messages": messages})[: call.tenant.shared_characters + sample.TICKET_CHARACTERS]
        )
    counts = Counter(len(text) for texts in ends.values() for text in texts)
    assert sum(counts.values()) == len(last) > 100


def test_every_fourth_tenant_writes_parameters_first_and_every_third_is_in_base64(captured):
    for raw, body, _, encoding, *_ in captured:
        tenant = tenant_of(body)
        parameters_first = tenant % sample.PARAMETERS_FIRST_EVERY == sample.PARAMETERS_FIRST_EVERY - 1
        assert raw.startswith(b'{"temperature"' if parameters_first else b'{"messages"')
        assert encoding == ("BASE64" if tenant % sample.BASE64_EVERY == sample.BASE64_EVERY - 1 else "JSON")
    keys = defaultdict(set)
    for raw, body, *_ in captured:
        keys[tenant_of(body)].add(raw[:4_096])
    assert {len(each) for tenant, each in keys.items() if tenant % sample.PARAMETERS_FIRST_EVERY != 3} == {1}
    assert max(len(each) for each in keys.values()) == 3


def test_answers_tell_their_usage_and_tools_are_called(captured):
    for _, body, answer, *_ in captured:
        said = answer["choices"][0]["message"]
        characters = len(text_of(body)) + sum(
            len(json.dumps(message["tool_calls"], separators=(",", ":")))
            for message in body["messages"]
            if message.get("tool_calls")
        )
        assert answer["usage"]["prompt_tokens"] == -(-characters // 4) + 3 * len(body["messages"])
        assert answer["usage"]["completion_tokens"] >= 1
        assert (said["content"] is None) == ("tool_calls" in said)
    roles = Counter(message["role"] for _, body, *_ in captured for message in body["messages"])
    assert min(roles[role] for role in ("user", "assistant", "tool")) > 500


def test_bodies_have_more_bytes_than_characters(captured):
    assert any("ö" in text_of(body) for _, body, *_ in captured)


def test_a_burst_comes_four_times_faster():
    times = [call.at_seconds for call in calls(2_000, seed=7, seconds=3_600)]
    assert times == sorted(times)
    burst = sum(900 <= at < 1_080 for at in times) / 180
    assert burst > 2 * sum(at < 900 for at in times) / 900


def test_the_largest_tenant_has_many_times_the_requests_of_the_smallest(captured):
    counts = Counter(tenant_of(body) for _, body, *_ in captured)
    assert 0.03 < counts[0] / len(captured) < 0.15
    assert counts[0] > 5 * min(counts.values())


@pytest.mark.parametrize("other", [{"seed": 8}, {"requests": 41}, {"hours": 2.0}])
def test_the_same_arguments_give_the_same_bytes_and_others_do_not(tmp_path, other):
    def tree(name, **arguments):
        path = write_sample(tmp_path / name, **{"requests": 40, "seed": 7, "hours": 0.5, **arguments}).path
        return {file.relative_to(path): file.read_bytes() for file in path.rglob("*.jsonl")}

    assert tree("a") == tree("b")
    assert tree("a2") != tree("c", **other)


@pytest.mark.parametrize("requests", [1, 2, 7])
def test_the_smallest_samples(tmp_path, requests):
    made = write_sample(tmp_path, requests=requests, hours=0.01)
    assert made.requests == requests
    assert sum(path.read_bytes().count(b"\n") for path in made.path.rglob("*.jsonl")) == requests + made.broken_lines


@pytest.mark.parametrize("wrong", [{"requests": 0}, {"requests": 10**7}, {"hours": 0.0}, {"hours": float("nan")}])
def test_numbers_out_of_range_are_refused(tmp_path, wrong):
    with pytest.raises(WarmrouteError, match="1,000,000 requests"):
        write_sample(tmp_path, **wrong)


def test_a_folder_that_exists_or_cannot_be_made_is_one_message(tmp_path):
    write_sample(tmp_path, requests=3)
    with pytest.raises(DocumentError, match="support-assistant: it exists"):
        write_sample(tmp_path, requests=3)
    (tmp_path / "file").touch()
    for name in ("file", "nul\0"):
        with pytest.raises(DocumentError, match="Choose"):
            write_sample(tmp_path / name, requests=3)
    assert {each.name for each in Path(tmp_path).iterdir()} == {"support-assistant", "file"}
