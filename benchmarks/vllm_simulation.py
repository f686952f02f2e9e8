"""The simulator against real vLLM: calibrated on one engine, then asked what two of them will do with a trace.

One engine is measured as ``warmroute calibrate`` does; a trace is replayed on both under each routing, and simulated
with the profile. Needs ``make vllm``. Run: ``python -m benchmarks.vllm_simulation``; see ``--help``.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from benchmarks.fleet_report import band
from benchmarks.vllm_engines import BLOCK, say, spec_of, text, vllm_servers, words
from warmroute.deploy import Deployment
from warmroute.errors import WarmrouteError
from warmroute.fleet import EngineProfile, FleetConfig
from warmroute.fleet.calibration import Limits, OpenAiServer, calibrate
from warmroute.local import EngineKind, EngineSettings, RunningLocally, running_locally
from warmroute.measure.replay import Load, NativeTarget, ReplayRun, Sending, prepare, read_rows
from warmroute.measure.run import ReplayedRequest
from warmroute.routing import RoutingConfig
from warmroute.tune import simulate_trace
from warmroute.tune.result import Expectation
from warmroute.tune.source import RecordedTraffic, open_trace

ENGINES, PREFIXES, PREFIX_TOKENS = 2, 24, 2_000
QUESTION_TOKENS, ANSWER_TOKENS = 100, 16
MAX_MODEL_LEN = 8_192
"""Also vLLM's ``max_num_batched_tokens``, so that a prompt is one step's work."""

ROUTINGS = {
    "random": RoutingConfig.random(),
    "prefix-aware": RoutingConfig.prefix_aware(prefix_length=4_096, concurrency_threshold=16),
}
CACHED_SHARE = 0.4
"""Part of the beginnings that one engine's cache holds: most requests miss under RANDOM, and most hit otherwise."""


def main() -> None:
    """Calibrate, replay, simulate, and print each figure beside the real one."""
    options = _options()
    try:
        blocks = round(CACHED_SHARE * PREFIXES * PREFIX_TOKENS / BLOCK)
        with vllm_servers(ENGINES, blocks=blocks, max_model_len=MAX_MODEL_LEN) as urls:
            profile = _calibrated(urls[0], options.minutes)
            with (
                running_locally(engines=EngineSettings(EngineKind.URL, tuple(urls))) as local,
                TemporaryDirectory() as at,
            ):
                for name, routing in ROUTINGS.items():
                    _compare(name, routing, local, profile, options, Path(at))
    except WarmrouteError as error:
        sys.exit(str(error))


def _calibrated(url: str, minutes: float) -> EngineProfile:
    with OpenAiServer(f"{url}/v1") as server:
        limits = Limits(seconds=60 * minutes, max_prompt_tokens=2 * PREFIX_TOKENS, max_concurrency=16)
        found = calibrate(server, limits, on_step=say)
    print("\n".join(found.report()))
    return found.profile


def _compare(
    name: str,
    routing: RoutingConfig,
    local: RunningLocally,
    profile: EngineProfile,
    options: argparse.Namespace,
    folder: Path,
) -> None:
    requests = list(_requests(options.requests, options.rate))
    rows = _replayed(name, routing, requests, local, folder)
    expected = _simulated(name, routing, requests, rows, profile, folder)
    hits = sum(row.cached_tokens or 0 for row in rows) / sum(row.input_tokens or 0 for row in rows)
    waits = sorted(row.ttft_seconds for row in rows)
    real = {"P50": waits[len(waits) // 2], "P90": waits[len(waits) * 9 // 10]}
    say(f"{name}: {len(rows)} requests replayed and simulated")
    points = 100 * expected.hit_rate
    band(f"{name}: hit rate, %", points, f"{100 * hits:.1f}", 100 * hits - 2, 100 * hits + 2, form=".1f")
    for what, simulated in (("P50", expected.ttft_p50), ("P90", expected.ttft_p90)):
        measured = 1e3 * real[what]
        limits = (0.85 * measured, 1.15 * measured) if what == "P50" else (0, float("inf"))
        band(f"{name}: TTFT {what}, ms", 1e3 * simulated, f"{measured:.0f}", *limits, form=".0f")


def _replayed(
    name: str, routing: RoutingConfig, requests: Sequence[dict[str, Any]], local: RunningLocally, folder: Path
) -> list[ReplayedRequest]:
    """What the real engines did, in the order of the trace."""
    session = local.session("us-east-1")
    wanted = orjson.dumps(routing.model_dump(mode="json", exclude_none=True)).decode()
    Deployment(spec_of(name, ENGINES, wanted), session, poll_seconds=0.2).apply()
    trace = _written(folder / f"{name}.jsonl", requests)
    target = NativeTarget(session, name, endpoint_url=local.url)
    schedule, about = prepare([str(trace)], Load(), Sending(), chat_only=target.chat_only)
    replayed = ReplayRun(schedule, target, folder / name, about=about).run()
    for problem in replayed.summary.problems:
        print(f"{name}: {problem}")
    return sorted(read_rows(replayed.requests), key=lambda row: row.index)


def _simulated(
    name: str,
    routing: RoutingConfig,
    requests: Sequence[dict[str, Any]],
    rows: Sequence[ReplayedRequest],
    profile: EngineProfile,
    folder: Path,
) -> Expectation:
    """The same trace in virtual time, with the tokens that the engines counted, as a log would tell them."""
    told = [{**request, "prompt_tokens": row.input_tokens} for request, row in zip(requests, rows, strict=True)]
    path = str(_written(folder / f"{name}-told.jsonl", told))
    config = FleetConfig(instances=ENGINES, profile=profile)
    with open_trace(RecordedTraffic(paths=[path])) as trace:
        # Strategies of one seed draw alike, and that is the local endpoint's.
        return simulate_trace(trace, config, routing, api="openai", seed=0).expectation


def _written(path: Path, requests: Sequence[dict[str, Any]]) -> Path:
    path.write_bytes(b"\n".join(map(orjson.dumps, requests)))
    return path


def _requests(count: int, rate: float) -> Iterator[dict[str, Any]]:
    """Calls as LiteLLM logs them, at times of a Poisson process: chats of many beginnings."""
    chance, vocabulary, at = random.Random(0), words(), 1_700_000_000.0
    prefixes = [f"{number} {text(PREFIX_TOKENS, vocabulary, chance)}" for number in range(PREFIXES)]
    for number in range(count):
        at += chance.expovariate(rate)
        question = {"role": "user", "content": text(QUESTION_TOKENS, vocabulary, chance)}
        yield {
            "id": str(number),
            "call_type": "acompletion",
            "startTime": at,
            "model": "tiny",
            "messages": [{"role": "system", "content": chance.choice(prefixes)}, question],
            "completion_tokens": ANSWER_TOKENS,
        }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=2.0, help="of the calibration")
    parser.add_argument("--requests", type=int, default=200, help="of each replay")
    parser.add_argument("--rate", type=float, default=1.0, help="requests a second")
    return parser.parse_args()


if __name__ == "__main__":
    main()
