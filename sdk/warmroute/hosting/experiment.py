"""Two variants of one endpoint that differ in their routing alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute.errors import Finding, InvalidSettingsError, Severity

if TYPE_CHECKING:
    from warmroute.hosting.spec import EndpointSpec
    from warmroute.routing import RoutingConfig

CONTROL, TREATMENT = "control", "treatment"
"""Names of the two variants, which a request chooses by ``TargetVariant``."""


def with_routing_experiment(
    spec: EndpointSpec,
    *,
    control: RoutingConfig,
    treatment: RoutingConfig,
    control_weight: float = 1,
    treatment_weight: float = 1,
) -> EndpointSpec:
    """The same endpoint with two variants in place of its one: ``control`` and ``treatment``.

    Both have the model, the instances and the scaling of the one, so that the fleet is twice as large. Each request
    goes to either by its weight, or to the one that it names by ``TargetVariant``.

    Args:
        spec: A spec with one production variant that serves the model itself.
        control: Routing of the variant ``control``, for example RANDOM.
        treatment: Routing of the variant ``treatment``.
        control_weight: Share of the requests that name no variant.
        treatment_weight: Share of the requests that name no variant.

    Returns:
        The spec of the experiment, under the same name.

    Raises:
        InvalidSettingsError: The spec has several variants, a shadow variant or inference components, or both routings
            are the same.
    """
    problems = [*_unfit(spec)]
    if control == treatment:
        problems.append(
            _problem("", f"control and treatment are both {control.routing_strategy}.", "Give two that differ.")
        )
    if problems:
        raise InvalidSettingsError(problems)
    (variant,) = spec.variants
    arms = ((CONTROL, control, control_weight), (TREATMENT, treatment, treatment_weight))
    variants = tuple(
        variant.model_copy(update={"name": name, "routing_config": routing, "initial_variant_weight": float(weight)})
        for name, routing, weight in arms
    )
    scaling = spec.auto_scaling and tuple(
        each.model_copy(update={"variant_name": name}) for name in (CONTROL, TREATMENT) for each in spec.auto_scaling
    )
    return spec.model_copy(update={"variants": variants, "auto_scaling": scaling})


def _unfit(spec: EndpointSpec) -> list[Finding]:
    problems = []
    if len(spec.variants) != 1:
        message = f"an experiment begins with one variant, not {len(spec.variants)}."
        problems.append(_problem("variants", message, "Leave the one whose routing is in question."))
    if spec.shadow_variants:
        message = "an endpoint with two production variants takes no shadow variant."
        problems.append(_problem("shadow_variants", message, "Leave it out."))
    if spec.serves_components:
        message = "requests choose an inference component, and cannot choose a variant beside it."
        problems.append(_problem("inference_components", message, "Compare two endpoints instead."))
    return problems


def _problem(path: str, message: str, remedy: str) -> Finding:
    return Finding("WR220", Severity.ERROR, path, message, remedy)
