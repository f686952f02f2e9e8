"""What the readers read of what was written is what was to be written, as far as the format holds it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warmroute.traffic import Format, TrafficRequest, read_traffic
from warmroute.traffic.writers import write_traffic

contents = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
messages = st.lists(st.fixed_dictionaries({"role": st.just("user"), "content": contents}), min_size=1, max_size=4)
chats = st.builds(
    lambda said, ascii_only, lead: json.dumps({**lead, "messages": said}, ensure_ascii=ascii_only).encode(),
    messages,
    st.booleans(),
    st.sampled_from([{}, {"temperature": 0.5}]),
)
arrivals = st.integers(0, 10**9).map(lambda milliseconds: milliseconds / 1_000)
names = st.lists(st.integers(0, 2**53 - 1), min_size=1, max_size=8, unique=True).map(tuple)
several = {"min_size": 1, "max_size": 8}


def text_of(body):
    return "".join(message["content"] for message in json.loads(body)["messages"])


def chat(body, **known):
    return TrafficRequest(source="in", line=1, body=body, text=text_of(body), **known)


def hashed(block_hashes, block_tokens, rest, **known):
    return TrafficRequest(
        source="in",
        line=1,
        block_hashes=block_hashes,
        block_tokens=block_tokens,
        input_tokens=len(block_hashes) * block_tokens - rest,
        **known,
    )


@pytest.fixture(scope="module")
def again(tmp_path_factory):
    """What is read of what was written, its format recognised by its content."""
    path = tmp_path_factory.mktemp("round") / "out.jsonl"

    def again(requests, to, read_as):
        write_traffic(requests, path, format=to, overwrite=True)
        found = list(read_traffic(path))
        assert found == list(read_traffic(path, format=read_as))
        return found

    return again


def parts(requests, *fields):
    return [tuple(getattr(request, field) for field in fields) for request in requests]


def by_arrival(requests):
    """In order, and with times from 0."""
    ordered = sorted(requests, key=lambda request: request.arrival_seconds)
    first = ordered[0].arrival_seconds
    return [replace(request, arrival_seconds=pytest.approx(request.arrival_seconds - first)) for request in ordered]


@settings(max_examples=30)
@given(
    st.lists(
        st.builds(chat, chats, arrival_seconds=arrivals, session=st.text("ab"), output_tokens=st.integers(0, 99)),
        **several,
    )
)
def test_timed_payloads(again, requests):
    found = again(requests, "aiperf", Format.MOONCAKE)
    fields = ("arrival_seconds", "body", "text", "session", "output_tokens")
    assert parts(found, *fields) == parts(by_arrival(requests), *fields)


@settings(max_examples=30)
@given(st.lists(st.builds(chat, chats), **several))
@pytest.mark.parametrize(
    ("to", "read_as"), [("aiperf-raw-payload", Format.CHAT), ("openai-batch", Format.OPENAI_BATCH)]
)
def test_bodies(again, to, read_as, requests):
    assert parts(again(requests, to, read_as), "body", "text") == parts(requests, "body", "text")


@settings(max_examples=30)
@given(st.lists(st.builds(chat, chats, output_tokens=st.integers(0, 99)), **several))
def test_prompts_as_texts(again, requests):
    found = again(requests, "vllm-custom", Format.VLLM_CUSTOM)
    assert parts(found, "text", "output_tokens") == parts(requests, "text", "output_tokens")


@settings(max_examples=30)
@given(st.data(), st.lists(arrivals, **several))
@pytest.mark.parametrize(
    ("to", "read_as", "size"), [("mooncake", Format.MOONCAKE, 512), ("vllm-timed", Format.VLLM_TIMED, 16)]
)
def test_blocks(again, to, read_as, size, data, times):
    known = st.builds(hashed, names, st.just(size), st.integers(0, size - 1), output_tokens=st.integers(0, 99))
    requests = [replace(data.draw(known), arrival_seconds=at) for at in times]
    requests.append(hashed((1, 2), size, 0, output_tokens=1, arrival_seconds=max(times)))  # One whose size is clear.
    found = again(requests, to, read_as)
    fields = ("arrival_seconds", "block_hashes", "block_tokens", "input_tokens", "output_tokens")
    assert parts(found, *fields) == parts(by_arrival(requests), *fields)


@settings(max_examples=30)
@given(st.lists(st.tuples(arrivals, st.sampled_from(["a", "b", "c"])), **several))
def test_anonymised_sessions_and_turns(again, known):
    requests = [
        hashed((1, 2), 16, 0, output_tokens=number, arrival_seconds=at, session=session)
        for number, (at, session) in enumerate(sorted(known))
    ]
    found = again(requests, "anonymised", Format.BAILIAN)
    names = {}
    for request, read in zip(requests, found, strict=True):
        turn = sum(each.session == request.session for each in requests[: requests.index(request)])
        assert names.setdefault(request.session, read.session) == read.session
        assert (read.turn, read.output_tokens) == (turn, request.output_tokens)
    assert len(set(names.values())) == len(names)
