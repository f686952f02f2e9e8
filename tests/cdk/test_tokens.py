"""Values known at deployment only: each field takes them whole, or says at once that it does not."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from aws_cdk import App, CfnParameter, Environment, Stack
from cdk.synthesis import template_of
from render.specs import SPECS

from warmroute import InvalidSettingsError
from warmroute.hosting import EndpointSpec
from warmroute_cdk import EndpointAlarms, EndpointDashboard, VllmEndpoint

if TYPE_CHECKING:
    from collections.abc import Iterator

TAKEN = {
    "deployment_config.auto_rollback_configuration.alarms[].alarm_name",
    "explainer_config.clarify_explainer_config.enable_explanations",
    "explainer_config.clarify_explainer_config.inference_config.features_attribute",
    "explainer_config.clarify_explainer_config.shap_config.shap_baseline_config.shap_baseline",
    "inference_components[].deployment_config.auto_rollback_configuration.alarms[].alarm_name",
    "inference_components[].specification.container.environment.A_KEY",
    "inference_components[].specification.container.image",
    "model.primary_container.image",
    "models.draft.image.uri",
    "models.large.environment.HF_HUB_OFFLINE",
    "models.large.environment.TEMPLATE",
    "models.large.vllm.speculative_config.method",
    "models.large.vllm.speculative_config.num_speculative_tokens",
    "models.pipeline.containers[].image",
    "models.pipeline.containers[].image_config.repository_auth_config.repository_credentials_provider_arn",
}
"""Fields of the corpus that are a token as a whole; docs/reference/cdk.md says which kinds these are."""

IN_S3 = {
    "async_inference_config.output_config.s3_failure_path",
    "async_inference_config.output_config.s3_output_path",
    "data_capture_config.destination_s3_uri",
    "inference_components[].specification.container.artifact_url",
    "model.primary_container.model_data_url",
    "model.source.s3_prefix",
    "models.draft.source.s3_archive",
    "models.large.source.s3_prefix",
    "models.pipeline.containers[].model_data_source.s3_data_source.s3_uri",
    "variants[].core_dump_config.destination_s3_uri",
}
"""Locations in S3, where the bucket may be one."""


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        yield path, value
        return
    for key, held in items:
        yield from leaves(held, (*path, key))


def with_value(document: Any, path: tuple[str | int, ...], value: Any) -> Any:
    changed = held = deepcopy(document)
    for key in path[:-1]:
        held = held[key]
    held[path[-1]] = value
    return changed


def name_of(path: tuple[str | int, ...]) -> str:
    return re.sub(r"\.(?=\[)", "", ".".join("[]" if isinstance(key, int) else key for key in path))


def stack_for(document: Any) -> Stack:
    return Stack(App(), "Test", env=Environment(region=document["region"]))


def arrives(document: Any, stack: Stack) -> bool:
    """Whether a spec with a token is accepted; then the token must be in the template as a reference, and whole."""
    try:
        spec = EndpointSpec.parse(document)
    except InvalidSettingsError:
        return False
    VllmEndpoint(stack, "Bot", spec=spec)
    EndpointAlarms(stack, "Alarms", spec=spec)
    EndpointDashboard(stack, "Dashboard", spec=spec)
    text = json.dumps(template_of(stack))
    assert '{"Ref": "Later"}' in text
    assert "Token[" not in text
    assert "e+289" not in text
    return True


@pytest.mark.parametrize("name", ["everything", "components", "demo", "autoscaled", "serverless"])
def test_a_token_arrives_or_is_refused_at_once(name):
    document = json.loads(json.dumps(SPECS[name].model_dump(exclude_none=True, mode="json")))
    seen = set()
    for path, value in leaves(document):
        field = name_of(path)
        if isinstance(value, bool) or field in seen:
            continue
        seen.add(field)
        stack = stack_for(document)
        kind = {"type": "String"} if isinstance(value, str) else {"type": "Number"}
        later = CfnParameter(stack, "Later", **kind)
        token = later.value_as_string if isinstance(value, str) else later.value_as_number
        assert arrives(with_value(document, path, token), stack) == (field in TAKEN), field
        if isinstance(value, str) and value.startswith("s3://"):
            in_bucket = f"s3://{token}/{value.rpartition('/')[2] or 'prefix/'}"
            assert arrives(with_value(document, path, in_bucket), stack) == (field in IN_S3), field
