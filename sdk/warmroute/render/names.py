"""Names that say what a resource holds.

SageMaker's models and endpoint configurations cannot be changed. A name that ends in a digest of the content makes a
change a new resource beside the old one, and makes the same content the same resource wherever it is rendered. Tags can
be changed, so they do not count.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.render.resource import Ref

MAX_NAME_LENGTH = 63
"""Characters of the name of a model or an endpoint configuration. Source: botocore ``ModelName``."""

_DIGEST_LENGTH = 10


def content_name(endpoint: str, ref: Ref, properties: Mapping[str, Any]) -> str:
    """The name of a resource, ``support-bot-1f0c9a7be2``.

    Args:
        endpoint: Name of the endpoint, which the name begins with; a long one is cut.
        ref: What the resource is in its spec, so that two of equal content keep two names.
        properties: The content: plain values, without the name.

    Returns:
        At most 63 letters, digits and hyphens.
    """
    fixed = {name: value for name, value in properties.items() if name != "Tags"}
    content = json.dumps([endpoint, ref.kind, ref.label, fixed], sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(content.encode()).hexdigest()[:_DIGEST_LENGTH]
    beginning = endpoint[: MAX_NAME_LENGTH - _DIGEST_LENGTH - 1].rstrip("-")
    return f"{beginning}-{digest}"
