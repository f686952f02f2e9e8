"""What a digest needs of its engine, as functions of Ibis columns; a null stays null.

Each engine has a file with its own functions, as SQL by their names here; the rest is the same for all. Ibis leaves
calls by these names as they are, and ``Query`` puts the engine's SQL in their place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from warmroute.traffic.digest.engines.builtin import builtin

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from warmroute.traffic.digest.metadata import DigestMetadata


class Functions:
    """The functions of an engine.

    Args:
        metadata: Tells the ladder and the length of chunks.
    """

    dialect: ClassVar[str]
    """What Ibis calls its SQL."""

    sql: ClassVar[Mapping[str, str]]
    """SQL of the functions whose names begin with ``digest_``; ``_1`` and ``_2`` stand for their arguments."""

    text_kind: ClassVar[str]
    """What ``json_kinds`` calls a string."""

    list_kind: ClassVar[str]

    def __init__(self, metadata: DigestMetadata) -> None:
        self.ladder = metadata.ladder
        self.chunk_characters = metadata.chunk_characters

    def hash_of_text(self, text: Any) -> Any:
        """The first 8 bytes of the SHA-256 of a text's UTF-8, as a signed number."""
        return builtin("digest_hash_of_text", "int64", text)

    def byte_length(self, body: Any) -> Any:
        """Length of binary data."""
        return builtin("digest_byte_length", "int64", body)

    def bytes_of_text(self, text: Any) -> Any:
        """The UTF-8 of a text."""
        return builtin("digest_bytes_of_text", "binary", text)

    def text_of_bytes(self, body: Any) -> Any:
        """The text whose UTF-8 binary data are; null if they are none."""
        return builtin("digest_text_of_bytes", "string", body)

    def bytes_of_base64(self, text: Any) -> Any:
        """What a text in base64 stands for; null if it is none."""
        return builtin("digest_bytes_of_base64", "binary", text)

    def sound_json(self, text: Any) -> Any:
        """A text, or null if the engine would read what no JSON may be."""
        return text

    def is_json_object(self, text: Any) -> Any:
        """Whether a text is a JSON object; null if it is no JSON."""
        return builtin("digest_is_json_object", "boolean", text)

    def json_values(self, json: Any, paths: Sequence[str]) -> list[Any]:
        """The values at paths such as ``$.a.b``: of a string its characters, of anything else its JSON."""
        return [builtin("digest_json_value", "string", json, path) for path in paths]

    def json_kinds(self, json: Any, paths: Sequence[str]) -> list[Any]:
        """What the values at paths are: among others ``text_kind`` and ``list_kind``."""
        return [builtin("digest_json_kind", "string", json, path) for path in paths]

    def json_elements(self, json: Any, path: str) -> Any:
        """The elements of the list at a path, as JSON."""
        return builtin("digest_json_elements", "array<string>", json, path, f"{path}[*]")

    def message_texts(self, json: Any) -> Any:
        """The texts of a chat request's messages, of which there is a list: see ``prefix.key.message_texts``."""
        import ibis

        def texts(message: Any) -> Any:
            (kind,) = self.json_kinds(message, ["$.content"])
            parts = self.json_elements(message, "$.content").filter(self._is_text_part)
            return ibis.cases(
                (kind == self.text_kind, self.json_values(message, ["$.content"])[0]),
                (kind == self.list_kind, self.joined(parts.map(lambda part: self.json_values(part, ["$.text"])[0]))),
                else_="",
            )

        return self.joined(self.json_elements(json, "$.messages").map(texts))

    def joined(self, texts: Any) -> Any:
        """A list of texts as one."""
        return builtin("digest_joined", "string", texts)

    def byte_window_hashes(self, body: Any) -> Any:
        """The hashes of the first bytes at each length of the ladder."""
        import ibis

        hashes = ibis.array([builtin("digest_hash_of_first_bytes", "int64", body, length) for length in self.ladder])
        return ibis.ifelse(body.isnull(), ibis.null("array<int64>"), hashes)

    def text_window_hashes(self, text: Any) -> Any:
        """The hashes of the first characters, which are code points, at each length of the ladder."""
        import ibis

        hashes = ibis.array([self.hash_of_text(_slice(text, 0, length)) for length in self.ladder])
        return ibis.ifelse(text.isnull(), ibis.null("array<int64>"), hashes)

    def chunk_hashes(self, text: Any) -> Any:
        """The hashes of a text's full chunks.

        The text is cut into pieces, and these into chunks: to find a character is to count from the beginning.
        """
        import ibis

        size, piece_size = self.chunk_characters, self.chunk_characters * _CHUNKS_OF_PIECE

        def of_piece(begin: Any) -> Any:
            piece = _slice(text, begin, piece_size)
            full = piece.length() - piece.length() % size
            return ibis.range(0, full, size).map(lambda at: self.hash_of_text(_slice(piece, at, size)))

        hashes = ibis.range(0, text.length(), piece_size).map(of_piece).flatten()
        return ibis.ifelse(text.isnull(), ibis.null("array<int64>"), hashes)

    def _is_text_part(self, part: Any) -> Any:
        (kind,), (told,) = self.json_kinds(part, ["$.text"]), self.json_values(part, ["$.type"])
        return ((told == "text") & (kind == self.text_kind)).fill_null(False)  # noqa: FBT003


_CHUNKS_OF_PIECE = 32


def _slice(text: Any, begin: Any, length: int) -> Any:
    return builtin("digest_slice", "string", text, begin, length)
