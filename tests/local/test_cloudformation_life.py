"""A stack's life: created, updated, rolled back, protected, deleted."""

from __future__ import annotations

import json

import pytest
from botocore.exceptions import ClientError
from local.stack_world import ROLE, account, endpoint, get, resource, topic

from warmroute.local.control import endpoint_in_force, fail_next_deployment

ACCOUNT, REGION = "123456789012", "us-east-1"


@pytest.fixture
def aws():
    with account() as empty:
        yield empty


def in_force(name="bot"):
    return endpoint_in_force(ACCOUNT, REGION, name)


def test_an_endpoint_is_made_in_order_a_step_at_a_time(aws):
    body = json.dumps({"Resources": endpoint(EndpointName="bot"), "Outputs": {"Arn": {"Value": {"Ref": "Endpoint"}}}})
    aws.cloudformation.create_stack(StackName="stack", TemplateBody=body)
    assert aws.stack()["StackStatus"] == "CREATE_IN_PROGRESS"
    assert aws.outputs() == {}
    assert aws.sagemaker.describe_endpoint(EndpointName="bot")["EndpointStatus"] == "Creating"

    assert aws.settled() == "CREATE_COMPLETE"
    assert aws.outputs() == {"Arn": "arn:aws:sagemaker:us-east-1:123456789012:endpoint/bot"}
    assert [event for event in aws.events() if event.endswith("COMPLETE")] == [
        "Model CREATE_COMPLETE",
        "Config CREATE_COMPLETE",
        "Endpoint CREATE_COMPLETE",
        "stack CREATE_COMPLETE",
    ]
    assert aws.events()[:2] == ["stack CREATE_IN_PROGRESS", "Model CREATE_IN_PROGRESS"]
    events = aws.cloudformation.describe_stack_events(StackName="stack")["StackEvents"]
    assert events == sorted(events, key=lambda event: event["Timestamp"], reverse=True)
    assert len({event["Timestamp"] for event in events}) == len(events)


def test_another_routing_takes_a_new_configuration_and_the_same_endpoint(aws):
    aws.deploy(endpoint(EndpointName="bot"))
    before = aws.physical_ids()
    created = aws.sagemaker.describe_endpoint(EndpointName="bot")["CreationTime"]
    body = json.dumps({"Resources": endpoint("LEAST_OUTSTANDING_REQUESTS", EndpointName="bot")})
    aws.cloudformation.update_stack(StackName="stack", TemplateBody=body)
    old, new = before["Config"].rpartition("/")[2], aws.physical_ids()["Config"].rpartition("/")[2]
    assert sorted(aws.configs()) == sorted([old, new])
    assert aws.sagemaker.describe_endpoint(EndpointName="bot")["EndpointStatus"] == "Updating"

    assert aws.settled() == "UPDATE_COMPLETE"
    after = aws.physical_ids()
    assert (after["Endpoint"], after["Model"]) == (before["Endpoint"], before["Model"])
    assert after["Config"] != before["Config"]
    assert aws.configs() == [new]
    assert aws.sagemaker.describe_endpoint(EndpointName="bot")["CreationTime"] == created
    assert in_force().variants[0].routing_config == {"RoutingStrategy": "LEAST_OUTSTANDING_REQUESTS"}
    told = aws.events()
    assert told.index("Endpoint UPDATE_COMPLETE") < told.index("Config DELETE_COMPLETE")


def test_an_update_that_fails_leaves_everything_as_it_was(aws):
    aws.deploy({**endpoint(EndpointName="bot"), "Topic": topic()})
    before, configs = aws.physical_ids(), aws.configs()
    fail_next_deployment("bot", "Alarm p99 went off.")
    changed = {**endpoint("LEAST_OUTSTANDING_REQUESTS", EndpointName="bot"), "New": topic("more"), "Topic": topic()}

    assert aws.deploy(changed) == "UPDATE_ROLLBACK_COMPLETE"
    assert (aws.physical_ids(), aws.configs()) == (before, configs)
    assert in_force().variants[0].routing_config == {"RoutingStrategy": "RANDOM"}
    assert "Alarm p99 went off." in aws.reasons()
    assert len(aws.client("sns").list_topics()["Topics"]) == 1
    assert aws.deploy(changed) == "UPDATE_COMPLETE"


