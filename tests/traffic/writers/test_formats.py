"""Each format has the fields that its readers want, told by small parsers that know nothing of the writers."""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warmroute.errors import WarmrouteError
from warmroute.traffic.record import TrafficRequest
from warmroute.traffic.writers import WRITERS, write_traffic

BODY = b'{"messages": [{"role": "system", "content": "You help."}, {"role": "user", "content": "H\\u00e9?"}], "n": 1.0}'


def request(**known):
    return TrafficRequest(source="trace.jsonl", line=1, **known)


@pytest.fixture
def written(tmp_path):
    """Lines that were written, parsed, and the report."""

    def write(requests, to, **options):
        path = tmp_path / "out.jsonl"
        report = write_traffic(requests, path, format=to, overwrite=True, **options)
        return [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]], report

    return write


class TestMooncake:
    def test_lengths_and_one_name_for_each_512_tokens(self, written):
        text = "x" * (2 * 2_048 + 1)
        lines, report = written([request(arrival_seconds=1.7e9, text=text, output_characters=9)], "mooncake")
        assert lines == [{"timestamp": 0, "input_length": 1_025, "output_length": 3, "hash_ids": lines[0]["hash_ids"]}]
        assert len(set(lines[0]["hash_ids"])) == 3
        assert report.adapted == {
            "input lengths estimated, 4 characters a token": 1,
            "answer lengths estimated, 4 characters a token": 1,
        }

    def test_prompts_share_the_names_of_their_common_beginning(self, written):
        texts = ["x" * 5_000, "x" * 4_500 + "y" * 500, "x" * 5_000]
        lines, _ = written([request(arrival_seconds=0, text=text, output_tokens=1) for text in texts], "mooncake")
        first, second, third = (line["hash_ids"] for line in lines)
        assert first[:2] == second[:2]
        assert first[2] != second[2]
        assert first == third

    @pytest.mark.parametrize("other", [{"adapter": "legal"}, {"prompt_root": "[tools]"}])
    def test_prompts_of_another_adapter_or_root_share_no_name(self, written, other):
        both = [request(arrival_seconds=0, text="x" * 9_000, output_tokens=1, **known) for known in ({}, other)]
        (first, second), _ = written(both, "mooncake")
        assert not set(first["hash_ids"]) & set(second["hash_ids"])

    def test_names_of_a_trace_stay_and_blocks_of_16_tokens_become_blocks_of_512(self, written):
        small = tuple(range(100, 100 + 70))
        requests = [
            request(arrival_seconds=0, block_hashes=(7, 8), block_tokens=512, input_tokens=600, output_tokens=1),
            request(arrival_seconds=0, block_hashes=small, block_tokens=16, input_tokens=1_114, output_tokens=1),
        ]
        (large, joined), _ = written(requests, "mooncake")
        assert large["hash_ids"] == [7, 8]
        assert joined["hash_ids"] == [131, 163, 169]  # Each name stands for all before it.

    def test_names_are_exact_in_every_parser(self, written):
        """One that reads numbers as floats has 53 bits."""
        names = (-1, 2**53, 2**63, 2**53 - 1)
        known = {"block_tokens": 512, "input_tokens": 2_048, "output_tokens": 1}
        (line,), _ = written([request(arrival_seconds=0, block_hashes=names, **known)], "mooncake")
        assert all(0 <= name < 2**53 for name in line["hash_ids"])
        assert len(set(line["hash_ids"])) == 4
        assert line["hash_ids"][3] == 2**53 - 1

    def test_a_source_that_names_full_blocks_only_has_a_rest_like_no_other(self, written):
        known = {
            "arrival_seconds": 0,
            "block_hashes": (5,),
            "block_tokens": 512,
            "input_tokens": 700,
            "output_tokens": 1,
        }
        both = [TrafficRequest(source="trace", line=line, **known) for line in (1, 2)]
        (first, second), _ = written(both, "mooncake")
        assert first["hash_ids"][0] == second["hash_ids"][0] == 5
        assert len(first["hash_ids"]) == 2
        assert first["hash_ids"][1] != second["hash_ids"][1]

    def test_a_length_that_contradicts_the_text_is_estimated_and_counted(self, written):
        """A replaying tool refuses blocks that do not make up the length."""
        requests = [
            request(arrival_seconds=0, text="x" * 400, input_tokens=tokens, output_tokens=1) for tokens in (90, 100)
        ]
        lines, report = written(requests, "mooncake")
        assert [line["input_length"] for line in lines] == [100, 100]
        assert report.adapted == {"input lengths estimated, 4 characters a token": 1}


