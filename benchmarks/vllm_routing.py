"""AWS's experiment in small, on real vLLM: RANDOM against PREFIX_AWARE, in alternating pairs.

Engines whose caches hold about a third of the shared beginnings each, beginnings of about 8,000 tokens, open-loop
arrivals. Every arm has beginnings of its own, so that it starts with cold caches; its first third is not counted in
the times. Needs ``make vllm``. Run: ``python -m benchmarks.vllm_routing``; see ``--help``.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import runpy
import sys
import time
from collections import Counter
from pathlib import Path
from statistics import median, quantiles
from urllib.request import urlopen

from warmroute.demo.experiment import Answer, Arm, run_arm
from warmroute.deploy import Deployment
from warmroute.errors import WarmrouteError
from warmroute.hosting import parse_spec
from warmroute.local import EngineKind, EngineSettings, running_locally
from warmroute.local.engines.vllm import VllmEngines, vllm_interpreter
from warmroute.prefix import canonical_json
from warmroute.traffic import TrafficRequest

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
    "RANDOM": "{routing_strategy: RANDOM}",
    "PREFIX_AWARE": (
        "{routing_strategy: PREFIX_AWARE, prefix_aware_routing_config: "
        f"{{prefix_length: {PREFIX_LENGTH}, concurrency_threshold: {THRESHOLD}}}}}"
    ),
}


def main() -> None:
    """Run the pairs and print a row for each arm."""
    options = _options()
    os.environ |= {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    blocks = options.prefixes * options.prefix_tokens // 3 // BLOCK
    arguments = ("enforce-eager", "dtype=bfloat16", f"max-model-len={2 * options.prefix_tokens}", f"block-size={BLOCK}")
    arguments += (f"num-gpu-blocks-override={blocks}", "enable-prompt-tokens-details")
    engines = VllmEngines(vllm_interpreter(), changes=arguments, model_dir=MODEL, say=_say)
    try:
        servers = [engines.start(f"engine-{number}", number, {}) for number in range(options.engines)]
        while not all(server.in_service for server in servers):
            time.sleep(0.5)
        _compare([server.process.url for server in servers], options)
    except WarmrouteError as error:
        sys.exit(str(error))
    finally:
        asyncio.run(engines.close())


def _compare(urls: list[str], options: argparse.Namespace) -> None:
    print(
        f"{options.engines} engines, {options.prefixes} beginnings of {options.prefix_tokens} words, "
        f"{options.requests} requests an arm at {options.rate}/s. "
        "Seconds to first token after the first third; hit rate of all, and after it."
    )
    print(f"pair {'strategy':<14}{'P50':>8}{'P90':>8}{'P99':>8}{'hits':>7}{'later':>7}{'req/s':>7}{'over':>6}  shares")
    with running_locally(engines=EngineSettings(EngineKind.URL, tuple(urls))) as local:
        for name, routing in ROUTINGS.items():
            spec = parse_spec(SPEC.format(name=_endpoint(name), count=len(urls), routing=routing), name="spec")
            Deployment(spec, local.session(), poll_seconds=0.2).apply()
        for pair in range(options.pairs):
            order = list(ROUTINGS) if pair % 2 == 0 else list(ROUTINGS)[::-1]
            for name in order:
                requests = _requests(f"{pair}-{name}", options)
                before, began = _counters(urls), time.perf_counter()
                answers = run_arm(
                    Arm(local.session(), _endpoint(name)),
                    requests,
                    prefix_length=PREFIX_LENGTH,
                    requests_per_second=options.rate,
                    seed=pair,
                )
                seconds = time.perf_counter() - began
                queries, hits = (after - earlier for after, earlier in zip(_counters(urls), before, strict=True))
                _print(pair, name, answers, hits / queries, len(answers) / seconds)


def _print(pair: int, name: str, answers: list[Answer], hit_rate: float, throughput: float) -> None:
    counted = answers[len(answers) // 3 :]
    waits = sorted(answer.ttft_seconds for answer in counted)
    percentiles = quantiles(waits, n=100, method="inclusive")
    later = sum(answer.cached_tokens for answer in counted) / sum(answer.prompt_tokens for answer in counted)
    served = Counter(answer.instance for answer in answers).most_common()
    shares = " ".join(f"{count / len(answers):.2f}" for _, count in served)
    times = "".join(f"{seconds:>8.3f}" for seconds in (median(waits), percentiles[89], percentiles[98]))
    overflows = sum(answer.overflowed for answer in answers)
    rates = f"{hit_rate:>7.2f}{later:>7.2f}{throughput:>7.2f}"
    print(f"{pair:<5}{name:<14}{times}{rates}{overflows:>6}  {shares}", flush=True)


def _say(said: str) -> None:
    print(said, file=sys.stderr)


def _endpoint(strategy: str) -> str:
    return strategy.lower().replace("_", "-")


def _requests(salt: str, options: argparse.Namespace) -> list[TrafficRequest]:
    """Requests of many beginnings, each of which is of this arm alone."""
    # Both arms of a pair see the same order; the salt alone tells their beginnings apart.
    chance = random.Random(salt.partition("-")[0])
    words = runpy.run_path(str(Path(__file__).parents[1] / "integration/vllm/tiny_model.py"))["words"]()

    def text(tokens: int) -> str:
        return " ".join(chance.choices(words, k=tokens))

    prefixes = [f"{salt} {number} {text(options.prefix_tokens)}" for number in range(options.prefixes)]

    def messages() -> list[dict[str, str]]:
        question = {"role": "user", "content": text(QUESTION_TOKENS)}
        return [{"role": "system", "content": chance.choice(prefixes)}, question]

    return [
        TrafficRequest(
            source="generated",
            line=number + 1,
            body=canonical_json({"messages": messages()}),
            output_tokens=ANSWER_TOKENS,
        )
        for number in range(options.requests)
    ]


def _counters(urls: list[str]) -> tuple[float, float]:
    """Tokens that the engines looked for in their prefix caches, and those that they found."""
    texts = []
    for url in urls:
        with urlopen(f"{url}/metrics", timeout=30) as answer:
            texts.append(answer.read().decode())
    names = ("vllm:prefix_cache_queries_total", "vllm:prefix_cache_hits_total")
    found = [re.findall(rf"^{name}(?:\{{.*\}})? (\S+)$", "\n".join(texts), re.MULTILINE) for name in names]
    return sum(map(float, found[0])), sum(map(float, found[1]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engines", type=int, default=3)
    parser.add_argument("--prefixes", type=int, default=24)
    parser.add_argument("--prefix-tokens", type=int, default=8_000, help="words of a beginning, about a token each")
    parser.add_argument("--requests", type=int, default=120, help="of each arm")
    parser.add_argument("--rate", type=float, default=0.7, help="requests a second")
    parser.add_argument("--pairs", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    main()
