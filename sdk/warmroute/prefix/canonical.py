"""One sequence of bytes for every way to write the same request, so that equal prompts reach the same instance.

On InvokeEndpoint, SageMaker compares the first ``PrefixLength`` bytes of the body. White space, escapes, the order of
fields and a temperature before the prompt are then as good as another prompt. The order is in ``field_order``, the
notation of values in ``json_writer``; neither changes what the model reads. What would is in ``prompt_changes``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.prefix.canonical_error import CanonicalJsonError
from warmroute.prefix.field_order import FieldOrder, check_order, in_order
from warmroute.prefix.json_reader import DoubtError, looks_spaced, read_quickly, read_strictly
from warmroute.prefix.json_writer import write
from warmroute.prefix.plain_chat import write_plain_chat
from warmroute.prefix.prompt_changes import NO_CHANGES, PromptChanges, changed

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT_ORDER = FieldOrder()


def canonical_json(
    request: Mapping[str, Any] | Sequence[Any] | str | bytes,
    *,
    order: FieldOrder = DEFAULT_ORDER,
    prompt_changes: PromptChanges = NO_CHANGES,
) -> bytes:
    """The bytes to send for a request: the same ones however it was written down.

    The result is the same JSON value; only the order of fields changes, and only where no chat template shows it. It
    has no white space, raw UTF-8 instead of escapes, exact whole numbers, and floats in Python's shortest notation.

    Args:
        request: Python values, or JSON text: ``str``, or ``bytes`` in UTF-8. Left as it is.
        order: Whether tools come before or after the messages: stickiness against spread, see ``FieldOrder``. All
            clients of an endpoint need the same one.
        prompt_changes: Changes that the model may see, such as sorted tools; none unless asked for.

    Returns:
        JSON in UTF-8; canonical JSON of it is itself.

    Raises:
        CanonicalJsonError: Not JSON, or not the same to every parser: NaN, Infinity, lone surrogates, duplicate or
            non-text keys, a byte order mark, more than 64 levels.
        InvalidSettingsError: The order or the changes are of another type.
    """
    check_order(order)
    return value_and_bytes(request, order, prompt_changes)[1]


def value_and_bytes(
    request: Mapping[str, Any] | Sequence[Any] | str | bytes,
    order: FieldOrder = DEFAULT_ORDER,
    prompt_changes: PromptChanges = NO_CHANGES,
) -> tuple[Any, bytes]:
    """A request as Python values, parsed if it is text, and its canonical bytes."""
    if not isinstance(request, (str, bytes)):
        return request, _write(request, order, prompt_changes)
    if prompt_changes is NO_CHANGES and not looks_spaced(request) and (found := of_compact(request, order)):
        return found
    try:
        value = read_quickly(request)
        return value, _write(value, order, prompt_changes)
    except (DoubtError, CanonicalJsonError):
        pass  # Reading it again finds where; outside of this block, lest the error carry the other one's text.
    value = read_strictly(request)
    return value, _write(value, order, prompt_changes)


def of_compact(text: str | bytes, order: FieldOrder = DEFAULT_ORDER) -> tuple[Any, bytes] | None:
    """The value of JSON text and its canonical bytes, at the speed of orjson; None if the text is not compact.

    orjson drops all but the last of equal keys and rounds long whole numbers, but never where writing what it read
    gives the same text again.
    """
    try:
        encoded = text.encode() if isinstance(text, str) else text
        value = orjson.loads(encoded)
        canonical = _write(value, order, NO_CHANGES)
        return (value, canonical) if canonical == encoded or write(value) == encoded else None
    except ValueError:  # Not JSON, or of no canonical form.
        return None


def _write(value: Any, order: FieldOrder, prompt_changes: PromptChanges) -> bytes:
    if prompt_changes is not NO_CHANGES:
        value = changed(value, prompt_changes)
    if type(value) is dict and (written := write_plain_chat(value, order)):
        return written
    return write(in_order(value, order) if isinstance(value, Mapping) else value)
