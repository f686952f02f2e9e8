"""What differs by engine, as functions of Ibis columns; a null stays null."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warmroute.traffic.digest.metadata import DigestMetadata


class Functions(ABC):
    """What a digest needs of its engine.

    Args:
        metadata: Tells the ladder and the length of chunks.
    """

    def __init__(self, metadata: DigestMetadata) -> None:
        self.ladder = metadata.ladder
        self.chunk_characters = metadata.chunk_characters

    @abstractmethod
    def byte_length(self, body: Any) -> Any:
        """Length of binary data, as a 64-bit number."""

    @abstractmethod
    def hash(self, text: Any) -> Any:
        """The hash of a text's UTF-8: the first 8 bytes of its SHA-256, as a signed number."""

    @abstractmethod
    def byte_window_hashes(self, body: Any) -> Any:
        """The hashes of the first bytes at each length of the ladder."""

    @abstractmethod
    def text_window_hashes(self, text: Any) -> Any:
        """The hashes of the first characters, which are code points, at each length of the ladder."""

    @abstractmethod
    def chunk_hashes(self, text: Any) -> Any:
        """The hashes of a text's full chunks."""
