"""Settings of every fast test."""

from __future__ import annotations

import functools
import gc
import tempfile
from collections.abc import Iterator
from unittest import mock

import pytest
from botocore.loaders import JSONFileLoader
from hypothesis import Phase, settings

# The same examples in every run, and no test that depends on the speed of the machine.
settings.register_profile("repeatable", derandomize=True, deadline=None)
# For mutation testing: what fails once has been noticed.
settings.register_profile(
    "quick", settings.get_profile("repeatable"), max_examples=25, phases=[Phase.explicit, Phase.generate]
)
settings.load_profile("repeatable")


def pytest_collection_finish() -> None:
    """Garbage is not looked for among all that is imported by now, which took a fifth of the tests' time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)


@pytest.fixture(scope="session", autouse=True)
def service_models_are_read_once() -> Iterator[None]:
    """botocore reads the description of a service, megabytes of JSON, for every session, and moto begins one a test."""
    loader, load_file = JSONFileLoader(), JSONFileLoader.load_file
    read_once = functools.cache(lambda path: load_file(loader, path))
    with mock.patch.object(JSONFileLoader, "load_file", lambda _, path: read_once(path)):
        yield


@pytest.fixture(scope="session", autouse=True)
def nothing_of_ours_stays_behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Temporary files lie where pytest cleans up, and warmroute removes its own."""
    folder = tmp_path_factory.mktemp("temporary")
    with mock.patch.dict("os.environ", TMPDIR=str(folder)), mock.patch.object(tempfile, "tempdir", str(folder)):
        yield
    assert list(folder.glob("warmroute-*")) == []
