"""The catalogue agrees with EC2's own description of the types and with the list that SageMaker accepts."""

from __future__ import annotations

import dataclasses
import gzip
import json
import re
from importlib.resources import files

import botocore.session
import pytest

from warmroute.hosting.instances import INSTANCES, instance

ACCEPTED = botocore.session.get_session().get_service_model("sagemaker").shape_for("ProductionVariantInstanceType").enum
GPU_FAMILY = re.compile(r"ml\.(p|g|gr)\d")

WITHOUT_FACTS = {
    "ml.p6e-gb200.36xlarge": "AWS publishes its GPU memory only as a rounded total, and EC2's dump lacks it",
    "ml.p2.xlarge": "the K80 is older than any GPU that vLLM runs on",
    "ml.p2.8xlarge": "the K80 is older than any GPU that vLLM runs on",
    "ml.p2.16xlarge": "the K80 is older than any GPU that vLLM runs on",
}

NOT_IN_DUMP = {"ml.p3.2xlarge", "ml.p3.8xlarge", "ml.p3.16xlarge"}


@pytest.fixture(scope="module")
def ec2_types():
    dump = files("moto") / "ec2" / "resources" / "instance_types.json.gz"
    return json.loads(gzip.decompress(dump.read_bytes()))


def test_every_type_is_one_that_sagemaker_accepts():
    assert set(INSTANCES) <= set(ACCEPTED)


def test_every_gpu_type_of_sagemaker_is_known_or_left_out_for_a_reason():
    gpu_types = {name for name in ACCEPTED if GPU_FAMILY.match(name)}
    assert gpu_types == set(INSTANCES) | set(WITHOUT_FACTS)
    assert not set(INSTANCES) & set(WITHOUT_FACTS)


def test_only_retired_types_are_missing_from_the_dump(ec2_types):
    assert {name for name in INSTANCES if name.removeprefix("ml.") not in ec2_types} == NOT_IN_DUMP


@pytest.mark.parametrize("name", sorted(set(INSTANCES) - NOT_IN_DUMP))
def test_figures_are_those_of_ec2(name, ec2_types):
    ours, ec2 = INSTANCES[name], ec2_types[name.removeprefix("ml.")]
    (gpu,) = ec2["GpuInfo"]["Gpus"]
    storage = ec2["InstanceStorageInfo"]
    assert dataclasses.asdict(ours) == {
        "name": name,
        "gpu_name": gpu["Name"],
        "gpu_count": gpu["Count"],
        "gpu_memory_gib": gpu["MemoryInfo"]["SizeInMiB"] / 1_024,
        "memory_gib": ec2["MemoryInfo"]["SizeInMiB"] / 1_024,
        "vcpus": ec2["VCpuInfo"]["DefaultVCpus"],
        "local_storage_gb": storage["TotalSizeInGB"],
    }
    assert ours.local_nvme == (storage["NvmeSupport"] == "required")


@pytest.mark.parametrize("name", ["ml.p3.2xlarge", "ml.p3.16xlarge"])
def test_instances_with_nothing_but_an_ebs_volume_have_no_local_nvme(name):
    assert not INSTANCES[name].local_nvme


def test_instances_that_take_no_volume_size_have_local_nvme():
    common_utils = pytest.importorskip("sagemaker.core.common_utils")
    refusing = {name for name in INSTANCES if not common_utils.volume_size_supported(name)}
    assert {"ml.p5.48xlarge", "ml.g5.xlarge"} <= refusing
    assert refusing <= {name for name, known in INSTANCES.items() if known.local_nvme}


def test_the_instance_of_the_documentation():
    p5 = instance("ml.p5.48xlarge")
    assert p5 is not None
    assert (p5.gpu_name, p5.gpu_count, p5.gpu_memory_gib, p5.local_nvme) == ("H100", 8, 80.0, True)


@pytest.mark.parametrize("name", ["p5.48xlarge", "ml.m5.xlarge", "ml.p6e-gb200.36xlarge", ""])
def test_a_type_that_the_catalogue_does_not_have_is_none(name):
    assert instance(name) is None


def test_the_catalogue_cannot_change():
    with pytest.raises(TypeError):
        INSTANCES["ml.p5.48xlarge"] = INSTANCES["ml.g5.xlarge"]