def test_a_creation_that_fails_leaves_a_shell_that_is_deleted_and_made_again(aws):
    fail_next_deployment("bot", "No capacity.")
    assert aws.deploy(endpoint(EndpointName="bot")) == "ROLLBACK_COMPLETE"
    assert aws.physical_ids() == {}
    assert aws.sagemaker.list_endpoints()["Endpoints"] == []
    assert aws.sagemaker.list_models()["Models"] == []
    assert "No capacity." in aws.reasons()

    with pytest.raises(ClientError, match="is in ROLLBACK_COMPLETE state and can not be updated"):
        aws.deploy(endpoint(EndpointName="bot"))
    assert aws.delete() == "DELETE_COMPLETE"
    assert aws.deploy(endpoint(EndpointName="bot")) == "CREATE_COMPLETE"


@pytest.mark.parametrize(
    ("on_failure", "status", "left"), [("DELETE", "DELETE_COMPLETE", 0), ("DO_NOTHING", "CREATE_FAILED", 1)]
)
def test_what_happens_to_a_failed_creation_can_be_chosen(aws, on_failure, status, left):
    fail_next_deployment("bot", "No capacity.")
    assert aws.deploy(endpoint(EndpointName="bot"), OnFailure=on_failure) == status
    assert len(aws.configs()) == left


@pytest.mark.parametrize(
    "refused",
    [
        {"DisableRollback": True, "OnFailure": "DELETE"},
        {"Parameters": [{"ParameterKey": "Unknown", "ParameterValue": "1"}]},
        {"TemplateBody": "{}"},
    ],
)
def test_a_refused_creation_leaves_no_stack(aws, refused):
    body = json.dumps({"Resources": endpoint(EndpointName="bot")})
    with pytest.raises(ClientError, match="ValidationError"):
        aws.cloudformation.create_stack(**{"StackName": "stack", "TemplateBody": body, **refused})
    assert aws.cloudformation.list_stacks()["StackSummaries"] == []


def test_without_rollback_the_rest_can_be_rolled_back_or_repaired_later(aws):
    fail_next_deployment("bot", "No capacity.")
    aws.deploy(endpoint(EndpointName="bot"), DisableRollback=True)
    assert aws.deploy(endpoint(EndpointName="bot")) == "UPDATE_COMPLETE"
    assert in_force().status == "InService"

    before = aws.configs()
    fail_next_deployment("bot", "Alarm p99 went off.")
    assert aws.deploy(endpoint(count=3, EndpointName="bot"), DisableRollback=True) == "UPDATE_FAILED"
    assert len(aws.configs()) == 2
    aws.cloudformation.rollback_stack(StackName="stack")
    assert aws.settled() == "UPDATE_ROLLBACK_COMPLETE"
    assert aws.configs() == before


def test_nothing_to_update_is_told(aws):
    aws.deploy({"Topic": topic()})
    with pytest.raises(ClientError, match=r"No updates are to be performed\."):
        aws.deploy({"Topic": topic()})


def test_one_operation_at_a_time(aws):
    body = json.dumps({"Resources": endpoint(EndpointName="bot")})
    aws.cloudformation.create_stack(StackName="stack", TemplateBody=body)
    with pytest.raises(ClientError, match="is in CREATE_IN_PROGRESS state and can not be updated"):
        aws.cloudformation.update_stack(StackName="stack", TemplateBody=body)
    aws.settled()
    body = json.dumps({"Resources": endpoint(count=3, EndpointName="bot")})
    aws.cloudformation.update_stack(StackName="stack", TemplateBody=body)
    for refused in (
        lambda: aws.cloudformation.update_stack(StackName="stack", TemplateBody=body),
        lambda: aws.cloudformation.create_change_set(StackName="stack", ChangeSetName="set", TemplateBody=body),
        lambda: aws.cloudformation.delete_stack(StackName="stack"),
    ):
        with pytest.raises(ClientError, match="UPDATE_IN_PROGRESS"):
            refused()
    assert aws.settled() == "UPDATE_COMPLETE"


