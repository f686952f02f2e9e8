"""The pytest plugin, with nothing behind it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from warmroute.demo import example_spec_text
from warmroute.errors import LocalEndpointError
from warmroute.local import RunningLocally
from warmroute.local.testing import LocalEndpoint, endpoint, fixtures

pytest_plugins = ["pytester"]

PLUGIN = 'pytest_plugins = ["warmroute.local.testing"]'
URL = "http://localhost:1"


class Server:
    """What the plugin does to its server, and what the server would remember."""

    def __init__(self) -> None:
        self.done: list[Any] = []
        self.count = 0
        self.requests: list[dict[str, Any]] = []

    @contextlib.contextmanager
    def running(self, **options: Any) -> Iterator[RunningLocally]:
        self.done.append(("start", options["speed"]))
        yield RunningLocally(URL)
        self.done.append("end")

    def record(self, url: str, after: int = 0) -> Any:
        assert url == URL
        return {"count": self.count, "requests": [each for each in self.requests if each["number"] > after]}

    def answers(self, endpoint: str, instance: str, home: str) -> None:
        self.count += 1
        told = {"path": "/", "status": 200, "variant": "main", "key": "abc", "instance": instance, "home": home}
        self.requests.append({"number": self.count, "endpoint": endpoint, **told})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    server = Server()
    monkeypatch.setattr(fixtures, "running_locally", server.running)
    monkeypatch.setattr(fixtures, "deploy_locally", lambda spec, url: server.done.append((spec.name, url)))
    monkeypatch.setattr(fixtures, "reset", lambda running: server.done.append("reset"))
    monkeypatch.setattr(endpoint, "_record", server.record)
    return server


def _passed(pytester: pytest.Pytester, tests: str, conftest: str = PLUGIN) -> int:
    pytester.makeconftest(conftest)
    pytester.makefile(".yaml", endpoint=example_spec_text())
    pytester.makepyfile(tests)
    outcomes, *_ = pytester.inline_run("-p", "no:cacheprovider", "-p", "no:xdist").listoutcomes()
    return len(outcomes)


def test_one_server_serves_every_test_and_each_begins_empty(pytester: pytest.Pytester, server: Server) -> None:
    tests = """
        import unittest
        import pytest

        def test_first(local_endpoint):
            assert local_endpoint("endpoint.yaml").name == "support-bot"

        class TestSecond(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def endpoint(self, local_endpoint):
                self.endpoint = local_endpoint("endpoint.yaml")

            def test_it(self):
                assert self.endpoint.openai_base_url.endswith("/endpoints/support-bot/openai/v1")
    """
    assert _passed(pytester, tests) == 2
    deployed = ("support-bot", URL)
    assert server.done == [("start", 100.0), deployed, "reset", deployed, "reset", "end"]


def test_a_spec_may_be_given_by_its_values(pytester: pytest.Pytester, server: Server) -> None:
    tests = """
        from pathlib import Path
        import yaml

        def test_it(local_endpoint):
            values = yaml.safe_load(Path("endpoint.yaml").read_text("utf-8"))
            assert local_endpoint(values).name == "support-bot"
    """
    assert _passed(pytester, tests) == 1
    assert ("support-bot", URL) in server.done


def test_the_environment_is_the_server_s_for_as_long_as_a_test_lasts(
    pytester: pytest.Pytester, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "mine")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    tests = """
        import os

        def test_it(local_endpoint):
            assert "AWS_PROFILE" not in os.environ and "AWS_REGION" not in os.environ
            assert os.environ["AWS_ENDPOINT_URL"] == "http://localhost:1"
            endpoint = local_endpoint("endpoint.yaml")
            assert os.environ["AWS_REGION"] == os.environ["AWS_DEFAULT_REGION"] == endpoint.region
            assert endpoint.environment.items() <= os.environ.items()

        def test_another():
            assert os.environ["AWS_PROFILE"] == "mine"
    """
    assert _passed(pytester, tests) == 2
    assert os.environ["AWS_REGION"] == "eu-west-1"


def test_a_failing_test_leaves_nothing_behind_either(pytester: pytest.Pytester, server: Server) -> None:
    assert _passed(pytester, "def test_it(local_endpoint):\n    assert 1 == 2\n") == 0
    assert server.done == [("start", 100.0), "reset", "end"]


def test_a_project_says_how_its_server_serves(pytester: pytest.Pytester, server: Server) -> None:
    conftest = f"""
        import pytest
        from warmroute.local.testing import LocalServerSettings
        {PLUGIN}

        @pytest.fixture(scope="session")
        def local_server_settings():
            return LocalServerSettings(speed=7)
    """
    assert _passed(pytester, "def test_it(local_endpoint):\n    pass\n", conftest) == 1
    assert server.done[0] == ("start", 7)


def test_requests_are_those_of_the_endpoint_since_it_was_made(server: Server) -> None:
    server.answers("bot", "a", "a")
    bot = LocalEndpoint(RunningLocally(URL), "bot", "us-east-1")
    server.answers("bot", "b", "a")
    server.answers("other", "c", "c")
    server.answers("bot", "a", "a")

    assert [(each.instance, each.home, each.overflowed) for each in bot.requests] == [
        ("b", "a", True),
        ("a", "a", False),
    ]


def test_more_requests_than_are_remembered_are_one_line(server: Server) -> None:
    bot = LocalEndpoint(RunningLocally(URL), "bot", "us-east-1")
    for _ in range(3):
        server.answers("bot", "a", "a")
    del server.requests[0]

    with pytest.raises(LocalEndpointError, match=r"answered 3 requests and remembers 2\. Look at requests earlier"):
        bot.requests  # noqa: B018


def test_the_local_endpoint_itself_needs_no_pytest() -> None:
    code = "import sys, warmroute.local; sys.exit('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
