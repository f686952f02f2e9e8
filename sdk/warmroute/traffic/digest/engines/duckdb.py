"""DuckDB.

Made of DuckDB's own SHA-256 and slices, a digest would hash 9 bytes for each of a long text at 0.2 GB/s, and copy the
whole text for each slice. So the windows and chunks of a vector of rows are hashed in one call, by OpenSSL's SHA-256:
each byte once for its windows, once for its chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.traffic.digest.engines.builtin import builtin
from warmroute.traffic.digest.engines.functions import Functions
from warmroute.traffic.digest.hashes import chunk_digests, digest, window_digests

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warmroute.traffic.digest.metadata import DigestMetadata


class DuckDBFunctions(Functions):
    """What DuckDB does in its own way, once its session knows the functions of ``register``."""

    def byte_length(self, body: Any) -> Any:
        """See ``Functions``."""
        return builtin("octet_length", "int64", body)

    def hash(self, text: Any) -> Any:
        """See ``Functions``."""
        return builtin("digest_hash", "int64", text)

    def byte_window_hashes(self, body: Any) -> Any:
        """See ``Functions``."""
        return builtin("digest_byte_windows", "array<int64>", body)

    def text_window_hashes(self, text: Any) -> Any:
        """See ``Functions``."""
        return builtin("digest_text_windows", "array<int64>", text)

    def chunk_hashes(self, text: Any) -> Any:
        """See ``Functions``."""
        return builtin("digest_chunks", "array<int64>", text)


def register(connection: Any, metadata: DigestMetadata) -> None:
    """Make the functions that are not DuckDB's own known to a session."""
    ladder, characters = metadata.ladder, metadata.chunk_characters

    def hashes(texts: Any) -> Any:
        return _numbers([digest(text) for text in texts.to_pylist()])

    def window_hashes(wholes: Any) -> Any:
        return _lists(window_digests(whole.as_py(), ladder) for whole in wholes)

    def chunk_hashes(texts: Any) -> Any:
        return _lists(chunk_digests(text.as_py(), characters) for text in texts)

    for name, function, argument, result in (
        ("digest_hash", hashes, "VARCHAR", "BIGINT"),
        ("digest_byte_windows", window_hashes, "BLOB", "BIGINT[]"),
        ("digest_text_windows", window_hashes, "VARCHAR", "BIGINT[]"),
        ("digest_chunks", chunk_hashes, "VARCHAR", "BIGINT[]"),
    ):
        connection.create_function(name, function, [argument], result, type="arrow")


def _numbers(digests: list[bytes]) -> Any:
    """The first 8 bytes of each SHA-256 as a signed number."""
    import numpy as np
    import pyarrow as pa

    return pa.array(np.frombuffer(b"".join(digests), ">i8")[::4].astype(np.int64))


def _lists(rows: Iterable[Iterable[bytes]]) -> Any:
    """The same, a list of them for each row."""
    import numpy as np
    import pyarrow as pa

    offsets, digests = [0], list[bytes]()
    for row in rows:
        digests += row
        offsets.append(len(digests))
    return pa.ListArray.from_arrays(pa.array(np.array(offsets, np.int32)), _numbers(digests))
