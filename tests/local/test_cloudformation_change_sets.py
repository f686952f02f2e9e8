"""Change sets, imports and drift: what the CDK asks before, and what it finds after."""

from __future__ import annotations

import functools
import json
import re

import pytest
from botocore.exceptions import ClientError
from local.stack_world import ROLE, account, endpoint, get, resource, topic

from warmroute.local.cloudformation.schemas import schema_of
from warmroute.local.cloudformation.types import SUPPORTED
from warmroute.local.cloudformation.types.recorded import Recorded
from warmroute.local.control import fail_next_deployment


@pytest.fixture
def aws():
    with account() as empty:
        yield empty


def propose(aws, resources, kind="UPDATE", name="proposal", stack="stack", **options):
    template = {"Resources": resources, **options.pop("template", {})}
    aws.cloudformation.create_change_set(
        StackName=stack, ChangeSetName=name, ChangeSetType=kind, TemplateBody=json.dumps(template), **options
    )
    return aws.cloudformation.describe_change_set(StackName=stack, ChangeSetName=name)


def changes(described):
    found = (each["ResourceChange"] for each in described["Changes"])
    return {each["LogicalResourceId"]: (each["Action"], each.get("Replacement")) for each in found}


def execute(aws, name="proposal", stack="stack"):
    aws.cloudformation.execute_change_set(StackName=stack, ChangeSetName=name)
    return aws.settled(stack)


def test_a_new_stack_awaits_its_review_and_then_has_outputs(aws):
    described = propose(aws, {"Topic": topic()}, "CREATE", template={"Outputs": {"Arn": {"Value": {"Ref": "Topic"}}}})
    assert (described["Status"], described["ExecutionStatus"]) == ("CREATE_COMPLETE", "AVAILABLE")
    assert changes(described) == {"Topic": ("Add", None)}
    assert aws.stack()["StackStatus"] == "REVIEW_IN_PROGRESS"

    assert execute(aws) == "CREATE_COMPLETE"
    assert aws.outputs()["Arn"].endswith(":news")
    with pytest.raises(ClientError) as gone:
        aws.cloudformation.describe_change_set(StackName="stack", ChangeSetName="proposal")
    assert gone.value.response["Error"]["Code"] == "ChangeSetNotFound"


def test_what_changes_is_foreseen_through_references(aws):
    aws.deploy({**endpoint(EndpointName="bot"), "Topic": topic()})
    before, configs = aws.physical_ids(), aws.configs()
    described = propose(aws, {**endpoint("LEAST_OUTSTANDING_REQUESTS", EndpointName="bot"), "New": topic("new")})
    assert changes(described) == {
        "Config": ("Modify", "True"),
        "Endpoint": ("Modify", "False"),
        "New": ("Add", None),
        "Topic": ("Remove", None),
    }
    assert (aws.physical_ids(), aws.configs()) == (before, configs)
    assert execute(aws) == "UPDATE_COMPLETE"
    assert set(aws.physical_ids()) == {"Config", "Endpoint", "Model", "New"}


def test_a_change_set_that_changes_nothing_fails_with_the_words_that_the_cdk_knows(aws):
    aws.deploy({"Topic": topic()})
    described = propose(aws, {"Topic": topic()})
    assert (described["Status"], described["ExecutionStatus"]) == ("FAILED", "UNAVAILABLE")
    assert described["StatusReason"].startswith("The submitted information didn't contain changes.")
    with pytest.raises(ClientError, match="cannot be executed in its current status"):
        execute(aws)


def test_change_sets_of_one_name_belong_to_their_stacks(aws):
    propose(aws, {"One": topic("one")}, "CREATE", stack="first")
    propose(aws, {"Two": topic("two")}, "CREATE", stack="second")
    described = aws.cloudformation.describe_change_set(StackName="first", ChangeSetName="proposal")
    assert changes(described) == {"One": ("Add", None)}
    assert len(aws.cloudformation.list_change_sets(StackName="second")["Summaries"]) == 1
    aws.cloudformation.delete_change_set(StackName="first", ChangeSetName="proposal")
    aws.cloudformation.delete_change_set(StackName="first", ChangeSetName="proposal")
    assert execute(aws, stack="second") == "CREATE_COMPLETE"


