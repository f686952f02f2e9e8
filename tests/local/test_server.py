"""What the server refuses before anything is served."""

from __future__ import annotations

import math
import socket
from typing import Any

import pytest

from warmroute.errors import LocalEndpointError
from warmroute.local import running_locally, serve
from warmroute.local.server import _listen


@pytest.mark.parametrize("speed", [0, 0.001, -1, 10_001, 1e12, 1e308, math.inf, -math.inf, math.nan])
def test_a_speed_out_of_range_is_refused(speed: float) -> None:
    for start in (serve, lambda **options: running_locally(**options).__enter__()):
        with pytest.raises(LocalEndpointError, match=r"speed: .* is out of range\. Allowed: 0\.01 to 10,000\."):
            start(speed=speed)


@pytest.mark.parametrize("seconds", [-1, 86_401, 1e308, math.inf, math.nan])
def test_a_duration_out_of_range_is_refused(seconds: float) -> None:
    with pytest.raises(LocalEndpointError, match=r"deployment_seconds: .* is out of range\. Allowed: 0 to 86,400\."):
        serve(deployment_seconds=seconds)


@pytest.mark.parametrize("speed", ["fast", True, None])
def test_what_is_no_number_is_no_speed(speed: Any) -> None:
    with pytest.raises(LocalEndpointError, match=r"speed: .* is no number\. Allowed: 0\.01 to 10,000\."):
        serve(speed=speed)


def test_the_loser_of_a_race_for_a_port_gets_one_line(monkeypatch) -> None:
    with socket.socket() as winner:
        winner.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        winner.bind(("127.0.0.1", 0))
        port = winner.getsockname()[1]

        class Loser(socket.socket):
            def bind(self, address) -> None:
                super().bind(address)  # Two may bind as long as none listens.
                winner.listen()

        monkeypatch.setattr(socket, "socket", Loser)
        with pytest.raises(LocalEndpointError, match=f"Port {port}: Address already in use"):
            _listen(port)


def test_a_free_port_is_listened_on_at_once() -> None:
    with _listen(0) as listener, socket.create_connection(listener.getsockname(), timeout=5):
        pass


def test_answers_do_not_wait_for_acknowledgements() -> None:
    with _listen(0) as listener:
        assert listener.proto == socket.IPPROTO_TCP  # Where asyncio sets TCP_NODELAY on what it accepts.
