"""Names that enter a URL or a header: checked, so that nothing else can be written there."""

from __future__ import annotations

import re

from warmroute.errors import Finding, InvalidSettingsError, Severity


def checked_name(value: str, field: str) -> str:
    """The name of an endpoint, inference component or variant.

    Source: botocore ``EndpointName``, ``InferenceComponentHeader`` and ``TargetVariantHeader`` (sagemaker-runtime).

    Args:
        value: 1 to 63 letters, digits and hyphens, neither the first nor the last a hyphen.
        field: What the name is for, as an error shall call it.

    Raises:
        InvalidSettingsError: The name has another form.
    """
    remedy = "Use 1 to 63 letters, digits and hyphens, without a hyphen at either end; not an ARN."
    return _matching(_NAME, value, field, "name", remedy, "botocore sagemaker-runtime EndpointName")


def checked_region(value: str) -> str:
    """The code of an AWS region, ``us-east-1``.

    Raises:
        InvalidSettingsError: The code has another form.
    """
    return _matching(_REGION, value, "region", "region", 'Use a region\'s code, such as "us-east-1".', "AWS regions")


_NAME = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?")
_REGION = re.compile(r"[a-z]{2,}(?:-[a-z]+)+-[0-9]+")


def _matching(pattern: re.Pattern[str], value: object, field: str, kind: str, remedy: str, source: str) -> str:
    if isinstance(value, str) and pattern.fullmatch(value):
        return value
    fault = f"{value!r} is not a {kind}." if isinstance(value, str) else f"A {type(value).__name__} is not a {kind}."
    raise InvalidSettingsError([Finding("WR006", Severity.ERROR, field, fault, remedy, source)])
