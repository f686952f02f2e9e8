"""Spark, from 4.0: the first whose variants tell a string from what only looks like one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from warmroute.traffic.digest.engines.builtin import builtin
from warmroute.traffic.digest.engines.functions import Functions

if TYPE_CHECKING:
    from collections.abc import Mapping

LONE_SURROGATE = (
    r"(?<!\\)(?:\\\\)*(?:\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F])"
)
"""An escape that other engines refuse, and Spark reads as a question mark; so too, what follows a whole value."""


class SparkFunctions(Functions):
    """The functions of Spark. With a field twice in an object, texts are unknown here."""

    dialect = "pyspark"
    text_kind, list_kind = "STRING", "ARRAY"
    sql: ClassVar[Mapping[str, str]] = {
        "digest_byte_length": "CAST(octet_length(_1) AS BIGINT)",
        "digest_bytes_of_text": "encode(_1, 'UTF-8')",
        "digest_text_of_bytes": "try_validate_utf8(CAST(_1 AS STRING))",
        "digest_bytes_of_base64": "CASE WHEN _1 RLIKE r'^[A-Za-z0-9+/]*=*$' THEN try_to_binary(_1, 'base64') END",
        "digest_sound_json": (
            f"CASE WHEN NOT _1 RLIKE r'{LONE_SURROGATE}' AND json_array_length(concat('[', _1, ']')) = 1 THEN _1 END"
        ),
        "digest_is_json_object": "schema_of_variant(try_parse_json(_1)) LIKE 'OBJECT%'",
        "digest_json_value": "get_json_object(_1, _2)",
        "digest_json_kind": (
            "substring_index(schema_of_variant(try_variant_get(try_parse_json(_1), _2, 'variant')), '<', 1)"
        ),
        "digest_json_elements": (
            "transform(try_variant_get(try_parse_json(_1), _2, 'array<variant>'), element -> to_json(element))"
        ),
        "digest_joined": "array_join(_1, '')",
        "digest_slice": "substring(_1, CAST(_2 AS INT) + 1, _3)",
        "digest_hash_of_text": "CAST(conv(left(sha2(encode(_1, 'UTF-8'), 256), 16), 16, -10) AS BIGINT)",
        "digest_hash_of_first_bytes": "CAST(conv(left(sha2(substring(_1, 1, _2), 256), 16), 16, -10) AS BIGINT)",
    }

    def sound_json(self, text: Any) -> Any:
        """See ``Functions``."""
        return builtin("digest_sound_json", "string", text)
