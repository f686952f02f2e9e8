"""The probes of boto3 and botocore."""

from __future__ import annotations

import json
from pathlib import Path

import botocore
import pytest
from doctor.conftest import Site

from warmroute.doctor import Status, sdk


def test_this_botocore_knows_the_routing(site: Site) -> None:
    (found,) = sdk.routing_in_botocore(site.machine())

    assert str(found) == f"ok       botocore: {botocore.__version__} knows PREFIX_AWARE routing."


def test_an_old_botocore_does_not(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(botocore, "__version__", "1.43.67")

    (found,) = sdk.routing_in_botocore(site.machine())

    assert str(found) == (
        "problem  botocore: 1.43.67 does not know PREFIX_AWARE routing, which came with botocore>=1.43.68. "
        "Run: pip install --upgrade 'boto3>=1.43.68'"
    )


def test_an_older_model_of_the_service_hides_the_new_one(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = {
        "version": "2.0",
        "metadata": {"serviceId": "SageMaker", "protocol": "json", "endpointPrefix": "api.sagemaker"},
        "operations": {},
        "shapes": {"RoutingStrategy": {"type": "string", "enum": ["RANDOM"]}},
    }
    folder = tmp_path / "models" / "sagemaker" / "2017-07-24"
    folder.mkdir(parents=True)
    (folder / "service-2.json").write_text(json.dumps(model), encoding="utf-8")
    monkeypatch.setenv("AWS_DATA_PATH", str(tmp_path / "models"))

    (found,) = sdk.routing_in_botocore(site.machine())

    assert found.status is Status.PROBLEM
    assert "PREFIX_AWARE is missing from the models that it loads" in found.message
    assert "AWS_DATA_PATH" in found.remedy


def test_boto3_and_botocore_go_together(site: Site) -> None:
    assert list(sdk.same_release(site.core().machine())) == []
    assert list(sdk.same_release(site.machine(path=[]))) == []


def test_another_package_holds_botocore_back(site: Site) -> None:
    site.core().add("aiobotocore", "3.10.0", "Requires-Dist: botocore<1.43.118,>=1.43.115\n")

    (found,) = sdk.same_release(site.machine())

    assert str(found) == (
        "problem  aiobotocore: 3.10.0 needs botocore<1.43.118,>=1.43.115, and 1.44.8 is installed. "
        "Run: pip install --upgrade aiobotocore 'botocore<1.43.118,>=1.43.115'"
    )
