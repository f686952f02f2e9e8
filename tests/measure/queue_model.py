"""Runs of a queue whose truth is known: eight servers, bursts, long-tailed sizes, machines that differ by a little.

All runs advance together, request by request, in NumPy arrays: a row for each run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from warmroute.measure.columns import RequestColumns
from warmroute.measure.metrics import figures
from warmroute.measure.summary import RunSummary

BASELINE, CANDIDATE = "random", "prefix"
_STARTED = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class QueueModel:
    """First come, first served."""

    utilisation: float = 0.8
    machine_effect: float = 0.03
    """Standard deviation of the logarithm of a run's speed."""

    faster: float = 0.0
    """Part by which the candidate's service is shorter."""

    shorter: float = 0.0
    """Part by which all the candidate's latencies are shorter, the waiting included."""

    servers: int = 8
    requests: int = 3_000
    squared_variation: float = 4.0
    """Of the gaps between arrivals: 1 for a Poisson process, more for bursts."""

    size_deviation: float = 1.0
    """Of the logarithm of a request's service time, whose mean is a second."""

    same_trace: bool = True
    """Whether all runs of a comparison have the same arrivals and sizes, as those of a replay do."""

    jitter: float = 0.2
    """Standard deviation of the logarithm of the time that the same request takes in two runs."""

    def trials(self, count: int, pairs: int, seed: int) -> Iterator[list[RunSummary]]:
        """Comparisons of two arms, each of so many pairs of runs."""
        random = np.random.default_rng(seed)
        for done in range(0, count, 50):
            part = min(50, count - done)
            arrivals, waits, services, servers = self.runs(part, pairs * 2, random)
            for trial in range(part):
                first = trial * pairs * 2
                yield [
                    self._summary(run - first, arrivals[run], waits[run], services[run], servers[run])
                    for run in range(first, first + pairs * 2)
                ]

    def runs(self, trials: int, runs: int, random: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Arrivals, waits, service times and servers: a row for each run, every second one of the candidate."""
        count = trials * runs
        shape, rate = 1 / self.squared_variation, self.utilisation * self.servers
        drawn = (trials if self.same_trace else count, self.requests)
        times = count // drawn[0]
        arrivals = np.cumsum(random.gamma(shape, 1 / (shape * rate), drawn), axis=1).repeat(times, axis=0)
        services = random.lognormal(-(self.size_deviation**2) / 2, self.size_deviation, drawn).repeat(times, axis=0)
        services *= random.lognormal(-(self.jitter**2) / 2, self.jitter, services.shape)
        services *= random.lognormal(0, self.machine_effect, (count, 1))
        services[1::2] *= 1 - self.faster
        free, rows = np.zeros((count, self.servers)), np.arange(count)
        waits, chosen = np.empty_like(arrivals), np.empty(arrivals.shape, dtype=np.int8)
        for request in range(self.requests):
            server = free.argmin(axis=1)
            begin = np.maximum(free[rows, server], arrivals[:, request])
            free[rows, server] = begin + services[:, request]
            waits[:, request], chosen[:, request] = begin - arrivals[:, request], server
        return arrivals, waits, services, chosen

    def _summary(self, run: int, arrivals, waits, services, servers) -> RunSummary:
        arm = CANDIDATE if run % 2 else BASELINE
        scale = 1 - self.shorter if run % 2 else 1.0
        # A tenth of the service is prefill; an answer has 100 tokens.
        requests = RequestColumns(
            planned_seconds=arrivals,
            ttft_seconds=scale * (waits + 0.1 * services),
            e2e_seconds=scale * (waits + services),
            inter_token_seconds=scale * 0.9 * services / 99,
            output_tokens=np.full(len(arrivals), 100.0),
            failed=np.zeros(len(arrivals), dtype=bool),
            instance=servers,
            segment=np.zeros(len(arrivals), dtype="<U1"),
        )
        seconds = float((arrivals + waits + services).max())
        return RunSummary(
            arm=arm,
            pair=run // 2,
            started=_STARTED,
            duration_seconds=seconds,
            requests=len(arrivals),
            steady=figures(requests, seconds),
        )
