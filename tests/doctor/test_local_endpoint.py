"""The probes of the local endpoint's address and port."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from loopback import answering

from warmroute.doctor import Diagnosis, Machine, Status, local_endpoint
from warmroute.doctor.local_endpoint import Listener


@pytest.fixture(params=list(Listener))
def who(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Listener:
    """Who listens on every port."""
    monkeypatch.setattr(local_endpoint, "listener", lambda host, port: request.param)
    return request.param


def of_url(url: str, **more: str) -> list[Diagnosis]:
    return list(local_endpoint.endpoint_url(Machine(environment={"AWS_ENDPOINT_URL": url, **more})))


def test_no_address_is_set() -> None:
    assert list(local_endpoint.endpoint_url(Machine(environment={}))) == []


def test_the_address_of_a_local_endpoint(who: Listener) -> None:
    (found,) = of_url("http://localhost:8333")

    assert (
        str(found)
        == {
            Listener.OURS: "ok       AWS_ENDPOINT_URL: calls go to the local endpoint, which runs on http://localhost:8333.",
            Listener.OTHER: "warning  AWS_ENDPOINT_URL: what runs on http://localhost:8333 is no warmroute local. "
            "If calls should go to AWS: unset AWS_ENDPOINT_URL",
            Listener.NOBODY: "problem  AWS_ENDPOINT_URL: calls go to http://localhost:8333, where nothing runs. "
            "Start it: warmroute local --port 8333; or: unset AWS_ENDPOINT_URL",
        }[who]
    )


@pytest.mark.parametrize("url", ["localhost:8333", "http://", "http://[", "ftp://localhost", "http://localhost:port"])
def test_no_address(url: str) -> None:
    (found,) = of_url(url)

    assert found.status is Status.PROBLEM
    assert found.message == f"{url} is no address."


def test_an_address_elsewhere_is_told_and_not_asked() -> None:
    (found,) = of_url("https://vpce-1.example.com")

    assert found.status is Status.WARNING
    assert found.message == "calls go to https://vpce-1.example.com."


def test_addresses_that_are_ignored() -> None:
    assert of_url("http://localhost:8333", AWS_IGNORE_CONFIGURED_ENDPOINT_URLS="true") == []


def test_the_usual_port(who: Listener) -> None:
    (found,) = local_endpoint.port(Machine())

    assert (
        str(found)
        == {
            Listener.NOBODY: "ok       local port: 8333 is free.",
            Listener.OURS: "ok       local port: warmroute local runs on 8333. A second one takes --port 0.",
            Listener.OTHER: "warning  local port: another program has 8333, the port of warmroute local. "
            "Give another: warmroute local --port 0",
        }[who]
    )


@pytest.fixture
def silent() -> Iterator[int]:
    """A port on which somebody takes connections and ends them."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0)
        yield listening.getsockname()[1]


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]

    assert local_endpoint.listener("127.0.0.1", port) is Listener.NOBODY


def test_somebody_listens_who_does_not_answer(silent: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_endpoint, "_ASK_SECONDS", 0.05)

    assert local_endpoint.listener("127.0.0.1", silent) is Listener.OTHER


@pytest.mark.parametrize(
    ("state", "who"),
    [
        (b'{"format": 1, "endpoints": []}', Listener.OURS),
        (b'{"endpoints": []}', Listener.OTHER),
        (b"[]", Listener.OTHER),
        (b"<html>", Listener.OTHER),
    ],
)
def test_a_local_endpoint_is_known_by_its_state(state: bytes, who: Listener) -> None:
    asked = []
    with answering(lambda request: (asked.append(request.path), (200, state))[1]) as url:
        found = local_endpoint.listener("127.0.0.1", int(url.rpartition(":")[2]))

    assert (found, asked) == (who, ["/_warmroute/state"])
