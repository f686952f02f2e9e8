"""One sequence of bytes for every way to write the same request, so that equal prompts reach the same instance.

On InvokeEndpoint, SageMaker compares the first ``PrefixLength`` bytes of the body. White space, escapes, the order of
fields and a temperature before the prompt are then as good as another prompt. The order is in ``field_order``, the
notation of values in ``json_writer``; neither changes what the model reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from warmroute.prefix.canonical_error import CanonicalJsonError
from warmroute.prefix.field_order import in_order
from warmroute.prefix.json_reader import DoubtError, read_quickly, read_strictly
from warmroute.prefix.json_writer import write

if TYPE_CHECKING:
    from collections.abc import Sequence


def canonical_json(request: Mapping[str, Any] | Sequence[Any] | str | bytes) -> bytes:
    """The bytes to send for a request: the same ones however it was written down.

    The result is the same JSON value; only the order of fields changes, and only where no chat template shows it. It
    has no white space, raw UTF-8 instead of escapes, exact whole numbers, and floats in Python's shortest notation.

    Args:
        request: Python values, or JSON text: ``str``, or ``bytes`` in UTF-8. Left as it is.

    Returns:
        JSON in UTF-8; canonical JSON of it is itself.

    Raises:
        CanonicalJsonError: Not JSON, or not the same to every parser: NaN, Infinity, lone surrogates, duplicate or
            non-text keys, a byte order mark, more than 64 levels.
    """
    if isinstance(request, (str, bytes)):
        return _of_text(request)
    return _of_value(request)


def _of_value(value: Any) -> bytes:
    return write(in_order(value) if isinstance(value, Mapping) else value)


def _of_text(text: str | bytes) -> bytes:
    try:
        return _of_value(read_quickly(text))
    except (DoubtError, CanonicalJsonError):
        pass  # Reading it again finds where; outside of this block, lest the error carry the other one's text.
    return _of_value(read_strictly(text))
