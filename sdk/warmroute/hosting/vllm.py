"""vLLM in AWS's container: which image, which model, which engine settings, as the container reads them."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from warmroute.hosting.containers import (
    ContainerDefinition,
    Environment,
    HubAccessConfig,
    ModelAccessConfig,
    ModelDataSource,
    S3ModelDataSource,
)
from warmroute.hosting.environment import ENVIRONMENT_PREFIX
from warmroute.hosting.images import LATEST, vllm_image_uri
from warmroute.hosting.text import ImageUri, ModelPackageName, Url
from warmroute.settings import Frozen, Many, Settings


class Image(Settings):
    """The container image: one of AWS's by version, or any by its registry path."""

    framework: Literal["vllm"] | None = None
    """AWS's image family."""

    version: str | None = None
    """vLLM version of AWS's image, ``0.30.0`` or ``0.30``; by default the newest known."""

    uri: ImageUri | None = None
    """Registry path of an image, instead of framework and version."""

    def resolve(self, region: str) -> str:
        """The registry path in a region.

        Args:
            region: AWS region that the endpoint runs in.

        Raises:
            InvalidSettingsError: AWS has no such image in that region.
        """
        return self.uri or vllm_image_uri(region, self.version or LATEST)


class ModelSource(Settings):
    """Where the weights come from; exactly one of the four."""

    hugging_face: Annotated[str, Field(pattern=r"\A[a-zA-Z0-9_.\-]+/[a-zA-Z0-9_.\-]+\Z", max_length=200)] | None = None
    """Id on the Hugging Face Hub, downloaded when the container starts; a gated model needs ``HF_TOKEN``."""

    s3_prefix: Annotated[Url, Field(pattern=r"\As3://[^/]+/.*/\Z|\As3://[^/]+/\Z")] | None = None
    """Uncompressed artefacts in S3: a prefix that ends with a slash. The fastest way to start a large model."""

    s3_archive: Annotated[Url, Field(pattern=r"\As3://.+\.tar\.gz\Z")] | None = None
    """A ``.tar.gz`` in S3."""

    model_package: ModelPackageName | None = None
    """Model package that brings image and artefacts."""

    model_access_config: ModelAccessConfig | None = None
    """Consent to the licence of a gated model in S3."""

    hub_access_config: HubAccessConfig | None = None
    """Private hub that the artefacts in S3 belong to."""

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the places that are given."""
        return tuple(
            name
            for name in ("hugging_face", "s3_prefix", "s3_archive", "model_package")
            if getattr(self, name) is not None
        )


class VllmSettings(Settings):
    """Arguments of the vLLM server by their own names; those that are absent keep vLLM's default.

    Source: vLLM's engine arguments; see ``vllm serve --help``.
    """

    tensor_parallel_size: int | None = Field(default=None, ge=1)
    """GPUs that one replica of the model is split over."""

    pipeline_parallel_size: int | None = Field(default=None, ge=1)
    """Stages that the layers are split over."""

    data_parallel_size: int | None = Field(default=None, ge=1)
    """Replicas of the model in one container."""

    max_model_len: int | None = Field(default=None, ge=1)
    """Longest prompt plus answer, in tokens."""

    max_num_seqs: int | None = Field(default=None, ge=1)
    """Requests that the engine runs at a time; further ones wait."""

    max_num_batched_tokens: int | None = Field(default=None, ge=1)
    """Tokens that one step computes at most."""

    gpu_memory_utilization: float | None = Field(default=None, gt=0, le=1)
    """Share of the GPU memory for weights and KV cache."""

    enable_prefix_caching: bool | None = None
    """Whether KV blocks of earlier prompts are reused; vLLM's default is true where the model supports it."""

    prefix_caching_hash_algo: Literal["sha256", "sha256_cbor", "xxhash", "xxhash_cbor"] | None = None
    """Hash of the blocks."""

    enable_prompt_tokens_details: bool | None = None
    """Whether answers report cached prompt tokens, the only way that a client sees a cache hit."""

    enable_chunked_prefill: bool | None = None
    """Whether long prompts are computed in parts."""

    block_size: int | None = Field(default=None, ge=1)
    """Tokens of one KV block."""

    kv_cache_dtype: str | None = None
    """Number format of the KV cache, for example ``fp8``."""

    num_gpu_blocks_override: int | None = Field(default=None, ge=1)
    """KV blocks, instead of as many as fit."""

    dtype: str | None = None
    """Number format of weights and activations."""

    quantization: str | None = None
    """Quantisation of the weights."""

    load_format: str | None = None
    """How weights are loaded, for example ``runai_streamer``."""

    revision: str | None = None
    """Revision of the model on the Hub."""

    served_model_name: Annotated[Many[str], Field(min_length=1)] | str | None = None
    """Names that requests may use for the model."""

    trust_remote_code: bool | None = None
    """Whether code that comes with the model may run."""

    enforce_eager: bool | None = None
    """Whether CUDA graphs are off."""

    enable_lora: bool | None = None
    """Whether LoRA adapters can be loaded."""

    max_loras: int | None = Field(default=None, ge=1)
    """Adapters in one batch."""

    max_lora_rank: int | None = Field(default=None, ge=1)
    """Largest rank of an adapter."""

    max_cpu_loras: int | None = Field(default=None, ge=1)
    """Adapters kept in host memory."""

    enable_auto_tool_choice: bool | None = None
    """Whether the model may choose to call tools."""

    tool_call_parser: str | None = None
    """Parser of tool calls, for example ``llama3_json``."""

    reasoning_parser: str | None = None
    """Parser of reasoning text."""

    chat_template: str | None = None
    """Chat template, or the path of one."""

    generation_config: str | None = None
    """Where sampling defaults come from; ``vllm`` ignores the model's own."""

    speculative_config: Frozen[dict[str, JsonValue]] | None = None
    """Speculative decoding."""

    seed: int | None = None
    """Seed of the engine."""

    other_arguments: Frozen[dict[Annotated[str, Field(pattern=r"\A[a-z][a-z0-9_]*\Z")], JsonValue]] | None = None
    """Any further argument by its name with underscores, for example ``{"async_scheduling": true}``."""

    def arguments(self) -> dict[str, Any]:
        """Every argument that is given, by its name with underscores."""
        values = self.model_dump(exclude_none=True)
        others = values.pop("other_arguments", {})
        return {**values, **others}

    def environment(self) -> dict[str, str]:
        """The variables that make AWS's container start vLLM with these arguments.

        The container drops a ``false`` flag, which leaves vLLM's default in force, so false is written as the
        argument's ``NO_`` form. Source: ``sagemaker_args.py`` of AWS's deep learning containers, and vLLM's
        ``BooleanOptionalAction``.
        """
        return {
            variable_of(name, value): _as_text(value) for name, value in self.arguments().items() if value is not None
        }


