"""Image URIs are those of AWS's own SDK; the AMI is one whose driver runs the image."""

from __future__ import annotations

import json
from importlib.resources import files

import botocore.session
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmroute.errors import InvalidSettingsError
from warmroute.hosting.images import (
    AMI_CUDA,
    LATEST,
    cuda_version,
    inference_ami_version,
    vllm_image_uri,
    vllm_versions,
)

VLLM = "763104351884.dkr.ecr.us-east-1.amazonaws.com/vllm"


@pytest.fixture(scope="module")
def sdk_images():
    """What sagemaker-core knows of the vLLM images."""
    pytest.importorskip("sagemaker.core")
    return json.loads((files("sagemaker.core") / "image_uri_config" / "vllm.json").read_text())["inference"]


def test_the_image_of_the_documentation():
    assert vllm_image_uri("us-east-1") == f"{VLLM}:0.30.0-gpu-py312-cu130-ubuntu24.04-sagemaker"
    assert vllm_image_uri("us-east-1", "0.25.1") == f"{VLLM}:0.25.1-gpu-py312-cu130-ubuntu22.04-sagemaker"


def test_the_default_is_the_newest_release():
    assert vllm_versions("us-east-1")[-1] == LATEST


def test_every_release_and_region_of_the_sdk_has_the_image_of_the_sdk(sdk_images):
    for version, release in sdk_images["versions"].items():
        for region, account in release["registries"].items():
            registry, _, image = vllm_image_uri(region, version).partition("/")
            assert registry.startswith(f"{account}.dkr.ecr.{region}.")
            (python,) = release["py_versions"]
            tag = f"{release['tag_prefix']}-gpu-{python}-{release['container_version']['gpu']}"
            assert image == f"{release['repository']}:{tag}"


def test_no_release_and_region_but_those_of_the_sdk(sdk_images):
    releases_in = {}
    for version, release in sdk_images["versions"].items():
        for region in release["registries"]:
            releases_in.setdefault(region, set()).add(version)
    (finding,) = findings("mars-1").values()
    ours = finding.remedy.rpartition("Allowed: ")[2].removesuffix(".").split(", ")
    assert {region: set(vllm_versions(region)) for region in ours} == releases_in


def test_short_versions_mean_what_they_mean_to_the_sdk(sdk_images):
    for short, version in sdk_images["version_aliases"].items():
        assert vllm_image_uri("eu-west-1", short) == vllm_image_uri("eu-west-1", version)


@pytest.mark.parametrize(
    ("region", "version"),
    [
        ("us-east-1", LATEST),
        ("eu-central-2", LATEST),
        ("us-gov-west-1", "0.28.0"),
        ("cn-north-1", "0.28.0"),
        ("eusc-de-east-1", "0.28.0"),
        ("eu-isoe-west-1", "0.28.0"),
        ("us-iso-east-1", "0.28.0"),
        ("us-isob-east-1", "0.28.0"),
        ("us-isof-south-1", "0.27.1"),
    ],
)
def test_the_registry_is_that_of_the_partition(region, version):
    image_uris = pytest.importorskip("sagemaker.core.image_uris")
    assert vllm_image_uri(region, version) == image_uris.retrieve(
        "vllm", region=region, version=version, instance_type="ml.g5.xlarge", image_scope="inference"
    )


def findings(region, version=LATEST):
    with pytest.raises(InvalidSettingsError) as refusal:
        vllm_image_uri(region, version)
    return {finding.path: finding for finding in refusal.value.findings}


def test_an_unknown_region_is_told_the_nearest_one():
    (finding,) = findings("eu-wset-1").values()
    assert (finding.id, finding.path) == ("WR005", "region")
    assert "'eu-wset-1'" in finding.message
    assert "Nearest: eu-west-1." in finding.remedy
    assert "us-gov-west-1" in finding.remedy


@pytest.mark.parametrize(
    ("version", "nearest"),
    [
        ("0.27.0", "0.27.1"),
        ("0.31.0", "0.30.0"),
        ("0.22.1", "0.23.0"),
        ("v0.26.0", "0.26.0"),
        ("0.25.9", "0.25.1"),
        ("latest", "0.30.0"),
    ],
)
def test_an_unknown_release_is_told_the_nearest_one(version, nearest):
    (finding,) = findings("us-east-1", version).values()
    assert (finding.id, finding.path) == ("WR005", "image.version")
    assert version in finding.message
    assert finding.remedy.startswith(f"Nearest: {nearest}. Allowed: 0.23.0, ")


def test_a_release_that_a_partition_lacks_is_told_those_that_it_has():
    (finding,) = findings("cn-north-1", "0.30.0").values()
    assert finding.path == "image.version"
    assert finding.message == "AWS publishes no image of vLLM 0.30.0 in cn-north-1."
    assert finding.remedy.endswith("Allowed: 0.27.1, 0.28.0.")


