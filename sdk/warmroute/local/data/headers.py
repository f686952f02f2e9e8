"""Which headers of a request reach the container: those that the API names; SageMaker strips all others.

Source: botocore sagemaker-runtime ``InvokeEndpointInput``; its documentation says what is stripped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

CUSTOM_ATTRIBUTES = "x-amzn-sagemaker-custom-attributes"
"""The one header that goes both ways."""

_STREAM_ACCEPT = "x-amzn-sagemaker-accept"
"""What InvokeEndpointWithResponseStream calls Accept."""

_PASSED_ON = (
    "content-type",
    "accept",
    CUSTOM_ATTRIBUTES,
    "x-amzn-sagemaker-target-model",
    "x-amzn-sagemaker-target-variant",
    "x-amzn-sagemaker-target-container-hostname",
    "x-amzn-sagemaker-inference-id",
    "x-amzn-sagemaker-enable-explanations",
    "x-amzn-sagemaker-inference-component",
    "x-amzn-sagemaker-prefix-aware-id",
    "x-amzn-sagemaker-session-id",
)


def passed_on(headers: Mapping[str, str], *, streams: bool) -> dict[str, str]:
    """What the container gets of a request's headers.

    Args:
        headers: All that came.
        streams: Whether the operation is InvokeEndpointWithResponseStream.
    """
    kept = {name: headers[name] for name in _PASSED_ON if name in headers}
    if streams:
        kept.pop("accept", None)
        if _STREAM_ACCEPT in headers:
            kept["accept"] = headers[_STREAM_ACCEPT]
    return kept
