"""The local endpoint over HTTP, driven by real boto3 clients."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, EndpointConnectionError
from stand_in_servers import until

from warmroute.client import sagemaker as helpers
from warmroute.local import RunningLocally, running_locally
from warmroute.local.engines.vllm.ports import HeldPort
from warmroute.local.session import local_session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LONG = "This handbook answers every question about the product. " * 200


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningLocally]:
    from warmroute.demo import example_spec_text

    file = tmp_path_factory.mktemp("spec") / "endpoint.yaml"
    file.write_text(example_spec_text(), encoding="utf-8")
    with running_locally(file, speed=20) as running:
        yield running


@pytest.fixture(scope="module")
def runtime(local: RunningLocally) -> Any:
    return helpers.install(local.session().client("sagemaker-runtime"))


def _chat(question: str, **more: Any) -> dict[str, Any]:
    messages = [{"role": "system", "content": LONG}, {"role": "user", "content": question}]
    return {"messages": messages, "max_tokens": 4, **more}


def _served_by(response: dict[str, Any]) -> str:
    return response["ResponseMetadata"]["HTTPHeaders"]["x-warmroute-instance"]


def test_the_spec_is_in_service_as_soon_as_it_answers(local: RunningLocally) -> None:
    endpoint = local.session().client("sagemaker").describe_endpoint(EndpointName="support-bot")

    assert endpoint["EndpointStatus"] == "InService"
    variant = endpoint["ProductionVariants"][0]
    assert variant["CurrentInstanceCount"] == 7
    assert variant["RoutingConfig"]["RoutingStrategy"] == "PREFIX_AWARE"


def test_requests_of_one_beginning_meet_one_warm_instance(runtime: Any) -> None:
    answers = [runtime.invoke_endpoint(EndpointName="support-bot", Body=_chat(f"Question {n}?")) for n in range(6)]

    assert len({_served_by(answer) for answer in answers}) == 1
    usages = [json.loads(answer["Body"].read())["usage"] for answer in answers]
    assert usages[0]["prompt_tokens_details"]["cached_tokens"] == 0
    assert all(usage["prompt_tokens_details"]["cached_tokens"] > 2_000 for usage in usages[1:])
    assert answers[0]["InvokedProductionVariant"] == "main"


def test_different_beginnings_spread_and_ids_keep_tenants_apart(runtime: Any) -> None:
    def served(start: int, **options: str) -> str:
        body = {"messages": [{"role": "user", "content": f"{start} {LONG}"}], "max_tokens": 1}
        return _served_by(runtime.invoke_endpoint(EndpointName="support-bot", Body=body, **options))

    assert len({served(number) for number in range(30)}) >= 5
    assert len({served(0, PrefixAwareId=f"tenant-{number}") for number in range(30)}) >= 5
    assert len({served(0, PrefixAwareId="tenant-1") for _ in range(4)}) == 1


def test_overflow_at_the_threshold(runtime: Any) -> None:
    body = {"messages": [{"role": "user", "content": f"burst {LONG}"}], "max_tokens": 4_000}
    with ThreadPoolExecutor(40) as pool:
        answers = list(pool.map(lambda _: runtime.invoke_endpoint(EndpointName="support-bot", Body=body), range(40)))

    served = Counter(_served_by(answer) for answer in answers)
    assert len(served) > 1
    assert sum(served.values()) == 40


def test_streamed_answer_ends_with_its_usage(runtime: Any) -> None:
    body = _chat("Stream?", stream=True, stream_options={"include_usage": True})
    response = runtime.invoke_endpoint_with_response_stream(EndpointName="support-bot", Body=body)
    parts = [event["PayloadPart"]["Bytes"] for event in response["Body"]]

    assert response["ContentType"] == "text/event-stream"
    events = [json.loads(line[6:]) for line in b"".join(parts).decode().split("\n\n") if line.startswith("data: {")]
    assert len(parts) == 5
    assert events[-1]["usage"]["completion_tokens"] == 4
    assert parts[-1].endswith(b"data: [DONE]\n\n")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ({"EndpointName": "nope", "Body": b"{}"}, "ValidationError", "Endpoint nope of account 123456789012 not found"),
        ({"Body": b"not json"}, "ModelError", "JSON decode error"),
        ({"Body": b"{}"}, "ModelError", "no messages, prompt or inputs"),
        ({"Body": b"{}", "TargetVariant": "nope"}, "ValidationError", "Variants: main"),
        ({"Body": b"{}", "InferenceComponentName": "nope"}, "ValidationError", "In service: none"),
        ({"Body": b"x" * 6_291_457, "ContentType": "text/plain"}, "ValidationError", "6291456 bytes"),
    ],
)
def test_refusals_are_those_of_the_service(
    local: RunningLocally, arguments: dict[str, Any], code: str, says: str
) -> None:
    client = local.session().client("sagemaker-runtime")
    with pytest.raises(ClientError, match=says) as refused:
        client.invoke_endpoint(**{"EndpointName": "support-bot", **arguments})

    assert refused.value.response["Error"]["Code"] == code


def test_an_unsigned_request_is_refused(local: RunningLocally) -> None:
    import urllib.error
    import urllib.request

    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{local.url}/endpoints/support-bot/invocations", data=b"{}", timeout=10)

    with refused.value as answer:
        assert answer.code == 403


def test_a_bucket_called_endpoints_is_still_a_bucket(local: RunningLocally) -> None:
    s3 = local.session().client("s3")
    s3.create_bucket(Bucket="endpoints")
    s3.put_object(Bucket="endpoints", Key="support-bot/invocations", Body=b"kept", Metadata={"my_key": "v"})

    stored = s3.get_object(Bucket="endpoints", Key="support-bot/invocations")
    assert stored["Body"].read() == b"kept"
    assert stored["Metadata"] == {"my_key": "v"}


def test_update_serves_from_new_cold_instances(local: RunningLocally, runtime: Any) -> None:
    control = local.session().client("sagemaker")
    before = _served_by(runtime.invoke_endpoint(EndpointName="support-bot", Body=_chat("before")))
    config = control.describe_endpoint_config(
        EndpointConfigName=control.describe_endpoint(EndpointName="support-bot")["EndpointConfigName"]
    )
    control.create_endpoint_config(EndpointConfigName="other", ProductionVariants=config["ProductionVariants"])
    control.update_endpoint(EndpointName="support-bot", EndpointConfigName="other")
    control.get_waiter("endpoint_in_service").wait(
        EndpointName="support-bot", WaiterConfig={"Delay": 1, "MaxAttempts": 20}
    )

    answer = runtime.invoke_endpoint(EndpointName="support-bot", Body=_chat("after"))
    assert _served_by(answer) != before
    assert json.loads(answer["Body"].read())["usage"]["prompt_tokens_details"]["cached_tokens"] == 0


def test_it_listens_on_the_loopback_address_alone(local: RunningLocally) -> None:
    port = int(local.url.rpartition(":")[2])
    with socket.socket() as other:
        other.settimeout(2)
        assert other.connect_ex((_own_address(), port)) != 0


def _own_address() -> str:
    """An address of this machine that is not loopback; 127.0.0.2 where there is none, which must refuse as well."""
    try:
        addresses = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    except OSError:
        addresses = set()
    return next((address for address in addresses if not address.startswith("127.")), "127.0.0.2")


def test_port_in_use_is_one_line(spec: Path, warmroute: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = warmroute("local", str(spec), "--port", str(port))

    assert ran.returncode == 1
    assert ran.stderr.startswith(f"Port {port}: Address already in use. Choose another with --port")
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("busy", ["idle", "an open stream", "a whole answer", "deploying"])
def test_it_stops_quietly_and_promptly_when_told_to(spec: Path, stop: signal.Signals, busy: str) -> None:
    document = [str(spec), "--deployment-seconds", "600"] if busy == "deploying" else [str(spec)]
    held = HeldPort()
    command = [sys.executable, "-m", "warmroute", "local", *document, "--port", str(port := held.hold())]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    if busy == "deploying":
        _wait_until_updating(port, process)
    else:
        assert f"Serving on http://localhost:{port}" in process.stdout.readline()
    held.let_go()
    with _request(port, busy):
        process.send_signal(stop)
        told = time.monotonic()
        _, err = process.communicate(timeout=30)

    assert time.monotonic() - told < 10
    assert err == ("Stopped.\n" if stop == signal.SIGINT else "")
    assert process.returncode in {0, -stop, 128 + stop}


def _wait_until_updating(port: int, process: subprocess.Popen[str]) -> None:
    client = local_session(f"http://localhost:{port}", "us-east-1").client("sagemaker")

    def status() -> str:
        with contextlib.suppress(ClientError, EndpointConnectionError, ConnectionClosedError):
            return client.describe_endpoint(EndpointName="support-bot")["EndpointStatus"]
        return ""

    assert until(status, "the endpoint is created", of=process) == "Creating"


@contextlib.contextmanager
def _request(port: int, busy: str) -> Iterator[None]:
    """A request of minutes that is being served, where the endpoint is to be busy."""
    if busy not in {"an open stream", "a whole answer"}:
        yield
        return
    body = json.dumps(_chat("Long?", max_tokens=100_000, stream=busy == "an open stream"))
    path = "invocations-response-stream" if busy == "an open stream" else "invocations"
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("POST", f"/endpoints/support-bot/{path}", body, {"Authorization": _SIGNED})
    if busy == "an open stream":
        assert connection.getresponse().read(100)
    else:
        time.sleep(0.5)
    yield
    connection.close()


_SIGNED = "AWS4-HMAC-SHA256 Credential=local/20261130/us-east-1/sagemaker/aws4_request, SignedHeaders=host, Signature=0"


def test_it_starts_whatever_the_environment_says_of_aws_and_proxies(
    spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").write_text("[default]\nretry_mode = junk\n", encoding="utf-8")
    hostile = {
        "AWS_PROFILE": "nope",
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_RETRY_MODE": "junk",
        "AWS_MAX_ATTEMPTS": "junk",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_CA_BUNDLE": "/nonexistent",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "http_proxy": "http://127.0.0.1:9",
    }
    for name, value in hostile.items():
        monkeypatch.setenv(name, value)
    with running_locally(spec, speed=20) as local:
        control = local.session().client("sagemaker")
        assert control.describe_endpoint(EndpointName="support-bot")["EndpointStatus"] == "InService"


@pytest.mark.parametrize("model", ["", "    model_name: existing\n"])
def test_a_region_that_does_not_exist_is_one_line(model: str, tmp_path: Path, warmroute: Any) -> None:
    spec = tmp_path / "endpoint.yaml"
    variant = "variants:\n  - name: main\n    instance_type: ml.p5.48xlarge\n    initial_instance_count: 1\n"
    role = "execution_role_arn: arn:aws:iam::123456789012:role/execution\n"
    spec.write_text(f"name: bot\nregion: xx-mars-1\n{role}{variant}{model}", encoding="utf-8")
    ran = warmroute("local", str(spec), "--port", "0")

    assert ran.returncode == 1
    assert "SageMaker has no region xx-mars-1" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_asynchronous_invocations_are_refused_rather_than_lost(local: RunningLocally) -> None:
    client = local.session().client("sagemaker-runtime")
    with pytest.raises(ClientError, match="Asynchronous invocations are not served here") as refused:
        client.invoke_endpoint_async(EndpointName="support-bot", InputLocation="s3://bucket/key")

    assert refused.value.response["Error"]["Code"] == "ValidationError"


@pytest.mark.parametrize(
    ("method", "path", "service", "status"),
    [
        ("POST", "/endpoints/support-bot/async-invocations", "dynamodb", 400),
        ("POST", "/endpoints/support-bot/invocations", "dynamodb", 403),
        ("GET", "/endpoints/support-bot/invocations", "sagemaker", 404),
        ("POST", "/endpoints/support%2Fbot/invocations", "sagemaker", 400),
        ("POST", "/endpoints/support-bot/nothing", "sagemaker", 404),
    ],
)
def test_whatever_is_below_endpoints_is_refused_in_json(
    local: RunningLocally, method: str, path: str, service: str, status: int
) -> None:
    connection = HTTPConnection("127.0.0.1", int(local.url.rpartition(":")[2]), timeout=30)
    connection.request(method, path, b"{}", {"Authorization": _SIGNED.replace("sagemaker", service)})
    response = connection.getresponse()
    body = json.loads(response.read())
    connection.close()

    assert (response.status, response.getheader("Content-Type")) == (status, "application/json")
    assert response.getheader("x-amzn-errortype")
    assert body["Message"]


@pytest.mark.parametrize("path", ["invocations", "invocations-response-stream"])
def test_a_client_that_goes_away_makes_room(local: RunningLocally, path: str) -> None:
    port = int(local.url.rpartition(":")[2])
    runtime = local.session().client("sagemaker-runtime")
    body = json.dumps(_chat("Gone?", max_tokens=1_000_000, stream=path != "invocations"))
    # More than every instance runs at once (max_num_seqs is 64), each for an hour: who stays would never be served.
    gone = [HTTPConnection("127.0.0.1", port, timeout=30) for _ in range(7 * 64)]
    for connection in gone:
        connection.request("POST", f"/endpoints/support-bot/{path}", body, {"Authorization": _SIGNED})
    time.sleep(1)
    for connection in gone:
        connection.close()

    answer = runtime.invoke_endpoint(EndpointName="support-bot", Body=json.dumps(_chat("Here?")).encode())
    assert json.loads(answer["Body"].read())["usage"]["completion_tokens"] == 4


def test_an_endpoint_made_anew_under_its_old_names_starts_cold(local: RunningLocally) -> None:
    control, runtime = (local.session().client(name) for name in ("sagemaker", "sagemaker-runtime"))

    def make(routing: str, model: str) -> None:
        environment = {"SM_VLLM_ENABLE_PROMPT_TOKENS_DETAILS": "true", "SM_VLLM_SERVED_MODEL_NAME": model}
        variant = {
            "VariantName": "main",
            "ModelName": "again",
            "InstanceType": "ml.p5.48xlarge",
            "InitialInstanceCount": 1,
            "RoutingConfig": {"RoutingStrategy": routing},
        }
        control.create_model(ModelName="again", PrimaryContainer={"Image": "vllm:1", "Environment": environment})
        control.create_endpoint_config(EndpointConfigName="again", ProductionVariants=[variant])
        control.create_endpoint(EndpointName="again", EndpointConfigName="again")
        control.get_waiter("endpoint_in_service").wait(EndpointName="again", WaiterConfig={"Delay": 1})

    def ask() -> tuple[str, int]:
        answer = runtime.invoke_endpoint(EndpointName="again", Body=json.dumps(_chat("Again?")).encode())
        read = json.loads(answer["Body"].read())
        return read["model"], read["usage"]["prompt_tokens_details"]["cached_tokens"]

    make("RANDOM", "first")
    assert ask() == ("first", 0)
    assert ask()[1] > 0
    control.delete_endpoint(EndpointName="again")
    control.get_waiter("endpoint_deleted").wait(EndpointName="again", WaiterConfig={"Delay": 1})
    control.delete_endpoint_config(EndpointConfigName="again")
    control.delete_model(ModelName="again")
    make("LEAST_OUTSTANDING_REQUESTS", "second")
    assert ask() == ("second", 0)
