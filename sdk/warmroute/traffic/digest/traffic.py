"""Makes a digest of recorded traffic of any format."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from warmroute.traffic.digest.capture_files import digest_capture, digest_capture_on_spark
from warmroute.traffic.digest.errors import DigestError
from warmroute.traffic.digest.make import digest_requests
from warmroute.traffic.digest.metadata import DigestMetadata
from warmroute.traffic.entries.entry import entries
from warmroute.traffic.entries.rejects import Rejects
from warmroute.traffic.reading.formats import Format, recognised
from warmroute.traffic.reading.read import read_traffic
from warmroute.traffic.sources.named import STANDARD_INPUT, find_sources

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


ENGINES = ("duckdb", "spark")


def digest_traffic(
    paths: Sequence[str],
    path: str | Path,
    metadata: DigestMetadata | None = None,
    *,
    input_format: str | None = None,
    session: str = "",
    rejects: Rejects | None = None,
    memory_limit: str | None = None,
    engine: str = "duckdb",
) -> None:
    """Make a digest of recorded traffic: DuckDB reads files of Data Capture itself, and the readers all others.

    Args:
        paths: Files, directories, patterns, ``s3://`` URIs, or ``-`` for standard input.
        path: The file to write; one that is there is replaced when the new one is complete.
        metadata: Ladder, length of chunks, and the sampling percentage; sources and rejects are added.
        input_format: The format; recognised from the first file if not given.
        session: For Data Capture, the field of a call that names its session, if the application sends one.
        rejects: Counts, and tells, the lines that are no request.
        memory_limit: What DuckDB may use, as "4GB"; four fifths of the machine's memory unless told.
        engine: What reads files of Data Capture: "duckdb" or "spark".

    Raises:
        DigestError: The ladder is none, the files cannot be read, or the file cannot be written.
        TrafficError: No such file or format, or no request at all.
        MissingExtraError: The extra ``analysis``, or ``spark``, is not installed.
    """
    if engine not in ENGINES:
        raise DigestError(f"There is no engine {engine}.", f"Use {' or '.join(ENGINES)}.")
    metadata = replace(metadata or DigestMetadata(), sources=tuple(paths))
    counts = rejects if rejects is not None else Rejects()
    if STANDARD_INPUT not in paths and (input_format or _format(paths)) == Format.DATA_CAPTURE:
        make = digest_capture_on_spark if engine == "spark" else digest_capture
        make(paths, path, metadata, session=session, rejects=counts, memory_limit=memory_limit)
        return
    if engine != "duckdb":
        raise DigestError(f"{engine} digests files of Data Capture only.", "Leave out --engine for other formats.")
    requests = read_traffic(
        paths, format=input_format, rejects=counts, sampling_percentage=metadata.sampling_percentage
    )
    digest_requests(requests, path, replace(metadata, rejects=counts.rejected), memory_limit=memory_limit)


def _format(paths: Sequence[str]) -> Format | None:
    """The format of the first file, judged by its first entries."""
    source = find_sources(paths)[0]
    first = islice(entries(source, Rejects()), _ENTRIES_AHEAD)
    return recognised(source.name, [entry.value for entry in first])


_ENTRIES_AHEAD = 20
