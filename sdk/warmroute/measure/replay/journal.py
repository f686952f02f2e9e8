"""The record of a run on disk: a line as each request ends, a table once all have.

A Parquet file can be read only once its end is written, which a full disk or a killed process prevents. So rows go to
JSON lines first; the table replaces them when the run is over.
"""

from __future__ import annotations

import math
import operator
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from warmroute.errors import WarmrouteError
from warmroute.measure.run import ReplayedRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LINES, TABLE, RUN = "requests.jsonl", "requests.parquet", "run.json"
_FLUSH_ROWS = 64
_BATCH_ROWS = 65_536
_INFINITE_WITH_ERROR = ("ttft_seconds", "e2e_seconds", "inter_token_seconds")


class Journal:
    """Rows of one run, in a folder of its own.

    Args:
        folder: Made if it is not there.

    Raises:
        WarmrouteError: It holds a run already, or cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if any((folder / name).exists() for name in (LINES, TABLE, RUN)):
                raise WarmrouteError(f"{folder}: there is a run already.", "Give another folder, or remove it.")
            self._lines: BinaryIO = (folder / LINES).open("xb", buffering=1 << 16)
        except OSError as error:
            raise unwritable(folder, error) from None
        self._rows = 0

    def write(self, row: ReplayedRequest) -> None:
        """Add a row.

        Raises:
            OSError: The disk is full, for one.
        """
        # JSON has no infinity: orjson writes null, which `read_rows` can tell from an unknown time by the error.
        self._lines.write(orjson.dumps(values_of(row)) + b"\n")
        self._rows += 1
        if self._rows % _FLUSH_ROWS == 0:
            self._lines.flush()

    def close(self, *, as_table: bool = True) -> Path:
        """Turn the lines into a table, where pyarrow is installed and there is room; else they stay.

        Args:
            as_table: Whether to; importing pyarrow alone takes a second and more.

        Returns:
            The file with the rows.
        """
        lines, table = self.folder / LINES, self.folder / TABLE
        try:
            self._lines.close()
        except OSError:  # What did fit is there.
            return lines
        if not as_table:
            return lines
        try:
            _write_table(_read_lines(lines), table)
        except ImportError:
            return lines
        except OSError:
            table.unlink(missing_ok=True)
            return lines
        lines.unlink()
        return table


def read_rows(path: str | Path) -> Iterator[ReplayedRequest]:
    """The rows of a run, finished or not.

    Args:
        path: ``requests.parquet``, ``requests.jsonl``, or the folder of one of them. A last line that a killed process
            did not finish is left out.

    Raises:
        WarmrouteError: There is no such file, or it cannot be read.
        MissingExtraError: A Parquet file, and no pyarrow.
    """
    file = Path(path)
    if file.is_dir():
        file = file / TABLE if (file / TABLE).exists() else file / LINES
    try:
        yield from _read_table(file) if file.suffix == ".parquet" else _read_lines(file)
    except OSError as error:
        raise WarmrouteError(f"{file}: {error.strerror or 'cannot be read'}.", "Give the folder of a replay.") from None


_NAMES = tuple(field.name for field in fields(ReplayedRequest))
_FIELDS = operator.attrgetter(*_NAMES)


def values_of(row: ReplayedRequest) -> dict[str, Any]:
    """The columns of a row; ``dataclasses.asdict`` would copy each, at ten times the cost."""
    return dict(zip(_NAMES, _FIELDS(row), strict=True))


def unwritable(path: Path, error: OSError) -> WarmrouteError:
    """The error for a file or folder that cannot be written."""
    return WarmrouteError(f"{path}: {error.strerror or error}.", "Give a folder that can be written and has room.")


def _read_lines(file: Path) -> Iterator[ReplayedRequest]:
    with file.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                yield _row(orjson.loads(line))


def _row(values: dict[str, Any]) -> ReplayedRequest:
    for name in _INFINITE_WITH_ERROR:
        if values[name] is None:
            values[name] = math.inf if values["error"] else math.nan
    if values["sent_seconds"] is None:
        values["sent_seconds"] = math.nan
    return ReplayedRequest(**values)


def write_tables(folders: Iterable[Path], path: Path) -> None:
    """Put the rows of several runs into one Parquet file.

    Args:
        folders: Of the runs.
        path: The file; what it held is replaced.

    Raises:
        OSError: The disk is full, for one.
        ImportError: PyArrow is not installed.
    """
    import pyarrow.parquet as pq

    with pq.ParquetWriter(path, _schema(), compression="zstd") as writer:
        for folder in folders:
            if (folder / TABLE).exists():
                with pq.ParquetFile(folder / TABLE) as table:
                    for batch in table.iter_batches(_BATCH_ROWS):
                        writer.write_batch(batch)
            else:
                _write_rows(_read_lines(folder / LINES), writer)


def _write_table(rows: Iterable[ReplayedRequest], path: Path) -> None:
    import pyarrow.parquet as pq

    with pq.ParquetWriter(path, _schema(), compression="zstd") as writer:
        _write_rows(rows, writer)


def _write_rows(rows: Iterable[ReplayedRequest], writer: Any) -> None:
    import pyarrow as pa

    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(values_of(row))
        if len(batch) == _BATCH_ROWS:
            writer.write_batch(pa.RecordBatch.from_pylist(batch, _schema()))
            batch.clear()
    writer.write_batch(pa.RecordBatch.from_pylist(batch, _schema()))


def _schema() -> Any:
    import pyarrow as pa

    return pa.schema([(field.name, _arrow_type(pa, str(field.type))) for field in fields(ReplayedRequest)])


def _arrow_type(pa: Any, annotation: str) -> Any:
    kinds = {"str": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}
    return kinds[annotation.partition(" ")[0]]


def _read_table(file: Path) -> Iterator[ReplayedRequest]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        from warmroute.errors import MissingExtraError

        raise MissingExtraError("Reading Parquet files", "analysis") from None
    try:
        with pq.ParquetFile(file) as table:
            for batch in table.iter_batches(_BATCH_ROWS):
                for values in batch.to_pylist():
                    yield ReplayedRequest(**values)
    except pa.ArrowInvalid:
        raise WarmrouteError(f"{file}: not a Parquet file.", "Give the folder of a replay.") from None
