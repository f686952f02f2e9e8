"""What all readers of a format have in common: their form, and how a request is made from the fields of its body."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

from warmroute.prefix import CanonicalJsonError, canonical_json
from warmroute.traffic.bodies.prompts import Prompt, prompt_of
from warmroute.traffic.readers.recent import Recent
from warmroute.traffic.record import TrafficRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Unpack

    from warmroute.inference_api import Api
    from warmroute.traffic.bodies.answers import Answer
    from warmroute.traffic.entries.entry import Entry
    from warmroute.traffic.entries.rejects import Rejects


class Reader(NamedTuple):
    """How requests of one format are recognised and read."""

    recognises: Callable[[Mapping[str, Any]], bool]
    """Whether an entry is one of this format, judged by the names of its fields."""

    read: Callable[[Entry, Reading], Iterable[TrafficRequest]]
    """The requests of an entry; raises ``BadEntryError`` for one that is none."""

    looks_for: str
    """What ``recognises`` looks for, for messages."""

    ids_are_unique: Literal["", "in their file", "everywhere"] = ""
    """Where an id that is met again is the same request, recorded twice."""

    by_completion: bool = False
    """Whether entries were written as answers ended, so that arrivals are somewhat out of order."""


class BatchAnswer(NamedTuple):
    """A line of a batch's output."""

    source: str
    line: int
    answer: Answer


class Known(TypedDict, total=False):
    """What a source may tell of a request besides its body."""

    request_id: str
    arrival_seconds: float | None
    arrival_resolution_seconds: float
    delay_seconds: float | None
    session: str
    turn: int | None
    api: Api | None
    input_tokens: int | None
    output_tokens: int | None
    output_characters: int | None
    block_hashes: tuple[int, ...]
    block_tokens: int


@dataclass(slots=True)
class Reading:
    """One reading of recorded traffic: what was asked for, and what entries have to know of each other."""

    rejects: Rejects
    canonical_bodies: bool = False
    fills_bodies: bool = False
    """Whether a body that the source does not hold is made."""

    block_tokens: int | None = None
    """Tokens to a block, where it is not the format's own."""

    sessions: Recent[str] = field(default_factory=Recent)
    """The session of an id, in formats that link a request to the one before it."""

    prompts: Recent[bool] = field(default_factory=Recent)
    """Fingerprints of prompts seen."""

    awaited: Recent[int] = field(default_factory=Recent)
    """How many requests go on from a prompt that was not seen, by its fingerprint."""

    follow_ups: int = 0
    """Requests that go on from an answer."""

    orphans: int = 0
    """Those of them whose request before was not seen, neither before nor after them."""

    answers: dict[str, BatchAnswer] = field(default_factory=dict)
    """What the output of a batch tells, by custom id; each is taken out when its request is read."""

    def request(
        self,
        entry: Entry,
        request: Mapping[str, Any] | None,
        *,
        body: bytes | None = None,
        **known: Unpack[Known],
    ) -> TrafficRequest:
        """A request of an entry.

        Args:
            entry: Where it was read.
            request: The fields of its body, as far as they are known; None if they are not.
            body: The body to the byte, if the source holds it.
            **known: What else the source tells.

        Raises:
            BadEntryError: The prompt cannot be told from the fields.
        """
        prompt = prompt_of(request) if request is not None else Prompt(None, "", "", "")
        makes_body = self.canonical_bodies or (self.fills_bodies and body is None)
        if makes_body and request is not None and prompt.text is not None:
            body = self._canonical(entry, request)
        return TrafficRequest(
            source=entry.source,
            line=entry.line,
            body=body,
            text=prompt.text,
            prompt_root=prompt.root,
            prefix_aware_id=prompt.prefix_aware_id,
            adapter=prompt.adapter,
            **known,
        )

    def _canonical(self, entry: Entry, request: Mapping[str, Any]) -> bytes | None:
        try:
            return canonical_json(request)
        except CanonicalJsonError:
            self.rejects.note(entry.source, entry.line, "the body has no canonical form")
            return None
