"""Asynchronous inference: requests queued, answers written to S3."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from warmroute.hosting.text import DestinationS3Uri, KmsKeyId, SnsTopicArn
from warmroute.settings import Many, Settings


class AsyncInferenceClientConfig(Settings):
    """How SageMaker calls the container. Source: botocore ``AsyncInferenceClientConfig``."""

    max_concurrent_invocations_per_instance: int | None = Field(default=None, ge=1, le=1_000)
    """Requests that one instance serves at a time; SageMaker chooses when it is absent."""


class AsyncInferenceNotificationConfig(Settings):
    """Whom to tell of an answer. Source: botocore ``AsyncInferenceNotificationConfig``."""

    success_topic: SnsTopicArn | None = None
    """Topic told of success."""

    error_topic: SnsTopicArn | None = None
    """Topic told of failure."""

    include_inference_response_in: (
        Annotated[Many[Literal["SUCCESS_NOTIFICATION_TOPIC", "ERROR_NOTIFICATION_TOPIC"]], Field(max_length=2)] | None
    ) = None
    """Topics whose message carries the answer itself."""


class AsyncInferenceOutputConfig(Settings):
    """Where answers go. Source: botocore ``AsyncInferenceOutputConfig``."""

    kms_key_id: KmsKeyId | None = None
    """Key that encrypts the answers."""

    s3_output_path: DestinationS3Uri | None = None
    """Prefix of the answers."""

    notification_config: AsyncInferenceNotificationConfig | None = None
    """Whom to tell."""

    s3_failure_path: DestinationS3Uri | None = None
    """Prefix of the failures."""


class AsyncInferenceConfig(Settings):
    """Makes an endpoint asynchronous. Source: botocore ``AsyncInferenceConfig``."""

    client_config: AsyncInferenceClientConfig | None = None
    """How SageMaker calls the container."""

    output_config: AsyncInferenceOutputConfig
    """Where answers go."""
