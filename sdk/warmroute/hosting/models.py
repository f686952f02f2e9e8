"""A SageMaker model of any container, field by field as CreateModel takes it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from warmroute.hosting.containers import ContainerDefinition
from warmroute.hosting.network import VpcConfig
from warmroute.hosting.tags import Tags
from warmroute.hosting.text import RoleArn
from warmroute.settings import Many, Settings


class InferenceExecutionConfig(Settings):
    """How several containers work together. Source: botocore ``InferenceExecutionConfig``."""

    mode: Literal["Serial", "Direct"]
    """A pipeline, or containers called one by one."""


class Model(Settings):
    """A model of any container; for vLLM in AWS's container, VllmContainer says the same in fewer words.

    Source: botocore ``CreateModelInput``.
    """

    primary_container: ContainerDefinition | None = None
    """The only container."""

    containers: Annotated[Many[ContainerDefinition], Field(max_length=15)] | None = None
    """Several containers, at most 15."""

    inference_execution_config: InferenceExecutionConfig | None = None
    """How several containers work together."""

    execution_role_arn: RoleArn | None = None
    """Role of the containers; by default the spec's."""

    vpc_config: VpcConfig | None = None
    """VPC of the containers; by default the spec's."""

    enable_network_isolation: bool | None = None
    """Whether the containers have no network; by default the spec's."""

    tags: Tags | None = None
    """Tags of the model; by default the spec's."""

    @property
    def all_containers(self) -> tuple[ContainerDefinition, ...]:
        """The only container, or all of them."""
        return ((self.primary_container,) if self.primary_container else ()) + (self.containers or ())