def test_outputs_alone_can_change(aws):
    aws.deploy({"Topic": topic()})
    described = propose(aws, {"Topic": topic()}, template={"Outputs": {"Arn": {"Value": {"Ref": "Topic"}}}})
    assert (described["Status"], described["Changes"]) == ("CREATE_COMPLETE", [])
    assert execute(aws) == "UPDATE_COMPLETE"
    assert "Arn" in aws.outputs()


def test_the_bootstrap_rule_s_parameter_keeps_its_value(aws):
    """Every stack of the CDK has it: read from the parameter store, defaulted, never passed."""
    parameter = {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/cdk-bootstrap/hnb659fds/version"}
    template = {"Parameters": {"BootstrapVersion": parameter}}
    kept = [{"ParameterKey": "BootstrapVersion", "UsePreviousValue": True}]
    propose(aws, {"Topic": topic()}, "CREATE", template=template)
    assert execute(aws) == "CREATE_COMPLETE"
    (shown,) = aws.stack()["Parameters"]
    assert int(shown["ParameterValue"]) >= 6
    propose(aws, {"Topic": topic(), "More": topic("more")}, template=template, Parameters=kept)
    assert execute(aws) == "UPDATE_COMPLETE"
    assert aws.deploy({"Topic": topic()}, template=template, Parameters=kept) == "UPDATE_COMPLETE"


def test_what_exists_can_be_brought_into_a_stack(aws):
    kept = {name: {**each, "DeletionPolicy": "Retain"} for name, each in endpoint(EndpointName="bot").items()}
    aws.deploy(kept, "other")
    arn = aws.physical_ids("other")["Endpoint"]
    aws.delete("other")
    (config,) = aws.configs()
    imported = resource(
        "SageMaker::Endpoint", {"EndpointName": "bot", "EndpointConfigName": config}, DeletionPolicy="Retain"
    )
    wanted = [
        {
            "ResourceType": "AWS::SageMaker::Endpoint",
            "LogicalResourceId": "Bot",
            "ResourceIdentifier": {"EndpointArn": arn},
        }
    ]
    described = propose(aws, {"Bot": imported}, "IMPORT", ResourcesToImport=wanted)
    assert changes(described) == {"Bot": ("Import", None)}
    assert execute(aws) == "IMPORT_COMPLETE"
    assert aws.physical_ids() == {"Bot": arn}
    summary = aws.cloudformation.get_template_summary(StackName="stack")
    assert summary["ResourceIdentifierSummaries"][0]["ResourceIdentifiers"] == ["EndpointArn"]
    assert aws.deploy({"Bot": imported, "Topic": topic()}) == "UPDATE_COMPLETE"


def test_what_does_not_exist_is_not_imported(aws):
    imported = resource("SNS::Topic", {"TopicName": "news"}, DeletionPolicy="Retain")
    wanted = [{"ResourceType": "AWS::SNS::Topic", "LogicalResourceId": "T", "ResourceIdentifier": {"TopicArn": "arn"}}]
    model = resource("SageMaker::Model", {"ModelName": "nope"}, DeletionPolicy="Retain")
    named = {"ModelArn": "arn:aws:sagemaker:us-east-1:123456789012:model/nope"}
    wanted = [{"ResourceType": "AWS::SageMaker::Model", "LogicalResourceId": "M", "ResourceIdentifier": named}]
    propose(aws, {"M": model}, "IMPORT", ResourcesToImport=wanted)
    assert execute(aws) == "IMPORT_ROLLBACK_COMPLETE"
    assert "was not found" in aws.reasons()
    with pytest.raises(ClientError, match="missing from ResourceToImport"):
        propose(aws, {"T": imported}, "IMPORT", stack="another", ResourcesToImport=[])


ALIAS = {"AliasName": "alias/none", "TargetKeyId": "none"}
NEVER_MADE = {
    "AWS::SageMaker::Model": {},
    "AWS::SageMaker::EndpointConfig": {"ProductionVariants": []},
    "AWS::SageMaker::Endpoint": {"EndpointConfigName": "none"},
    "AWS::SageMaker::InferenceComponent": {"EndpointName": "none"},
    "AWS::ApplicationAutoScaling::ScalableTarget": {
        "MaxCapacity": 1,
        "MinCapacity": 1,
        "ResourceId": "endpoint/none/variant/main",
        "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
        "ServiceNamespace": "sagemaker",
    },
    "AWS::ApplicationAutoScaling::ScalingPolicy": {
        "PolicyName": "none",
        "PolicyType": "TargetTrackingScaling",
        "ServiceNamespace": "sagemaker",
    },
    "AWS::CloudWatch::Alarm": {"ComparisonOperator": "GreaterThanThreshold", "EvaluationPeriods": 1},
    "AWS::CloudWatch::CompositeAlarm": {"AlarmRule": "TRUE"},
    "AWS::CloudWatch::Dashboard": {"DashboardBody": "{}"},
    "AWS::IAM::Role": {"AssumeRolePolicyDocument": {}},
    "AWS::IAM::Policy": {"PolicyName": "none", "PolicyDocument": {}, "Roles": ["none"]},
    "AWS::IAM::ManagedPolicy": {"PolicyDocument": {}},
    "AWS::KMS::Key": {},
    "AWS::KMS::Alias": ALIAS,
    "AWS::SNS::Topic": {},
    "AWS::SNS::TopicPolicy": {
        "PolicyDocument": {},
        "Topics": ["arn:aws:sns:us-east-1:123456789012:none"],
    },
    "AWS::SNS::Subscription": {"Protocol": "email", "TopicArn": "arn:aws:sns:us-east-1:123456789012:none"},
    "AWS::Logs::LogGroup": {},
    "AWS::S3::Bucket": {},
    "AWS::S3::BucketPolicy": {"Bucket": "none", "PolicyDocument": {}},
    "AWS::SecretsManager::Secret": {},
    "AWS::SSM::Parameter": {"Type": "String", "Value": "x"},
    "AWS::ECR::Repository": {},
    "AWS::SQS::Queue": {},
}
"""Of every type of which something is made, what it needs at least."""


def test_every_type_of_which_something_is_made_is_among_those_never_made():
    only_recorded = {kind for kind, made in SUPPORTED.items() if isinstance(made, Recorded)}
    assert SUPPORTED.keys() - only_recorded == NEVER_MADE.keys() - {"AWS::SQS::Queue"}


@pytest.mark.parametrize(("kind", "properties"), NEVER_MADE.items())
def test_no_type_imports_what_does_not_exist(aws, kind, properties):
    schema = schema_of(kind)
    named = {name: properties.get(name, ARNS.get(kind, "none")) for name in schema.identifier}
    wanted = {"ResourceType": kind, "LogicalResourceId": "It", "ResourceIdentifier": named}
    imported = {"Type": kind, "Properties": properties, "DeletionPolicy": "Retain"}
    propose(aws, {"It": imported}, "IMPORT", ResourcesToImport=[wanted])
    assert execute(aws) == "IMPORT_ROLLBACK_COMPLETE"
    assert re.search("was not found|cannot import", aws.reasons()), aws.reasons()


ARNS = {
    "AWS::SNS::Topic": "arn:aws:sns:us-east-1:123456789012:none",
    "AWS::SNS::Subscription": "arn:aws:sns:us-east-1:123456789012:none:1",
    "AWS::KMS::Alias": "alias/none",
    "AWS::IAM::ManagedPolicy": "arn:aws:iam::123456789012:policy/none",
}


def test_what_an_operator_has_made_is_imported(aws):
    topic_arn = aws.client("sns").create_topic(Name="news")["TopicArn"]
    aws.client("logs").create_log_group(logGroupName="/bot")
    key = aws.client("kms").create_key()["KeyMetadata"]["KeyId"]
    aws.client("kms").create_alias(AliasName="alias/models", TargetKeyId=key)
    secret = aws.client("secretsmanager").create_secret(Name="hf", SecretString="hf_abc")["ARN"]
    aws.client("ssm").put_parameter(Name="/place", Value="here", Type="String")
    aws.client("ecr").create_repository(repositoryName="vllm")
    made = {
        "Topic": ("SNS::Topic", {"TopicName": "news"}, {"TopicArn": topic_arn}),
        "Logs": ("Logs::LogGroup", {"LogGroupName": "/bot"}, {"LogGroupName": "/bot"}),
        "Key": ("KMS::Key", {}, {"KeyId": key}),
        "Name": ("KMS::Alias", {"AliasName": "alias/models", "TargetKeyId": key}, {"AliasName": "alias/models"}),
        "Token": ("SecretsManager::Secret", {"Name": "hf"}, {"Id": secret}),
        "Place": ("SSM::Parameter", {"Name": "/place", "Type": "String", "Value": "here"}, {"Name": "/place"}),
        "Images": ("ECR::Repository", {"RepositoryName": "vllm"}, {"RepositoryName": "vllm"}),
    }
    wanted = [
        {"ResourceType": f"AWS::{kind}", "LogicalResourceId": name, "ResourceIdentifier": named}
        for name, (kind, _, named) in made.items()
    ]
    resources = {name: resource(kind, said, DeletionPolicy="Retain") for name, (kind, said, _) in made.items()}
    propose(aws, resources, "IMPORT", ResourcesToImport=wanted)
    assert execute(aws) == "IMPORT_COMPLETE", aws.reasons()


def drift(aws):
    number = aws.cloudformation.detect_stack_drift(StackName="stack")["StackDriftDetectionId"]
    status = aws.cloudformation.describe_stack_drift_detection_status(StackDriftDetectionId=number)
    drifts = aws.cloudformation.describe_stack_resource_drifts(StackName="stack")["StackResourceDrifts"]
    found = {each["LogicalResourceId"]: each for each in drifts if each["StackResourceDriftStatus"] != "IN_SYNC"}
    return status["StackDriftStatus"], found


def test_drift_is_found_where_the_account_was_changed_by_hand(aws):
    target = {
        "ServiceNamespace": "sagemaker",
        "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
        "ResourceId": {"Fn::Sub": "endpoint/${Endpoint.EndpointName}/variant/main"},
        "MinCapacity": "1",
        "MaxCapacity": 4,
    }
    scaled = {**endpoint(EndpointName="bot"), "Target": resource("ApplicationAutoScaling::ScalableTarget", target)}
    aws.deploy(scaled, Tags=[{"Key": "team", "Value": "search"}])
    assert drift(aws) == ("IN_SYNC", {})

    variant = {"VariantName": "main", "InstanceType": "ml.g5.xlarge", "InitialInstanceCount": 1, "ModelName": "m"}
    container = {"Image": "i"}
    aws.sagemaker.create_model(ModelName="m", ExecutionRoleArn=ROLE, PrimaryContainer=container)
    aws.sagemaker.create_endpoint_config(EndpointConfigName="by-hand", ProductionVariants=[variant])
    aws.sagemaker.update_endpoint(EndpointName="bot", EndpointConfigName="by-hand")
    aws.clock.advance(10)
    aws.client("application-autoscaling").deregister_scalable_target(
        **{key: target[key] for key in ("ServiceNamespace", "ScalableDimension")},
        ResourceId="endpoint/bot/variant/main",
    )
    status, found = drift(aws)
    assert status == "DRIFTED"
    assert found["Target"]["StackResourceDriftStatus"] == "DELETED"
    (difference,) = found["Endpoint"]["PropertyDifferences"]
    assert (difference["PropertyPath"], difference["ActualValue"]) == ("/EndpointConfigName", "by-hand")


def test_a_description_tells_what_the_last_detection_found(aws):
    drifts = functools.partial(aws.cloudformation.describe_stack_resource_drifts, StackName="stack")
    aws.deploy(endpoint(EndpointName="bot"))
    assert drifts()["StackResourceDrifts"] == []
    assert drift(aws) == ("IN_SYNC", {})
    before = drifts()["StackResourceDrifts"]

    aws.sagemaker.delete_endpoint(EndpointName="bot")
    aws.clock.advance(10)
    assert drifts()["StackResourceDrifts"] == before
    assert drift(aws)[1].keys() == {"Endpoint"}


def test_a_component_in_sync_is_in_sync(aws):
    variant = {"VariantName": "main", "InstanceType": "ml.p5.48xlarge", "InitialInstanceCount": 1}
    component = {
        "InferenceComponentName": "llama",
        "EndpointName": get("Endpoint", "EndpointName"),
        "VariantName": "main",
        "Specification": {
            "ModelName": get("Model", "ModelName"),
            "ComputeResourceRequirements": {"MinMemoryRequiredInMb": "1024"},
        },
        "RuntimeConfig": {"CopyCount": 1},
    }
    resources = endpoint()
    resources["Config"] = resource("SageMaker::EndpointConfig", {"ProductionVariants": [variant]})
    aws.deploy({**resources, "Component": resource("SageMaker::InferenceComponent", component)})
    assert drift(aws) == ("IN_SYNC", {})


def test_an_update_makes_change_sets_obsolete(aws):
    aws.deploy({"Topic": topic("first")})
    propose(aws, {"Topic": topic("second")})
    aws.deploy({"Topic": topic("third")})
    with pytest.raises(ClientError) as refused:
        execute(aws)
    assert refused.value.response["Error"]["Code"] == "InvalidChangeSetStatus"


@pytest.mark.parametrize(("failing", "ends"), [(False, "EXECUTE_COMPLETE"), (True, "EXECUTE_FAILED")])
def test_an_executed_change_set_is_known_by_its_arn_and_not_executed_again(aws, failing, ends):
    arn = propose(aws, endpoint(EndpointName="bot"), "CREATE")["ChangeSetId"]
    if failing:
        fail_next_deployment("bot", "No capacity.")
    aws.cloudformation.execute_change_set(ChangeSetName=arn)
    told = functools.partial(aws.cloudformation.describe_change_set, ChangeSetName=arn)
    assert told()["ExecutionStatus"] == "EXECUTE_IN_PROGRESS"
    aws.settled()
    assert (told()["Status"], told()["ExecutionStatus"]) == ("CREATE_COMPLETE", ends)
    assert aws.cloudformation.list_change_sets(StackName="stack")["Summaries"] == []

    before = aws.events()
    with pytest.raises(ClientError, match=rf"in its current execution status of \[{ends}\]") as refused:
        aws.cloudformation.execute_change_set(ChangeSetName=arn)
    assert refused.value.response["Error"]["Code"] == "InvalidChangeSetStatus"
    assert aws.events() == before


def test_what_another_stack_has_is_not_brought_in(aws):
    aws.deploy({"Topic": topic()}, "other")
    wanted = {"ResourceType": "AWS::SNS::Topic", "LogicalResourceId": "Mine"}
    identified = {**wanted, "ResourceIdentifier": {"TopicArn": aws.physical_ids("other")["Topic"]}}
    propose(aws, {"Mine": topic(DeletionPolicy="Retain")}, "IMPORT", ResourcesToImport=[identified])
    assert execute(aws) == "IMPORT_ROLLBACK_COMPLETE"
    assert "already exists in stack" in aws.reasons()


def test_an_import_says_what_identifies_a_resource(aws):
    wanted = {"ResourceType": "AWS::SNS::Topic", "LogicalResourceId": "Mine", "ResourceIdentifier": {"Name": "news"}}
    with pytest.raises(ClientError, match=r"identified by \[TopicArn\]"):
        propose(aws, {"Mine": topic(DeletionPolicy="Retain")}, "IMPORT", ResourcesToImport=[wanted])


def test_no_call_shows_a_hidden_parameter(aws):
    parameters = {
        "Secret": {"Type": "String", "NoEcho": "true"},
        "Plain": {"Type": "String", "NoEcho": "false", "Default": "seen"},
    }
    given = [{"ParameterKey": "Secret", "ParameterValue": "hush"}, {"ParameterKey": "Plain", "ParameterValue": "seen"}]
    template = {"Parameters": parameters}
    described = propose(aws, {"Topic": topic()}, "CREATE", template=template, Parameters=given)
    execute(aws)
    for shown in (described["Parameters"], aws.stack()["Parameters"]):
        assert {each["ParameterKey"]: each["ParameterValue"] for each in shown} == {"Secret": "****", "Plain": "seen"}


QUERY = {"PromQLCriteria": {"Query": "up > 0", "PendingPeriod": 300, "RecoveryPeriod": 300}}
METRIC = {
    "Namespace": "AWS/SageMaker",
    "MetricName": "ModelLatency",
    "Dimensions": [{"Name": "EndpointName", "Value": "bot"}],
    "Statistic": "Average",
    "Period": 60,
    "EvaluationPeriods": 5,
    "DatapointsToAlarm": 3,
    "Threshold": 2.5,
    "ComparisonOperator": "GreaterThanThreshold",
    "TreatMissingData": "notBreaching",
}


@pytest.mark.parametrize(
    "alarm", [{"EvaluationCriteria": QUERY, "EvaluationInterval": 60}, METRIC], ids=["PromQL", "metric"]
)
def test_an_alarm_in_sync_is_in_sync(aws, alarm):
    def rings(description):
        return {"Alarm": resource("CloudWatch::Alarm", {"AlarmDescription": description, **alarm})}

    aws.deploy(rings("first"))
    assert drift(aws) == ("IN_SYNC", {})
    aws.deploy(rings("second"))
    assert drift(aws) == ("IN_SYNC", {})

    (made,) = aws.client("cloudwatch").describe_alarms()["MetricAlarms"]
    assert {key: made[key] for key in alarm} == alarm