def test_a_stack_can_be_deleted_while_it_is_made(aws):
    body = json.dumps({"Resources": endpoint(EndpointName="bot")})
    aws.cloudformation.create_stack(StackName="stack", TemplateBody=body)
    assert aws.delete() == "DELETE_COMPLETE"
    assert aws.sagemaker.list_endpoints()["Endpoints"] == []
    assert aws.configs() == []


def test_an_update_can_be_cancelled(aws):
    aws.deploy(endpoint(EndpointName="bot"))
    before = aws.configs()
    body = json.dumps({"Resources": endpoint(count=3, EndpointName="bot")})
    aws.cloudformation.update_stack(StackName="stack", TemplateBody=body)
    aws.cloudformation.cancel_update_stack(StackName="stack")

    assert aws.settled() == "UPDATE_ROLLBACK_COMPLETE"
    assert aws.configs() == before
    assert in_force().variants[0].instance_count == 2


def test_a_rollback_that_fails_can_be_continued(aws):
    def resources(count):
        trust = {"Version": "2012-10-17", "Statement": []}
        role = {"RoleName": "reader", "AssumeRolePolicyDocument": trust, "Description": f"For {count}."}
        return {"Role": resource("IAM::Role", role), **endpoint(count=count, EndpointName="bot")}

    aws.deploy(resources(2))
    before = aws.configs()
    fail_next_deployment("bot", "Alarm p99 went off.")
    aws.cloudformation.update_stack(StackName="stack", TemplateBody=json.dumps({"Resources": resources(3)}))
    aws.client("iam").delete_role(RoleName="reader")
    assert aws.settled() == "UPDATE_ROLLBACK_FAILED"
    with pytest.raises(ClientError, match="UPDATE_ROLLBACK_FAILED state and can not be updated"):
        aws.deploy(resources(2))

    aws.cloudformation.continue_update_rollback(StackName="stack", ResourcesToSkip=["Role"])
    assert aws.settled() == "UPDATE_ROLLBACK_COMPLETE"
    assert aws.configs() == before


def test_a_protected_stack_is_not_deleted(aws):
    aws.deploy({"Topic": topic()}, EnableTerminationProtection=True)
    with pytest.raises(ClientError, match=r"Stack \[stack\] cannot be deleted while TerminationProtection is enabled"):
        aws.delete()
    aws.cloudformation.update_termination_protection(StackName="stack", EnableTerminationProtection=False)
    assert aws.delete() == "DELETE_COMPLETE"
    assert aws.client("sns").list_topics()["Topics"] == []


def test_a_custom_named_resource_is_not_replaced(aws):
    model = resource(
        "SageMaker::Model",
        {"ModelName": "llama", "ExecutionRoleArn": ROLE, "PrimaryContainer": {"Image": "first"}},
    )
    aws.deploy({"Model": model})
    model["Properties"]["PrimaryContainer"] = {"Image": "second"}

    assert aws.deploy({"Model": model}) == "UPDATE_ROLLBACK_COMPLETE"
    assert (
        "CloudFormation cannot update a stack when a custom-named resource requires replacing. Rename llama and update "
        "the stack again."
    ) in aws.reasons()
    assert aws.sagemaker.describe_model(ModelName="llama")["PrimaryContainer"]["Image"] == "first"


@pytest.mark.parametrize("policy", ["Delete", "Retain", "RetainExceptOnCreate"])
def test_a_deletion_policy_is_kept(aws, policy):
    aws.deploy({"Topic": topic(DeletionPolicy=policy), "Other": topic("other")})
    aws.deploy({"Other": topic("other")})
    kept = [each["TopicArn"].rpartition(":")[2] for each in aws.client("sns").list_topics()["Topics"]]
    assert ("news" in kept) == (policy != "Delete")


