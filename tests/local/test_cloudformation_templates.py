"""Templates: their forms, their functions, and what is refused of them before anything is made."""

from __future__ import annotations

import json

import boto3
import pytest
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st
from local.stack_world import account, resource, topic

from warmroute.local.cloudformation.intrinsics import evaluate, holds, references
from warmroute.local.cloudformation.schemas import schema_of
from warmroute.local.cloudformation.target import Target, TargetScope, order
from warmroute.local.cloudformation.templates import parse_template
from warmroute.local.control.refusals import RefusedError

YAML = """
AWSTemplateFormatVersion: 2010-09-09
Parameters:
  Stage: {Type: String, Default: test}
Conditions:
  IsTest: !Equals [!Ref Stage, test]
Resources:
  Topic:
    Type: AWS::SNS::Topic
    Condition: IsTest
    Properties:
      TopicName: !Sub "${Stage}-${AWS::Region}"
      DisplayName: !If [IsTest, !Ref AWS::NoValue, Live]
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument: {Version: 2012-10-17, Statement: []}
Outputs:
  Name: {Value: !GetAtt Topic.TopicName}
  Zone: {Value: !Select [0, !GetAZs ""]}
"""


class FakeScope:
    """Everything has a value that says what it is."""

    def reference(self, name):
        return f"<{name}>"

    def attribute(self, logical_id, name):
        return f"<{logical_id}.{name}>"

    def condition(self, name):
        return name == "Yes"

    def mapping(self, name, first, second):
        return {"Images": {"us-east-1": {"vllm": "image"}}}[name][first][second]

    def imported(self, name):
        return f"<import {name}>"


@pytest.mark.parametrize(
    ("value", "comes_to"),
    [
        ({"Ref": "X"}, "<X>"),
        ({"Fn::GetAtt": ["X", "Outputs.Y"]}, "<X.Outputs.Y>"),
        ({"Fn::GetAtt": "X.Arn"}, "<X.Arn>"),
        ({"Fn::Join": ["-", ["a", {"Ref": "X"}, 3, True]]}, "a-<X>-3-true"),
        ({"Fn::Sub": "${X}/${X.Arn}/${!Literal}/$5"}, "<X>/<X.Arn>/${Literal}/$5"),
        ({"Fn::Sub": ["${Y}-${X}", {"Y": {"Ref": "Z"}}]}, "<Z>-<X>"),
        ({"Fn::Select": ["1", {"Fn::Split": [",", "a,b"]}]}, "b"),
        ({"Fn::If": ["Yes", 1, 2]}, 1),
        ({"Fn::If": ["No", 1, {"a": {"Fn::If": ["Yes", "b", "c"]}}]}, {"a": "b"}),
        ({"Fn::FindInMap": ["Images", "us-east-1", "vllm"]}, "image"),
        ({"Fn::FindInMap": ["Images", "nowhere", "vllm", {"DefaultValue": "none"}]}, "none"),
        ({"Fn::ImportValue": {"Fn::Sub": "${X}-arn"}}, "<import <X>-arn>"),
        ({"Fn::Base64": "hello"}, "aGVsbG8="),
        ({"Fn::ToJsonString": {"a": [{"Ref": "X"}]}}, '{"a": ["<X>"]}'),
        ({"Fn::Length": [1, 2]}, 2),
        ({"Ref": "X", "Other": 1}, {"Ref": "X", "Other": 1}),
    ],
)
def test_functions(value, comes_to):
    assert evaluate(value, FakeScope()) == comes_to


@pytest.mark.parametrize(
    ("condition", "result"),
    [
        ({"Fn::Equals": [{"Ref": "X"}, "<X>"]}, True),
        ({"Fn::Equals": ["true", True]}, True),
        ({"Fn::Not": [{"Condition": "Yes"}]}, False),
        ({"Fn::And": [{"Condition": "Yes"}, {"Condition": "No"}]}, False),
        ({"Fn::Or": [{"Condition": "Yes"}, {"Condition": "No"}]}, True),
    ],
)
def test_conditions(condition, result):
    assert holds(condition, FakeScope()) is result


