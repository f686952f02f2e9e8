"""A container of a model, field by field as CreateModel takes it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from warmroute.hosting.metrics import ContainerMetricsConfig
from warmroute.hosting.text import ChannelName, EnvironmentKey, EnvironmentValue, ImageUri, ModelPackageName, Name, Url
from warmroute.settings import Frozen, Many, Settings

MAX_VARIABLES = 100
"""Environment variables of one container. Source: botocore ``EnvironmentMap``."""

MAX_VARIABLE_LENGTH = 1_024
"""Characters of a variable's name or value. Source: botocore ``EnvironmentKey`` and ``EnvironmentValue``."""

MAX_VARIABLES_BYTES = 32 * 1_024
"""All names and values of one container together. Source: documentation of botocore ``ContainerDefinition``."""

Environment = Frozen[Annotated[dict[EnvironmentKey, EnvironmentValue], Field(max_length=MAX_VARIABLES)]]
"""Up to 100 environment variables of at most 1,024 characters each. Source: botocore ``EnvironmentMap``."""


class RepositoryAuthConfig(Settings):
    """Credentials of a private registry. Source: botocore ``RepositoryAuthConfig``."""

    repository_credentials_provider_arn: Annotated[str, Field(min_length=1, max_length=2_048)]
    """ARN of the Lambda function that gives the credentials."""


class ImageConfig(Settings):
    """Where the image is pulled from. Source: botocore ``ImageConfig``."""

    repository_access_mode: Literal["Platform", "Vpc"]
    """Amazon ECR, or a private registry in the VPC."""

    repository_auth_config: RepositoryAuthConfig | None = None
    """Credentials of the private registry."""


class ModelAccessConfig(Settings):
    """Consent to a model's licence. Source: botocore ``ModelAccessConfig``."""

    accept_eula: bool
    """Whether the end-user licence is accepted."""


class HubAccessConfig(Settings):
    """A model of a private hub. Source: botocore ``InferenceHubAccessConfig``."""

    hub_content_arn: Annotated[str, Field(max_length=255)]
    """ARN of the hub content."""


class S3ModelDataSource(Settings):
    """Artefacts in S3. Source: botocore ``S3ModelDataSource``."""

    s3_uri: Url
    """Prefix (ends with ``/``) or object."""

    s3_data_type: Literal["S3Prefix", "S3Object"]
    """Whether the location is a prefix or one object."""

    compression_type: Literal["None", "Gzip"]
    """Whether the object is a tar.gz."""

    model_access_config: ModelAccessConfig | None = None
    """Consent to the licence."""

    hub_access_config: HubAccessConfig | None = None
    """The private hub."""

    manifest_s3_uri: Url | None = None
    """Manifest of the artefacts."""

    e_tag: str | None = None
    """ETag of the object."""

    manifest_etag: str | None = None
    """ETag of the manifest."""


class ModelDataSource(Settings):
    """Where the artefacts are. Source: botocore ``ModelDataSource``."""

    s3_data_source: S3ModelDataSource | None = None
    """Artefacts in S3."""


class AdditionalModelDataSource(Settings):
    """A further artefact, for example a draft model. Source: botocore ``AdditionalModelDataSource``."""

    channel_name: ChannelName
    """Folder under ``/opt/ml/additional-model-data-sources`` that it appears in."""

    s3_data_source: S3ModelDataSource
    """The artefact."""


class MultiModelConfig(Settings):
    """A container that serves many models. Source: botocore ``MultiModelConfig``."""

    model_cache_setting: Literal["Enabled", "Disabled"] | None = None
    """Whether models stay in memory."""


class ContainerDefinition(Settings):
    """A container of a model. Source: botocore ``ContainerDefinition``."""

    container_hostname: Name | None = None
    """Name of the container in a pipeline or for direct calls."""

    image: ImageUri | None = None
    """Registry path of the image."""

    image_config: ImageConfig | None = None
    """Where the image is pulled from."""

    mode: Literal["SingleModel", "MultiModel"] | None = None
    """One model, or many."""

    model_data_url: Url | None = None
    """A tar.gz in S3."""

    model_data_source: ModelDataSource | None = None
    """Artefacts in S3, compressed or not."""

    additional_model_data_sources: Annotated[Many[AdditionalModelDataSource], Field(max_length=5)] | None = None
    """Further artefacts, at most five."""

    environment: Environment | None = Field(default=None, repr=False)  # May hold a token.
    """Environment variables."""

    model_package_name: ModelPackageName | None = None
    """Model package that gives image and artefacts."""

    inference_specification_name: Name | None = None
    """Specification of the model package."""

    multi_model_config: MultiModelConfig | None = None
    """Settings of a container that serves many models."""

    container_metrics_config: ContainerMetricsConfig | None = None
    """Metrics of the container."""