class TestVllm:
    def test_a_timed_trace_has_seconds_and_a_name_for_each_16_tokens(self, written):
        requests = [request(arrival_seconds=at, text="x" * 200, output_tokens=7) for at in (3.25, 3.0)]
        lines, _ = written(requests, "vllm-timed")
        assert [line["timestamp"] for line in lines] == [0.0, 0.25]
        assert all((line["input_length"], len(line["hash_ids"]), line["output_length"]) == (50, 4, 7) for line in lines)

    def test_blocks_of_512_tokens_are_divided_and_share_as_before(self, written):
        requests = [
            request(arrival_seconds=0, block_hashes=names, block_tokens=512, input_tokens=tokens, output_tokens=1)
            for names, tokens in (((1, 2), 600), ((1, 3), 1_024))
        ]
        (first, second), _ = written(requests, "vllm-timed")
        assert (len(first["hash_ids"]), len(second["hash_ids"])) == (38, 64)
        assert first["hash_ids"][:32] == second["hash_ids"][:32]
        assert not set(first["hash_ids"][32:]) & set(second["hash_ids"][32:])

    def test_a_custom_data_set_has_prompts_and_answer_lengths(self, written):
        requests = [request(text="Hé?", output_tokens=7), request(text="b", prompt_root="[tools]")]
        lines, report = written(requests, "vllm-custom")
        assert lines == [{"prompt": "Hé?", "output_tokens": 7}]
        assert report.left_out == {"no answer length": 1}
        lines, _ = written(requests, "vllm-custom", output_tokens=9)
        assert lines[1] == {"prompt": "[tools]b", "output_tokens": 9}


class TestBodies:
    def test_a_timed_payload_is_sent_at_its_time_in_its_session(self, written):
        requests = [
            request(arrival_seconds=10.0026, body=BODY, session="a", output_tokens=4),
            request(arrival_seconds=10, body=b'{"prompt": "x"}'),
        ]
        lines, _ = written(requests, "aiperf")
        assert lines[0] == {"timestamp": 0, "payload": {"prompt": "x"}}
        assert lines[1] == {"timestamp": 3, "session_id": "a", "output_length": 4, "payload": json.loads(BODY)}

    @pytest.mark.parametrize(("to", "lead", "end"), [("aiperf-raw-payload", b"", b""), ("aiperf", b'"payload":', b"}")])
    def test_a_body_keeps_its_bytes(self, tmp_path, to, lead, end):
        """Duplicate members, spaces, escapes and numbers beyond 64 bits, which a parser would rewrite."""
        body = b'{"a": 1, "a" : 2,"n":123456789012345678901234567890, "m": 1.10, "t":"\\u00e9\\/", "messages": []}'
        write_traffic([request(arrival_seconds=0, body=body)], tmp_path / "out", format=to)
        assert lead + body + end + b"\n" in (tmp_path / "out").read_bytes()

    def test_line_breaks_of_a_body_become_spaces(self, written):
        lines, report = written([request(body=b'{\r\n"messages":\n["a\\nb"]}\n')], "aiperf-raw-payload")
        assert lines == [{"messages": ["a\nb"]}]
        assert report.adapted == {"bodies whose line breaks became spaces": 1}

    def test_a_batch_has_unique_ids_and_the_path_of_its_api(self, written):
        bodies = [BODY, b'{"prompt": "x"}', b'{"inputs": "x"}']
        lines, report = written([request(body=body) for body in bodies], "openai-batch")
        assert [line["url"] for line in lines] == ["/v1/chat/completions", "/v1/completions"]
        assert [line["custom_id"] for line in lines] == ["request-1", "request-2"]
        assert [line["body"] for line in lines] == [json.loads(body) for body in bodies[:2]]
        assert {line["method"] for line in lines} == {"POST"}
        assert report.left_out == {"a body of neither chat nor completion": 1}


FULL = {
    "arrival_seconds": 0.0,
    "session": "s",
    "body": BODY,
    "text": "You help.Hé?",
    "output_tokens": 3,
    "prefix_aware_id": "p",
    "adapter": "a",
}


_OTHER_BLOCKS = "blocks of a size that does not make up blocks of 512 tokens"


