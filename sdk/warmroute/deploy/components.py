"""Whether a running inference component is what the spec asks for, and the call that makes it so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warmroute.hosting import EndpointSpec


def component_update(spec: EndpointSpec, wanted: dict[str, Any], running: dict[str, Any]) -> dict[str, Any] | None:
    """Parameters of UpdateInferenceComponent, or None where nothing differs.

    A count that is scaled automatically belongs to the scaling, and is left alone.

    Args:
        spec: The spec that the component belongs to.
        wanted: Parameters of CreateInferenceComponent.
        running: What DescribeInferenceComponent says.
    """
    name = wanted["InferenceComponentName"]
    component = next(each for each in spec.inference_components or () if each.name == name)
    scaled = any(scaling.inference_component_name == name for scaling in spec.auto_scaling or ())
    changes: dict[str, Any] = {}
    for field in ("Specification", "Specifications"):
        if field in wanted and not _holds(wanted[field], running.get(field)):
            changes[field] = wanted[field]
    copies = wanted.get("RuntimeConfig", {}).get("CopyCount")
    if copies is not None and not scaled and copies != running.get("RuntimeConfig", {}).get("DesiredCopyCount"):
        changes["RuntimeConfig"] = wanted["RuntimeConfig"]
    if not changes:
        return None
    guardrails = {"DeploymentConfig": component.deployment_config.to_aws()} if component.deployment_config else {}
    return {"InferenceComponentName": name, **changes, **guardrails}


def _holds(wanted: Any, described: Any) -> bool:
    """Whether everything wanted is found in a description, which may say more."""
    if isinstance(wanted, dict):
        described = described if isinstance(described, dict) else {}
        return all(_holds(value, _described(described, key)) for key, value in wanted.items())
    if isinstance(wanted, list):
        same_length = isinstance(described, list) and len(described) == len(wanted)
        return same_length and all(map(_holds, wanted, described))
    return bool(wanted == described)


def _described(described: dict[str, Any], key: str) -> Any:
    if key == "Image":  # DescribeInferenceComponent gives the image as asked for and as resolved.
        return described.get("DeployedImage", {}).get("SpecifiedImage")
    return described.get(key)
