"""The largest body that SageMaker takes, checked before anything is sent."""

from __future__ import annotations

from warmroute.errors import WarmrouteError

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


def check_size(body: object) -> None:
    """Refuse a body beyond the limit; anything but text and bytes is left to the client.

    Raises:
        BodyTooLargeError: The body has more than 6,291,456 bytes.
    """
    if isinstance(body, str):
        body = body.encode(errors="surrogatepass")
    if isinstance(body, (bytes, bytearray)) and len(body) > MAX_BODY_BYTES:
        raise BodyTooLargeError(len(body))
