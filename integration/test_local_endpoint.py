"""The local endpoint over HTTP, driven by real boto3 clients."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from warmroute.client import sagemaker as helpers
from warmroute.local import RunningLocally, running_locally

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
def test_it_stops_quietly_when_told_to(stop: signal.Signals) -> None:
    command = [sys.executable, "-m", "warmroute", "local", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert "Serving on http://localhost:" in process.stdout.readline()
    process.send_signal(stop)
    _, err = process.communicate(timeout=30)

    assert "Traceback" not in err
    assert process.returncode in {0, -stop, 128 + stop}
