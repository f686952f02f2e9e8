"""The same captured files make the same digest on DuckDB and on Spark, row by row."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from traffic.digest.captures import lines
from traffic.digest.plain_digest import SHORT

from warmroute.traffic import Rejects
from warmroute.traffic.digest.capture_files import digest_capture, digest_capture_on_spark
from warmroute.traffic.digest.metadata import DigestMetadata

if TYPE_CHECKING:
    from pathlib import Path

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: make integration installs it")
pytestmark = pytest.mark.filterwarnings("ignore")  # Of pyspark itself.


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    settings_of_spark = {"spark.ui.enabled": "false", "spark.sql.session.timeZone": "America/New_York"}
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings_of_spark.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def compared(folder: Path, spark: Any, metadata: DigestMetadata) -> list[dict[str, Any]]:
    """The rows of both engines, which are equal."""
    of_duckdb, of_spark = Rejects(folder.parent / "duckdb.jsonl"), Rejects(folder.parent / "spark.jsonl")
    digest_capture(folder, folder.parent / "duckdb", metadata, session="inferenceId", rejects=of_duckdb)
    digest_capture_on_spark(
        folder, folder.parent / "spark", metadata, session="inferenceId", rejects=of_spark, spark=spark
    )
    for counts in (of_duckdb, of_spark):
        counts.close()
    rows = [parquet.read_table(folder.parent / engine) for engine in ("duckdb", "spark")]
    for one, other in zip(*(table.to_pylist() for table in rows), strict=True):
        assert one == other
    assert rows[0].schema.equals(rows[1].schema, check_metadata=True)
    told = [(folder.parent / f"{engine}.jsonl").read_text() for engine in ("duckdb", "spark")]
    assert told[0] == told[1]
    return rows[0].to_pylist()


@settings(
    max_examples=2,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example, HealthCheck.data_too_large],
)
@given(content=st.lists(lines, min_size=60, max_size=120))
def test_all_that_a_capture_may_hold(
    tmp_path_factory: pytest.TempPathFactory, spark: Any, content: list[bytes]
) -> None:
    folder = tmp_path_factory.mktemp("engines") / "with space[1]"
    folder.mkdir()
    good = json.dumps({"captureData": {"endpointInput": {"data": '{"prompt": "ab"}', "encoding": "JSON"}}}).encode()
    half = len(content) // 2
    (folder / "a.jsonl").write_bytes(b"\n".join(content[:half]) + b"\n")
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(b"\r\n".join([good, *content[half:]])))
    assert compared(folder, spark, SHORT)


def test_long_conversations(tmp_path: Path, spark: Any) -> None:
    """Windows and chunks of the real lengths, over texts of one to four bytes a character."""
    folder = tmp_path / "capture"
    folder.mkdir()
    words = ["prefix", "préfixe", "前缀", "🙂", "e\u0301"]
    calls = []
    for turn in range(40):
        text = " ".join(words[(turn // 10 + position * position) % 5] for position in range(700 * turn))
        body = json.dumps(
            {"messages": [{"role": "user", "content": text}], "tools": [{"name": "é"}]}, ensure_ascii=turn % 2
        )
        part = {"data": body, "encoding": "JSON"}
        event = {
            "eventId": str(turn),
            "inferenceTime": f"2026-01-01T00:00:{turn // 2:02}Z",
            "inferenceId": str(turn % 4),
        }
        calls.append(json.dumps({"captureData": {"endpointInput": part}, "eventMetadata": event}))
    (folder / "a.jsonl").write_text("\n".join(calls))
    rows = compared(folder, spark, DigestMetadata())
    assert len(rows) == 39  # The first has no text.
    assert max(len(row["chunks"]) for row in rows) > 150
    assert max(row["text_characters"] for row in rows) > 90_000
