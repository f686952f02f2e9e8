"""Reads a digest: its columns as arrays, a row group at a time."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from warmroute.errors import MissingExtraError
from warmroute.traffic.digest.columns import schema
from warmroute.traffic.digest.errors import DigestError
from warmroute.traffic.digest.metadata import KEY, DigestMetadata, metadata_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from warmroute.inference_api import Api


def read_digest(path: str | Path) -> DigestTable:
    """Open a digest. Its columns are read when they are asked for.

    Raises:
        DigestError: There is no such file, it is no digest, or another version wrote it.
        MissingExtraError: The extra ``analysis`` is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("Reading a digest", "analysis") from error
    remedy = "Give a table that `warmroute digest` wrote."
    try:
        file = parquet.ParquetFile(path)
    except OSError as error:
        raise DigestError(f"{path}: the file cannot be opened: {error.strerror or 'no such file'}.", remedy) from None
    except pa.ArrowInvalid:
        raise DigestError(f"{path}: this is no Parquet file.", remedy) from None
    entry = (file.schema_arrow.metadata or {}).get(KEY)
    if entry is None:
        raise DigestError(f"{path}: this Parquet file is no digest.", remedy)
    metadata = metadata_of(entry, str(path))
    if not file.schema_arrow.equals(schema(), check_metadata=False):
        raise DigestError(f"{path}: the digest has other columns than it should.", "Make the digest again.")
    return DigestTable(str(path), metadata, file)


class Keys(NamedTuple):
    """Routing keys of all rows at one prefix length, one element a row."""

    keys: NDArray[np.int64]
    """Equal for two rows if and only if their windows and their PrefixAwareIds are; 0 where it is unknown."""

    is_known: NDArray[np.bool_]
    """Whether the body, or the text, was recorded."""

    fills: NDArray[np.bool_]
    """Whether it is at least as long as the window; if not, whatever is appended changes the key."""


class Chunks(NamedTuple):
    """Chunks of all rows, end to end."""

    offsets: NDArray[np.int64]
    """Row ``i`` has the values from ``offsets[i]`` up to ``offsets[i + 1]``."""

    values: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DigestTable:
    """A digest, its rows in order of arrival; rows without a time come last, in the order of their source."""

    path: str
    metadata: DigestMetadata
    _file: Any

    def __len__(self) -> int:
        """Rows: one for each request."""
        return int(self._file.metadata.num_rows)

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Some columns, a bounded number of rows at a time, in order."""
        with _telling_damage(self.path):
            yield from self._file.iter_batches(columns=list(columns), batch_size=_BATCH_ROWS)

    def column(self, name: str) -> pa.ChunkedArray:
        """A whole column, with its nulls."""
        with _telling_damage(self.path):
            return self._file.read(columns=[name]).column(name)

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A whole column of numbers, NaN where the source does not tell; exact below 2**53, so not for hashes."""
        import numpy as np
        import pyarrow as pa

        parts = [batch.column(0) for batch in self.batches([name])]
        return np.concatenate(
            [np.empty(0), *(part.cast(pa.float64()).to_numpy(zero_copy_only=False) for part in parts)]
        )

    def keys(self, api: Api, prefix_length: int) -> Keys:
        """The routing keys at a length of the ladder.

        Args:
            api: "invoke" for bytes of the body, "openai" for characters of the text.
            prefix_length: One of ``metadata.ladder``.

        Raises:
            DigestError: The ladder has no such length.
        """
        import numpy as np

        ladder = self.metadata.ladder
        if prefix_length not in ladder:
            raise DigestError(
                f"{self.path}: the digest has no keys at a prefix length of {prefix_length}.",
                f"Its ladder is {', '.join(map(str, ladder))}; make a digest with another one.",
            )
        names = ("byte_keys", "body_bytes") if api == "invoke" else ("text_keys", "text_characters")
        found = [
            _keys(batch, len(ladder), ladder.index(prefix_length), prefix_length)
            for batch in self.batches([*names, "prefix_aware_id"])
        ]
        if not found:
            return Keys(np.empty(0, np.int64), np.empty(0, np.bool_), np.empty(0, np.bool_))
        return Keys(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def chunks(self) -> Chunks:
        """The chunks of all rows; none for a row without a text."""
        import numpy as np

        lengths: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
        values: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
        for batch in self.batches(["chunks"]):
            column = batch.column(0)
            lengths.append(column.value_lengths().fill_null(0).to_numpy().astype(np.int64))
            values.append(column.flatten().to_numpy())
        return Chunks(np.cumsum(np.concatenate(lengths)), np.concatenate(values))


_BATCH_ROWS = 65_536


@contextmanager
def _telling_damage(path: str) -> Iterator[None]:
    """Arrow tells of damaged pages without a word of the file."""
    import pyarrow as pa

    try:
        yield
    except (OSError, pa.ArrowException):
        raise DigestError(f"{path}: the file is damaged.", "Make the digest again.") from None


def _keys(batch: pa.RecordBatch, lengths: int, index: int, prefix_length: int) -> Keys:
    """The keys of some rows, from their columns: keys at every length, whole length, PrefixAwareId."""
    import numpy as np

    column, whole, ids = batch.columns
    is_known = np.asarray(column.is_valid())
    keys = np.zeros(len(batch), np.int64)
    keys[is_known] = column.flatten().to_numpy().reshape(-1, lengths)[:, index]
    mixed = _mixed(ids.fill_null(0).to_numpy())
    keys ^= np.where(np.asarray(ids.is_valid()) & is_known, mixed, 0)
    return Keys(keys, is_known, whole.fill_null(-1).to_numpy() >= prefix_length)


def _mixed(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Hashes as other ones, lest an id and an equal window cancel out: the finalizer of SplitMix64."""
    import numpy as np

    state = values.view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (state ^ (state >> np.uint64(31))).view(np.int64)
