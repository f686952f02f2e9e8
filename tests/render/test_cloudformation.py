from __future__ import annotations

import json
import pickle
import re
from typing import Any

import cfnlint.api
import pytest
from hypothesis import given, settings
from render.aws_models import schema, service
from render.specs import DRAFTED, MIG, SPECS, TYPED, WITHOUT_ROLE, demo, demo_variant, specs

from warmroute.hosting import EndpointSpec
from warmroute.render import Call, UnsupportedByTargetError, to_boto3, to_cloudformation
from warmroute.render.cloudformation import TYPES, logical_id
from warmroute.render.cloudformation_gaps import MISSING_PROPERTIES, MISSING_STRATEGIES
from warmroute.render.resource import NAME_PROPERTY, Kind, Ref

KINDS = {type_: kind for kind, type_ in TYPES.items()}
OPERATIONS = {
    Kind.MODEL: "CreateModel",
    Kind.ENDPOINT_CONFIG: "CreateEndpointConfig",
    Kind.ENDPOINT: "CreateEndpoint",
    Kind.INFERENCE_COMPONENT: "CreateInferenceComponent",
}
ON_UPDATE = {"RetainAllVariantProperties"}


def deployed(template: dict[str, Any], calls: list[Call]) -> list[dict[str, Any]]:
    """What CloudFormation would create of a template, when it names things as the boto3 calls do."""
    created = dict(zip(template["Resources"], (call.parameters for call in calls), strict=True))

    def named(logical_name: str, attribute: str) -> str:
        assert attribute == NAME_PROPERTY[KINDS[template["Resources"][logical_name]["Type"]]]
        return created[logical_name][attribute]

    def evaluate(value: Any) -> Any:
        match value:
            case {"Fn::GetAtt": [logical_name, attribute]}:
                return named(logical_name, attribute)
            case {"Fn::Sub": text}:
                return re.sub(r"\$\{(\w+)\.(\w+)\}", lambda found: named(found[1], found[2]), text)
            case dict():
                return {name: evaluate(held) for name, held in value.items()}
            case list():
                return [evaluate(item) for item in value]
        return value

    return [evaluate(entry["Properties"]) for entry in template["Resources"].values()]


def as_called(properties: dict[str, Any], call: Call) -> dict[str, Any]:
    """Properties of a resource as the API takes them: named, tagged in its way, without what only updates take."""
    on_update = ON_UPDATE | ({"DeploymentConfig"} if call.operation == "create_inference_component" else set())
    called = {name: value for name, value in properties.items() if name not in on_update}
    if call.operation == "register_scalable_target" and "Tags" in called:
        called["Tags"] = {tag["Key"]: tag["Value"] for tag in called["Tags"]}
    for name in {"ModelName", "EndpointConfigName"} & call.parameters.keys():
        if call.operation in {"create_model", "create_endpoint_config"}:
            called[name] = call.parameters[name]
    return called


def agree(spec: EndpointSpec) -> None:
    calls = to_boto3(spec)
    created = deployed(to_cloudformation(spec), calls)
    assert [as_called(*pair) for pair in zip(created, calls, strict=True)] == [call.parameters for call in calls]


def lint(spec: EndpointSpec, template: dict[str, Any]) -> list[str]:
    return [str(match) for match in cfnlint.api.lint(json.dumps(template), regions=[spec.region or ""])]


@pytest.mark.parametrize("name", SPECS)
def test_cfn_lint_finds_nothing(name):
    assert lint(SPECS[name], to_cloudformation(SPECS[name])) == []


def test_cfn_lint_finds_nothing_where_the_role_is_a_parameter():
    assert lint(WITHOUT_ROLE, to_cloudformation(WITHOUT_ROLE)) == []


def test_cfn_lint_would_find_an_unknown_property():
    template = to_cloudformation(SPECS["demo"])
    template["Resources"]["EndpointConfig"]["Properties"]["CrossRegionTrafficConfig"] = {}
    assert "E3002" in " ".join(lint(SPECS["demo"], template))


@pytest.mark.parametrize("name", SPECS)
def test_creates_what_the_boto3_calls_create(name):
    agree(SPECS[name])


@given(specs())
@settings(max_examples=40, deadline=None)
def test_creates_what_the_boto3_calls_create_of_any_spec(spec):
    agree(spec)


@given(specs())
@settings(max_examples=20, deadline=None)
def test_the_same_spec_gives_the_same_bytes(spec):
    again = EndpointSpec.parse(spec.model_dump(exclude_none=True))
    assert json.dumps(to_cloudformation(spec)) == json.dumps(to_cloudformation(again))


def test_names_only_what_keeps_its_name():
    for name in SPECS:
        for entry in to_cloudformation(SPECS[name])["Resources"].values():
            own_name = NAME_PROPERTY.get(KINDS[entry["Type"]])
            immutable = entry["Type"] in {TYPES[Kind.MODEL], TYPES[Kind.ENDPOINT_CONFIG]}
            assert immutable == (own_name is not None and own_name not in entry["Properties"])


def test_an_update_keeps_scaled_counts_and_follows_the_guardrails():
    endpoint = to_cloudformation(SPECS["autoscaled"])["Resources"]["Endpoint"]["Properties"]
    assert endpoint["RetainAllVariantProperties"] is True
    assert "RollingUpdatePolicy" in endpoint["DeploymentConfig"]
    assert "RetainAllVariantProperties" not in to_cloudformation(SPECS["demo"])["Resources"]["Endpoint"]["Properties"]