@pytest.mark.parametrize(
    "value", [{"Fn::Nonsense": 1}, {"Fn::Join": 3}, {"Fn::Select": [9, ["a"]]}, {"Fn::FindInMap": ["Images", "x", "y"]}]
)
def test_what_no_function_can_be_is_refused(value):
    with pytest.raises(RefusedError, match="Template"):
        evaluate(value, FakeScope())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(min_size=2), inner, max_size=4),
    max_leaves=20,
)


@given(JSON.filter(lambda value: "Ref" not in json.dumps(value) and "Fn::" not in json.dumps(value)))
def test_a_value_without_functions_is_itself(value):
    assert evaluate(value, FakeScope()) == value
    assert list(references(value)) == []


@given(JSON)
def test_json_is_read_as_json(value):
    assert parse_template(json.dumps({"Resources": value})) == {"Resources": value}


@given(st.dictionaries(st.sampled_from("abcdef"), st.frozensets(st.sampled_from("abcdef")), max_size=6))
def test_an_order_has_everything_after_what_it_needs_or_there_is_a_circle(needs):
    try:
        found = order(needs)
    except RefusedError:
        assert _has_circle(needs)
        return
    assert not _has_circle(needs)
    assert sorted(found) == sorted(needs)
    for place, name in enumerate(found):
        assert needs[name] & set(needs) <= set(found[:place])


def _has_circle(needs):
    left = {name: needs[name] & set(needs) for name in needs}
    while free := [name for name in left if not left[name] & set(left)]:
        for name in free:
            del left[name]
    return bool(left)


def test_short_forms_conditions_and_dates_of_yaml():
    template = parse_template(YAML)
    assert template["Resources"]["Role"]["Properties"]["AssumeRolePolicyDocument"]["Version"] == "2012-10-17"
    with account() as aws:
        aws.cloudformation.create_stack(StackName="stack", TemplateBody=YAML)
        assert aws.outputs() == {"Name": "test-us-east-1", "Zone": "us-east-1a"}
        stage = [{"ParameterKey": "Stage", "ParameterValue": "live"}]
        body = YAML.replace("  Name: {Value: !GetAtt Topic.TopicName}\n", "")
        aws.cloudformation.update_stack(StackName="stack", TemplateBody=body, Parameters=stage)
        assert aws.settled() == "UPDATE_COMPLETE"
        assert aws.client("sns").list_topics()["Topics"] == []


def _body(**blocks):
    return json.dumps({"Resources": {"Topic": topic()}, **blocks})


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("[1]", "unsupported structure"),
        ("a: [", "YAML not well-formed"),
        ("!!python/object/apply:os.system ['true']", "YAML not well-formed|unsupported structure"),
        ("{}", "At least one Resources member must be defined"),
        (_body(Resources={"X": {}}), r"\[/Resources/X\] Every Resources object must contain a Type member"),
        (_body(Transform="AWS::Serverless-2016-10-31"), "Transform AWS::Serverless"),
        (_body(Outputs={"O": {"Value": {"Ref": "Nobody"}}}), r"\[Nobody\] in the Outputs block"),
        (_body(Resources={"X": topic(DependsOn="Y")}), r"\[Y\] in the Resources block"),
        (_body(Resources={"X": topic(Condition="Y")}), "condition dependency Y"),
        (
            _body(Outputs={"O": {"Value": {"Fn::GetAtt": ["Topic", "Colour"]}}}),
            "resource Topic does not support attribute type Colour in Fn::GetAtt",
        ),
        (
            _body(Resources={"A": topic({"Ref": "B"}), "B": topic({"Ref": "A"})}),
            r"Circular dependency between resources: \[A, B\]",
        ),
        (_body(Parameters={"P": {"Type": "String"}}), r"Parameters: \[P\] must have values"),
        (_body(Parameters={"P": {"Type": "String", "Default": "x", "AllowedValues": ["y"]}}), "AllowedValues"),
        (_body(Parameters={"P": {"Type": "Number", "Default": "many"}}), "must be a number"),
        (_body(Parameters={"P": {"Type": "Number", "Default": 3, "MinValue": 4}}), "MinValue 4"),
        (
            _body(Parameters={"P": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/none"}}),
            r"Unable to fetch parameters \[/none\]",
        ),
    ],
)
def test_what_no_stack_can_follow_is_refused(body, says):
    with account() as aws:
        with pytest.raises(ClientError, match=says) as refused:
            aws.cloudformation.create_stack(StackName="stack", TemplateBody=body)
        assert refused.value.response["Error"]["Code"] == "ValidationError"
        assert aws.cloudformation.list_stacks()["StackSummaries"] == []


