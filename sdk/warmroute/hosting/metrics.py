"""Which metrics an endpoint and its containers publish."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from warmroute.hosting.text import MetricsEndpointPath
from warmroute.settings import Many, Settings

MetricPublishFrequency = Literal[10, 30, 60, 120, 180, 240, 300]
"""Seconds between two publications. Source: documentation of botocore ``MetricPublishFrequencyInSeconds``."""


class MetricsConfig(Settings):
    """What an endpoint publishes to CloudWatch. Source: botocore ``MetricsConfig``."""

    enable_enhanced_metrics: bool | None = None
    """Adds metrics per instance and container; SageMaker's default is false."""

    enable_detailed_observability: bool | None = None
    """Publishes the container's own metrics, vLLM's among them; SageMaker's default is true."""

    metric_publish_frequency_in_seconds: MetricPublishFrequency | None = None
    """Seconds between two publications; SageMaker's default is 60. Below 60, data is kept for three hours."""


class MetricsEndpoint(Settings):
    """Where a container publishes its metrics. Source: botocore ``MetricsEndpoint``."""

    metrics_endpoint_path: MetricsEndpointPath
    """Path on port 8080, for example ``/metrics``."""

    metric_publish_frequency_in_seconds: MetricPublishFrequency | None = None
    """Seconds between two readings of the path."""


class ContainerMetricsConfig(Settings):
    """Metrics of a container; AWS's own vLLM images need none. Source: botocore ``ContainerMetricsConfig``."""

    metrics_endpoints: Annotated[Many[MetricsEndpoint], Field(max_length=1)] | None = None
    """At most one path."""