def test_an_update_replace_policy_is_kept(aws):
    aws.deploy({"Topic": topic(UpdateReplacePolicy="Retain"), "Other": topic("other")})
    aws.deploy({"Topic": topic("newer", UpdateReplacePolicy="Retain"), "Other": topic("another")})
    kept = sorted(each["TopicArn"].rpartition(":")[2] for each in aws.client("sns").list_topics()["Topics"])
    assert kept == ["another", "newer", "news"]


def test_retained_resources_stay_when_a_stack_is_deleted(aws):
    aws.deploy({"Topic": topic(DeletionPolicy="Retain"), "Other": topic("other")})
    arn = aws.stack()["StackId"]
    assert aws.delete() == "DELETE_COMPLETE"
    assert "Topic DELETE_SKIPPED" in aws.events(arn)
    assert [each["TopicArn"].rpartition(":")[2] for each in aws.client("sns").list_topics()["Topics"]] == ["news"]


def test_a_bucket_that_is_not_empty_keeps_its_stack(aws):
    aws.deploy({"Bucket": resource("S3::Bucket", {"BucketName": "models"})})
    aws.client("s3").put_object(Bucket="models", Key="weights", Body=b"x")
    assert aws.delete() == "DELETE_FAILED"
    assert "failed to delete: [Bucket]" in aws.reasons()

    aws.cloudformation.delete_stack(StackName="stack", RetainResources=["Bucket"])
    assert aws.settled() == "DELETE_COMPLETE"


class TestExports:
    """Values that one stack gives another."""

    exporting = {"Outputs": {"Arn": {"Value": {"Ref": "Topic"}, "Export": {"Name": "news-arn"}}}}  # noqa: RUF012

    def importing(self):
        return {"Parameter": resource("SSM::Parameter", {"Type": "String", "Value": {"Fn::ImportValue": "news-arn"}})}

    def test_they_are_imported_and_then_cannot_go(self, aws):
        aws.deploy({"Topic": topic()}, "giver", template=self.exporting)
        aws.deploy(self.importing(), "taker")
        (exported,) = aws.cloudformation.list_exports()["Exports"]
        parameter = aws.client("ssm").get_parameter(Name=aws.physical_ids("taker")["Parameter"])
        assert parameter["Parameter"]["Value"] == exported["Value"]
        assert aws.cloudformation.list_imports(ExportName="news-arn")["Imports"] == ["taker"]

        assert aws.delete("giver") == "DELETE_FAILED"
        assert "Export news-arn cannot be deleted as it is in use by taker." in aws.reasons("giver")
        aws.delete("taker")
        assert aws.delete("giver") == "DELETE_COMPLETE"

    def test_they_are_in_use_before_the_stack_that_imports_them_is_complete(self, aws):
        aws.deploy({"Topic": topic()}, "giver", template=self.exporting)
        body = json.dumps({"Resources": {**self.importing(), **endpoint(EndpointName="bot")}})
        aws.cloudformation.create_stack(StackName="taker", TemplateBody=body)
        assert aws.stack("taker")["StackStatus"] == "CREATE_IN_PROGRESS"

        changed = json.dumps({"Resources": {"Topic": topic("other")}, **self.exporting})
        aws.cloudformation.update_stack(StackName="giver", TemplateBody=changed)
        assert aws.stack("giver")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        aws.cloudformation.delete_stack(StackName="giver")
        assert aws.stack("giver")["StackStatus"] == "DELETE_FAILED"
        assert aws.stack("taker")["StackStatus"] == "CREATE_IN_PROGRESS"
        assert aws.settled("taker") == "CREATE_COMPLETE"

    def test_a_creation_that_is_rolled_back_uses_none(self, aws):
        aws.deploy({"Topic": topic()}, "giver", template=self.exporting)
        fail_next_deployment("bot", "No capacity.")
        assert aws.deploy({**self.importing(), **endpoint(EndpointName="bot")}, "taker") == "ROLLBACK_COMPLETE"
        assert aws.delete("giver") == "DELETE_COMPLETE"

    def test_an_update_that_imports_no_longer_lets_them_go_once_it_is_complete(self, aws):
        aws.deploy({"Topic": topic()}, "giver", template=self.exporting)
        aws.deploy({**self.importing(), **endpoint(EndpointName="bot")}, "taker")
        value = {"Parameter": resource("SSM::Parameter", {"Type": "String", "Value": "own"})}
        body = json.dumps({"Resources": {**value, **endpoint(count=3, EndpointName="bot")}})
        aws.cloudformation.update_stack(StackName="taker", TemplateBody=body)
        assert aws.cloudformation.list_imports(ExportName="news-arn")["Imports"] == ["taker"]
        assert aws.settled("taker") == "UPDATE_COMPLETE"
        assert aws.delete("giver") == "DELETE_COMPLETE"

    def test_one_in_use_can_neither_change_nor_leave(self, aws):
        aws.deploy({"Topic": topic()}, "giver", template=self.exporting)
        aws.deploy(self.importing(), "taker")
        assert aws.deploy({"Topic": topic("other")}, "giver", template=self.exporting) == "UPDATE_ROLLBACK_COMPLETE"
        assert "cannot be updated as it is in use by taker" in aws.reasons("giver")
        assert aws.deploy({"Topic": topic()}, "giver") == "UPDATE_ROLLBACK_COMPLETE"

    def test_a_name_is_exported_once(self, aws):
        aws.deploy({"Topic": topic()}, "giver", template=self.exporting)
        assert aws.deploy({"Topic": topic("b")}, "second", template=self.exporting) == "ROLLBACK_COMPLETE"
        assert "Export with name news-arn is already exported by stack giver." in aws.reasons("second")

    def test_what_nobody_exports_fails_what_imports_it(self, aws):
        assert aws.deploy(self.importing(), "taker") == "ROLLBACK_COMPLETE"
        assert "No export named news-arn found." in aws.reasons("taker")


