"""The vLLM images that AWS builds for SageMaker, and the inference AMI whose GPU driver runs an image."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from types import MappingProxyType
from typing import TYPE_CHECKING

from warmroute.errors import Finding, InvalidSettingsError, Severity
from warmroute.field_errors import CHOICE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LATEST = "0.30.0"
"""The newest vLLM release with an image."""

AMI_CUDA: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "al2-ami-sagemaker-inference-gpu-2": (12, 2),
        "al2-ami-sagemaker-inference-gpu-2-1": (12, 2),
        "al2-ami-sagemaker-inference-gpu-3-1": (12, 4),
        "al2023-ami-sagemaker-inference-gpu-4-1": (13, 0),
    }
)
"""CUDA version of the driver on each inference AMI for GPUs, oldest driver first.

Source: botocore ``ProductionVariant.InferenceAmiVersion``.
"""


def vllm_image_uri(region: str, version: str = LATEST) -> str:
    """Where the instances of a region pull AWS's vLLM image from.

    Args:
        region: Region of the endpoint.
        version: vLLM release, ``0.25.1``; ``0.25`` stands for its newest patch.

    Raises:
        InvalidSettingsError: AWS publishes no image in that region, or none of that release there.
    """
    findings = []
    if region not in _REGISTRIES:
        message = f"AWS publishes no vLLM image in {region!r}."
        findings.append(_not_a_choice("region", message, _nearest_region(region), _REGISTRIES))
    releases = vllm_versions(region) or tuple(_UBUNTU)
    release = _ALIASES.get(version, version)
    if release not in releases:
        message = f"AWS publishes no image of vLLM {version} in {region}."
        findings.append(_not_a_choice("image.version", message, _nearest_release(version, releases), releases))
    if findings:
        raise InvalidSettingsError(findings)
    account, dns_suffix = _REGISTRIES[region]
    tag = f"{release}-gpu-py312-cu130-ubuntu{_UBUNTU[release]}-sagemaker"
    return f"{account}.dkr.ecr.{region}.{dns_suffix}/vllm:{tag}"


def vllm_versions(region: str) -> tuple[str, ...]:
    """The vLLM releases that AWS publishes an image of in a region, oldest first; none where it has no registry."""
    if region in _COMMERCIAL:
        return tuple(_UBUNTU)
    return _IN_EVERY_PARTITION if region in _REGISTRIES else ()


def cuda_version(image_uri: str) -> tuple[int, int] | None:
    """The CUDA version that an image was built for, or None when its tag does not tell.

    Args:
        image_uri: With its tag, which says ``cu130`` for CUDA 13.0. The tags of AWS's Amazon Linux images,
            ``vllm:server-sagemaker-cuda-v2.3``, have a version of their own; the changelog of AWS's Deep Learning
            Containers names the CUDA version of each.
    """
    image = image_uri.partition("@")[0].rpartition("/")[2]
    if server := _SERVER_IMAGE.match(image):
        return _SERVER_CUDA.get(server["major"])
    built_for = _CUDA_IN_TAG.search(image.partition(":")[2])
    return (int(built_for["major"]), int(built_for["minor"])) if built_for else None


def inference_ami_version(image_uri: str, instance_type: str) -> str | None:
    """The inference AMI with the oldest GPU driver that runs an image, or None to stay with SageMaker's default.

    The default of the older families has a driver that is too old for a recent image, which then does not start.
    None has three reasons: the tag does not tell the CUDA version; no AMI has a driver for it; or the family is one
    for which AWS's own SDK picks no AMI, because it is not documented which of them it accepts.

    Args:
        image_uri: The container image, with its tag.
        instance_type: With its prefix: ``ml.p5.48xlarge``.
    """
    cuda = cuda_version(image_uri)
    family = instance_type.removeprefix("ml.").partition(".")[0]
    if cuda is None or family not in _AMI_FAMILIES:
        return None
    for ami in _AMIS:
        if cuda <= AMI_CUDA[ami]:
            return ami
    # By NVIDIA's minor version compatibility, a driver also runs images for later minor versions of its CUDA.
    newest = _AMIS[-1]
    return newest if cuda[0] == AMI_CUDA[newest][0] else None


def _not_a_choice(path: str, message: str, nearest: str, allowed: Iterable[str]) -> Finding:
    remedy = f"Nearest: {nearest}. Allowed: {', '.join(allowed)}."
    return Finding(CHOICE, Severity.ERROR, path, message, remedy, "sagemaker-core image_uri_config/vllm.json")


def _nearest_region(given: str) -> str:
    return max(_REGISTRIES, key=lambda region: SequenceMatcher(None, given, region).ratio())


def _nearest_release(given: str, releases: Sequence[str]) -> str:
    """The release the fewest versions away; of equals, and when what was given has no number, the newest."""
    wanted = _numbers(given)

    def distance(release: str) -> list[int]:
        return [abs(ours - theirs) for ours, theirs in zip(_numbers(release), wanted, strict=False)]

    return min(reversed(releases), key=distance)


def _numbers(version: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", version)]


# Release of Ubuntu that each vLLM image is built on, oldest vLLM first.
# Source of releases, registries and tags: sagemaker-core 2.27, image_uri_config/vllm.json.
_UBUNTU = dict.fromkeys(("0.23.0", "0.24.0", "0.25.0", "0.25.1", "0.26.0", "0.27.1"), "22.04") | dict.fromkeys(
    ("0.28.0", "0.29.0", "0.30.0"), "24.04"
)
_ALIASES = {release.rpartition(".")[0]: release for release in _UBUNTU}
_IN_EVERY_PARTITION = ("0.27.1", "0.28.0")

# Account of the registry in each commercial region.
_COMMERCIAL = dict.fromkeys(
    (
        *("us-east-1", "us-east-2", "us-west-1", "us-west-2", "ca-central-1", "sa-east-1"),
        *("eu-central-1", "eu-north-1", "eu-west-1", "eu-west-2", "eu-west-3"),
        *("ap-northeast-1", "ap-northeast-2", "ap-south-1", "ap-southeast-1", "ap-southeast-2"),
    ),
    "763104351884",
) | {
    "af-south-1": "626614931356",
    "ap-east-1": "871362719292",
    "ap-east-2": "975050140332",
    "ap-northeast-3": "364406365360",
    "ap-south-2": "772153158452",
    "ap-southeast-3": "907027046896",
    "ap-southeast-4": "457447274322",
    "ap-southeast-5": "550225433462",
    "ap-southeast-6": "633930458069",
    "ap-southeast-7": "590183813437",
    "ca-west-1": "204538143572",
    "eu-central-2": "380420809688",
    "eu-south-1": "692866216735",
    "eu-south-2": "503227376785",
    "il-central-1": "780543022126",
    "me-central-1": "914824155844",
    "me-south-1": "217643126080",
    "me-west-1": "124382933778",
    "mx-central-1": "637423239942",
}

# Account and DNS suffix of the registry in each region.
_REGISTRIES = {region: (account, "amazonaws.com") for region, account in _COMMERCIAL.items()} | {
    "cn-north-1": ("727897471807", "amazonaws.com.cn"),
    "cn-northwest-1": ("727897471807", "amazonaws.com.cn"),
    "eu-isoe-west-1": ("371248457586", "cloud.adc-e.uk"),
    "eusc-de-east-1": ("204133271717", "amazonaws.eu"),
    "us-gov-east-1": ("446045086412", "amazonaws.com"),
    "us-gov-west-1": ("442386744353", "amazonaws.com"),
    "us-iso-east-1": ("886529160074", "c2s.ic.gov"),
    "us-isob-east-1": ("094389454867", "sc2s.sgov.gov"),
    "us-isof-east-1": ("303241398832", "csp.hci.ic.gov"),
    "us-isof-south-1": ("454834333376", "csp.hci.ic.gov"),
}

_CUDA_IN_TAG = re.compile(r"(?:^|-)cu(?P<major>\d\d)(?P<minor>\d)(?:-|$)")
_SERVER_IMAGE = re.compile(r"vllm:server-(?:sagemaker-)?cuda-v(?P<major>\d+)(?:\.|$)")
_SERVER_CUDA = {"1": (12, 9), "2": (13, 0)}

# Without gpu-2: gpu-2-1 has the same driver and leaves the CUDA libraries of the image alone.
_AMIS = [ami for ami in AMI_CUDA if ami != "al2-ami-sagemaker-inference-gpu-2"]

# Source: SageMaker Python SDK 3.27, which picks gpu-4-1 for the CUDA 13 images on these families.
_AMI_FAMILIES = frozenset({"g4dn", "g5", "g6", "g6e", "p4d", "p4de", "p5", "p5e", "p5en"})
