"""Checks of inference components, adapters and MIG layouts (WR4..)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.errors import Severity
from warmroute.hosting.components import ComputeResourceRequirements, InferenceComponent
from warmroute.hosting.spec import EndpointSpec
from warmroute.hosting.variants import ProductionVariant
from warmroute.rules import Problem, problem, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHAPE = "botocore InferenceComponentSpecification"


@rule(
    "WR401",
    Severity.ERROR,
    on=EndpointSpec,
    source="SageMaker developer guide: inference components; Terraform docs of execution_role_arn",
)
def nothing_served_needs_a_role(spec: EndpointSpec) -> Iterator[Problem]:
    """Without a model and without components, an endpoint hosts components of elsewhere, in its own role."""
    if spec.serves_components and not spec.inference_components and spec.execution_role_arn is None:
        yield problem(
            "execution_role_arn",
            "Variants without a model need execution_role_arn.",
            "Give the role; or, for an endpoint of one model, give the spec a model.",
        )


@rule("WR402", Severity.ERROR, on=EndpointSpec, source="botocore CreateInferenceComponentInput: unique names")
def unique_component_names(spec: EndpointSpec) -> Iterator[Problem]:
    """A component is addressed by its name."""
    names = [component.name for component in spec.inference_components or ()]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield problem("inference_components", f"The name {name!r} is given twice.", "Give each its own name.")


@rule(
    "WR403",
    Severity.ERROR,
    on=InferenceComponent,
    source="botocore CreateInferenceComponentInput: Specification, Specifications",
)
def one_form_of_specification(component: InferenceComponent) -> Iterator[Problem]:
    """A component has one specification, or one for each instance type."""
    if (component.specification is None) == (component.specifications is None):
        yield problem("", "A component has a specification or specifications.", "Give exactly one of the two.")


@rule("WR404", Severity.ERROR, on=InferenceComponent, source="botocore InferenceComponentSpecification: InstanceType")
def types_of_several_specifications(component: InferenceComponent) -> Iterator[Problem]:
    """Of several specifications each must say which instance type it is for."""
    several = component.specifications or ()
    types = [each.instance_type for each in several]
    if len(several) > 1 and (None in types or len(set(types)) < len(types)):
        yield problem(
            "specifications",
            "each of several specifications is for one instance type.",
            "Give every one an instance_type of its own.",
        )


@rule(
    "WR405",
    Severity.ERROR,
    on=InferenceComponent,
    source="botocore InferenceComponentSpecification: BaseInferenceComponentName",
)
def adapters_bring_only_weights(component: InferenceComponent) -> Iterator[Problem]:
    """An adapter is loaded into a running component: it has weights, and no model, resources or copies of its own."""
    for at, each in component.specifications_by_path:
        if each.base_inference_component_name is None:
            continue
        if each.container is None or each.container.artifact_url is None:
            yield problem(
                f"{at}.container.artifact_url", "An adapter needs its weights.", "Give the S3 location of a .tar.gz."
            )
        if each.model_name is not None:
            yield problem(f"{at}.model_name", "An adapter has no model of its own.", "Leave it out.")
        if each.compute_resource_requirements is not None:
            yield problem(
                f"{at}.compute_resource_requirements",
                "An adapter runs inside its base component and has no resources of its own.",
                "Leave them out.",
            )


@rule(
    "WR406",
    Severity.ERROR,
    on=EndpointSpec,
    source="botocore InferenceComponentSpecification: BaseInferenceComponentName",
)
def adapters_have_a_base(spec: EndpointSpec) -> Iterator[Problem]:
    """An adapter is loaded into a component of the same endpoint, which is not an adapter itself."""
    bases = {component.name for component in spec.inference_components or () if component.base is None}
    for position, component in enumerate(spec.inference_components or ()):
        for at, each in component.specifications_by_path:
            base = each.base_inference_component_name
            if base is not None and base not in bases:
                yield problem(
                    f"inference_components[{position}].{at}.base_inference_component_name",
                    f"{base!r} is no base component of this spec.",
                    f"Base components: {', '.join(sorted(bases)) or 'none'}.",
                )


@rule("WR407", Severity.ERROR, on=EndpointSpec, source=_SHAPE)
def components_have_something_to_run(spec: EndpointSpec) -> Iterator[Problem]:
    """A base component needs a model or a container, and the resources of one copy."""
    for position, component in enumerate(spec.inference_components or ()):
        for path, each in component.specifications_by_path:
            if each.base_inference_component_name is not None:
                continue
            at = f"inference_components[{position}].{path}"
            if each.compute_resource_requirements is None:
                yield problem(
                    f"{at}.compute_resource_requirements",
                    "required, but not given.",
                    "Give min_memory_required_in_mb and, for a GPU, number_of_accelerator_devices_required.",
                )
            if each.container is None and each.model_name is None and spec.model is None:
                yield problem(at, "The component runs nothing.", "Give it a model_name or a container.")
            if each.container is not None and each.model_name is not None:
                yield problem(at, "The component has a model and a container.", "Give one of the two.")


@rule("WR408", Severity.ERROR, on=EndpointSpec, source="botocore CreateInferenceComponentInput: VariantName")
def components_on_a_variant(spec: EndpointSpec) -> Iterator[Problem]:
    """A component runs on the instances of a variant that exists; with several variants it must say which."""
    names = [variant.name for variant in spec.variants]
    for position, component in enumerate(spec.inference_components or ()):
        at = f"inference_components[{position}].variant_name"
        if component.variant_name is None and component.base is None and len(names) > 1:
            yield problem(at, "required where there are several variants.", f"Variants: {', '.join(names)}.")
        if component.variant_name is not None and component.variant_name not in names:
            yield problem(
                at, f"{component.variant_name!r} is no variant of this spec.", f"Variants: {', '.join(names)}."
            )


@rule("WR409", Severity.ERROR, on=ComputeResourceRequirements, source="inferred: a range of memory")
def memory_from_least_to_most(needs: ComputeResourceRequirements) -> Iterator[Problem]:
    """The most memory cannot be below the least."""
    most = needs.max_memory_required_in_mb
    if most is not None and most < needs.min_memory_required_in_mb:
        yield problem(
            "max_memory_required_in_mb",
            f"{most:,} is below min_memory_required_in_mb of {needs.min_memory_required_in_mb:,}.",
            "Raise it, or leave it out.",
        )


@rule("WR410", Severity.ERROR, on=ProductionVariant, source="botocore AcceleratorPartitionLayouts: a single layout")
def one_mig_layout(variant: ProductionVariant) -> Iterator[Problem]:
    """All GPUs of a variant are cut alike."""
    if len(variant.accelerator_partition_layouts or ()) > 1:
        yield problem("accelerator_partition_layouts", "SageMaker takes a single layout.", "Give one layout.")


@rule(
    "WR411",
    Severity.ERROR,
    on=EndpointSpec,
    source="botocore AcceleratorPartitionType; NumberOfAcceleratorDevicesRequired",
)
def partitions_of_the_layout(spec: EndpointSpec) -> Iterator[Problem]:
    """On a MIG layout a copy takes one partition of it; without a layout there are no partitions."""
    for position, component in enumerate(spec.inference_components or ()):
        variants = [variant for variant in spec.variants if component.variant_name in {None, variant.name}]
        offered = {
            profile
            for variant in variants
            for layout in variant.accelerator_partition_layouts or ()
            for profile in layout.accelerator_partition_types or ()
        }
        for path, each in component.specifications_by_path:
            needs = each.compute_resource_requirements
            if needs is None:
                continue
            at = f"inference_components[{position}].{path}.compute_resource_requirements"
            if offered and needs.accelerator_partition_type not in offered:
                yield problem(
                    f"{at}.accelerator_partition_type",
                    "must name a partition of the variant's MIG layout.",
                    f"Partitions: {', '.join(sorted(offered))}.",
                )
            if offered and needs.number_of_accelerator_devices_required != 1:
                yield problem(
                    f"{at}.number_of_accelerator_devices_required", "must be 1 on a MIG layout.", "Set it to 1."
                )
            if not offered and needs.accelerator_partition_type is not None:
                yield problem(
                    f"{at}.accelerator_partition_type",
                    "The variant has no MIG layout.",
                    "Leave it out, or give the variant accelerator_partition_layouts.",
                )
