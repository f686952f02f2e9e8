"""What a digest of captured files costs, against DuckDB's own scan of the same files, and how much memory it takes."""

import json
import multiprocessing
import multiprocessing.connection
import os
import resource
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.fleet_report import band
from benchmarks.report import line
from warmroute.traffic.sample import write_sample

REQUESTS = 16_000
"""About 300 MB."""


def run() -> None:
    """CPU time of one thread against two scans, and the peak of memory under a limit of a third of the files' size."""
    with tempfile.TemporaryDirectory() as folder:
        capture = Path(folder) / "capture"
        write_sample(capture, requests=REQUESTS, seed=1, hours=8)
        files = str(capture / "**" / "*.jsonl")
        size = sum(file.stat().st_size for file in capture.rglob("*.jsonl"))
        output = str(Path(folder) / "table.parquet")
        print(f"Digest of {size / 1e6:,.0f} MB of captured files, CPU time")
        digested, _ = _of_process(_digest, str(capture), output, None)
        scanned, _ = _of_process(_scan, files)
        parsed, _ = _of_process(_parse, files)
        idle, at_rest = _of_process(_imports)
        line("  digest / scan of the lines", digested - idle, scanned - idle, 3.0)
        line("  digest / scan of lines and bodies", digested - idle, parsed - idle, 3.0)
        limit = size // 3
        _, peak = _of_process(_digest, str(capture), output, f"{limit}B")
        band("  size / memory_limit", size / limit, "3", 3, float("inf"), form=".1f")
        most = size / 1e6
        band("  peak memory beyond the imports, MB", (peak - at_rest) / 1e6, f"{most:,.0f}", 0, most, form=",.0f")


def _imports() -> None:
    """What every run pays once: modules, and the query, which is the same for any size."""
    import duckdb  # noqa: F401
    import numpy as np  # noqa: F401
    import pyarrow as pa  # noqa: F401

    from warmroute.traffic.digest.capture_files import rows_of_lines

    rows_of_lines("")


def _digest(capture: str, output: str, memory_limit: str | None) -> None:
    from warmroute.traffic.digest.capture_files import digest_capture

    _imports()
    digest_capture(capture, output, memory_limit=memory_limit)


def _scan(files: str) -> None:
    """Every field of every line, as DuckDB's reader of JSON finds them."""
    import duckdb

    _imports()
    duckdb.sql("SET enable_progress_bar = false")
    duckdb.sql(f"CREATE TEMP TABLE scanned AS FROM read_json('{files}', ignore_errors = true)")


def _parse(files: str) -> None:
    """The same, and the contents of the messages, as DuckDB parses JSON in a column."""
    import duckdb

    _imports()
    duckdb.sql("SET enable_progress_bar = false")
    text = "CASE WHEN part.encoding = 'BASE64' THEN TRY(decode(from_base64(part.data))) ELSE part.data END"
    duckdb.sql(
        f"CREATE TEMP TABLE parsed AS SELECT eventMetadata, captureData.endpointOutput,"  # noqa: S608
        f" TRY(json_extract_string({text}, '$.messages[*].content')) AS contents"
        f" FROM (SELECT *, captureData.endpointInput AS part FROM read_json('{files}', ignore_errors = true))"
    )


def _of_process(function: Callable[..., None], *arguments: object) -> tuple[float, int]:
    """Seconds of CPU time of a new process, the least of a few, and its largest memory in bytes."""
    context = multiprocessing.get_context("spawn")
    found = []
    for _ in range(3):
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_measured, args=(sender, function, arguments))
        process.start()
        sender.close()
        found.append(json.loads(receiver.recv()))
        process.join()
    return min(seconds for seconds, _ in found), max(peak for _, peak in found)


def _measured(
    sender: multiprocessing.connection.Connection, function: Callable[..., None], arguments: tuple[Any, ...]
) -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # One thread waits for no other.
    function(*arguments)
    used = resource.getrusage(resource.RUSAGE_SELF)
    sender.send(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss * 1_024]))
