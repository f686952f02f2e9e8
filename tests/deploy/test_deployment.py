"""Creating, updating and waiting for an endpoint, against a SageMaker that refuses and fails as the real one does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest

from warmroute.demo import example_spec
from warmroute.deploy import Deployment, Progress
from warmroute.errors import DeploymentError, IncompleteSpecError
from warmroute.hosting import EndpointSpec
from warmroute.local.control import fail_next_deployment
from warmroute.routing import RoutingConfig

if TYPE_CHECKING:
    from conftest import Account

SPEC = example_spec()


def _with(**fields: Any) -> EndpointSpec:
    return EndpointSpec.parse({**SPEC.model_dump(exclude_none=True), **fields})


def _routed(routing: RoutingConfig) -> EndpointSpec:
    return SPEC.model_copy(update={"variants": (SPEC.variants[0].model_copy(update={"routing_config": routing}),)})


COMPONENTS = EndpointSpec.parse(
    {
        "name": "shared-bot",
        "region": "us-east-1",
        "execution_role_arn": "arn:aws:iam::123456789012:role/sagemaker",
        "model": {"source": {"hugging_face": "meta-llama/Llama-3.1-8B-Instruct"}},
        "variants": [{"name": "main", "instance_type": "ml.p5.48xlarge", "initial_instance_count": 2}],
        "inference_components": [
            {
                "name": "llama",
                "specification": {
                    "compute_resource_requirements": {
                        "min_memory_required_in_mb": 1024,
                        "number_of_accelerator_devices_required": 1,
                    }
                },
                "runtime_config": {"copy_count": 4},
            },
            {
                "name": "legal",
                "specification": {
                    "base_inference_component_name": "llama",
                    "container": {"artifact_url": "s3://bucket/legal.tar.gz"},
                },
            },
        ],
        "auto_scaling": [
            {
                "inference_component_name": "llama",
                "min_capacity": 2,
                "max_capacity": 8,
                "target_tracking": {"target_value": 5},
            }
        ],
    }
)


def test_first_apply_creates_everything_and_waits(account: Account) -> None:
    outcome, steps = account.deploy(SPEC)

    assert outcome.result == "created"
    assert account.changes() == ["CreateModel", "CreateEndpointConfig", "CreateEndpoint"]
    endpoint = account.sagemaker.describe_endpoint(EndpointName="support-bot")
    assert endpoint["EndpointStatus"] == "InService"
    assert endpoint["EndpointConfigName"] == outcome.endpoint_config
    assert endpoint["ProductionVariants"][0]["CurrentInstanceCount"] == 7
    assert [step.status for step in steps if step.action == "waiting"] == ["Creating"] * 2
    assert (steps[-1].action, steps[-1].ready_instances, steps[-1].wanted_instances) == ("ready", 7, 7)


def test_second_apply_changes_nothing(account: Account) -> None:
    first, _ = account.deploy(SPEC)
    account.changes()

    second, steps = account.deploy(SPEC)

    assert second.result == "unchanged"
    assert second.endpoint_config == first.endpoint_config
    assert account.changes() == []
    assert {step.action for step in steps} == {"unchanged", "ready"}


def test_new_routing_is_a_new_configuration_of_the_same_model(account: Account) -> None:
    first, _ = account.deploy(SPEC)
    account.changes()

    second, _ = account.deploy(_routed(RoutingConfig.least_outstanding_requests()))

    assert second.result == "updated"
    assert second.endpoint_config != first.endpoint_config
    assert account.changes() == ["CreateEndpointConfig", "UpdateEndpoint"]
    endpoint = account.sagemaker.describe_endpoint(EndpointName="support-bot")
    assert endpoint["EndpointConfigName"] == second.endpoint_config


def test_going_back_uses_what_still_exists(account: Account) -> None:
    first, _ = account.deploy(SPEC)
    account.deploy(_routed(RoutingConfig.random()))
    account.changes()

    third, _ = account.deploy(SPEC)

    assert third.endpoint_config == first.endpoint_config
    assert account.changes() == ["UpdateEndpoint"]


def test_new_tags_are_put_on_what_exists_without_a_new_configuration(account: Account) -> None:
    first, _ = account.deploy(_with(tags={"team": "search"}))
    account.changes()

    second, _ = account.deploy(_with(tags={"team": "support", "stage": "beta"}))

    assert (second.result, second.endpoint_config) == ("updated", first.endpoint_config)
    assert account.changes() == []  # Nothing but tags.
    for resource in (f"endpoint/{first.endpoint}", f"endpoint-config/{first.endpoint_config}"):
        arn = f"arn:aws:sagemaker:us-east-1:123456789012:{resource}"
        tags = {tag["Key"]: tag["Value"] for tag in account.sagemaker.list_tags(ResourceArn=arn)["Tags"]}
        own = {key for key in tags if key.startswith("warmroute:")}
        assert {key: value for key, value in tags.items() if key not in own} == {"team": "support", "stage": "beta"}
        assert tags["warmroute:endpoint"] == "support-bot"
    assert account.deploy(_with(tags={"team": "support", "stage": "beta"}))[0].result == "unchanged"


def test_a_rolled_back_update_is_a_failure_although_it_ends_in_service(account: Account) -> None:
    first, _ = account.deploy(SPEC)
    fail_next_deployment("support-bot", "Alarm high-latency went off")

    with pytest.raises(DeploymentError, match="rolled back: Alarm high-latency went off") as failure:
        account.deploy(_routed(RoutingConfig.random()))

    assert first.endpoint_config in failure.value.remedy
    assert account.sagemaker.describe_endpoint(EndpointName="support-bot")["EndpointStatus"] == "InService"


def test_an_update_of_somebody_else_is_no_roll_back(account: Account) -> None:
    account.deploy(SPEC)
    settings = account.sagemaker.describe_endpoint_config(
        EndpointConfigName=account.sagemaker.describe_endpoint(EndpointName="support-bot")["EndpointConfigName"]
    )["ProductionVariants"]
    account.sagemaker.create_endpoint_config(EndpointConfigName="theirs", ProductionVariants=settings)
    overtaken = []

    def overtake(step: Progress) -> None:
        if step.status == "Updating" and not overtaken:
            overtaken.append(step)
            account.clock.advance(3_600)
            account.sagemaker.update_endpoint(EndpointName="support-bot", EndpointConfigName="theirs")
            account.clock.advance(3_600)

    changed = Deployment(_routed(RoutingConfig.random()), account.session, poll_seconds=1)
    with pytest.raises(DeploymentError, match="serves theirs: somebody else has updated it meanwhile"):
        changed.apply(on_progress=overtake, preflight=False)


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("Unable to provision requested ML compute capacity due to InsufficientInstanceCapacity", "instance_pools"),
        ("The container did not pass the ping health check", "container_startup_health_check_timeout_in_seconds"),
    ],
)
def test_a_failure_with_a_known_cause_says_what_helps(account: Account, reason: str, advice: str) -> None:
    fail_next_deployment("support-bot", reason)

    with pytest.raises(DeploymentError) as failure:
        account.deploy(SPEC)

    assert advice in failure.value.remedy


def test_a_failed_endpoint_is_said_and_left_alone(account: Account) -> None:
    fail_next_deployment("support-bot", "No capacity for ml.p5.48xlarge")
    with pytest.raises(DeploymentError, match="ended in state Failed: No capacity"):
        account.deploy(SPEC)
    account.changes()

    with pytest.raises(DeploymentError, match=r"is in state Failed: No capacity.*delete it"):
        account.deploy(_routed(RoutingConfig.random()))

    assert account.changes() == []


@pytest.mark.parametrize("updating", [False, True])
def test_an_apply_that_was_stopped_is_followed_to_its_end(account: Account, updating: bool) -> None:
    if updating:
        account.deploy(SPEC)
    wanted = _routed(RoutingConfig.random())
    account.deploy(wanted, wait=False)
    account.changes()

    outcome, steps = account.deploy(wanted)

    assert outcome.result == "unchanged"
    assert account.changes() == []
    assert {step.status for step in steps if step.action == "waiting"} == {"Updating" if updating else "Creating"}
    assert steps[-1].status == "InService"


def test_an_endpoint_that_is_changing_is_left_alone(account: Account) -> None:
    account.deploy(SPEC, wait=False)
    account.changes()

    with pytest.raises(DeploymentError, match="is in state Creating"):
        account.deploy(_routed(RoutingConfig.random()))

    assert account.changes() == []


def test_without_waiting_the_endpoint_is_left_to_itself(account: Account) -> None:
    outcome, steps = account.deploy(COMPONENTS, wait=False)

    assert outcome.result == "created"
    assert "waiting" not in {step.action for step in steps}
    assert "CreateInferenceComponent" not in account.changes()
    assert outcome.left_out == (
        "llama",
        "legal",
        "inference-component/llama",
        "shared-bot-llama-target-tracking",
    )


def test_components_and_scaling_follow_the_endpoint(account: Account) -> None:
    account.deploy(COMPONENTS)

    made = account.changes()
    assert made[-4:] == [
        "CreateInferenceComponent",
        "CreateInferenceComponent",
        "RegisterScalableTarget",
        "PutScalingPolicy",
    ]
    for name in ("llama", "legal"):
        described = account.sagemaker.describe_inference_component(InferenceComponentName=name)
        assert described["InferenceComponentStatus"] == "InService"


def test_components_that_run_as_wanted_are_unchanged(account: Account) -> None:
    account.deploy(COMPONENTS)
    account.changes()

    outcome, _ = account.deploy(COMPONENTS)

    assert outcome.result == "unchanged"
    assert not {"CreateInferenceComponent", "UpdateInferenceComponent"} & set(account.changes())


def test_a_component_that_differs_is_updated_but_its_scaled_count_is_not(account: Account) -> None:
    account.deploy(COMPONENTS)
    values = COMPONENTS.model_dump(exclude_none=True)
    component = values["inference_components"][0]
    component["specification"]["compute_resource_requirements"]["min_memory_required_in_mb"] = 2048
    component["runtime_config"]["copy_count"] = 6

    outcome, _ = account.deploy(EndpointSpec.parse(values))

    assert (outcome.result, outcome.components) == ("unchanged", {"llama": "updated", "legal": "unchanged"})
    described = account.sagemaker.describe_inference_component(InferenceComponentName="llama")
    assert described["Specification"]["ComputeResourceRequirements"]["MinMemoryRequiredInMb"] == 2048
    assert described["RuntimeConfig"]["DesiredCopyCount"] == 4


def test_scaled_variants_keep_their_count_through_an_update(account: Account) -> None:
    scaling = [{"variant_name": "main", "min_capacity": 2, "max_capacity": 9}]
    account.deploy(_with(auto_scaling=scaling))
    account.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="support-bot", DesiredWeightsAndCapacities=[{"VariantName": "main", "DesiredInstanceCount": 9}]
    )
    account.clock.advance(60)

    variant = SPEC.variants[0].model_copy(update={"routing_config": RoutingConfig.random()})
    account.deploy(_with(auto_scaling=scaling, variants=[variant.model_dump(exclude_none=True)]))

    endpoint = account.sagemaker.describe_endpoint(EndpointName="support-bot")
    assert endpoint["ProductionVariants"][0]["CurrentInstanceCount"] == 9


def test_a_description_without_its_endpoint_is_not_deployed_as_a_second_fleet(account: Account) -> None:
    outcome, _ = account.deploy(SPEC)
    described = account.sagemaker.describe_endpoint_config(EndpointConfigName=outcome.endpoint_config)
    account.changes()

    with pytest.raises(IncompleteSpecError, match="Add EndpointName"):
        account.deploy(EndpointSpec.parse(described))
    assert account.changes() == []

    # What SageMaker fills in, moto does not.
    described |= {"EnableNetworkIsolation": False}
    again, _ = account.deploy(EndpointSpec.parse({**described, "EndpointName": "support-bot"}))
    assert (again.result, again.endpoint_config) == ("unchanged", outcome.endpoint_config)


def test_region_of_the_environment(monkeypatch: pytest.MonkeyPatch, account: Account) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    session = boto3.Session("key", "secret")

    deployment = Deployment(SPEC.model_copy(update={"region": None}), session, poll_seconds=1)
    assert deployment.apply(preflight=False).region == "eu-west-1"


def test_no_region_is_said_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")

    with pytest.raises(DeploymentError, match="No AWS region is set"):
        Deployment(SPEC.model_copy(update={"region": None}), boto3.Session("key", "secret"))


def test_no_credentials_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/nonexistent")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")

    with pytest.raises(DeploymentError, match="No AWS credentials are set"):
        Deployment(SPEC, boto3.Session()).apply()


def test_a_refusal_names_the_operation_and_the_code(account: Account) -> None:
    variant = SPEC.variants[0].model_copy(update={"instance_type": "ml.nope.large"})

    with pytest.raises(DeploymentError, match=r"CreateEndpointConfig: ValidationException: .*ml\.nope\.large"):
        account.deploy(SPEC.model_copy(update={"variants": (variant,)}))


def test_an_unreachable_address_is_said() -> None:
    class Unreachable(boto3.Session):  # type: ignore[misc]
        def client(self, *args: Any, **options: Any) -> Any:
            from botocore.config import Config

            no_retry = Config(retries={"max_attempts": 0}, connect_timeout=1)
            return super().client(*args, **{**options, "endpoint_url": "http://127.0.0.1:9", "config": no_retry})

    with pytest.raises(DeploymentError, match="AWS cannot be reached"):
        Deployment(SPEC, Unreachable("key", "secret", region_name="us-east-1")).apply()
