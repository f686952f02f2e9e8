"""Settings of every fast test."""

from __future__ import annotations

import functools
import gc
import tempfile
from collections.abc import Iterator
from unittest import mock

import pytest
from botocore.loaders import JSONFileLoader, Loader
from hypothesis import Phase, settings
from moto.core.utils import method_names_from_class

# The same examples in every run, and no test that depends on the speed of the machine.
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=50)
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
def what_does_not_change_is_read_once() -> Iterator[None]:
    """botocore reads a service's description, megabytes of JSON, for every session, and moto begins one a test."""
    loader, load_file, list_services = JSONFileLoader(), JSONFileLoader.load_file, Loader.list_available_services
    read_once = functools.cache(lambda path: load_file(loader, path))
    listed_once = functools.cache(
        lambda paths, type_name: list_services(Loader(extra_search_paths=[*paths]), type_name)
    )
    with (
        mock.patch.object(JSONFileLoader, "load_file", lambda _, path: read_once(path)),
        mock.patch.object(
            Loader, "list_available_services", lambda each, type_name: listed_once(tuple(each.search_paths), type_name)
        ),
        mock.patch("moto.core.responses.method_names_from_class", functools.cache(method_names_from_class)),
    ):
        yield


@pytest.fixture(scope="session", autouse=True)
def nothing_of_ours_stays_behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Temporary files lie where pytest cleans up, and warmroute removes its own."""
    folder = tmp_path_factory.mktemp("temporary")
    with mock.patch.dict("os.environ", TMPDIR=str(folder)), mock.patch.object(tempfile, "tempdir", str(folder)):
        yield
    assert list(folder.glob("warmroute-*")) == []