class VllmContainer(Settings):
    """A model served by vLLM in AWS's container."""

    image: Image = Image(framework="vllm")
    """The container image."""

    source: ModelSource
    """Where the weights come from."""

    vllm: VllmSettings = VllmSettings()
    """Arguments of the vLLM server."""

    environment: Environment | None = Field(default=None, repr=False)  # May hold a token.
    """Further environment variables, for example ``HF_TOKEN``."""

    def all_variables(self) -> dict[str, str]:
        """Every environment variable of the container."""
        model = {f"{ENVIRONMENT_PREFIX}MODEL": self.source.hugging_face} if self.source.hugging_face else {}
        return {**model, **self.vllm.environment(), **(self.environment or {})}

    def definition(self, region: str) -> ContainerDefinition:
        """The container as CreateModel takes it.

        Args:
            region: AWS region that the endpoint runs in; it decides the image's registry.

        Raises:
            InvalidSettingsError: AWS has no such image in that region.
        """
        package = self.source.model_package
        return ContainerDefinition(
            image=None if package and self.image.uri is None else self.image.resolve(region),
            model_package_name=package,
            model_data_source=self._artefacts(),
            environment=self.all_variables() or None,
        )

    def _artefacts(self) -> ModelDataSource | None:
        location = self.source.s3_prefix or self.source.s3_archive
        if location is None:
            return None
        compressed = self.source.s3_archive is not None
        return ModelDataSource(
            s3_data_source=S3ModelDataSource(
                s3_uri=location,
                s3_data_type="S3Object" if compressed else "S3Prefix",
                compression_type="Gzip" if compressed else "None",
                model_access_config=self.source.model_access_config,
                hub_access_config=self.source.hub_access_config,
            )
        )


def variable_of(argument: str, value: object) -> str:
    """The variable that gives vLLM a value of an argument; a false flag has one of its own.

    Args:
        argument: Name of the argument, with underscores.
        value: Its value.
    """
    return f"{ENVIRONMENT_PREFIX}{'NO_' if value is False else ''}{argument.upper()}"


def _as_text(value: object) -> str:
    """A value as the container reads it back: JSON for lists and objects, the bare value for the rest."""
    if isinstance(value, bool):  # A false flag has a variable of its own.
        return "true"
    if isinstance(value, (list, tuple, dict)):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return str(value)