class TestWhatIsLost:
    @pytest.mark.parametrize("to", WRITERS)
    def test_a_complete_request_can_be_written_in_every_format(self, written, to):
        lines, report = written([request(**FULL)], to)
        assert len(lines) == report.requests == 1
        assert not report.left_out
        assert "routing ids" in report.not_held

    @pytest.mark.parametrize(
        ("to", "gone", "reason"),
        [
            ("mooncake", {"text": None}, "neither text nor block hashes"),
            ("mooncake", {"text": ""}, "a prompt that is not between 1 and 16,777,216 tokens long"),
            ("mooncake", {"arrival_seconds": None}, "no arrival time"),
            ("mooncake", {"arrival_seconds": math.nan}, "an arrival time beyond any date"),
            ("mooncake", {"arrival_seconds": -1e300}, "an arrival time beyond any date"),
            ("mooncake", {"output_tokens": None}, "no answer length"),
            ("mooncake", {"output_tokens": -1}, "an answer's length that is not between 0 and 16,777,216 tokens"),
            (
                "mooncake",
                {"output_tokens": None, "output_characters": -9},
                "an answer's length that is not between 0 and 16,777,216 tokens",
            ),
            ("mooncake", {"output_tokens": 10**400}, "an answer's length that is not between 0 and 16,777,216 tokens"),
            ("mooncake", {"block_hashes": (1,)}, "block hashes without the tokens of a block"),
            (
                "mooncake",
                {"block_hashes": (1,), "block_tokens": 512, "input_tokens": 9_999},
                "block hashes whose number contradicts the prompt's length",
            ),
            (
                "mooncake",
                {"block_hashes": (1,), "block_tokens": 512, "input_tokens": 10**400},
                "a prompt that is not between 1 and 16,777,216 tokens long",
            ),
            ("mooncake", {"block_hashes": (1,), "block_tokens": 48}, _OTHER_BLOCKS),
            ("mooncake", {"block_hashes": (1,), "block_tokens": 10**5_000 + 1, "input_tokens": 10}, _OTHER_BLOCKS),
            ("aiperf", {"body": None}, "no body"),
            ("aiperf", {"body": b"\xff"}, "a body that is not JSON"),
            ("aiperf", {"body": b'{"a": "\\ud800"}'}, "a body that is not JSON"),
            ("aiperf", {"body": b'{"a": NaN}'}, "a body that is not JSON"),
            ("aiperf", {"body": b"[" * 5_000}, "a body that is not JSON"),
            ("aiperf-raw-payload", {"body": b"[1]"}, "a body that is no JSON object, or an empty one"),
            ("aiperf-raw-payload", {"body": b'{"prompt": "x"}'}, "a body that is no chat"),
            ("aiperf", {"body": b"{}"}, "a body that is no JSON object, or an empty one"),
            ("aiperf", {"session": "\ud800"}, "a text with half a surrogate pair, which no JSON in UTF-8 holds"),
            ("vllm-custom", {"text": None}, "no text"),
            ("vllm-custom", {"text": ""}, "an empty prompt"),
            ("vllm-custom", {"text": "a\udfff"}, "a text with half a surrogate pair, which no JSON in UTF-8 holds"),
        ],
    )
    def test_what_cannot_be_held_is_counted_by_its_reason(self, written, to, gone, reason):
        lines, report = written([request(**FULL), request(**{**FULL, **gone})], to)
        assert len(lines) == 1
        assert report.left_out == {reason: 1}

    @pytest.mark.parametrize("text", ["\ud800" * 3, "\0" * 3, "\U0001f600" * 3])
    def test_a_text_that_json_cannot_hold_has_block_names_all_the_same(self, written, text):
        assert written([request(**{**FULL, "text": text})], "mooncake")[1].requests == 1

    def test_parts_without_a_place_are_counted(self, written):
        report = written([request(**FULL), request(body=BODY, text="x")], "aiperf-raw-payload")[1]
        assert report.not_held == dict.fromkeys(
            ("arrival times", "sessions", "answer lengths", "routing ids", "adapters"), 1
        )
        assert report.notes()[0].startswith("The format has no place for arrival times (1), sessions (1), answer len")

    def test_nothing_at_all_is_an_error_with_a_remedy(self, tmp_path):
        undated = request(**{**FULL, "arrival_seconds": None})
        unanswered = request(**{**FULL, "output_tokens": None})
        with pytest.raises(
            WarmrouteError, match=r"2 with no arrival time; 1 with no answer length.*--rate.*--output-t"
        ):
            write_traffic([undated, undated, unanswered], tmp_path / "out", format="mooncake")
        with pytest.raises(WarmrouteError, match="no request"):
            write_traffic([], tmp_path / "out", format="mooncake")
        assert not list(tmp_path.iterdir())


