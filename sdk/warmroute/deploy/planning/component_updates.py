"""Whether a running inference component is what the spec asks for, and the call that makes it so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.deploy.account.contents import specifications_of, with_models
from warmroute.deploy.planning.differences import differences

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from warmroute.deploy.account.live import Existing
    from warmroute.deploy.plan import FieldChange
    from warmroute.deploy.wanted import Wanted

_EXACT = {"Environment", "StartupParameters", "ComputeResourceRequirements"}
"""Parts that hold nothing but what was asked for; SageMaker may fill in defaults of the others."""


def component_update(
    wanted: Wanted, parameters: dict[str, Any], running: Mapping[str, Any], models: Mapping[str, str]
) -> dict[str, Any] | None:
    """Parameters of UpdateInferenceComponent, or None where nothing differs.

    A count that is scaled automatically belongs to the scaling, and is left alone.

    Args:
        wanted: What is asked for.
        parameters: Of CreateInferenceComponent.
        running: What DescribeInferenceComponent says.
        models: By the name of a wanted model, the one of equal content that runs in its place.
    """
    name = parameters["InferenceComponentName"]
    component = next(each for each in wanted.spec.inference_components or () if each.name == name)
    changes: dict[str, Any] = {}
    for key in ("Specification", "Specifications"):
        if key in parameters and not _holds(with_models(parameters[key], models), running.get(key)):
            changes[key] = parameters[key]
    copies = parameters.get("RuntimeConfig", {}).get("CopyCount")
    scaled = name in wanted.scaled_components
    if copies is not None and not scaled and copies != running.get("RuntimeConfig", {}).get("DesiredCopyCount"):
        changes["RuntimeConfig"] = parameters["RuntimeConfig"]
    if not changes:
        return None
    guardrails = {"DeploymentConfig": component.deployment_config.to_aws()} if component.deployment_config else {}
    return {"InferenceComponentName": name, **changes, **guardrails}


def update_fields(
    update: Mapping[str, Any], running: Mapping[str, Any], models: Mapping[str, str]
) -> tuple[FieldChange, ...]:
    """What an update changes, field by field.

    Args:
        update: As ``component_update`` gives it.
        running: What DescribeInferenceComponent says.
        models: By the name of a wanted model, the one of equal content that runs in its place.
    """
    found: tuple[FieldChange, ...] = ()
    for key, path in (("Specification", "specification"), ("Specifications", "specifications")):
        if key in update:
            before = as_asked(running.get(key))
            found += differences(before, with_models(update[key], models), path)
    if "RuntimeConfig" in update:
        before = running.get("RuntimeConfig", {}).get("DesiredCopyCount")
        found += differences(before, update["RuntimeConfig"]["CopyCount"], "runtime_config.copy_count")
    return found


def base_of(component: Mapping[str, Any]) -> str | None:
    """The component that an adapter is loaded into, or None; of parameters or a description."""
    return next((each["BaseInferenceComponentName"] for each in specifications_of(component) if _has_base(each)), None)


def last_first(components: Mapping[str, Existing], names: Iterable[str]) -> list[str]:
    """The order in which components can be deleted: adapters before their bases, and otherwise the last first."""
    chosen = set(names)
    newest_first = sorted(chosen, key=lambda name: (components[name].described["CreationTime"], name), reverse=True)
    return sorted(newest_first, key=lambda name: base_of(components[name].described) is None)


def as_asked(described: Any) -> Any:
    """A description in the form of the request: the image as it was asked for, not as it was resolved.

    Args:
        described: A specification as DescribeInferenceComponent gives it, or a part of one.
    """
    if isinstance(described, dict):
        asked = {key: as_asked(value) for key, value in described.items() if key != "DeployedImage"}
        image = (described.get("DeployedImage") or {}).get("SpecifiedImage")
        return {**asked, "Image": image} if image else asked
    return [as_asked(each) for each in described] if isinstance(described, list) else described


def _has_base(specification: Mapping[str, Any]) -> bool:
    return specification.get("BaseInferenceComponentName") is not None


def _holds(wanted: Any, described: Any, *, exact: bool = False) -> bool:
    """Whether everything wanted is found in a description, which may say more where SageMaker fills in defaults."""
    if isinstance(wanted, dict):
        described = as_asked(described) if isinstance(described, dict) else {}
        beyond = {key for key, value in described.items() if key not in wanted and value not in (None, {}, [])}
        if (exact and beyond) or beyond & (_EXACT | {"ArtifactUrl", "ModelName"}):
            return False
        return all(_holds(value, described.get(key), exact=key in _EXACT) for key, value in wanted.items())
    if isinstance(wanted, list):
        same_length = isinstance(described, list) and len(described) == len(wanted)
        return same_length and all(map(_holds, wanted, described))
    return bool(wanted == described)