def test_parameters_that_are_not_declared_are_refused():
    given_ = [{"ParameterKey": "Q", "ParameterValue": "1"}]
    with account() as aws, pytest.raises(ClientError, match=r"Parameters: \[Q\] do not exist in the template"):
        aws.cloudformation.create_stack(StackName="stack", TemplateBody=_body(), Parameters=given_)


def test_secret_parameters_stay_unseen():
    with account() as aws:
        parameters = {"Parameters": {"Token": {"Type": "String", "NoEcho": True}}}
        given_ = [{"ParameterKey": "Token", "ParameterValue": "hf_abc"}]
        aws.deploy({"Topic": topic()}, template=parameters, Parameters=given_)
        assert aws.stack()["Parameters"] == [{"ParameterKey": "Token", "ParameterValue": "****"}]


def test_words_become_what_the_schema_says():
    schema = schema_of("AWS::SageMaker::EndpointConfig")
    assert schema is not None
    variant = {"VariantName": 1, "InitialInstanceCount": "2", "InitialVariantWeight": "0.5", "EnableSSMAccess": "true"}
    conformed = schema.conform({"ProductionVariants": [variant]})["ProductionVariants"][0]
    assert conformed == {
        "VariantName": "1",
        "InitialInstanceCount": 2,
        "InitialVariantWeight": 0.5,
        "EnableSSMAccess": True,
    }
    assert schema.conform(schema.conform({"ProductionVariants": [variant]})) == {"ProductionVariants": [conformed]}


def test_a_template_from_a_bucket():
    with account() as aws:
        aws.client("s3").create_bucket(Bucket="templates")
        aws.client("s3").put_object(Bucket="templates", Key="a/b.json", Body=_body().encode())
        for number, url in enumerate(
            ("https://s3.us-east-1.amazonaws.com/templates/a/b.json", "https://templates.s3.amazonaws.com/a/b.json")
        ):
            aws.cloudformation.create_stack(StackName=f"stack{number}", TemplateURL=url, OnFailure="DELETE")
        assert aws.settled("stack0") == "CREATE_COMPLETE"
        with pytest.raises(ClientError, match="S3 error"):
            aws.cloudformation.create_stack(StackName="none", TemplateURL="https://s3.amazonaws.com/templates/none")


def test_every_declaration_is_in_the_order():
    template = {"Resources": {"A": topic({"Ref": "B"}), "B": resource("SNS::Topic")}}
    target = Target("", template)
    assert list(target.declarations) == ["B", "A"]
    assert target.dependencies("A") == {"B"}
    assert TargetScope(target, {}).outputs() == []


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"Ref": "AWS::Region"}, "us-east-1"),
        ({"Ref": "AWS::AccountId"}, "123456789012"),
        ({"Ref": "AWS::Partition"}, "aws"),
        ({"Ref": "AWS::URLSuffix"}, "amazonaws.com"),
        ({"Fn::Sub": "${AWS::StackName}"}, "stack"),
    ],
)
def test_conditions_know_account_and_region_as_every_stack_without_an_environment_asks(left, right):
    conditions = {"Holds": {"Fn::Or": [{"Fn::Equals": [left, "other"]}, {"Fn::Equals": [left, right]}]}}
    with account() as aws:
        status = aws.deploy({"Topic": topic(Condition="Holds")}, template={"Conditions": conditions})
        assert (status, list(aws.physical_ids())) == ("CREATE_COMPLETE", ["Topic"])


