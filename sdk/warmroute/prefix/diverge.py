"""Where two requests that should begin alike part, why, and what to do about it."""

from __future__ import annotations

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from warmroute.errors import Finding, InvalidSettingsError, Severity
from warmroute.prefix.as_sent import Request, as_sent, as_sent_beside
from warmroute.prefix.canonical import DEFAULT_ORDER, canonical_json
from warmroute.prefix.canonical_error import text_of
from warmroute.prefix.cause import ARGUMENTS_REMEDY, Cause
from warmroute.prefix.common_part import common_beginning
from warmroute.prefix.field_order import SAMPLING_PARAMETERS, TAIL, FieldOrder, check_order, in_order
from warmroute.prefix.json_writer import write
from warmroute.prefix.key import compared, routing_key
from warmroute.prefix.parting import Document, Split, split
from warmroute.prefix.prompt_changes import PromptChanges, changed
from warmroute.prefix.redaction import shape

if TYPE_CHECKING:
    from warmroute.inference_api import Api


class Affected(StrEnum):
    """What the difference of two requests costs."""

    NOTHING = "nothing"
    ROUTING_KEY = "routing_key"
    """They may reach different instances, though one has in its cache what the other needs."""

    KV_PREFIX = "kv_prefix"
    """They reach the same instance, whose engine computes again from where their prompts part."""

    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Parting:
    """The first difference of two JSON texts."""

    cause: Cause
    path: str
    """Where in the request: ``messages[0].content``; of an order of fields, the object; empty for the whole request."""

    byte_offset: int
    character_offset: int
    """Code points before the difference."""

    a: str
    """A few characters around the difference in the first request; only their form, unless asked for the text."""

    b: str
    """The same of the second request."""

    remedy: str


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where two requests part: as they were sent, and in canonical form."""

    as_sent: Parting | None
    """None where the bytes are the same."""

    canonical: Parting | None
    """What remains once both are sent as ``canonical_json``; None if that makes them the same."""

    same_routing_key: bool
    """Whether ``routing_key`` of the two requests is equal, as sent."""

    same_kv_prefix: bool
    """Whether the engine can reuse all of the shorter prompt, so far as the requests tell: sampling, transport and what
    vLLM reads alike do not count, nor do appended messages. Fields of unknown meaning do."""

    compared_offset: int | None
    """Where what SageMaker compares parts: bytes of the body ("invoke"), characters of the message text ("openai");
    None if it is the same throughout."""

    cause: Cause
    remedy: str

    @property
    def is_harmless(self) -> bool:
        """Whether nothing is lost that routing could keep: they cost nothing, or part beyond what SageMaker compares.

        Two users of one system prompt part so, in their last message.
        """
        beyond_window = self.same_routing_key and self.compared_offset is not None
        return self.affected is Affected.NOTHING or beyond_window

    @property
    def affected(self) -> Affected:
        """What the difference costs."""
        if self.same_kv_prefix:
            return Affected.NOTHING if self.same_routing_key else Affected.ROUTING_KEY
        return Affected.KV_PREFIX if self.same_routing_key else Affected.BOTH


def explain(
    a: Request,
    b: Request,
    *,
    api: Api,
    prefix_length: int,
    prefix_aware_ids: tuple[str, str] = ("", ""),
    order: FieldOrder = DEFAULT_ORDER,
    redact: bool = True,
) -> Divergence:
    """Where two requests part, which cause that has, what it affects, and the remedy.

    Args:
        a: A request: JSON text exactly as sent, or Python values, taken as sent compactly in their own order.
        b: The request that should share its beginning.
        api: What SageMaker compares, as in ``routing_key``.
        prefix_length: Longest beginning that it compares.
        prefix_aware_ids: PrefixAwareId or ``prompt_cache_key`` of ``a`` and of ``b``; empty for none.
        order: The field order in which canonical form is written.
        redact: Show only the form of the text around the difference; False shows the text, which is part of a prompt.

    Raises:
        CanonicalJsonError: A request is not JSON, or not the same to every parser.
        InvalidSettingsError: As ``routing_key``: a length, an id, or a request that does not fit the API.
    """
    check_order(order)
    if not isinstance(prefix_aware_ids, (tuple, list)) or len(prefix_aware_ids) != 2:
        raise InvalidSettingsError([Finding("WR006", Severity.ERROR, "prefix_aware_ids", *_TWO_IDS)])
    one = as_sent(a, order)
    other, place = as_sent_beside(b, one, order)
    sent = one, other
    bodies: list[Any] = [document.text if api == "invoke" else document.value for document in sent]
    keys = [
        routing_key(body, api=api, prefix_length=prefix_length, prefix_aware_id=id_)
        for body, id_ in zip(bodies, prefix_aware_ids, strict=True)
    ]
    parted = split(one, other, place)
    first = _parting(parted, sent, redact=redact)
    compared_offset = _compared_offset(parted, bodies, api)
    values = sent[0].value, sent[1].value
    if all(document.is_canonical for document in sent):
        remaining, last = parted, first
    else:
        before = (sent[0].text, first) if first else None
        del one, other, sent, bodies  # Canonical form then takes their memory: new memory costs more than the writing.
        canonical = _canonical(values[0], order), _canonical(values[1], order)
        remaining = split(*canonical)
        last = _parting(remaining, canonical, redact=redact, before=before)
    cause = first.cause if first else Cause.IDENTICAL
    if first is None and prefix_aware_ids[0] != prefix_aware_ids[1]:
        cause = Cause.PREFIX_AWARE_ID
    return Divergence(
        as_sent=first,
        canonical=last,
        same_routing_key=keys[0] == keys[1],
        same_kv_prefix=_share_their_prompt(remaining, *values),
        compared_offset=compared_offset,
        cause=cause,
        remedy=first.remedy if first else cause.remedy,
    )


_TWO_IDS = ("These are not two ids.", "Give the PrefixAwareId of a and that of b; empty text for none.")


def _canonical(value: Any, order: FieldOrder) -> Document:
    if not isinstance(value, Mapping):
        return Document(write(value), value, is_compact=True, is_canonical=True)
    return Document(canonical_json(value, order=order), in_order(value, order), is_compact=True, is_canonical=True)


def _parting(
    found: Split | None,
    documents: tuple[Document, Document],
    *,
    redact: bool,
    before: tuple[bytes, Parting] | None = None,
) -> Parting | None:
    """What to say about a difference.

    Args:
        found: The difference.
        documents: The texts that part there.
        redact: Show only the form of the text around the difference.
        before: Another text and where it parts, which may be the same place: then its characters are counted.
    """
    if found is None:
        return None
    text = documents[0].text
    if before and before[1].byte_offset == found.offset <= common_beginning(text, before[0]):
        characters = before[1].character_offset
    else:
        characters = _characters(text, found.offset)
    around = [
        document.text[max(found.offset - _AROUND, 0) : found.offset + _AROUND].decode(errors="ignore")
        for document in documents
    ]
    a, b = (shape(text) for text in around) if redact else around
    form_only = {Cause.WHITE_SPACE, Cause.ESCAPE_FORM, Cause.NUMBER_FORM, Cause.KEY_ORDER}
    return Parting(
        cause=found.cause,
        path=text_of(found.path),
        byte_offset=found.offset,
        character_offset=characters,
        a=a,
        b=b,
        remedy=ARGUMENTS_REMEDY if "arguments" in found.path and found.cause in form_only else found.cause.remedy,
    )


def _characters(text: bytes, end: int) -> int:
    """Code points that end before an offset in UTF-8; in small steps, since large texts cost more than their length."""
    if text.isascii():
        return end
    decoder = _UTF8()
    return sum(len(decoder.decode(text[begin : min(begin + _STEP, end)])) for begin in range(0, end, _STEP))


_UTF8 = codecs.getincrementaldecoder("utf-8")
_STEP = 16_384
_AROUND = 20
"""Bytes on each side of a difference."""


def _compared_offset(as_sent: Split | None, bodies: Sequence[Any], api: str) -> int | None:
    if as_sent is None or api == "invoke":
        return as_sent.offset if as_sent else None
    one, other = (str(compared(body, api)) for body in bodies)
    return None if one == other else common_beginning(one, other)


def _share_their_prompt(canonical: Split | None, one: Any, other: Any) -> bool:
    """Whether the engine reads the same prompt, or one that continues the other."""
    if canonical is None or canonical.cause in _CHANGES_OF_PROMPT:
        return canonical is None
    fixed, growing = zip(*(_prompt(value) for value in (one, other)), strict=True)
    if fixed[0] != fixed[1]:
        return False
    shorter, longer = sorted(growing, key=len)
    return bool(longer[: len(shorter)] == shorter)


_CHANGES_OF_PROMPT = frozenset(
    {
        Cause.TOOL_LIST,
        Cause.MESSAGE_LIST,
        Cause.UNICODE_FORM,
        Cause.VOLATILE_TEXT,
        Cause.TEXT_WHITE_SPACE,
        Cause.TEXT_ORDER,
        Cause.TEXT_CHANGE,
        Cause.VALUE_CHANGE,
    }
)
"""Causes that leave no doubt; behind any other one, the prompt may differ or not."""


def _prompt(value: Any) -> tuple[bytes, list[bytes] | str]:
    """What the engine reads of a request: what stands before the text, and the messages or the text, which grow."""
    if not isinstance(value, Mapping):
        return write(value), []
    seen = {name: member for name, member in changed(value, _READ_ALIKE).items() if name not in TAIL}
    parameters = value.get("parameters")
    if isinstance(parameters, Mapping):
        decisive = {
            name: parameters[name]
            for name in sorted(parameters)
            if name not in SAMPLING_PARAMETERS and parameters[name] is not None
        }
        seen |= {"parameters": decisive} if decisive else {}
    for name in ("messages", "inputs", "prompt"):
        growing = seen.get(name)
        if isinstance(growing, str):
            del seen[name]
            return write(in_order(seen, DEFAULT_ORDER)), growing
        if isinstance(growing, (list, tuple)):
            ordered = in_order(seen, DEFAULT_ORDER)
            return write({**ordered, name: None}), [write(item) for item in ordered[name]]
    return write(in_order(seen, DEFAULT_ORDER)), []


_READ_ALIKE = PromptChanges(compact_arguments=True, unwrap_single_text=True, drop_null_fields=True)
"""Forms that vLLM makes equal before its chat template renders them (vLLM 0.32, with a template of text content)."""
