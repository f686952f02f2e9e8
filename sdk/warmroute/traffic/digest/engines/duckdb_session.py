"""A session of DuckDB that keeps to a limit of memory."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from warmroute.errors import MissingExtraError
from warmroute.traffic.digest.errors import DigestError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def duckdb_session(folder: Path, memory_limit: str | None = None) -> Iterator[Any]:
    """DuckDB in memory; what does not fit there goes to a folder that is removed at the end.

    Args:
        folder: Where that folder is made.
        memory_limit: What DuckDB may use, as "4GB"; four fifths of the machine's memory unless told.

    Raises:
        DigestError: The limit is none or too low, or the folder cannot be written.
        MissingExtraError: The extra ``analysis`` is not installed.
    """
    try:
        import duckdb
        import ibis  # noqa: F401 - to fail before anything is read.
        import pyarrow as pa  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("A digest of recorded traffic", "analysis") from error
    try:
        with tempfile.TemporaryDirectory(prefix=".digest-", dir=folder) as spilled, duckdb.connect() as connection:
            connection.execute("SET temp_directory = ?", [spilled])
            connection.execute("SET enable_progress_bar = false")
            if memory_limit is not None:
                connection.execute("SET memory_limit = ?", [memory_limit])
            yield connection
    except duckdb.OutOfMemoryException:
        raise DigestError(
            f"DuckDB needs more memory than its limit of {memory_limit or 'four fifths of the machine'}.",
            "Allow more with --memory-limit.",
        ) from None
    except duckdb.ParserException:
        raise DigestError(f"{memory_limit} is no limit of memory.", 'Give one such as "4GB".') from None
    except (duckdb.IOException, duckdb.HTTPException) as error:
        told = str(error).splitlines()[0].removeprefix("IO Error: ").rstrip(".")
        raise DigestError(f"Reading failed: {told}.", "Check that file, or leave it out.") from None
    except duckdb.Error as error:  # Its message may quote what it read.
        raise DigestError(f"DuckDB failed with a {type(error).__name__}.", "Please report it.") from None
    except OSError as error:
        raise DigestError(
            f"{folder}: temporary files cannot be written: {error.strerror or error}.", "Check the folder."
        ) from None


@contextmanager
def batches_as(connection: Any, name: str, columns: Any, batches: Iterator[Any]) -> Iterator[None]:
    """Arrow batches as a table that can be read once; what they raise is raised as it is.

    Args:
        connection: To DuckDB.
        name: What the table is called.
        columns: Its schema.
        batches: Batches of it, made while it is read.
    """
    import duckdb
    import pyarrow as pa

    failures: list[BaseException] = []

    def watched() -> Iterator[Any]:
        try:
            yield from batches
        except BaseException as error:
            failures.append(error)  # Arrow tells DuckDB only its text.
            raise

    connection.register(name, pa.RecordBatchReader.from_batches(columns, watched()))
    try:
        yield
    except duckdb.Error as error:
        raise (failures or [error])[0] from None
    finally:
        connection.unregister(name)
