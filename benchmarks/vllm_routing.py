"""AWS's experiment in small, on real vLLM: RANDOM against PREFIX_AWARE as a comparison with verdict and report.

Engines whose caches hold about a third of the shared beginnings each, beginnings of about 8,000 tokens, open-loop
arrivals. Both endpoints have the same engines behind them, so no machine is in one arm alone; every run has a
``cache_salt`` of its own, so it begins with caches that hold nothing of use, and its first third is told apart as
cold. Needs ``make vllm``. Run: ``python -m benchmarks.vllm_routing``; see ``--help``.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import runpy
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from warmroute.arms import EndpointArm
from warmroute.cli.compare_text import print_comparison
from warmroute.cli.output import Format
from warmroute.deploy import Deployment
from warmroute.errors import WarmrouteError
from warmroute.hosting import parse_spec
from warmroute.local import EngineKind, EngineSettings, RunningLocally, running_locally
from warmroute.local.engines.vllm import VllmEngines, vllm_interpreter
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

MODEL = Path(".venv-vllm", "tiny-llama")
PREFIX_LENGTH, THRESHOLD = 4_096, 4
QUESTION_TOKENS, ANSWER_TOKENS = 300, 16
BLOCK = 32
SPEC = """
name: {name}
region: us-east-1
execution_role_arn: arn:aws:iam::123456789012:role/exec
models: {{tiny: {{source: {{hugging_face: tiny/llama}}}}}}
variants:
  - name: main
    model_name: tiny
    instance_type: ml.p5.48xlarge
    initial_instance_count: {count}
    routing_config: {routing}
"""
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
    os.environ |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    blocks = options.prefixes * options.prefix_tokens // 3 // BLOCK
    arguments = ("enforce-eager", "dtype=bfloat16", f"max-model-len={2 * options.prefix_tokens}", f"block-size={BLOCK}")
    arguments += (f"num-gpu-blocks-override={blocks}", "enable-prompt-tokens-details")
    try:
        engines = VllmEngines(vllm_interpreter(), changes=arguments, model_dir=MODEL, say=_say)
        try:
            servers = [engines.start(f"engine-{number}", number, {}) for number in range(options.engines)]
            while not all(server.in_service for server in servers):
                time.sleep(0.5)
            _compare([server.process.url for server in servers], options)
        finally:
            asyncio.run(engines.close())
    except WarmrouteError as error:
        sys.exit(str(error))


def _compare(urls: list[str], options: argparse.Namespace) -> None:
    options.output.parent.mkdir(parents=True, exist_ok=True)
    trace = options.output.with_suffix(".jsonl")
    trace.write_bytes(b"\n".join(orjson.dumps(request) for request in _requests(options)))
    with running_locally(engines=EngineSettings(EngineKind.URL, tuple(urls))) as local:
        session = local.session("us-east-1")
        for name, routing in ROUTINGS.items():
            spec = parse_spec(SPEC.format(name=name, count=len(urls), routing=routing), name="spec")
            Deployment(spec, session, poll_seconds=0.2).apply()
        arms = [OneFleetArm(name, session, local) for name in ROUTINGS]
        load, sending = Load(rate=options.rate), Sending(default_output_tokens=ANSWER_TOKENS)
        schedules = TraceSchedules([str(trace)], load, sending)
        about = schedules.about(chat_only=False)
        design = Design(aa_pairs=options.aa_pairs, pairs=options.pairs, warm_up_seconds=about["seconds"] / 3)
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
    print_comparison(comparison, options.output, Format.TEXT)
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
    _say(f"pair {turn.place.pair}: {turn.place.arm}{' (A/A)' if turn.is_noise else ''}")


def _say(said: str) -> None:
    print(said, file=sys.stderr)


def _requests(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Chats of many beginnings; which one comes next is drawn."""
    chance = random.Random(0)
    words = runpy.run_path(str(Path(__file__).parents[1] / "integration/vllm/tiny_model.py"))["words"]()

    def text(tokens: int) -> str:
        return " ".join(chance.choices(words, k=tokens))

    prefixes = [f"{number} {text(options.prefix_tokens)}" for number in range(options.prefixes)]
    for _ in range(options.requests):
        question = {"role": "user", "content": text(QUESTION_TOKENS)}
        yield {
            "messages": [{"role": "system", "content": chance.choice(prefixes)}, question],
            "max_tokens": ANSWER_TOKENS,
        }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", type=int, default=3)
    parser.add_argument("--prefixes", type=int, default=24)
    parser.add_argument("--prefix-tokens", type=int, default=8_000, help="words of a beginning, about a token each")
    parser.add_argument("--requests", type=int, default=90, help="of each run")
    parser.add_argument("--rate", type=float, default=0.7, help="requests a second")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--aa-pairs", type=int, default=1, help="pairs of RANDOM alone, for the noise")
    parser.add_argument(
        "--largest-lag", type=float, default=0.25, help="P99 of the send lag: engines and client share this machine"
    )
    parser.add_argument("--output", type=Path, default=Path("build", "vllm-routing"), help="folder of the comparison")
    return parser.parse_args()


if __name__ == "__main__":
    main()
