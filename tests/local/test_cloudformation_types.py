"""What stacks can have: what boto3 reads back of each type, and what a change of it does."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import pytest
from botocore.exceptions import ClientError
from local.stack_world import account, endpoint, get, resource, topic

from warmroute.local.cloudformation.schemas import schema_of
from warmroute.local.cloudformation.types import SUPPORTED

TRUST = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": "*"}]}
ALLOW = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]}


@pytest.fixture
def aws():
    with account() as empty:
        yield empty


def with_components(copies=2, **specification):
    variant = {"VariantName": "main", "InstanceType": "ml.p5.48xlarge", "InitialInstanceCount": 2}
    made = endpoint(EndpointName="bot")
    made["Config"] = resource("SageMaker::EndpointConfig", {"ProductionVariants": [variant]})
    requirements = {"NumberOfAcceleratorDevicesRequired": 4, "MinMemoryRequiredInMb": 1024}
    made["Base"] = resource(
        "SageMaker::InferenceComponent",
        {
            "InferenceComponentName": "llama",
            "EndpointName": get("Endpoint", "EndpointName"),
            "VariantName": "main",
            "Specification": {
                "ModelName": get("Model", "ModelName"),
                "ComputeResourceRequirements": {**requirements, **specification},
            },
            "RuntimeConfig": {"CopyCount": copies},
        },
    )
    made["Adapter"] = resource(
        "SageMaker::InferenceComponent",
        {
            "EndpointName": get("Endpoint", "EndpointName"),
            "Specification": {
                "BaseInferenceComponentName": get("Base", "InferenceComponentName"),
                "Container": {"ArtifactUrl": "s3://adapters/legal"},
            },
        },
    )
    return made


def test_components_and_adapters_are_made_changed_and_deleted(aws):
    assert aws.deploy(with_components()) == "CREATE_COMPLETE"
    base = aws.sagemaker.describe_inference_component(InferenceComponentName="llama")
    assert (base["InferenceComponentStatus"], base["RuntimeConfig"]["CurrentCopyCount"]) == ("InService", 2)
    assert len(aws.sagemaker.list_inference_components()["InferenceComponents"]) == 2

    before = aws.physical_ids()
    assert aws.deploy(with_components(3, MinMemoryRequiredInMb=2048)) == "UPDATE_COMPLETE"
    base = aws.sagemaker.describe_inference_component(InferenceComponentName="llama")
    assert base["RuntimeConfig"]["CurrentCopyCount"] == 3
    assert base["Specification"]["ComputeResourceRequirements"]["MinMemoryRequiredInMb"] == 2048
    assert aws.physical_ids() == before
    assert aws.delete() == "DELETE_COMPLETE"
    assert aws.sagemaker.list_inference_components()["InferenceComponents"] == []


def scaled(dimension, resource_id, maximum=4, value=5.0):
    policy = {
        "PolicyName": "concurrency",
        "PolicyType": "TargetTrackingScaling",
        "ScalingTargetId": {"Ref": "Target"},
        "TargetTrackingScalingPolicyConfiguration": {
            "TargetValue": value,
            "PredefinedMetricSpecification": {
                "PredefinedMetricType": "SageMakerVariantConcurrentRequestsPerModelHighResolution"
            },
        },
    }
    target = {
        "ServiceNamespace": "sagemaker",
        "ScalableDimension": dimension,
        "ResourceId": resource_id,
        "MinCapacity": "1",
        "MaxCapacity": maximum,
    }
    return {
        "Policy": resource("ApplicationAutoScaling::ScalingPolicy", policy),
        "Target": resource("ApplicationAutoScaling::ScalableTarget", target),
    }


@pytest.mark.parametrize(
    ("dimension", "resource_id"),
    [
        ("sagemaker:variant:DesiredInstanceCount", "endpoint/bot/variant/main"),
        ("sagemaker:inference-component:DesiredCopyCount", "inference-component/llama"),
    ],
)
def test_scaling_exists_changes_and_goes(aws, dimension, resource_id):
    scaling = aws.client("application-autoscaling")
    outputs = {"Outputs": {"Target": {"Value": {"Ref": "Target"}}, "Policy": {"Value": {"Ref": "Policy"}}}}
    aws.deploy(scaled(dimension, resource_id), template=outputs)
    (target,) = scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"]
    (policy,) = scaling.describe_scaling_policies(ServiceNamespace="sagemaker")["ScalingPolicies"]
    assert (target["MinCapacity"], target["MaxCapacity"], target["ResourceId"]) == (1, 4, resource_id)
    assert policy["TargetTrackingScalingPolicyConfiguration"]["TargetValue"] == 5.0
    assert aws.outputs() == {"Target": f"{resource_id}|{dimension}|sagemaker", "Policy": policy["PolicyARN"]}

    assert aws.deploy(scaled(dimension, resource_id, 9, 7.0), template=outputs) == "UPDATE_COMPLETE"
    (target,) = scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"]
    (changed,) = scaling.describe_scaling_policies(ServiceNamespace="sagemaker")["ScalingPolicies"]
    assert target["MaxCapacity"] == 9
    assert changed["TargetTrackingScalingPolicyConfiguration"]["TargetValue"] == 7.0
    assert changed["PolicyARN"] == policy["PolicyARN"]

    aws.delete()
    assert scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"] == []
    assert scaling.describe_scaling_policies(ServiceNamespace="sagemaker")["ScalingPolicies"] == []


def test_alarms_composite_alarms_and_dashboards(aws):
    cloudwatch = aws.client("cloudwatch")

    def resources(threshold, name="slow"):
        stat = {"Metric": {"Namespace": "AWS/SageMaker", "MetricName": "ModelLatency"}, "Period": 60, "Stat": "p99"}
        alarm = {
            "AlarmName": name,
            "ComparisonOperator": "GreaterThanThreshold",
            "EvaluationPeriods": 3,
            "Threshold": threshold,
            "Metrics": [{"Id": "p99", "MetricStat": stat, "ReturnData": True}],
        }
        return {
            "Both": resource("CloudWatch::CompositeAlarm", {"AlarmRule": {"Fn::Sub": 'ALARM("${Slow}")'}}),
            "Slow": resource("CloudWatch::Alarm", alarm),
            "Board": resource("CloudWatch::Dashboard", {"DashboardBody": f'{{"widgets": [], "start": "{threshold}"}}'}),
        }

    aws.deploy(resources(1), template={"Outputs": {"Arn": {"Value": get("Slow", "Arn")}}})
    (alarm,) = cloudwatch.describe_alarms()["MetricAlarms"]
    assert (alarm["AlarmName"], alarm["Threshold"], alarm["AlarmArn"]) == ("slow", 1.0, aws.outputs()["Arn"])
    (composite,) = cloudwatch.describe_alarms(AlarmTypes=["CompositeAlarm"])["CompositeAlarms"]
    assert composite["AlarmRule"] == 'ALARM("slow")'
    assert "CompositeAlarms" not in cloudwatch.describe_alarms()

    before = aws.physical_ids()
    assert aws.deploy(resources(2)) == "UPDATE_COMPLETE"
    assert aws.physical_ids() == before
    assert cloudwatch.describe_alarms()["MetricAlarms"][0]["Threshold"] == 2.0
    assert json.loads(cloudwatch.get_dashboard(DashboardName=before["Board"])["DashboardBody"])["start"] == "2"

    assert aws.deploy(resources(2, "slower")) == "UPDATE_COMPLETE"
    assert [each["AlarmName"] for each in cloudwatch.describe_alarms()["MetricAlarms"]] == ["slower"]
    aws.delete()
    kinds = ["MetricAlarm", "CompositeAlarm"]
    left = cloudwatch.describe_alarms(AlarmTypes=kinds)
    assert (left["MetricAlarms"], left["CompositeAlarms"]) == ([], [])
    assert cloudwatch.list_dashboards()["DashboardEntries"] == []


def test_a_role_and_its_policies(aws):
    iam = aws.client("iam")

    def resources(action, inline, attached):
        document = json.loads(json.dumps(ALLOW).replace("s3:GetObject", action))
        role = {
            "AssumeRolePolicyDocument": TRUST,
            "Policies": [{"PolicyName": inline, "PolicyDocument": document}],
            "ManagedPolicyArns": ["arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess", *attached],
        }
        policy = {"PolicyName": "own", "PolicyDocument": document, "Roles": [{"Ref": "Role"}]}
        return {
            "Own": resource("IAM::Policy", policy),
            "Role": resource("IAM::Role", role),
            "Shared": resource("IAM::ManagedPolicy", {"PolicyDocument": document}),
        }

    aws.deploy(resources("s3:GetObject", "first", [{"Ref": "Shared"}]))
    ids = aws.physical_ids()
    assert sorted(iam.list_role_policies(RoleName=ids["Role"])["PolicyNames"]) == ["first", "own"]
    attached = iam.list_attached_role_policies(RoleName=ids["Role"])["AttachedPolicies"]
    assert [each["PolicyArn"] for each in attached] == [ids["Shared"]]

    assert aws.deploy(resources("s3:PutObject", "second", [])) == "UPDATE_COMPLETE"
    assert aws.physical_ids() == ids
    assert sorted(iam.list_role_policies(RoleName=ids["Role"])["PolicyNames"]) == ["own", "second"]
    stored = iam.get_role_policy(RoleName=ids["Role"], PolicyName="own")["PolicyDocument"]
    assert stored["Statement"][0]["Action"] == "s3:PutObject"
    version = iam.get_policy(PolicyArn=ids["Shared"])["Policy"]["DefaultVersionId"]
    document = iam.get_policy_version(PolicyArn=ids["Shared"], VersionId=version)["PolicyVersion"]["Document"]
    assert document["Statement"][0]["Action"] == "s3:PutObject"
    assert aws.delete() == "DELETE_COMPLETE"
    assert iam.list_roles()["Roles"] == []


def test_what_operators_use(aws):
    resources = {
        "Topic": resource("SNS::Topic", {"DisplayName": "News"}),
        "Policy": resource("SNS::TopicPolicy", {"Topics": [{"Ref": "Topic"}], "PolicyDocument": ALLOW}),
        "Mail": resource(
            "SNS::Subscription", {"TopicArn": {"Ref": "Topic"}, "Protocol": "email", "Endpoint": "a@example.com"}
        ),
        "Logs": resource("Logs::LogGroup", {"LogGroupName": "/aws/sagemaker/bot", "RetentionInDays": "30"}),
        "Key": resource("KMS::Key", {"KeyPolicy": ALLOW, "EnableKeyRotation": True, "Description": "For models."}),
        "Name": resource("KMS::Alias", {"AliasName": "alias/models", "TargetKeyId": {"Ref": "Key"}}),
        "Bucket": resource("S3::Bucket", {"VersioningConfiguration": {"Status": "Enabled"}}),
        "Guard": resource("S3::BucketPolicy", {"Bucket": {"Ref": "Bucket"}, "PolicyDocument": ALLOW}),
        "Token": resource("SecretsManager::Secret", {"GenerateSecretString": {"PasswordLength": 20}}),
        "Setting": resource("SSM::Parameter", {"Type": "String", "Value": get("Logs", "Arn")}),
        "Images": resource("ECR::Repository", {"RepositoryName": "vllm"}),
        "Cdk": resource("CDK::Metadata", {"Analytics": "v2:deflate64:x"}),
        "Queue": resource("SQS::Queue", {"QueueName": "work"}),
    }
    assert aws.deploy(resources) == "CREATE_COMPLETE", aws.reasons()
    ids = aws.physical_ids()
    assert aws.client("sns").get_topic_attributes(TopicArn=ids["Topic"])["Attributes"]["DisplayName"] == "News"
    assert aws.client("logs").describe_log_groups()["logGroups"][0]["retentionInDays"] == 30
    assert aws.client("kms").get_key_rotation_status(KeyId=ids["Key"])["KeyRotationEnabled"]
    assert aws.client("s3").get_bucket_versioning(Bucket=ids["Bucket"])["Status"] == "Enabled"
    aws.client("s3").put_object(Bucket=ids["Bucket"], Key="key", Body=b"")
    aws.client("s3").delete_object(Bucket=ids["Bucket"], Key="key")
    secret = aws.client("secretsmanager").get_secret_value(SecretId=ids["Token"])
    assert len(secret["SecretString"]) == 20
    value = aws.client("ssm").get_parameter(Name=ids["Setting"])["Parameter"]["Value"]
    assert value == "arn:aws:logs:us-east-1:123456789012:log-group:/aws/sagemaker/bot:*"
    assert aws.client("sqs").list_queues()["QueueUrls"] == [ids["Queue"]]


def test_a_secret_and_a_parameter_reach_a_container_unseen(aws):
    aws.client("secretsmanager").create_secret(Name="hf", SecretString='{"token": "hf_abc"}')
    aws.client("ssm").put_parameter(Name="/region", Value="somewhere", Type="String")
    resources = endpoint()
    resources["Model"]["Properties"]["PrimaryContainer"]["Environment"] = {
        "HF_TOKEN": "{{resolve:secretsmanager:hf:SecretString:token}}",
        "PLACE": "{{resolve:ssm:/region}}",
        "NUMBER": 3,
        "SWITCH": True,
    }
    aws.deploy(resources)
    name = aws.physical_ids()["Model"].rpartition("/")[2]
    environment = aws.sagemaker.describe_model(ModelName=name)["PrimaryContainer"]["Environment"]
    assert environment == {"HF_TOKEN": "hf_abc", "PLACE": "somewhere", "NUMBER": "3", "SWITCH": "true"}


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (
            resource("CloudWatch::Dashboard", {"DashboardName": "taken", "DashboardBody": "{}"}),
            "'taken' already exists",
        ),
        (topic("taken"), "already exists"),
        (resource("SageMaker::Model", {"Colour": "red"}), r"extraneous key \[Colour\] is not permitted"),
        (resource("SageMaker::Endpoint"), r"required key \[EndpointConfigName\] not found"),
        (resource("SageMaker::Endpoint", {"EndpointConfigName": "nope"}), "Could not find endpoint configuration"),
    ],
)
def test_what_cannot_be_made_says_why(aws, made, says):
    aws.client("sns").create_topic(Name="taken")
    aws.client("cloudwatch").put_dashboard(DashboardName="taken", DashboardBody='{"widgets": []}')
    assert aws.deploy({"It": made}) == "ROLLBACK_COMPLETE"
    assert re.search(says, aws.reasons()), aws.reasons()
    assert len(aws.client("sns").list_topics()["Topics"]) == 1


KEY = {"AttributeName": "id", "KeyType": "HASH"}
OF_MOTO = {
    "queue": resource("SQS::Queue", {"QueueName": "work"}),
    "rule": resource("Events::Rule", {"Name": "nightly", "ScheduleExpression": "rate(1 day)"}),
    "cluster": resource("ECS::Cluster", {"ClusterName": "batch"}),
    "table": resource(
        "DynamoDB::Table",
        {
            "TableName": "sessions",
            "KeySchema": [KEY],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    ),
}


@pytest.mark.parametrize("made", OF_MOTO.values(), ids=OF_MOTO)
def test_no_two_resources_of_stacks_are_one(aws, made):
    assert aws.deploy({"First": made}, "first") == "CREATE_COMPLETE", aws.reasons("first")
    assert aws.deploy({"Second": made}, "second") == "ROLLBACK_COMPLETE"
    assert re.search("already exist|in use", aws.reasons("second")), aws.reasons("second")
    assert "Second DELETE_FAILED" not in aws.events("second")
    assert aws.deploy({"One": made, "Two": made}, "third") == "ROLLBACK_COMPLETE"
    assert aws.delete("second") == aws.delete("third") == "DELETE_COMPLETE"
    assert list(aws.physical_ids("first")) == ["First"]
    assert aws.delete("first") == "DELETE_COMPLETE"


def test_what_a_refused_creation_found_stays(aws):
    aws.deploy({"First": OF_MOTO["queue"]}, "first")
    aws.deploy({"Second": OF_MOTO["queue"]}, "second")
    aws.delete("second")
    assert aws.client("sqs").list_queues()["QueueUrls"] == [aws.physical_ids("first")["First"]]


@pytest.mark.parametrize(
    ("made", "forget"),
    [
        ("queue", lambda aws, name: aws.client("sqs").delete_queue(QueueUrl=name)),
        ("rule", lambda aws, name: aws.client("events").delete_rule(Name=name)),
        ("cluster", lambda aws, name: aws.client("ecs").delete_cluster(cluster=name)),
        ("table", lambda aws, name: aws.client("dynamodb").delete_table(TableName=name)),
    ],
)
def test_what_somebody_has_deleted_already_is_deleted(aws, made, forget):
    aws.deploy({"It": OF_MOTO[made]})
    forget(aws, aws.physical_ids()["It"])
    assert aws.delete() == "DELETE_COMPLETE"


def _tagged(pairs):
    return [{"Key": key, "Value": value} for key, value in pairs.items()]


def _plain(tags, key="Key", value="Value"):
    return {each[key]: each[value] for each in tags}


def _tags_of_alarm(aws, name):
    arn = f"arn:aws:cloudwatch:us-east-1:123456789012:alarm:{name}"
    return _plain(aws.client("cloudwatch").list_tags_for_resource(ResourceARN=arn)["Tags"])


TAGS_OF = {
    "Logs::LogGroup": ({}, lambda aws, name: aws.client("logs").list_tags_log_group(logGroupName=name)["tags"]),
    "ECR::Repository": (
        {},
        lambda aws, name: _plain(
            aws.client("ecr").list_tags_for_resource(
                resourceArn=f"arn:aws:ecr:us-east-1:123456789012:repository/{name}"
            )["tags"]
        ),
    ),
    "KMS::Key": (
        {},
        lambda aws, name: _plain(aws.client("kms").list_resource_tags(KeyId=name)["Tags"], "TagKey", "TagValue"),
    ),
    "SNS::Topic": ({}, lambda aws, name: _plain(aws.client("sns").list_tags_for_resource(ResourceArn=name)["Tags"])),
    "S3::Bucket": ({}, lambda aws, name: _plain(aws.client("s3").get_bucket_tagging(Bucket=name)["TagSet"])),
    "SecretsManager::Secret": (
        {"SecretString": "hush"},
        lambda aws, name: _plain(aws.client("secretsmanager").describe_secret(SecretId=name)["Tags"]),
    ),
    "IAM::Role": (
        {"AssumeRolePolicyDocument": TRUST},
        lambda aws, name: _plain(aws.client("iam").list_role_tags(RoleName=name)["Tags"]),
    ),
    "CloudWatch::Alarm": (
        {"ComparisonOperator": "GreaterThanThreshold", "EvaluationPeriods": 1, "MetricName": "x", "Namespace": "y"},
        _tags_of_alarm,
    ),
    "CloudWatch::CompositeAlarm": ({"AlarmRule": "TRUE"}, _tags_of_alarm),
}


def test_every_type_with_tags_is_among_those_whose_tags_change():
    tagged = {kind for kind in SUPPORTED if (schema := schema_of(kind)) is not None and schema.tag_property}
    own_test = {kind for kind in tagged if kind.startswith("AWS::SageMaker::")}  # The stack's tags reach them.
    untold = {
        "AWS::CloudWatch::Dashboard",
        "AWS::ApplicationAutoScaling::ScalableTarget",
    }  # moto tells no tags of them.
    assert tagged - own_test - untold == {f"AWS::{kind}" for kind in TAGS_OF}


@pytest.mark.parametrize("kind", TAGS_OF)
def test_another_tag_reaches_what_has_it(aws, kind):
    properties, read = TAGS_OF[kind]
    for pairs in ({"team": "search", "stage": "test"}, {"team": "chat", "owner": "a"}):
        status = aws.deploy({"It": resource(kind, {**properties, "Tags": _tagged(pairs)})})
        assert status.endswith("COMPLETE"), aws.reasons()
        assert read(aws, aws.physical_ids()["It"]) == pairs


@pytest.mark.parametrize("kind", ["AWS::SageMaker::Endpiont", "AWS::EC2::CapacityManagerDataExport", "Custom::Thing"])
def test_types_that_nobody_makes_are_refused_before_anything_is_made(aws, kind):
    body = json.dumps({"Resources": {"Topic": topic(), "Thing": {"Type": kind}}})
    for refused in (
        lambda: aws.cloudformation.create_stack(StackName="stack", TemplateBody=body),
        lambda: aws.cloudformation.create_change_set(
            StackName="stack", ChangeSetName="set", ChangeSetType="CREATE", TemplateBody=body
        ),
        lambda: aws.cloudformation.validate_template(TemplateBody=body),
    ):
        with pytest.raises(ClientError, match=rf"Template format error: Unrecognized resource types: \[{kind}\]"):
            refused()
    assert aws.cloudformation.list_stacks()["StackSummaries"] == []


@pytest.mark.parametrize(
    ("service", "call", "request_"),
    [
        ("cloudformation", "list_stack_sets", {}),
        ("cloudwatch", "describe_alarm_history", {}),
        ("application-autoscaling", "describe_scaling_activities", {"ServiceNamespace": "sagemaker"}),
        ("sagemaker", "describe_hub", {"HubName": "hub"}),
        ("iam", "list_organizations_features", {}),
        ("sns", "list_origination_numbers", {}),
    ],
)
def test_what_nobody_answers_is_an_error_that_is_not_retried(aws, service, call, request_):
    with pytest.raises(ClientError) as refused:
        getattr(aws.client(service), call)(**request_)
    assert refused.value.response["Error"]["Code"] == "NotImplemented"
    assert refused.value.response["ResponseMetadata"]["RetryAttempts"] == 0
    assert "does not implement" in refused.value.response["Error"]["Message"]


def test_the_cdk_finds_its_bootstrap_in_every_region_after_a_reset_too():
    for _ in range(2):
        with account() as aws:
            version = aws.client("ssm").get_parameter(Name="/cdk-bootstrap/hnb659fds/version")
            assert int(version["Parameter"]["Value"]) >= 6
            for region in ("us-east-1", "eu-west-1"):
                bucket = f"cdk-hnb659fds-assets-123456789012-{region}"
                aws.client("s3").put_object(Bucket=bucket, Key="template", Body=b"{}")
            listed = [each["Name"] for each in aws.client("s3").list_buckets()["Buckets"]]
            assert len(listed) == 2


def test_an_alarm_is_told_with_every_setting_that_was_put(aws):
    """botocore's lists of both, so that a setting which moto forgets is found when it appears."""
    cloudwatch = aws.client("cloudwatch")
    model = cloudwatch.meta.service_model
    put = model.operation_model("PutMetricAlarm").input_shape.members
    settings = {
        name: _sample(put[name])
        for name in model.shape_for("MetricAlarm").members
        if name in put and name != "Metrics"  # In the place of MetricName.
    }

    settings |= {"ExtendedStatistic": "p99", "EvaluateLowSampleCountPercentile": "ignore"}

    cloudwatch.put_metric_alarm(**settings)

    (told,) = cloudwatch.describe_alarms()["MetricAlarms"]
    assert {name: told.get(name) for name in settings} == settings


def _sample(shape):
    match shape.type_name:
        case "structure":
            members = list(shape.members.items())
            return {name: _sample(each) for name, each in (members[:1] if shape.is_tagged_union else members)}
        case "list":
            return [_sample(shape.member)]
        case "boolean":
            return True
        case "string":
            return shape.enum[0] if shape.enum else "text"
        case "integer" | "long" | "double":
            return 60
        case "timestamp":
            return datetime(2026, 8, 1, tzinfo=UTC)
