"""Reads what SageMaker says of an endpoint configuration as the values of a spec."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from warmroute.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Mapping

_ONLY_DESCRIPTIVE = {"EndpointConfigName", "EndpointConfigArn", "CreationTime", "ResponseMetadata"}
_ARN_REGION = re.compile(r"arn:aws[a-z-]*:sagemaker:([a-z0-9-]+):")


def lacks_endpoint_name(values: Mapping[str, Any]) -> bool:
    """Whether values describe a configuration and do not say whose it is."""
    return "EndpointConfigName" in values and "EndpointName" not in values and "name" not in values


def spec_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """What ``describe-endpoint-config`` returns as the values of a spec; other values as they are.

    The region is read from the ARN, and what only describes the answer (creation time, response metadata) is left
    out. A configuration does not know its endpoint, so its own name stands in for the endpoint's where none is given.

    Args:
        values: A mapping as read from JSON, or as boto3 returns it.

    Raises:
        DocumentError: The values describe an endpoint, which does not hold its configuration.
    """
    if "EndpointStatus" in values:
        name = values.get("EndpointConfigName", "NAME")
        raise DocumentError(
            "This is what describe-endpoint returns, which does not hold the configuration.",
            f"Use: aws sagemaker describe-endpoint-config --endpoint-config-name {name}",
        )
    if "EndpointConfigName" not in values:
        return dict(values)
    kept = {key: value for key, value in values.items() if key not in _ONLY_DESCRIPTIVE and value is not None}
    region = _ARN_REGION.match(str(values.get("EndpointConfigArn", "")))
    if region and "region" not in kept:
        kept.setdefault("Region", region[1])
    if lacks_endpoint_name(values):
        kept["EndpointName"] = values["EndpointConfigName"]
    return kept