def test_region_and_release_are_both_reported():
    assert set(findings("mars-1", "9.9")) == {"region", "image.version"}


def test_a_region_without_a_registry_has_no_releases():
    assert vllm_versions("mars-1") == ()


@pytest.mark.parametrize(
    ("image", "cuda"),
    [
        (f"{VLLM}:0.30.0-gpu-py312-cu130-ubuntu24.04-sagemaker", (13, 0)),
        (f"{VLLM}:0.19.1-gpu-py312-cu129-ubuntu22.04-sagemaker", (12, 9)),
        ("763104351884.dkr.ecr.eu-west-1.amazonaws.com/djl-inference:0.38.0-lmi29.0.0-cu130", (13, 0)),
        (f"{VLLM}:0.30.0-gpu-py312-cu130-ubuntu24.04-sagemaker@sha256:{'0' * 64}", (13, 0)),
        ("localhost:5000/vllm:cu124", (12, 4)),
        ("tgi:2.0-cu118", (11, 8)),
        (f"{VLLM}:server-sagemaker-cuda-v2", (13, 0)),
        (f"{VLLM}:server-sagemaker-cuda-v2.3", (13, 0)),
        (f"{VLLM}:server-cuda-v1.4", (12, 9)),
        (f"{VLLM}:server-sagemaker-cuda-v3", None),
        (f"{VLLM}:omni-sagemaker-cuda-v1", None),
        ("763104351884.dkr.ecr.us-east-1.amazonaws.com/sglang:server-sagemaker-cuda-v1", None),
        (f"{VLLM}:0.30-gpu-py312", None),
        ("registry-cu130/vllm:mine", None),
        (f"vllm@sha256:{'0' * 64}", None),
        ("localhost:5000/vllm", None),
        ("", None),
    ],
)
def test_the_cuda_version_is_read_from_the_tag(image, cuda):
    assert cuda_version(image) == cuda


@pytest.mark.parametrize("version", vllm_versions("us-east-1"))
def test_every_vllm_image_needs_the_newest_driver(version):
    ami = inference_ami_version(vllm_image_uri("us-east-1", version), "ml.p5.48xlarge")
    assert ami == "al2023-ami-sagemaker-inference-gpu-4-1"


@pytest.mark.parametrize(
    ("cuda", "ami"),
    [
        ("cu118", "al2-ami-sagemaker-inference-gpu-2-1"),
        ("cu122", "al2-ami-sagemaker-inference-gpu-2-1"),
        ("cu123", "al2-ami-sagemaker-inference-gpu-3-1"),
        ("cu124", "al2-ami-sagemaker-inference-gpu-3-1"),
        ("cu125", "al2023-ami-sagemaker-inference-gpu-4-1"),
        ("cu129", "al2023-ami-sagemaker-inference-gpu-4-1"),
        ("cu130", "al2023-ami-sagemaker-inference-gpu-4-1"),
        ("cu132", "al2023-ami-sagemaker-inference-gpu-4-1"),
        ("cu140", None),
        ("cpu", None),
    ],
)
def test_the_ami_is_the_oldest_that_runs_the_image(cuda, ami):
    assert inference_ami_version(f"vllm:1.0-gpu-{cuda}", "ml.g6e.12xlarge") == ami


@given(major=st.integers(10, 19), minor=st.integers(0, 9))
def test_an_ami_never_has_an_older_major_version_than_its_image(major, minor):
    ami = inference_ami_version(f"vllm:cu{major}{minor}", "ml.g5.xlarge")
    assert ami is None or AMI_CUDA[ami] >= (major, minor) or AMI_CUDA[ami][0] == major == 13


@pytest.mark.parametrize("family", ["g4dn", "g5", "g6", "g6e", "p4d", "p4de", "p5", "p5e", "p5en"])
def test_families_for_which_awss_sdk_picks_an_ami(family):
    assert inference_ami_version(vllm_image_uri("us-east-1"), f"ml.{family}.48xlarge") is not None


@pytest.mark.parametrize(
    "instance_type", ["ml.p3.2xlarge", "ml.g7e.2xlarge", "ml.p6-b200.48xlarge", "ml.m5.xlarge", ""]
)
def test_other_families_stay_with_the_default_ami(instance_type):
    assert inference_ami_version(vllm_image_uri("us-east-1"), instance_type) is None


def test_every_gpu_ami_of_sagemaker_has_its_cuda_version():
    variant = botocore.session.get_session().get_service_model("sagemaker").shape_for("ProductionVariant")
    ami_version = variant.members["InferenceAmiVersion"]
    assert set(AMI_CUDA) == {ami for ami in ami_version.enum if "-gpu-" in ami}
    for ami, (major, minor) in AMI_CUDA.items():
        described = ami_version.documentation.partition(f"<dt>{ami}</dt>")[2].partition("</dd>")[0]
        assert f"CUDA version: {major}.{minor}<" in described
