"""AWS's experiment in small, on real vLLM: RANDOM against PREFIX_AWARE as a comparison with verdict and report.

Engines whose caches hold about a third of the shared beginnings each, beginnings of about 8,000 tokens, open-loop
arrivals. Both endpoints have the same engines behind them, so no machine is in one arm alone; every run has a
``cache_salt`` of its own, so it begins with caches that hold nothing of use, and its first round of all beginnings is
told apart as cold. Needs ``make vllm``. Run: ``python -m benchmarks.vllm_routing``; see ``--help``.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from benchmarks.vllm_engines import BLOCK, say, spec_of, text, vllm_servers, words
from warmroute.arms import EndpointArm
from warmroute.cli.compare_text import print_comparison
from warmroute.deploy import Deployment
from warmroute.errors import WarmrouteError
from warmroute.local import EngineKind, EngineSettings, RunningLocally, running_locally
from warmroute.measure.criteria import Criteria
from warmroute.measure.experiment import (
    Design,
    Experiment,
    Hooks,
    Served,
    Setup,
    TraceSchedules,
    Turn,
    manifest,
    over_network,
)
from warmroute.measure.metrics import Metric
from warmroute.measure.replay import Load, Sending
from warmroute.measure.report import write_report
from warmroute.measure.telemetry import JoinedObserver, Observer, local_observer, vllm_observer

PREFIX_LENGTH, THRESHOLD = 4_096, 4
QUESTION_TOKENS, ANSWER_TOKENS = 300, 16
ROUTINGS = {
    "random": "{routing_strategy: RANDOM}",
    "prefix-aware": (
        "{routing_strategy: PREFIX_AWARE, prefix_aware_routing_config: "
        f"{{prefix_length: {PREFIX_LENGTH}, concurrency_threshold: {THRESHOLD}}}}}"
    ),
}
"""By the name of arm and endpoint; the baseline first."""


GUARDS = {Metric.ERROR_SHARE: 0.005, Metric.OUTPUT_TOKENS_PER_SECOND: 0.05}
"""Runs of some minutes are too short for P99; shares are shown, since a hash spreads two dozen beginnings by chance."""


def main() -> None:
    """Run the comparison, print its verdict and write its report."""
    options = _options()
    blocks = options.prefixes * options.prefix_tokens // 3 // BLOCK
    try:
        with vllm_servers(options.engines, blocks=blocks, max_model_len=2 * options.prefix_tokens) as urls:
            _compare(urls, options)
    except WarmrouteError as error:
        sys.exit(str(error))


def _compare(urls: list[str], options: argparse.Namespace) -> None:
    options.output.parent.mkdir(parents=True, exist_ok=True)
    trace = options.output.with_suffix(".jsonl")
    trace.write_bytes(b"\n".join(orjson.dumps(request) for request in _requests(options)))
    with running_locally(engines=EngineSettings(EngineKind.URL, tuple(urls))) as local:
        session = local.session("us-east-1")
        for name, routing in ROUTINGS.items():
            Deployment(spec_of(name, len(urls), routing), session, poll_seconds=0.2).apply()
        arms = [OneFleetArm(name, session, local) for name in ROUTINGS]
        load, sending = Load(rate=options.rate), Sending(default_output_tokens=ANSWER_TOKENS)
        schedules = TraceSchedules([str(trace)], load, sending)
        about = schedules.about(chat_only=False)
        design = Design(aa_pairs=options.aa_pairs, pairs=options.pairs, warm_up_seconds=options.prefixes / options.rate)
        criteria = Criteria(guards=GUARDS)
        setup = Setup(
            arms=arms,
            design=design,
            criteria=criteria,
            schedules=schedules,
            replay=over_network(largest_lag_seconds=options.largest_lag),
            hooks=Hooks(on_turn=_tell, observe=lambda _, served: _observer(urls, served)),
        )
        asked = {name: value for name, value in vars(options).items() if name != "output"}
        sent = {"load": load.model_dump(), "sending": sending.model_dump(), "benchmark": asked}
        wanted = manifest(arms, arms[0].name, design, criteria, trace=about, options=sent)
        comparison = Experiment(options.output, setup, wanted, notes=schedules.notes).run()
    print_comparison(comparison, options.output)
    print(write_report(options.output, comparison).page)


class OneFleetArm(EndpointArm):
    """An endpoint whose engines the other arm's endpoint has as well."""

    def __init__(self, name: str, session: Any, local: RunningLocally) -> None:
        super().__init__(name, session, name)
        self._url = local.url

    @contextmanager
    def serve(self, *, swapped: bool) -> Iterator[Served]:
        with super().serve(swapped=swapped) as served:
            yield replace(served, fleet="", local_url=self._url)


def _observer(urls: list[str], served: Served) -> Observer:
    """Routing is told by the local endpoint; the engines' own counters come from themselves."""
    return JoinedObserver([vllm_observer(urls), local_observer(served.local_url, served.endpoint_name)])


def _tell(turn: Turn) -> None:
    say(f"pair {turn.place.pair}: {turn.place.arm}{' (A/A)' if turn.is_noise else ''}")


def _requests(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Chats of many beginnings: each of them once, cold, and then one that is drawn."""
    chance, vocabulary = random.Random(0), words()
    prefixes = [f"{number} {text(options.prefix_tokens, vocabulary, chance)}" for number in range(options.prefixes)]
    for beginning in [*prefixes, *chance.choices(prefixes, k=options.requests)]:
        question = {"role": "user", "content": text(QUESTION_TOKENS, vocabulary, chance)}
        yield {"messages": [{"role": "system", "content": beginning}, question], "max_tokens": ANSWER_TOKENS}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", type=int, default=4)
    parser.add_argument("--prefixes", type=int, default=40)
    parser.add_argument("--prefix-tokens", type=int, default=8_000, help="words of a beginning, about a token each")
    parser.add_argument("--requests", type=int, default=60, help="of each run, after one of each beginning")
    parser.add_argument("--rate", type=float, default=0.6, help="requests a second")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--aa-pairs", type=int, default=0, help="pairs of RANDOM alone, for the noise")
    parser.add_argument(
        "--largest-lag", type=float, default=0.25, help="P99 of the send lag: engines and client share this machine"
    )
    parser.add_argument("--output", type=Path, default=Path("build", "vllm-routing"), help="folder of the comparison")
    return parser.parse_args()


if __name__ == "__main__":
    main()
