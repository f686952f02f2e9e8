"""A model's container in the words of a vLLM server, where it can be told in them without loss."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from warmroute.errors import WarmrouteError
from warmroute.hosting import VllmContainer
from warmroute.hosting.containers import ContainerDefinition
from warmroute.hosting.environment import ENVIRONMENT_PREFIX
from warmroute.hosting.images import vllm_image_uri, vllm_versions
from warmroute.hosting.vllm import VllmSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def vllm_form(container: Mapping[str, Any], region: str) -> dict[str, Any] | None:
    """The ``model`` of a spec that renders as this very container, or None where none does.

    Args:
        container: As CreateModel takes it.
        region: AWS region of the endpoint.
    """
    image, environment = container.get("Image", ""), container.get("Environment") or {}
    is_vllm = "vllm" in image.rpartition("/")[2] or any(name.startswith(ENVIRONMENT_PREFIX) for name in environment)
    source = _source(container, environment)
    if not is_vllm or source is None:
        return None
    arguments, rest = _arguments(environment, has_model="hugging_face" in source)
    values: dict[str, Any] = {"image": _image(image, region), "source": source}
    if arguments:
        values["vllm"] = arguments
    if rest:
        values["environment"] = rest
    try:
        same = VllmContainer.parse(values).definition(region) == ContainerDefinition.parse(container)
    except WarmrouteError:
        return None
    return values if same else None


def _image(uri: str, region: str) -> dict[str, str]:
    for version in vllm_versions(region):
        if vllm_image_uri(region, version) == uri:
            return {"framework": "vllm", "version": version}
    return {"uri": uri}


def _source(container: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any] | None:
    artefacts = (container.get("ModelDataSource") or {}).get("S3DataSource")
    if artefacts:
        archive = artefacts.get("CompressionType") == "Gzip"
        found: dict[str, Any] = {"s3_archive" if archive else "s3_prefix": artefacts["S3Uri"]}
        consent = {"ModelAccessConfig": "model_access_config", "HubAccessConfig": "hub_access_config"}
        return found | {ours: artefacts[theirs] for theirs, ours in consent.items() if artefacts.get(theirs)}
    if container.get("ModelDataUrl"):
        return None  # Nothing in these words renders as ModelDataUrl.
    model = environment.get(f"{ENVIRONMENT_PREFIX}MODEL")
    return {"hugging_face": model} if model else None


def _arguments(environment: Mapping[str, str], *, has_model: bool) -> tuple[dict[str, Any], dict[str, str]]:
    """The engine's arguments that the variables say, and the variables that say none."""
    known: dict[str, Any] = {}
    others: dict[str, Any] = {}
    rest: dict[str, str] = {}
    for variable, value in environment.items():
        if has_model and variable == f"{ENVIRONMENT_PREFIX}MODEL":
            continue
        found = _argument(variable, value) if variable.startswith(ENVIRONMENT_PREFIX) else None
        if found is None:
            rest[variable] = value
        else:
            name, setting = found
            (known if name in VllmSettings.model_fields else others)[name] = setting
    return known | ({"other_arguments": others} if others else {}), rest


def _argument(variable: str, value: str) -> tuple[str, Any] | None:
    """The argument that renders as a variable, or None where none does."""
    for name, setting in _candidates(variable.removeprefix(ENVIRONMENT_PREFIX).lower(), value):
        given = {name: setting} if name in VllmSettings.model_fields else {"other_arguments": {name: setting}}
        try:
            if VllmSettings.parse(given).environment() == {variable: value}:
                return name, setting
        except WarmrouteError:
            continue
    return None


def _candidates(name: str, value: str) -> Iterator[tuple[str, Any]]:
    if value == "true":
        if name.startswith("no_"):
            yield name.removeprefix("no_"), False
        yield name, True
    for read in (int, float, json.loads):
        try:
            yield name, read(value)
        except ValueError:
            continue
    yield name, value
