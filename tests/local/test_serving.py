"""The server in this process: both planes on one port, from the first deployment until it is told to stop."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from botocore.retries.standard import ExponentialBackoff
from moto.moto_api._internal import moto_api_backend

from warmroute.errors import DeploymentError, LocalEndpointError, MissingExtraError
from warmroute.hosting import EndpointSpec, parse_spec
from warmroute.local import serve
from warmroute.local.control import Clock, Durations, Readiness, install
from warmroute.local.control.lookup import existing_endpoints
from warmroute.local.deploying import ROLE_ARN, STAND_IN_IMAGE, deploy_locally
from warmroute.local.session import local_session

VARIANT = "{name: main, instance_type: ml.p5.48xlarge, initial_instance_count: 2, %s}"
SPEC = f"""
name: bot
model: {{image: {{framework: vllm}}, source: {{hugging_face: some/model}}}}
variants: [{VARIANT % "routing_config: {routing_strategy: RANDOM}"}]
"""
BODY = b'{"prompt": "Hello.", "max_tokens": 1}'


@pytest.fixture(autouse=True)
def account_of_its_own() -> Iterator[None]:
    """moto's accounts, and the time that they live in, are the whole process's."""
    moto_api_backend.reset()
    yield
    moto_api_backend.reset()
    install(clock=Clock(), durations=Durations(), readiness=Readiness())


def spec_of(text: str = SPEC) -> EndpointSpec:
    return parse_spec(text, name="endpoint.yaml")


def while_serving(ask: Callable[[str], Any], **options: Any) -> Any:
    """What a function, in a thread of its own, makes of the server's URL; then the server is told to stop."""
    assert threading.current_thread() is threading.main_thread()  # Which signals come to.
    asked: list[Future[Any]] = []

    def ask_and_stop(url: str) -> Any:
        try:
            return ask(url)
        finally:
            tell_to_stop()

    with ThreadPoolExecutor(1) as aside:
        serve(speed=10_000, on_ready=lambda url: asked.append(aside.submit(ask_and_stop, url)), **options)
    (answer,) = asked
    return answer.result()


def tell_to_stop() -> None:
    assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL  # Which would end the tests.
    os.kill(os.getpid(), signal.SIGTERM)


def client(url: str, service: str, region: str = "us-east-1") -> Any:
    return local_session(url, region).client(service)


def invoked(url: str) -> int:
    answer = client(url, "sagemaker-runtime").invoke_endpoint(EndpointName="bot", Body=BODY)
    assert json.loads(answer["Body"].read())["usage"]["completion_tokens"] == 1
    return int(answer["ResponseMetadata"]["HTTPStatusCode"])


def test_once_it_says_so_the_endpoint_serves_on_both_planes_and_can_be_watched():
    def ask(url):
        described = client(url, "sagemaker").describe_endpoint(EndpointName="bot")
        with urlopen(f"{url}/_warmroute/state", timeout=60) as page:
            seen = json.load(page)
        return described["EndpointStatus"], invoked(url), [each["name"] for each in seen["endpoints"]]

    assert while_serving(ask, spec=spec_of()) == ("InService", 200, ["bot"])


def test_without_a_spec_the_account_is_empty():
    assert while_serving(lambda url: client(url, "sagemaker").list_endpoints()["Endpoints"]) == []


def test_it_serves_where_standard_output_is_closed(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    assert while_serving(lambda url: client(url, "sagemaker").list_endpoints()["Endpoints"]) == []


def test_the_process_has_its_own_settings_again_and_its_signals_once_it_is_stopped(monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "mine")
    before = dict(os.environ), signal.getsignal(signal.SIGTERM)

    assert while_serving(lambda _: os.environ.get("AWS_PROFILE")) is None
    assert (dict(os.environ), signal.getsignal(signal.SIGTERM)) == before


def test_the_spec_s_own_region_and_role_are_those_of_its_endpoint():
    role = "arn:aws:iam::123456789012:role/mine"

    def ask(url):
        sagemaker = client(url, "sagemaker", "eu-west-1")
        (model,) = sagemaker.list_models()["Models"]
        return sagemaker.describe_model(ModelName=model["ModelName"])["ExecutionRoleArn"]

    assert while_serving(ask, spec=spec_of(f"{SPEC}region: eu-west-1\nexecution_role_arn: {role}\n")) == role


NAMED = f"name: bot\nvariants: [{VARIANT % 'model_name: elsewhere'}]\n"


def _stand_in(url: str) -> tuple[str, str, int]:
    model = client(url, "sagemaker").describe_model(ModelName="elsewhere")
    return model["PrimaryContainer"]["Image"], model["ExecutionRoleArn"], invoked(url)


def test_a_model_that_only_the_real_account_has_is_stood_in_for():
    assert while_serving(_stand_in, spec=spec_of(NAMED)) == (STAND_IN_IMAGE, ROLE_ARN, 200)


def test_a_stand_in_that_cannot_be_made_is_named(monkeypatch):
    monkeypatch.setattr(ExponentialBackoff, "delay_amount", lambda *_: 0)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(LocalEndpointError, match="The stand-in for model elsewhere cannot be made: Could not conn"):
            deploy_locally(spec_of(NAMED), url)


def test_a_kept_account_is_served_again_and_keeps_its_stand_ins(tmp_path):
    keep = {"spec": spec_of(NAMED), "state": tmp_path / "state"}
    created = [while_serving(_creation, **keep)]
    moto_api_backend.reset()  # As another process would have none of it.
    created.append(while_serving(_creation, **keep))

    assert created[0] == created[1]
    assert while_serving(_stand_in, **keep)[2] == 200


def _creation(url: str) -> Any:
    return client(url, "sagemaker").describe_endpoint(EndpointName="bot")["CreationTime"]


def test_what_the_control_plane_refuses_ends_the_server():
    def ready(url):
        raise AssertionError("It never serves.")

    with pytest.raises(DeploymentError, match=r"ml\.nothing"):
        serve(spec_of(SPEC.replace("ml.p5.48xlarge", "ml.nothing.large")), speed=10_000, on_ready=ready)


def test_a_failure_of_whoever_waits_for_it_ends_the_server():
    urls = []

    def ready(url):
        urls.append(url)
        raise LookupError(url)

    with pytest.raises(LookupError):
        serve(spec_of(), speed=10_000, on_ready=ready)
    with pytest.raises(URLError, match="refused"):
        urlopen(*urls, timeout=60)


def test_a_server_that_is_stopped_while_it_deploys_just_ends(monkeypatch):
    monkeypatch.setattr(ExponentialBackoff, "delay_amount", lambda *_: 0)  # The deployment asks again, and in vain.

    before = signal.getsignal(signal.SIGTERM)

    def stop() -> None:
        while not existing_endpoints() or signal.getsignal(signal.SIGTERM) is before:
            threading.Event().wait(0.01)
        tell_to_stop()

    with ThreadPoolExecutor(1) as aside:
        stopped = aside.submit(stop)
        serve(spec_of(), deployment_seconds=86_400)
        stopped.result()


def test_without_its_packages_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingExtraError, match=r"The local endpoint .*warmroute\[local\]"):
        serve()


def test_a_port_that_is_taken_is_told_before_anything_starts():
    def ask(url):
        with pytest.raises(LocalEndpointError, match=r"Address already in use\. Choose another with --port, or 0 for"):
            serve(port=int(url.rpartition(":")[2]))

    while_serving(ask)
