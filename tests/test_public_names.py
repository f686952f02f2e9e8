"""What the package offers by name, and what importing it costs."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest

import warmroute
import warmroute.hosting

PUBLIC = [
    "AutoScaling",
    "DeploymentConfig",
    "DeploymentError",
    "DocumentError",
    "EndpointSpec",
    "Finding",
    "IncompleteSpecError",
    "InferenceComponent",
    "InvalidSettingsError",
    "MissingExtraError",
    "Model",
    "PrefixAwareId",
    "PrefixAwareRoutingConfig",
    "ProductionVariant",
    "RoutingConfig",
    "RoutingStrategy",
    "Severity",
    "VllmContainer",
    "WarmrouteError",
    "check",
    "load_spec",
    "parse_spec",
]
HEAVY = {"boto3", "botocore", "moto", "typer", "rich", "aws_cdk", "openai", "sagemaker", "uvicorn", "numpy"}


def modules_after(statement):
    code = f"import sys; {statement}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())


def test_the_public_names_are_these():
    assert warmroute.__all__ == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_resolves(name):
    value = getattr(warmroute, name)
    assert value is getattr(warmroute, name)
    assert value.__name__ == name
    assert value.__module__.startswith("warmroute.")
    assert value.__doc__


def test_names_can_be_listed_and_imported_all_at_once():
    assert dir(warmroute) == sorted([*PUBLIC, "__version__"])
    scope = {}
    exec("from warmroute import *", scope)  # What a notebook does.
    assert set(PUBLIC) <= scope.keys()


def test_the_version_is_that_of_the_distribution():
    assert warmroute.__version__ == importlib.metadata.version("warmroute")


def test_any_other_name_is_told_as_python_does():
    with pytest.raises(AttributeError, match="module 'warmroute' has no attribute 'Endpoint'"):
        warmroute.Endpoint  # noqa: B018
    with pytest.raises(ImportError):
        from warmroute import Endpoint  # noqa: F401


def test_importing_the_package_loads_nothing_heavy():
    assert not modules_after("import warmroute") & (HEAVY | {"yaml", "pydantic", "orjson"})


def test_the_help_of_every_command_loads_nothing_heavy():
    assert not modules_after("from warmroute.cli.commands import Commands; dict(Commands())") & (
        HEAVY - {"typer", "rich"} | {"yaml", "pydantic", "orjson"}
    )


@pytest.mark.parametrize("name", ["EndpointSpec", "RoutingConfig", "PrefixAwareId"])
def test_building_a_spec_needs_no_aws_client(name):
    assert not modules_after(f"from warmroute import {name}") & HEAVY


def test_a_rule_is_in_force_whichever_name_is_imported_first():
    code = (
        "from warmroute.hosting.spec import EndpointSpec; from warmroute.rules import RULES;"
        "assert len({rule_id[2] for rule_id in RULES}) == 8, sorted(RULES)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_name_of_hosting_resolves_and_is_listed_once():
    names = warmroute.hosting.__all__
    assert names == sorted(set(names))
    assert all(getattr(warmroute.hosting, name).__doc__ for name in names)