def test_order_is_said_where_no_reference_says_it():
    entries = to_cloudformation(SPECS["components"])["Resources"]
    llama = logical_id(Ref(Kind.INFERENCE_COMPONENT, "llama"))
    target = logical_id(Ref(Kind.SCALABLE_TARGET, "component-llama"))
    awaited = {name: entry["DependsOn"] for name, entry in entries.items() if "DependsOn" in entry}
    assert awaited == {
        logical_id(Ref(Kind.INFERENCE_COMPONENT, "legal-adapter")): [llama],
        target: [llama],
        logical_id(Ref(Kind.SCALING_POLICY, "component-llama")): sorted([llama, target]),
    }


def test_scaling_of_a_variant_waits_for_the_endpoint():
    resources = to_cloudformation(SPECS["autoscaled"])["Resources"]
    target = resources[logical_id(Ref(Kind.SCALABLE_TARGET, "variant-main"))]["Properties"]
    assert target["ResourceId"] == {"Fn::Sub": "endpoint/${Endpoint.EndpointName}/variant/main"}


def test_a_component_is_updated_by_its_own_guardrails():
    llama = to_cloudformation(SPECS["components"])["Resources"][logical_id(Ref(Kind.INFERENCE_COMPONENT, "llama"))]
    assert llama["Properties"]["DeploymentConfig"]["RollingUpdatePolicy"]["WaitIntervalInSeconds"] == 60


def test_asks_for_a_role_only_where_the_spec_has_none():
    template = to_cloudformation(WITHOUT_ROLE)
    assert template["Parameters"].keys() == {"ExecutionRoleArn"}
    assert template["Resources"]["Model"]["Properties"]["ExecutionRoleArn"] == {"Ref": "ExecutionRoleArn"}
    assert all("Parameters" not in to_cloudformation(spec) for spec in SPECS.values())


def test_asks_for_the_role_of_components_too():
    spec = EndpointSpec.parse(SPECS["components"].model_dump(exclude_none=True, exclude={"execution_role_arn"}))
    template = to_cloudformation(spec)
    assert template["Parameters"].keys() == {"ExecutionRoleArn"}
    kinds = {"AWS::SageMaker::Model", "AWS::SageMaker::EndpointConfig"}
    takers = [each["Properties"] for each in template["Resources"].values() if each["Type"] in kinds]
    assert [each["ExecutionRoleArn"] for each in takers] == [{"Ref": "ExecutionRoleArn"}] * 3


def test_ids_differ_wherever_labels_do_also_without_case():
    labels = ["llama-3", "llama3", "Llama3", "l-lama3", "llama-3-1", "llama-31"]
    ids = [logical_id(Ref(Kind.INFERENCE_COMPONENT, label)) for label in labels]
    assert len({each.lower() for each in ids}) == len(labels)
    assert all(each.isalnum() for each in ids)


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        (
            demo(variants=[demo_variant(routing_config={"routing_strategy": "KV_AWARE"})]),
            "EndpointConfig.ProductionVariants[0].RoutingConfig.RoutingStrategy",
        ),
        (
            demo(
                cross_region_traffic_config={
                    "max_invocations_per_second_per_instance": 5,
                    "max_cross_region_percent_per_endpoint": 10,
                }
            ),
            "EndpointConfig.CrossRegionTrafficConfig",
        ),
        (MIG, "EndpointConfig.ProductionVariants[0].AcceleratorPartitionLayouts"),
        (TYPED, "InferenceComponent.Specification.InstanceType"),
        (DRAFTED, "Model.PrimaryContainer.AdditionalModelDataSources"),
    ],
)
def test_refuses_what_cloudformation_has_no_place_for(spec, path):
    with pytest.raises(UnsupportedByTargetError, match=r"cfn-lint 1\.58\.0.*render boto3 calls") as caught:
        to_cloudformation(spec)
    assert caught.value.path == path
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert to_boto3(spec)


def test_an_environment_variable_may_be_called_like_a_missing_property():
    environment = {"AcceleratorType": "x", "CrossRegionTrafficConfig": "y"}
    model = {**SPECS["demo"].model_dump(exclude_none=True)["model"], "environment": environment}
    assert to_cloudformation(demo(model=model))


class TestGaps:
    """The tables of what CloudFormation lacks, against the schemas that cfn-lint ships: fails when AWS adds one."""

    def missing(self, kind: Kind) -> set[str]:
        root = schema(kind)
        shape = service("sagemaker").operation_model(OPERATIONS[kind]).input_shape
        return set(self.below(shape, root, root, ""))

    def below(self, shape: Any, part: dict[str, Any], root: dict[str, Any], path: str) -> list[str]:
        while "$ref" in part:
            part = root["definitions"][part["$ref"].rpartition("/")[2]]
        if shape.type_name == "list":
            return self.below(shape.member, part["items"], root, path)
        if shape.type_name != "structure":
            return []
        found: list[str] = []
        for name, member in shape.members.items():
            here = f"{path}.{name}".lstrip(".")
            known = part["properties"].get(name)
            found += [here] if known is None else self.below(member, known, root, here)
        return found

    @pytest.mark.parametrize("kind", OPERATIONS)
    def test_properties(self, kind):
        assert self.missing(kind) == MISSING_PROPERTIES.get(kind, frozenset())

    def test_strategies(self):
        known = schema(Kind.ENDPOINT_CONFIG)["definitions"]["RoutingConfig"]["properties"]["RoutingStrategy"]["enum"]
        taken = service("sagemaker").shape_for("RoutingStrategy").enum
        assert set(taken) - set(known) == {str(strategy) for strategy in MISSING_STRATEGIES}