NEVER = {"Conditions": {"Never": {"Fn::Equals": ["a", "b"]}}}


@pytest.mark.parametrize(
    "value",
    [
        {"Ref": "Absent"},
        {"Fn::GetAtt": ["Absent", "TopicName"]},
        {"Fn::Sub": "${Absent}-more"},
        {"Fn::If": ["Never", "a", {"Ref": "Absent"}]},
    ],
)
@pytest.mark.parametrize("block", ["Resources", "Outputs"])
def test_what_refers_to_a_resource_that_its_condition_leaves_out_is_refused_at_once(value, block):
    resources = {"Absent": topic("absent", Condition="Never"), "Topic": topic()}
    outputs = {}
    if block == "Resources":
        resources["Topic"] = topic(value)
    else:
        outputs = {"Outputs": {"Name": {"Value": value}}}
    with account() as aws:
        with pytest.raises(ClientError, match=rf"Unresolved resource dependencies \[Absent\] in the {block} block"):
            aws.deploy(resources, template={**NEVER, **outputs})
        assert aws.cloudformation.list_stacks()["StackSummaries"] == []


def test_a_branch_that_is_not_taken_may_refer_to_what_a_condition_leaves_out():
    chosen = {"Fn::If": ["Never", {"Ref": "Absent"}, "news"]}
    resources = {
        "Absent": topic("absent", Condition="Never"),
        "Topic": topic(chosen, DependsOn="Absent"),
    }
    outputs = {"Absent": {"Condition": "Never", "Value": {"Ref": "Absent"}}, "Name": {"Value": chosen}}
    with account() as aws:
        assert aws.deploy(resources, template={**NEVER, "Outputs": outputs}) == "CREATE_COMPLETE"
        assert aws.outputs() == {"Name": "news"}


def _with(value):
    return {"Resources": {"Topic": resource("SNS::Topic", {"TopicName": value})}}


def _condition(value):
    return {"Conditions": {"Yes": value}, "Resources": {"Topic": topic(Condition="Yes")}}


def _output(value):
    return {"Outputs": {"Out": value}, "Resources": {"Topic": topic()}}


MALFORMED = [
    *(_with({name: argument}) for name in ("Ref", "Fn::GetAtt", "Fn::Sub", "Fn::If") for argument in (5, [], ["A"])),
    _with({"Fn::Sub": ["${A}", ["A"]]}),
    _with({"Fn::If": ["Absent", "a", "b"]}),
    *(_condition(each) for each in (["x"], "x", {"Fn::Equals": ["a"]}, {"Fn::Not": []}, {"Fn::And": "x"})),
    {**_condition({"Condition": "No"}), "Conditions": {"Yes": {"Condition": "No"}, "No": {"Condition": "Yes"}}},
    *(_output(each) for each in ("x", {}, {"Value": None}, {"Value": "x", "Export": "x"})),
    *({"Resources": {"Topic": topic(DependsOn=each)}} for each in (5, None, [["Topic"]])),
    *({"Resources": {"Topic": {"Type": each}}} for each in (5, None, ["AWS::SNS::Topic"])),
    *({"Resources": {"Topic": {**topic(), "Properties": each}}} for each in ("x", ["x"])),
    *({"Resources": {"Topic": topic()}, name: "x"} for name in ("Parameters", "Mappings", "Conditions", "Outputs")),
    {"Resources": {"a-topic": topic()}},
    {"Resources": {f"Topic{number}": topic(f"{number}") for number in range(501)}},
    {
        "Resources": {"Topic": topic()},
        "Parameters": {"Name": {"Type": "String", "AllowedPattern": "(", "Default": "x"}},
    },
    *({"Resources": {"Topic": topic(DeletionPolicy=each)}} for each in ("Keep", "retain", 5, None)),
    *({"Resources": {"Topic": topic(UpdateReplacePolicy=each)}} for each in ("Keep", "RetainExceptOnCreate")),
    *(
        {"Resources": {"Topic": topic()}, "Parameters": {"Name": {**each, "Default": "x"}}}
        for each in ({}, {"Type": "string"}, {"Type": "List<Text>"}, {"Type": ["String"]})
    ),
    {"Resources": {"Topic": topic()}, "Parameters": {"Topic": {"Type": "String", "Default": "x"}}},
    *(
        {
            "Resources": {"Topic": topic()},
            "Outputs": {key: {"Value": key, "Export": {"Name": name}} for key, name in names.items()},
        }
        for names in ({"A": "same", "B": "same"}, {"A": "stack-a", "B": {"Fn::Sub": "${AWS::StackName}-a"}})
    ),
    {"Resources": {"Topic": topic()}, "Parameters": {"Numbers": {"Type": "List<Number>", "Default": "1,b"}}},
]


