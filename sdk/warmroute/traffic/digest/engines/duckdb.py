"""DuckDB.

Made of DuckDB's own SHA-256 and slices, a digest would hash 9 bytes for each of a long text at 0.2 GB/s, and copy the
whole text for each slice. So the windows and chunks of a vector of rows are hashed in one call, by OpenSSL's SHA-256:
each byte once for its windows, once for its chunk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from warmroute.traffic.digest.engines.builtin import builtin
from warmroute.traffic.digest.engines.functions import Functions
from warmroute.traffic.digest.hashes import chunk_digests, digest, window_digests

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from warmroute.traffic.digest.metadata import DigestMetadata


class DuckDBFunctions(Functions):
    """The functions of DuckDB, once ``register`` has told its session those that are not its own."""

    dialect = "duckdb"
    text_kind, list_kind = "VARCHAR", "ARRAY"
    sql: ClassVar[Mapping[str, str]] = {
        "digest_byte_length": "octet_length(_1)",
        "digest_bytes_of_text": "encode(_1)",
        "digest_text_of_bytes": "try(decode(_1))",
        "digest_bytes_of_base64": "try(from_base64(_1))",
        "digest_is_json_object": "try(json_type(_1)) = 'OBJECT'",
        "digest_json_value": "try(json_extract_string(_1, _2))",
        "digest_json_values": "try(json_extract_string(_1, _2))",
        "digest_json_kinds": "try(json_type(_1, _2))",
        "digest_json_elements": "json_extract(_1, _3)",
        "digest_joined": "coalesce(array_to_string(_1, ''), '')",
        "digest_are_texts": (
            "NOT list_has_any(json_type(_1, '$.messages[*].content'),"
            " ['ARRAY', 'OBJECT', 'BOOLEAN', 'BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE'])"
        ),
        "digest_contents": "array_to_string(json_extract_string(_1, '$.messages[*].content'), '')",
    }

    def json_values(self, json: Any, paths: Sequence[str]) -> list[Any]:
        """See ``Functions``; all are read at once."""
        values = builtin("digest_json_values", "array<string>", json, list(paths))
        return [values[position] for position in range(len(paths))]

    def json_kinds(self, json: Any, paths: Sequence[str]) -> list[Any]:
        """See ``Functions``; all are read at once."""
        kinds = builtin("digest_json_kinds", "array<string>", json, list(paths))
        return [kinds[position] for position in range(len(paths))]

    def message_texts(self, json: Any) -> Any:
        """See ``Functions``; where all contents are plain strings, they are read at once."""
        import ibis

        return ibis.ifelse(
            builtin("digest_are_texts", "boolean", json),
            builtin("digest_contents", "string", json),
            super().message_texts(json),
        )

    def byte_window_hashes(self, body: Any) -> Any:
        """See ``Functions``."""
        return builtin("digest_byte_windows", "array<int64>", body)

    def text_window_hashes(self, text: Any) -> Any:
        """See ``Functions``."""
        return _hashes_of_text(text)["windows"]

    def chunk_hashes(self, text: Any) -> Any:
        """See ``Functions``."""
        return _hashes_of_text(text)["chunks"]


def _hashes_of_text(text: Any) -> Any:
    return builtin("digest_text", "struct<windows: array<int64>, chunks: array<int64>>", text)


def register(connection: Any, metadata: DigestMetadata) -> None:
    """Tell a session of DuckDB the functions that are not its own."""
    ladder, characters = metadata.ladder, metadata.chunk_characters

    def hashes(texts: Any) -> Any:
        return _numbers([digest(text) for text in texts.to_pylist()])

    def window_hashes(bodies: Any) -> Any:
        return _lists(window_digests(body.as_py(), ladder) for body in bodies)

    def text_hashes(texts: Any) -> Any:
        import pyarrow as pa

        told = texts.to_pylist()
        windows = _lists(window_digests(text, ladder) for text in told)
        chunks = _lists(chunk_digests(text, characters) for text in told)
        return pa.StructArray.from_arrays([windows, chunks], ["windows", "chunks"])

    for name, function, argument, result in (
        ("digest_hash_of_text", hashes, "VARCHAR", "BIGINT"),
        ("digest_byte_windows", window_hashes, "BLOB", "BIGINT[]"),
        ("digest_text", text_hashes, "VARCHAR", "STRUCT(windows BIGINT[], chunks BIGINT[])"),
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
