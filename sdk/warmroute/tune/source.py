"""Opens a trace for tuning: recorded traffic of any format, digested on the fly, or a digest that is ready."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from warmroute.traffic import Rejects, read_traffic
from warmroute.traffic.digest.make import digest_requests
from warmroute.traffic.digest.metadata import DigestMetadata
from warmroute.traffic.digest.table import read_digest
from warmroute.tune.observed import Observed
from warmroute.tune.trace import Trace
from warmroute.tune.volatile import volatile_texts
from warmroute.wording import counted

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from warmroute.inference_api import Api
    from warmroute.traffic.digest.table import DigestTable
    from warmroute.traffic.record import TrafficRequest

MOST_REQUESTS = 200_000
"""Requests that are taken from a larger digest: its busiest in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTraffic:
    """Where recorded requests are, and how they are read."""

    paths: Sequence[str]
    """Files, folders, patterns, ``s3://`` URIs; or one digest."""

    input_format: str | None = None
    """Its format; None to recognise it."""

    bodies: Literal["recorded", "canonical"] = "recorded"
    """Whether to take the bodies that were recorded, or what `canonical_json` would send."""

    def read(self, rejects: Rejects | None = None) -> Iterator[TrafficRequest]:
        """The requests, from the beginning."""
        return read_traffic(list(self.paths), format=self.input_format, rejects=rejects, bodies=self.bodies)


@contextmanager
def open_trace(traffic: RecordedTraffic, *, volatile_within: int = 4_096) -> Iterator[Trace]:
    """The requests of a trace.

    Args:
        traffic: Where they are.
        volatile_within: The window in which volatile text is looked for.

    Raises:
        WarmrouteError: Whatever is wrong with the trace.
    """
    if len(traffic.paths) == 1 and _is_parquet(traffic.paths[0]):
        yield _of_digest(read_digest(traffic.paths[0]))
        return
    with tempfile.TemporaryDirectory(prefix="warmroute-") as folder:
        rejects = Rejects()
        path = Path(folder) / "digest.parquet"
        digest_requests(traffic.read(rejects), path)
        trace = _of_digest(read_digest(path))
        api: Api = "invoke" if "invoke" in trace.observed.apis() else "openai"
        yield trace._replace(
            finer=_Finer(traffic, trace.observed, Path(folder)).keys,
            volatile=volatile_texts(traffic.read(), api=api, prefix_length=volatile_within),
            cautions=(*trace.cautions, *rejects.summary()),
        )


class _Finer:
    """Keys at further lengths, by another digest of the same requests."""

    def __init__(self, traffic: RecordedTraffic, observed: Observed, folder: Path) -> None:
        self._traffic, self._observed, self._folder = traffic, observed, folder

    def keys(self, api: Api, lengths: Sequence[int]) -> Mapping[int, Sequence[Hashable]]:
        path = self._folder / "finer.parquet"
        digest_requests(self._traffic.read(), path, DigestMetadata(ladder=tuple(lengths)))
        finer = Observed.of_digest(read_digest(path), None)
        positions = {request: position for position, request in enumerate(finer.request)}
        rows = [positions[request] for request in self._observed.request]
        found = {length: finer.keys(api, length) for length in lengths}
        return {length: [keys[row] for row in rows] for length, keys in found.items()}


def _of_digest(digest: DigestTable) -> Trace:
    observed = Observed.of_digest(digest, MOST_REQUESTS)
    cautions = []
    if len(observed) < len(digest):
        cautions.append(f"The busiest {len(observed):,} of {len(digest):,} requests in a row are looked at.")
    cautions += [
        f"No requests: {counted(count, 'entry', 'entries')}: {reason}."
        for reason, count in digest.metadata.rejects.items()
    ]
    if digest.metadata.answers_by_characters:
        cautions.append(
            f"Told in characters alone: {counted(digest.metadata.answers_by_characters, 'answer')}; "
            "4 characters are taken for a token."
        )
    sampled = digest.metadata.sampling_percentage
    if sampled is not None and sampled < 100:
        cautions.append(
            f"{sampled:g} % of the requests were captured: reuse is under-counted, and the real rate is "
            f"{100 / sampled:.3g} times that of the trace. --rate sets it."
        )
    return Trace(observed, cautions=tuple(cautions))


def _is_parquet(path: str) -> bool:
    if path.startswith("s3://"):
        return False
    try:
        with Path(path).open("rb") as file:
            return file.read(4) == b"PAR1"
    except (OSError, ValueError):  # No file: a folder, a pattern, or a mistake that the reader tells.
        return False