def test_a_change_behind_a_reference_is_a_change(aws):
    """The text of the endpoint stays the same; what its configuration's name comes to does not."""
    aws.deploy(endpoint(EndpointName="bot"))
    aws.deploy(endpoint(count=5, EndpointName="bot"))
    assert in_force().variants[0].instance_count == 5


def test_another_way_to_say_the_same_changes_nothing(aws):
    aws.deploy({**endpoint(EndpointName="bot"), "Topic": topic()})
    before = aws.physical_ids()
    spelt = endpoint(count="2", EndpointName={"Fn::Join": ["", ["b", "ot"]]})
    assert aws.deploy({**spelt, "Topic": topic(), "More": topic("more")}) == "UPDATE_COMPLETE"
    after = aws.physical_ids()
    assert {name: after[name] for name in before} == before
    assert aws.events().count("Endpoint UPDATE_IN_PROGRESS") == 0


def test_the_stack_s_tags_reach_its_resources(aws):
    aws.deploy(endpoint(EndpointName="bot"), Tags=[{"Key": "team", "Value": "search"}])
    for arn in aws.physical_ids().values():
        assert aws.sagemaker.list_tags(ResourceArn=arn)["Tags"] == [{"Key": "team", "Value": "search"}]
    assert aws.deploy(endpoint(EndpointName="bot"), Tags=[{"Key": "team", "Value": "chat"}]) == "UPDATE_COMPLETE"
    arn = aws.physical_ids()["Endpoint"]
    assert aws.sagemaker.list_tags(ResourceArn=arn)["Tags"] == [{"Key": "team", "Value": "chat"}]


def test_a_reset_forgets_the_stacks():
    with account() as first:
        first.deploy({"Topic": topic()})
    with account() as second:
        assert second.cloudformation.list_stacks()["StackSummaries"] == []