class TestTimes:
    def test_requests_are_written_in_the_order_of_their_arrival(self, written):
        arrivals = [5.0, 3.0, 3.0, 9.5]
        requests = [
            request(arrival_seconds=at, text="x", output_tokens=tokens) for tokens, at in enumerate(arrivals, 1)
        ]
        lines, _ = written(requests, "mooncake")
        assert [(line["timestamp"], line["output_length"]) for line in lines] == [
            (0, 2),
            (0, 3),
            (2_000, 1),
            (6_500, 4),
        ]

    def test_a_format_without_times_keeps_undated_requests_behind_the_one_before_them(self, written):
        known = [(5.0, "a"), (None, "b"), (1.0, "c"), (None, "d")]
        lines, _ = written(
            [request(arrival_seconds=at, text=text, output_tokens=1) for at, text in known], "vllm-custom"
        )
        assert [line["prompt"] for line in lines] == ["c", "d", "a", "b"]

    def test_a_step_rounds_times_down(self, written):
        requests = [request(arrival_seconds=at, text="x", output_tokens=1) for at in (100.0, 159.9, 160.0, 285.0)]
        lines, _ = written(requests, "mooncake", time_step_seconds=60)
        assert [line["timestamp"] for line in lines] == [0, 0, 60_000, 180_000]

    def test_answers_of_unknown_length_have_the_one_that_is_given(self, written):
        lines, report = written([request(arrival_seconds=0, text="x" * 4)], "mooncake", output_tokens=99)
        assert lines[0]["output_length"] == 99
        assert report.adapted["answer lengths set to 99 tokens"] == 1

    @settings(max_examples=30)
    @given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=30))
    def test_times_begin_at_0_and_never_go_back(self, tmp_path_factory, arrivals):
        path = tmp_path_factory.mktemp("times") / "out.jsonl"
        requests = [request(arrival_seconds=at, text="x", output_tokens=1) for at in arrivals]
        write_traffic(requests, path, format="mooncake")
        times = [json.loads(line)["timestamp"] for line in path.read_text().splitlines()]
        assert times[0] == 0
        assert times == sorted(times)
        assert times[-1] == pytest.approx((max(arrivals) - min(arrivals)) * 1_000, abs=1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"format": "csv"},
        {"output_tokens": 0},
        {"output_tokens": 1 << 30},
        {"time_step_seconds": -1.0},
        {"time_step_seconds": math.nan},
        {"time_step_seconds": math.inf},
        {"time_step_seconds": 5e-324},
    ],
)
def test_numbers_out_of_range_and_other_formats_are_refused(tmp_path, wrong):
    with pytest.raises(WarmrouteError):
        write_traffic([request(**FULL)], tmp_path / "out", **{"format": "mooncake", **wrong})
    assert not list(tmp_path.iterdir())


anything = st.builds(
    TrafficRequest,
    source=st.text(st.characters()),
    line=st.integers(),
    arrival_seconds=st.none() | st.floats(),
    session=st.text(st.characters()),
    body=st.none() | st.binary() | st.sampled_from([BODY, b'{"a":1e999}', b'{"a":' + b"9" * 400 + b"}"]),
    text=st.none() | st.text(st.characters()),
    prompt_root=st.text(st.characters()),
    adapter=st.text(st.characters()),
    input_tokens=st.none() | st.integers(-1, 100) | st.integers(),
    output_tokens=st.none() | st.integers(-1, 100) | st.integers(),
    output_characters=st.none() | st.integers(),
    block_hashes=st.lists(st.integers(), max_size=5).map(tuple),
    block_tokens=st.sampled_from([0, 16, 512]) | st.integers(),
)


@pytest.mark.parametrize("to", WRITERS)
@settings(max_examples=30)
@given(st.lists(anything, max_size=5))
def test_whatever_a_record_holds_becomes_a_line_or_a_reason(to, requests):
    kept = [request(**FULL), *requests]
    with tempfile.TemporaryDirectory() as folder:
        report = write_traffic(kept, Path(folder, "out"), format=to)
        lines = Path(folder, "out").read_bytes().split(b"\n")[:-1]
    assert report.requests + sum(report.left_out.values()) == len(kept)
    assert len(lines) == report.requests
    assert all(type(json.loads(line)) is dict for line in lines)
