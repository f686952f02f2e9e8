"""What AWS and other people do in the middle of a deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from warmroute.demo import example_spec
from warmroute.deploy import Deployment
from warmroute.deploy.aws import Aws
from warmroute.errors import DeploymentError
from warmroute.hosting import EndpointSpec
from warmroute.local.control import listing
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


def test_components_that_the_spec_does_not_have_are_named_and_left(account: Account) -> None:
    account.deploy(_components("first"))
    spec = _components("first")
    renamed = spec.inference_components[0].model_copy(update={"name": "other"})

    outcome, _ = account.deploy(spec.model_copy(update={"inference_components": (renamed,)}))

    assert (outcome.components, outcome.left_over) == ({"other": "created"}, ("llama",))
    assert account.sagemaker.describe_inference_component(InferenceComponentName="llama")


def test_left_over_components_are_found_on_every_page(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "DEFAULT_PAGE", 5)
    spec = _components("first")
    (component,) = spec.inference_components
    many = tuple(component.model_copy(update={"name": f"copy-{number:02}"}) for number in range(13))
    account.deploy(spec.model_copy(update={"inference_components": many}))

    outcome, _ = account.deploy(spec)

    assert outcome.left_over == tuple(f"copy-{number:02}" for number in range(13))


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
    other.apply()
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
