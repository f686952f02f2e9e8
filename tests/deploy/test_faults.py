"""What AWS and other people do in the middle of a deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from warmroute.demo import example_spec
from warmroute.deploy import Deployment
from warmroute.deploy.account.aws import Aws
from warmroute.errors import DeploymentError
from warmroute.hosting import EndpointSpec
from warmroute.local.control import Durations, fail_next_deployment, install, listing
from warmroute.routing import RoutingConfig

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Account

SPEC = example_spec()


def _components(name: str, **resources: Any) -> EndpointSpec:
    needs = {"min_memory_required_in_mb": 1024, **resources}
    return EndpointSpec.parse(
        {
            "name": name,
            "region": "us-east-1",
            "execution_role_arn": "arn:aws:iam::123456789012:role/sagemaker",
            "model": {"source": {"hugging_face": "meta-llama/Llama-3.1-8B-Instruct"}},
            "variants": [{"name": "main", "instance_type": "ml.g6.12xlarge", "initial_instance_count": 2}],
            "inference_components": [{"name": "llama", "specification": {"compute_resource_requirements": needs}}],
        }
    )


def _refusal(code: str, status: int, message: str = "Rate exceeded") -> ClientError:
    answer = {"Error": {"Code": code, "Message": message}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(answer, "DescribeEndpoint")


def _fail(account: Account, operation: str, fault: Callable[[int], Exception | None]) -> None:
    """Let calls of an operation fail as ``fault`` says of their number."""
    count = 0

    def handler(**_: Any) -> None:
        nonlocal count
        count += 1
        error = fault(count)
        if error is not None:
            raise error

    account.session.events.register(f"before-call.sagemaker.{operation}", handler)


def test_a_component_of_another_endpoint_is_never_taken_over(account: Account) -> None:
    account.deploy(_components("first"))
    account.changes()

    with pytest.raises(DeploymentError, match="Inference component llama belongs to endpoint first"):
        account.deploy(_components("second", min_memory_required_in_mb=4096))

    assert account.changes() == []


def test_components_of_others_are_named_and_left(account: Account) -> None:
    account.deploy(_components("first"))
    account.sagemaker.create_inference_component(
        InferenceComponentName="by-hand",
        EndpointName="first",
        VariantName="main",
        Specification={
            "Container": {"Image": "registry/app:1"},
            "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 128},
        },
        RuntimeConfig={"CopyCount": 1},
    )
    account.clock.advance(60)
    account.changes()

    outcome, _ = account.deploy(_components("first"))

    assert (outcome.left_over, outcome.removed, account.changes()) == (("by-hand",), (), [])


def test_components_that_left_the_spec_are_found_on_every_page_and_deleted(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "DEFAULT_PAGE", 3)
    spec = _components("first")
    (component,) = spec.inference_components
    many = tuple(component.model_copy(update={"name": f"copy-{number}"}) for number in range(7))
    account.deploy(spec.model_copy(update={"inference_components": many}))

    outcome, _ = account.deploy(spec)

    assert outcome.components == {"llama": "created"}
    assert outcome.removed == tuple(f"copy-{number}" for number in reversed(range(7)))
    left = account.sagemaker.list_inference_components(EndpointNameEquals="first")["InferenceComponents"]
    assert [each["InferenceComponentName"] for each in left] == ["llama"]


def test_an_endpoint_without_components_is_not_asked_for_them(account: Account) -> None:
    account.deploy(SPEC)

    assert "ListInferenceComponents" not in account.calls


@pytest.mark.parametrize(
    "error",
    [
        _refusal("ThrottlingException", 400),
        _refusal("InternalFailure", 500),
        EndpointConnectionError(endpoint_url="https://api.sagemaker"),
    ],
)
def test_a_wait_outlives_passing_failures(account: Account, error: Exception) -> None:
    _fail(account, "DescribeEndpoint", lambda number: error if number in {2, 3} else None)

    assert account.deploy(SPEC)[0].result == "created"


def test_a_wait_that_cannot_go_on_says_that_sagemaker_does(account: Account) -> None:
    _fail(account, "DescribeEndpoint", lambda number: _refusal("ThrottlingException", 400) if number > 1 else None)

    with pytest.raises(DeploymentError, match="ThrottlingException") as failure:
        account.deploy(SPEC)

    assert "goes on; apply again to follow it" in failure.value.remedy


def test_a_permission_that_is_missing_is_said_at_once(account: Account) -> None:
    asked: list[int] = []

    def denied(number: int) -> Exception | None:
        asked.append(number)
        return _refusal("AccessDeniedException", 400, "not authorized; the role does not exist") if number > 1 else None

    _fail(account, "DescribeEndpoint", denied)

    with pytest.raises(DeploymentError, match="AccessDeniedException"):
        account.deploy(SPEC)
    assert asked == [1, 2]


def test_a_resource_that_is_not_seen_yet_is_waited_for(account: Account) -> None:
    missing = _refusal("ValidationException", 400, "Could not find endpoint")
    _fail(account, "DescribeEndpoint", lambda number: missing if number == 2 else None)

    assert account.deploy(SPEC)[0].result == "created"


def test_an_update_that_is_not_seen_yet_is_no_rollback(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    account.deploy(SPEC)
    before = account.sagemaker.describe_endpoint(EndpointName="support-bot")
    stale = iter([before, before])
    real = Aws.describe

    def late(self: Aws, operation: str, **parameters: Any) -> dict[str, Any] | None:
        seen = real(self, operation, **parameters)
        updating = seen is not None and seen.get("EndpointStatus") == "Updating"
        return next(stale, seen) if updating else seen

    monkeypatch.setattr(Aws, "describe", late)
    outcome, _ = account.deploy(
        SPEC.model_copy(
            update={"variants": (SPEC.variants[0].model_copy(update={"routing_config": RoutingConfig.random()}),)}
        )
    )

    assert outcome.result == "updated"


def test_what_somebody_else_has_just_made_is_taken_as_it_is(account: Account) -> None:
    other = Deployment(SPEC, account.session, poll_seconds=1)
    missing = _refusal("ValidationException", 400, "Could not find model")
    other.apply(preflight=False)
    account.sagemaker.delete_endpoint(EndpointName="support-bot")
    account.clock.advance(60)
    account.changes()
    _fail(account, "DescribeModel", lambda number: missing if number == 1 else None)

    outcome, steps = account.deploy(SPEC)

    assert outcome.result == "created"
    assert [step.action for step in steps if step.kind == "model"] == ["unchanged"]


@pytest.mark.parametrize("poll_seconds", [0, -1, float("nan"), float("inf"), 3601])
def test_time_between_two_looks_is_bounded(account: Account, poll_seconds: float) -> None:
    with pytest.raises(DeploymentError, match="poll_seconds"):
        Deployment(SPEC, account.session, poll_seconds=poll_seconds)


@pytest.mark.parametrize(
    ("code", "message", "remedy"),
    [
        (
            "AccessDeniedException",
            "User: me is not authorized to perform: sagemaker:DescribeEndpoint on resource: x",
            "Give the deploying role the permission sagemaker:DescribeEndpoint.",
        ),
        ("AccessDeniedException", "no", "Give the deploying role the permission sagemaker:DescribeEndpoint."),
        ("ExpiredTokenException", "The security token included in the request is expired", "Log in again"),
        ("UnrecognizedClientException", "The security token included in the request is invalid", "Check the cred"),
    ],
)
def test_what_is_missing_is_named_before_anything_is_changed(
    account: Account, code: str, message: str, remedy: str
) -> None:
    _fail(account, "DescribeEndpoint", lambda _: _refusal(code, 400, message))

    with pytest.raises(DeploymentError, match=code) as failure:
        account.deploy(SPEC)

    assert failure.value.remedy.startswith(remedy)
    assert account.changes() == []


def test_calls_are_retried_in_the_standard_mode_unless_the_environment_says_another(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes: list[str] = []
    real = account.session.client

    def client(*args: Any, **options: Any) -> Any:
        made = real(*args, **options)
        modes.append(made.meta.config.retries["mode"])
        return made

    monkeypatch.setattr(account.session, "client", client)
    account.plan(SPEC)
    monkeypatch.setenv("AWS_RETRY_MODE", "adaptive")
    account.plan(SPEC)

    assert set(modes[: len(modes) // 2]) == {"standard"}
    assert set(modes[len(modes) // 2 :]) == {"adaptive"}


def test_an_answer_that_is_lost_is_no_failure(account: Account) -> None:
    account.deploy(SPEC)
    lost: list[str] = []

    def lose(**_: Any) -> None:
        if not lost:
            lost.append("UpdateEndpoint")
            raise EndpointConnectionError(endpoint_url="https://api.sagemaker")

    account.session.events.register("after-call.sagemaker.UpdateEndpoint", lose)
    variant = SPEC.variants[0].model_copy(update={"routing_config": RoutingConfig.random()})

    assert account.deploy(SPEC.model_copy(update={"variants": (variant,)}))[0].result == "updated"
    assert lost


def test_the_wait_lasts_as_long_as_the_guardrail(account: Account) -> None:
    routing = {"type": "ALL_AT_ONCE", "wait_interval_in_seconds": 0}
    policy = {"traffic_routing_configuration": routing, "maximum_execution_timeout_in_seconds": 600}
    guardrails = {"deployment_config": {"blue_green_update_policy": policy}}
    spec = EndpointSpec.parse({**SPEC.model_dump(exclude_none=True), **guardrails})
    install(clock=account.clock, durations=Durations(creating=10_000))

    with pytest.raises(DeploymentError, match="has not settled within 4,200 seconds") as failure:
        Deployment(spec, account.session, poll_seconds=60).apply(preflight=False)

    assert "goes on; apply again to follow it" in failure.value.remedy


def test_a_failure_names_the_alarm_and_the_log(account: Account) -> None:
    alarms = {"auto_rollback_configuration": {"alarms": [{"alarm_name": "slow"}, {"alarm_name": "errors"}]}}
    spec = EndpointSpec.parse({**SPEC.model_dump(exclude_none=True), "deployment_config": alarms})
    account.deploy(spec)
    cloudwatch = account.session.client("cloudwatch")
    for name, state in (("slow", "ALARM"), ("errors", "OK")):
        cloudwatch.put_metric_alarm(
            AlarmName=name, ComparisonOperator="GreaterThanThreshold", EvaluationPeriods=1, Threshold=1.0
        )
        cloudwatch.set_alarm_state(AlarmName=name, StateValue=state, StateReason="test")
    fail_next_deployment("support-bot", "Alarm went off")
    variant = SPEC.variants[0].model_copy(update={"routing_config": RoutingConfig.random()})

    with pytest.raises(DeploymentError, match="rolled back: Alarm went off") as failure:
        account.deploy(spec.model_copy(update={"variants": (variant,)}))

    assert "In ALARM: slow. " in failure.value.remedy
    assert "#logsV2:log-groups/log-group/$252Faws$252Fsagemaker$252FEndpoints$252Fsupport-bot" in failure.value.remedy


@pytest.mark.parametrize("operation", ["CreateModel", "CreateEndpointConfig", "CreateEndpoint", "UpdateEndpoint"])
def test_what_sagemaker_does_not_find_is_said_in_its_own_words(account: Account, operation: str) -> None:
    if operation == "UpdateEndpoint":
        account.deploy(SPEC)
    _fail(account, operation, lambda _: _refusal("ValidationException", 400, "Could not find model data at s3://a/b."))
    variant = SPEC.variants[0].model_copy(update={"routing_config": RoutingConfig.random()})

    with pytest.raises(DeploymentError, match=r"Could not find model data at s3://a/b\."):
        account.deploy(SPEC.model_copy(update={"variants": (variant,)}))


@pytest.mark.parametrize("operation", ["CreateModel", "CreateEndpointConfig"])
def test_what_stays_missing_is_not_waited_for(account: Account, operation: str) -> None:
    message = "Could not find model data at s3://models/llama/."
    _fail(account, operation, lambda _: _refusal("ValidationException", 400, message))
    before = account.clock.now()

    with pytest.raises(DeploymentError, match="Could not find model data"):
        account.deploy(SPEC)

    tries = account.calls.count(operation)
    # What a configuration refers to has just been made, and may not be seen for some seconds.
    most_tries, most_seconds = (1, 1) if operation == "CreateModel" else (5, 11)
    assert tries <= most_tries
    assert account.clock.now() - before <= most_seconds


def test_a_model_that_a_clean_up_deletes_before_its_configuration_is_made_again(account: Account) -> None:
    def delete_once(number: int) -> None:
        if number == 1:
            (model,) = account.sagemaker.list_models()["Models"]
            account.sagemaker.delete_model(ModelName=model["ModelName"])

    _fail(account, "CreateEndpointConfig", delete_once)

    assert account.deploy(SPEC)[0].result == "created"
