"""How fast the simulator is, in CPU time of one core."""

import random
import resource
import time
from collections.abc import Iterator

from benchmarks.fleet_aws import hour, long_context
from benchmarks.fleet_mooncake import requests, rows
from benchmarks.fleet_report import band
from warmroute.fleet import FleetConfig, FleetRequest, Prompt, simulate
from warmroute.routing import RoutingConfig

ROUTING = RoutingConfig.prefix_aware(prefix_length=2_048, concurrency_threshold=16)


def run() -> None:
    """Simulated requests per second of CPU time, an hour of AWS's benchmark, bytes of a record, memory."""
    print("Speed of the simulator, CPU time of one core")
    trace = rows("conversation")
    if trace is not None:
        loaded = requests(trace)
        seconds = min(_seconds(loaded) for _ in range(7))
        speed = len(loaded) / seconds
        band("  Mooncake conversation, 8 instances, 1/s", speed, "30,000", 30_000, float("inf"), form=",.0f")
    begin = time.process_time()
    simulated = hour(
        long_context(1),
        clients=60,
        think_seconds=1.9,
        routing=ROUTING,
        max_num_batched_tokens=16_384,
        seed=1,
    )
    band("  an hour of AWS's long context, s", time.process_time() - begin, "5", 0, 5)
    band("  requests of that hour", simulated.requests, "61,000", 60_500, 61_500, form=",.0f")
    result = simulate(_stream(1_000), FleetConfig(instances=8, routing=ROUTING), seed=1)
    band("  bytes of a request's record", len(bytes(result)) / len(result), "42", 42, 42, form=".0f")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    simulate(_stream(1_000_000), FleetConfig(instances=8, routing=ROUTING), seed=1)
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    band("  memory of a million streamed requests, MB", more / 1_024, "1,000", 0, 1_000, form=",.0f")


def _seconds(loaded: list[FleetRequest]) -> float:
    begin = time.process_time()
    simulate(loaded, FleetConfig(instances=8, routing=ROUTING), seed=1)
    return time.process_time() - begin


def _stream(count: int) -> Iterator[FleetRequest]:
    chance = random.Random(1)
    for number in range(count):
        document = chance.randrange(400)
        prompt = Prompt(2_200, (document, ("question", number)), (125, 137))
        yield FleetRequest(number / 60, prompt, 60, str(document).encode())
