"""A spec as a manifest tells of it: what routes and what serves, and nothing that may hold a secret."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import orjson

from warmroute.local.child import DEFAULT_REGION
from warmroute.render.models import images

if TYPE_CHECKING:
    from warmroute.hosting import EndpointSpec


def described(spec: EndpointSpec) -> dict[str, Any]:
    """The spec in short, and a digest of all of it.

    Args:
        spec: The spec.
    """
    values = spec.model_dump(mode="json", exclude_none=True)
    region = spec.region or DEFAULT_REGION
    deployed = {image for model in spec.models_by_path.values() for image in images(model, region)}
    return {
        "endpoint": spec.name,
        "spec_sha256": hashlib.sha256(orjson.dumps(values, option=orjson.OPT_SORT_KEYS)).hexdigest(),
        "images": sorted(filter(None, deployed)),
        "variants": [
            {
                name: variant[name]
                for name in ("name", "instance_type", "initial_instance_count", "routing_config")
                if name in variant
            }
            for variant in values["variants"]
        ],
    }


def instances_of(spec: EndpointSpec) -> int | None:
    """Instances with which the endpoint of a spec begins; None where no variant says.

    Args:
        spec: The spec.
    """
    return sum(variant.initial_instance_count or 0 for variant in spec.variants) or None


def component_of(spec: EndpointSpec) -> str | None:
    """The inference component that requests go to: the first, since adapters follow what they adapt; None without any.

    Args:
        spec: The spec.
    """
    return spec.inference_components[0].name if spec.inference_components else None
