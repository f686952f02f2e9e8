"""Trino."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from warmroute.traffic.digest.engines.builtin import builtin
from warmroute.traffic.digest.engines.functions import Functions
from warmroute.traffic.digest.engines.spark import LONE_SURROGATE

if TYPE_CHECKING:
    from collections.abc import Mapping

_HASH = "from_big_endian_64(substr(sha256({}), 1, 8))"


class TrinoFunctions(Functions):
    """The functions of Trino. It writes the fields of an object in the order of their names."""

    dialect = "trino"
    text_kind, list_kind = '"', "["  # What their JSON begins with.
    sql: ClassVar[Mapping[str, str]] = {
        "digest_byte_length": "length(_1)",
        "digest_bytes_of_text": "to_utf8(_1)",
        "digest_text_of_bytes": "CASE WHEN to_utf8(from_utf8(_1)) = _1 THEN from_utf8(_1) END",
        "digest_bytes_of_base64": "TRY(from_base64(_1))",
        "digest_sound_json": f"CASE WHEN NOT regexp_like(_1, '{LONE_SURROGATE}') THEN _1 END",
        "digest_is_json_object": (
            "CASE WHEN TRY(json_parse(_1)) IS NOT NULL"
            " THEN TRY(CAST(json_parse(_1) AS MAP(VARCHAR, JSON))) IS NOT NULL END"
        ),
        "digest_json_value": (
            "COALESCE(TRY(json_extract_scalar(_1, _2)), NULLIF(TRY(json_format(json_extract(_1, _2))), 'null'))"
        ),
        "digest_json_kind": "substr(TRY(json_format(json_extract(_1, _2))), 1, 1)",
        "digest_json_elements": (
            "transform(TRY(CAST(json_extract(_1, _2) AS ARRAY(JSON))), element -> json_format(element))"
        ),
        "digest_joined": "array_join(_1, '')",
        "digest_slice": "substr(_1, CAST(_2 AS BIGINT) + 1, _3)",
        "digest_hash_of_text": _HASH.format("to_utf8(_1)"),
        "digest_hash_of_first_bytes": _HASH.format("substr(_1, 1, _2)"),
    }

    def sound_json(self, text: Any) -> Any:
        """See ``Functions``."""
        return builtin("digest_sound_json", "string", text)
