"""An observer that samples servers while the run is on, from a thread of its own."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

from warmroute.errors import WarmrouteError
from warmroute.measure.telemetry.figures import Figures, with_reasons
from warmroute.measure.telemetry.rounds import Round
from warmroute.measure.telemetry.run_telemetry import RunTelemetry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from warmroute.measure.telemetry.rounds import Reading
    from warmroute.measure.telemetry.run_telemetry import Overflow

INTERVAL_SECONDS = 2.0
"""Between two samples: some hundred in a run of minutes, each at about 2 ms of CPU time for a server of vLLM."""

_MAX_BYTES = 16_777_216
_ANSWER_SECONDS = 5.0


class Unanswered(Exception):  # noqa: N818 - it is counted, and told at the end.
    """A server did not tell its metrics."""


class Source(Protocol):
    """A server that tells what instances have counted."""

    name: str
    """Where the figures come from."""

    def read(self) -> Mapping[str, Reading]:
        """What each of its instances shows now.

        Raises:
            Unanswered: It does not answer, or not with metrics.
        """


class SamplingObserver:
    """Samples servers from the beginning to the end of a run.

    Args:
        sources: The servers.
        overflow: The share of requests that overflowed, from the samples; or why it is not known.
        reasons: Why these servers do not tell a figure, by its name.
        appear_from_zero: Whether an instance that is first seen within the run has started within it.
        interval_seconds: Between two samples.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        overflow: Callable[[Figures], Overflow | str],
        reasons: Mapping[str, str],
        *,
        appear_from_zero: bool,
        interval_seconds: float = INTERVAL_SECONDS,
    ) -> None:
        self._sources = sources
        self._overflow = overflow
        self._reasons = reasons
        self._appear_from_zero = appear_from_zero
        self._interval = interval_seconds
        self._rounds: list[Round] = []
        self._missed: dict[str, list[str]] = {source.name: [] for source in sources}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample_on, name="telemetry", daemon=True)
        self._pool = ThreadPoolExecutor(min(len(sources), 8), thread_name_prefix="telemetry")

    def begin(self) -> None:
        """Take the first sample, and go on taking them.

        Raises:
            WarmrouteError: A server does not tell its metrics.
        """
        self._began, self._zero = datetime.now(UTC), time.monotonic()
        self._sample()
        for name, missed in self._missed.items():
            if missed:
                self.give_up()
                raise WarmrouteError(f"Telemetry: {name}: {missed[0]}.", "Is it the right address, and does it run?")
        self._thread.start()

    def end(self) -> RunTelemetry:
        """Take the last sample, and sum up."""
        self._ended.set()
        self._thread.join()
        self._sample()
        self._pool.shutdown()
        figures = Figures(self._rounds, appear_from_zero=self._appear_from_zero)
        values, reasons = figures.values(), dict(self._reasons)
        overflow = self._overflow(figures)
        if isinstance(overflow, str):
            reasons["overflow"] = overflow
        else:
            values["overflow"] = overflow
        return RunTelemetry(
            sources=tuple(self._missed),
            began=self._began,
            ended=datetime.now(UTC),
            interval_seconds=self._interval,
            notes=(*self._notes_of_missed(), *figures.notes()),
            **with_reasons(values, reasons, "No server told it."),
        )

    def give_up(self) -> None:
        """Take no more samples."""
        self._ended.set()
        self._pool.shutdown()

    def _sample_on(self) -> None:
        due = self._zero
        while True:
            due = max(due + self._interval, time.monotonic())  # What is late is left out, not made up for.
            if self._ended.wait(due - time.monotonic()):
                return
            try:
                self._sample()
            except RuntimeError:  # Given up in this very moment, with the threads that ask.
                return

    def _sample(self) -> None:
        seconds = time.monotonic() - self._zero
        readings: dict[str, Reading] = {}
        for found in self._pool.map(self._read, self._sources):
            readings |= found
        self._rounds.append(Round(seconds, readings))

    def _read(self, source: Source) -> Mapping[str, Reading]:
        try:
            return source.read()
        except Unanswered as reason:
            self._missed[source.name].append(str(reason))
            return {}

    def _notes_of_missed(self) -> list[str]:
        return [
            f"{name}: {len(missed)} of {len(self._rounds)} samples are missing; the last one: {missed[-1]}."
            for name, missed in self._missed.items()
            if missed
        ]


def metrics_text(url: str) -> bytes:
    """What a server answers at the address of its metrics.

    Raises:
        Unanswered: It does not answer, or not with 200.
    """
    request = Request(url, headers={"Accept": "text/plain; version=0.0.4"})  # noqa: S310 - whoever uses it names it.
    try:
        with build_opener(ProxyHandler({})).open(request, timeout=_ANSWER_SECONDS) as answer:
            text: bytes = answer.read(_MAX_BYTES + 1)
    except HTTPError as answer:
        answer.close()
        raise Unanswered(f"it answers with status {answer.code}") from None
    except (URLError, OSError, ValueError) as error:
        raise Unanswered(f"it does not answer: {getattr(error, 'reason', error)}") from None
    if len(text) > _MAX_BYTES:
        raise Unanswered(f"its answer has more than {_MAX_BYTES:,} bytes")
    return text