@pytest.mark.parametrize("template", MALFORMED, ids=lambda template: json.dumps(template)[:80])
def test_a_malformed_template_is_refused_before_there_is_a_stack(template):
    with account() as aws:
        with pytest.raises(ClientError) as refused:
            aws.cloudformation.create_stack(StackName="stack", TemplateBody=json.dumps(template))
        assert refused.value.response["Error"]["Code"] == "ValidationError"
        assert aws.cloudformation.list_stacks()["StackSummaries"] == []


@pytest.mark.parametrize(
    "value",
    [
        {"Fn::Select": [-1, ["a", "b"]]},
        {"Fn::Select": [0, "ab"]},
        {"Fn::Join": ["-", "ab"]},
    ],
)
def test_a_function_takes_no_more_than_cloudformation_s(value):
    with pytest.raises(RefusedError, match="cannot take"):
        evaluate(value, FakeScope())


@pytest.mark.parametrize(("value", "text"), [(True, "true"), (1, "1"), ("x", "x")])
def test_an_output_is_text(value, text):
    with account() as aws:
        aws.deploy({"Topic": topic()}, template={"Outputs": {"Out": {"Value": value}}})
        assert aws.outputs() == {"Out": text}


@pytest.mark.parametrize("value", [["a", "b"], {"Ref": "AWS::NoValue"}])
def test_an_output_that_is_no_text_fails(value):
    with account() as aws:
        assert aws.deploy({"Topic": topic()}, template={"Outputs": {"Out": {"Value": value}}}) == "ROLLBACK_COMPLETE"
        assert "must evaluate to a String" in aws.reasons()


def test_each_of_a_list_is_one_of_the_allowed_values():
    parameter = {"Type": "CommaDelimitedList", "Default": "a, b", "AllowedValues": ["a", "b"]}
    with account() as aws:
        assert aws.deploy({"Topic": topic()}, template={"Parameters": {"Names": parameter}}) == "CREATE_COMPLETE"


def test_arns_are_those_of_the_partition():
    outputs = {"Group": {"Value": {"Fn::GetAtt": ["Group", "Arn"]}}, "Box": {"Value": {"Fn::GetAtt": ["Box", "Arn"]}}}
    template = {"Resources": {"Group": resource("Logs::LogGroup"), "Box": resource("S3::Bucket")}, "Outputs": outputs}
    with account():
        china = boto3.client("cloudformation", region_name="cn-north-1")
        china.create_stack(StackName="stack", TemplateBody=json.dumps(template))
        (stack,) = china.describe_stacks()["Stacks"]
        assert [each["OutputValue"].startswith("arn:aws-cn:") for each in stack["Outputs"]] == [True, True]
