"""Recording of requests and responses to S3."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from warmroute.hosting.text import DestinationS3Uri, KmsKeyId, TextContentType
from warmroute.settings import Many, Settings


class CaptureOption(Settings):
    """What to record. Source: botocore ``CaptureOption``."""

    capture_mode: Literal["Input", "Output", "InputAndOutput"]
    """Requests, responses, or both."""


class CaptureContentTypeHeader(Settings):
    """Which content types are recorded as text rather than base64. Source: botocore ``CaptureContentTypeHeader``."""

    csv_content_types: Annotated[Many[TextContentType], Field(min_length=1, max_length=10)] | None = None
    """Content types treated as CSV."""

    json_content_types: Annotated[Many[TextContentType], Field(min_length=1, max_length=10)] | None = None
    """Content types treated as JSON, for example ``application/json``."""


class DataCaptureConfig(Settings):
    """Recording of traffic, which the tuner can read. Source: botocore ``DataCaptureConfig``."""

    enable_capture: bool | None = None
    """Whether recording is on; SageMaker's default is false."""

    initial_sampling_percentage: int = Field(ge=0, le=100)
    """Share of the requests that is recorded, in percent."""

    destination_s3_uri: DestinationS3Uri
    """Prefix that records are written under."""

    kms_key_id: KmsKeyId | None = None
    """Key that encrypts the records."""

    capture_options: Annotated[Many[CaptureOption], Field(min_length=1, max_length=32)]
    """What to record, 1 to 32 options."""

    capture_content_type_header: CaptureContentTypeHeader | None = None
    """Content types recorded as text."""
