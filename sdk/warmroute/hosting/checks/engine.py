"""Checks of the model and the vLLM engine: where they come from, and what could not run (WR3..)."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from warmroute.errors import InvalidSettingsError, Severity
from warmroute.hosting.environment import number
from warmroute.hosting.images import AMI_CUDA, cuda_version
from warmroute.hosting.instances import instance
from warmroute.hosting.models import Model
from warmroute.hosting.spec import EndpointSpec
from warmroute.hosting.variants import ProductionVariant
from warmroute.hosting.vllm import Image, ModelSource, VllmContainer
from warmroute.rules import Problem, problem, rule

if TYPE_CHECKING:
    from collections.abc import Iterator


@rule("WR301", Severity.ERROR, on=Image, source="AWS deep learning containers: one image per container")
def one_image(image: Image) -> Iterator[Problem]:
    """An image is one of AWS's by its version, or any by its registry path."""
    if image.uri is not None and (image.framework is not None or image.version is not None):
        yield problem("uri", "does not go with framework and version.", "Give the uri alone, or leave it out.")
    if image.uri is None and image.framework is None:
        yield problem("", "The image is not named.", "Give framework: vllm (and a version), or a uri.")


@rule("WR302", Severity.ERROR, on=ModelSource, source="botocore ContainerDefinition")
def one_source(source: ModelSource) -> Iterator[Problem]:
    """The weights come from one place."""
    if len(source.given) != 1:
        found = " and ".join(source.given) if source.given else "no source"
        yield problem(
            "", f"The model has {found}.", "Give exactly one of hugging_face, s3_prefix, s3_archive and model_package."
        )


@rule("WR313", Severity.ERROR, on=ModelSource, source="botocore S3ModelDataSource")
def consent_goes_with_s3(source: ModelSource) -> Iterator[Problem]:
    """Consent to a licence and a private hub belong to artefacts in S3; elsewhere they would be lost."""
    if source.s3_prefix is None and source.s3_archive is None:
        for name in ("model_access_config", "hub_access_config"):
            if getattr(source, name) is not None:
                yield problem(name, "Only artefacts in S3 take it.", "Leave it out, or give s3_prefix or s3_archive.")


@rule("WR307", Severity.ERROR, on=ProductionVariant, source="vLLM: world size = tensor x pipeline x data parallel")
def enough_gpus(variant: ProductionVariant, spec: EndpointSpec) -> Iterator[Problem]:
    """An engine split over more GPUs than the instance has does not start."""
    for variables in spec.environments(variant):
        wanted = prod(number(variables, f"{kind}_parallel_size") or 1 for kind in ("tensor", "pipeline", "data"))
        for name in variant.instance_types:
            facts = instance(name)
            if facts and wanted > facts.gpu_count:
                yield problem(
                    "instance_pools" if variant.instance_pools else "instance_type",
                    f"the engine is split over {wanted} GPUs, and {name} has {facts.gpu_count}.",
                    f"Lower the parallel sizes to {facts.gpu_count} in all, or use a larger instance type.",
                )


@rule(
    "WR308",
    Severity.ERROR,
    on=ProductionVariant,
    source="botocore ProductionVariantInferenceAmiVersion: driver and CUDA versions",
)
def driver_runs_the_image(variant: ProductionVariant, spec: EndpointSpec) -> Iterator[Problem]:
    """A container whose CUDA is newer than the instance's driver dies before it writes a log."""
    offered = AMI_CUDA.get(variant.inference_ami_version or "")
    for uri in _image_uris(variant, spec):
        wanted = cuda_version(uri)
        if offered and wanted and wanted[0] > offered[0]:
            yield problem(
                "inference_ami_version",
                f"{variant.inference_ami_version} runs CUDA up to {offered[0]}.{offered[1]}; the image is built for "
                f"CUDA {wanted[0]}.{wanted[1]}.",
                "Leave inference_ami_version out: it is derived from the image.",
            )


def _image_uris(variant: ProductionVariant, spec: EndpointSpec) -> Iterator[str]:
    model = None if spec.serves_components else spec.model_named(variant.model_name)
    if isinstance(model, VllmContainer):
        yield model.image.resolve(spec.region or "us-east-1")
    elif isinstance(model, Model):
        yield from (container.image for container in model.all_containers if container.image)


@rule("WR309", Severity.ERROR, on=EndpointSpec, source="botocore EnableNetworkIsolation: no inbound or outbound calls")
def isolated_container_downloads_nothing(spec: EndpointSpec) -> Iterator[Problem]:
    """A container without a network cannot download its model from the Hub."""
    if not spec.enable_network_isolation:
        return
    for path, model in spec.models_by_path.items():
        if isinstance(model, VllmContainer) and model.source.hugging_face:
            yield problem(
                f"{path}.source.hugging_face",
                "cannot be downloaded with enable_network_isolation.",
                "Copy the model to S3 and use s3_prefix, or leave the isolation off.",
            )


@rule("WR310", Severity.ERROR, on=Model, source="botocore CreateModelInput: PrimaryContainer and Containers")
def one_or_several_containers(model: Model) -> Iterator[Problem]:
    """A model has one primary container, or a list of containers."""
    if (model.primary_container is None) == (model.containers is None):
        yield problem("", "A model has either a primary_container or containers.", "Give exactly one of the two.")


@rule("WR311", Severity.ERROR, on=EndpointSpec, source="AWS deep learning containers: image registries by region")
def image_exists(spec: EndpointSpec) -> Iterator[Problem]:
    """AWS publishes its images in most regions, for certain versions."""
    for path, model in spec.models_by_path.items():
        if isinstance(model, VllmContainer) and model.image.uri is None:
            fault = _image_fault(model.image, spec.region)
            if fault:
                yield problem(f"{path}.image", *fault)


def _image_fault(image: Image, region: str | None) -> tuple[str, str] | None:
    try:
        image.resolve(region or "us-east-1")
    except InvalidSettingsError as error:
        return error.findings[0].message, error.findings[0].remedy
    return None
