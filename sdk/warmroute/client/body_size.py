"""What no body may be, checked before anything is sent: larger than SageMaker takes, or text that UTF-8 lacks."""

from __future__ import annotations

from warmroute.errors import WarmrouteError
from warmroute.prefix import CanonicalJsonError

MAX_BODY_BYTES = 6_291_456
"""Largest body of a request. Source: botocore ``BodyBlob`` (sagemaker-runtime), which boto3 does not enforce."""


class BodyTooLargeError(WarmrouteError, ValueError):
    """A body that SageMaker would refuse for its size; nothing was sent.

    Args:
        size: Bytes of the body.
    """

    def __init__(self, size: int) -> None:
        message = f"Body: {size:,} bytes are more than SageMaker's limit of {MAX_BODY_BYTES:,}; nothing was sent."
        super().__init__(message, "Shorten the request, or send it with InvokeEndpointAsync through S3.")
        self.size = size

    def __reduce__(self) -> tuple[type[BodyTooLargeError], tuple[int]]:
        """Rebuilt from the size, so that it survives a process boundary."""
        return type(self), (self.size,)


def check_body(body: object) -> None:
    """Refuse what cannot be sent; anything but text and bytes is left to the client.

    Raises:
        BodyTooLargeError: The body has more than 6,291,456 bytes.
        CanonicalJsonError: The text has a lone surrogate.
    """
    sent = encoded(body) if isinstance(body, str) else body
    if isinstance(sent, (bytes, bytearray)) and len(sent) > MAX_BODY_BYTES:
        raise BodyTooLargeError(len(sent))


def encoded(body: str) -> bytes:
    """The bytes of a body that is given as text.

    Raises:
        CanonicalJsonError: The text has a lone surrogate.
    """
    try:
        return body.encode()
    except UnicodeEncodeError as error:
        offset = error.start
    fault, remedy = "the text has a lone surrogate, which UTF-8 lacks.", "Remove or replace it."
    raise CanonicalJsonError("Body", fault, remedy, offset)  # Outside of the block above, whose error has the text.