def test_depends_on_is_heeded(aws):
    first = topic("a", DependsOn="Second")
    aws.deploy({"First": first, "Second": topic("b")})
    told = aws.events()
    assert told.index("Second CREATE_COMPLETE") < told.index("First CREATE_IN_PROGRESS")
    arn = aws.stack()["StackId"]
    aws.delete()
    told = aws.events(arn)
    assert told.index("First DELETE_COMPLETE") < told.index("Second DELETE_IN_PROGRESS")


def test_attributes_are_those_of_the_resource(aws):
    wanted = {"Name": get("Endpoint", "EndpointName"), "Arn": get("Endpoint", "EndpointArn")}
    aws.deploy(endpoint(), template={"Outputs": {key: {"Value": value} for key, value in wanted.items()}})
    (listed,) = aws.sagemaker.list_endpoints()["Endpoints"]
    assert aws.outputs() == {"Name": listed["EndpointName"], "Arn": listed["EndpointArn"]}
    assert listed["EndpointName"].startswith("stack-Endpoint-")


def topics(aws):
    return sorted(each["TopicArn"].rpartition(":")[2] for each in aws.client("sns").list_topics()["Topics"])


FAILING = resource("SageMaker::Endpoint", {"EndpointConfigName": "absent"}, DependsOn="Topic")


class TestAfterAFailedUpdateWithoutRollback:
    """What was replaced is still there, and nobody may forget it."""

    @pytest.fixture(autouse=True)
    def _failed(self, aws):
        aws.deploy({"Topic": topic("first"), "Other": topic("other")})
        wanted = {"Topic": topic("second"), "Other": topic("other"), "Bot": FAILING}
        assert aws.deploy(wanted, DisableRollback=True) == "UPDATE_FAILED"
        assert topics(aws) == ["first", "other", "second"]

    def test_a_deletion_leaves_nothing(self, aws):
        assert aws.delete() == "DELETE_COMPLETE"
        assert topics(aws) == []

    def test_another_replacement_leaves_one(self, aws):
        assert aws.deploy({"Topic": topic("third"), "Other": topic("other")}) == "UPDATE_COMPLETE"
        assert topics(aws) == ["other", "third"]

    def test_a_removal_leaves_none(self, aws):
        assert aws.deploy({"Other": topic("other")}) == "UPDATE_COMPLETE"
        assert topics(aws) == ["other"]

    def test_a_second_failure_goes_back_to_what_last_worked(self, aws):
        assert aws.deploy({"Topic": topic("third"), "Bot": FAILING}) == "UPDATE_ROLLBACK_COMPLETE"
        assert topics(aws) == ["first", "other"]
        assert aws.cloudformation.get_template(StackName="stack")["TemplateBody"]["Resources"]["Topic"] == topic(
            "first"
        )


def test_a_replacement_that_was_never_made_is_made_by_the_next_update(aws):
    sns = aws.client("sns")
    arn = sns.create_topic(Name="second")["TopicArn"]
    aws.deploy({"Topic": topic("first")})
    assert aws.deploy({"Topic": topic("second")}, DisableRollback=True) == "UPDATE_FAILED"
    sns.delete_topic(TopicArn=arn)
    assert aws.deploy({"Topic": topic("second")}) == "UPDATE_COMPLETE"
    assert topics(aws) == ["second"]


def test_a_failed_creation_that_fails_again_leaves_nothing(aws):
    outputs = {"Outputs": {"Name": {"Value": {"Ref": "Topic"}}}}
    wanted = {"Topic": topic(), "Bot": FAILING}
    assert aws.deploy(wanted, DisableRollback=True, template=outputs) == "CREATE_FAILED"
    assert aws.deploy(wanted, template=outputs) == "ROLLBACK_COMPLETE"
    assert topics(aws) == []


def test_a_rollback_takes_deletion_policies_back_too(aws):
    aws.deploy({"Topic": topic()})
    kept = {"Topic": topic(DeletionPolicy="Retain"), "Bot": FAILING}
    assert aws.deploy(kept) == "UPDATE_ROLLBACK_COMPLETE"
    aws.delete()
    assert topics(aws) == []
