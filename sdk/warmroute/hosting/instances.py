"""What the GPU instances of SageMaker endpoints are made of.

The catalogue covers the GPU families of botocore's ``ProductionVariantInstanceType`` from P3 on. The figures are
those that EC2's DescribeInstanceTypes reports for the type without its ``ml.``, and for P3 those that AWS published.
Two kinds are left out: ``ml.p6e-gb200.36xlarge``, whose GPU memory is known only as a rounded total, and P2, whose
K80 is older than any GPU that vLLM runs on.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance type of an endpoint."""

    name: str
    """As SageMaker spells it: ``ml.p5.48xlarge``."""

    gpu_name: str
    """Model of its GPUs, which are all alike: ``H100``."""

    gpu_count: int

    gpu_memory_gib: float
    """Memory of each GPU as EC2 reports it, below the round figure where the GPU keeps some for error correction."""

    memory_gib: int
    """Memory of the host."""

    vcpus: int

    local_storage_gb: int
    """NVMe disks that come with the instance, all together; 0 when it has only its EBS volume."""

    @property
    def local_nvme(self) -> bool:
        """Whether the instance has NVMe disks of its own in place of an EBS volume.

        There is then no volume for ``VolumeSizeInGB`` to size, and SageMaker refuses it. The disks encrypt in
        hardware with keys of their own: a ``KmsKeyId`` does not reach them, and CreateEndpointConfig has been
        documented to fail when one is given.

        Source: sagemaker-core ``volume_size_supported``; botocore ``CreateEndpointConfigInput.KmsKeyId``, whose
        current text says that the key does not encrypt these disks and whose earlier text said that the call fails.
        """
        return self.local_storage_gb > 0


def instance(name: str) -> Instance | None:
    """The instance type of that name, or None when the catalogue does not have it.

    Args:
        name: With its prefix: ``ml.g5.xlarge``.
    """
    return INSTANCES.get(name)


# Model and memory of one GPU, in MiB.
_GPUS = {
    "p3": ("V100", 16_384),
    "p4d": ("A100", 40_960),
    "p4de": ("A100", 81_920),
    "p5": ("H100", 81_920),
    "p5e": ("H200", 144_384),
    "p5en": ("H200", 144_384),
    "p6-b200": ("B200", 183_359),
    "p6-b300": ("B300", 275_040),
    "g4dn": ("T4", 16_384),
    "g5": ("A10G", 22_888),
    "g6": ("L4", 22_888),
    "g6e": ("L40S", 45_776),
    "g7": ("RTX PRO 4500", 32_768),
    "g7e": ("RTX PRO Server 6000", 98_304),
}

# Family, size, GPUs, vCPUs, memory of the host in GiB, local storage in GB.
_SIZES = (
    ("p3", "2xlarge", 1, 8, 61, 0),
    ("p3", "8xlarge", 4, 32, 244, 0),
    ("p3", "16xlarge", 8, 64, 488, 0),
    ("p4d", "24xlarge", 8, 96, 1_152, 8_000),
    ("p4de", "24xlarge", 8, 96, 1_152, 8_000),
    ("p5", "4xlarge", 1, 16, 256, 3_800),
    ("p5", "48xlarge", 8, 192, 2_048, 30_400),
    ("p5e", "48xlarge", 8, 192, 2_048, 30_400),
    ("p5en", "48xlarge", 8, 192, 2_048, 30_400),
    ("p6-b200", "48xlarge", 8, 192, 2_048, 30_400),
    ("p6-b300", "48xlarge", 8, 192, 4_096, 30_400),
    ("g4dn", "xlarge", 1, 4, 16, 125),
    ("g4dn", "2xlarge", 1, 8, 32, 225),
    ("g4dn", "4xlarge", 1, 16, 64, 225),
    ("g4dn", "8xlarge", 1, 32, 128, 900),
    ("g4dn", "12xlarge", 4, 48, 192, 900),
    ("g4dn", "16xlarge", 1, 64, 256, 900),
    ("g5", "xlarge", 1, 4, 16, 250),
    ("g5", "2xlarge", 1, 8, 32, 450),
    ("g5", "4xlarge", 1, 16, 64, 600),
    ("g5", "8xlarge", 1, 32, 128, 900),
    ("g5", "12xlarge", 4, 48, 192, 3_800),
    ("g5", "16xlarge", 1, 64, 256, 1_900),
    ("g5", "24xlarge", 4, 96, 384, 3_800),
    ("g5", "48xlarge", 8, 192, 768, 7_600),
    ("g6", "xlarge", 1, 4, 16, 250),
    ("g6", "2xlarge", 1, 8, 32, 450),
    ("g6", "4xlarge", 1, 16, 64, 600),
    ("g6", "8xlarge", 1, 32, 128, 900),
    ("g6", "12xlarge", 4, 48, 192, 3_760),
    ("g6", "16xlarge", 1, 64, 256, 1_880),
    ("g6", "24xlarge", 4, 96, 384, 3_760),
    ("g6", "48xlarge", 8, 192, 768, 7_520),
    ("g6e", "xlarge", 1, 4, 32, 250),
    ("g6e", "2xlarge", 1, 8, 64, 450),
    ("g6e", "4xlarge", 1, 16, 128, 600),
    ("g6e", "8xlarge", 1, 32, 256, 900),
    ("g6e", "12xlarge", 4, 48, 384, 3_800),
    ("g6e", "16xlarge", 1, 64, 512, 1_900),
    ("g6e", "24xlarge", 4, 96, 768, 3_800),
    ("g6e", "48xlarge", 8, 192, 1_536, 7_600),
    ("g7", "2xlarge", 1, 8, 32, 440),
    ("g7", "4xlarge", 1, 16, 64, 875),
    ("g7", "8xlarge", 1, 32, 128, 930),
    ("g7", "12xlarge", 2, 48, 192, 1_900),
    ("g7", "24xlarge", 4, 96, 384, 3_800),
    ("g7", "48xlarge", 8, 192, 768, 7_600),
    ("g7e", "2xlarge", 1, 8, 64, 1_900),
    ("g7e", "4xlarge", 1, 16, 128, 1_900),
    ("g7e", "8xlarge", 1, 32, 256, 1_900),
    ("g7e", "12xlarge", 2, 48, 512, 3_800),
    ("g7e", "24xlarge", 4, 96, 1_024, 7_600),
    ("g7e", "48xlarge", 8, 192, 2_048, 15_200),
)


def _instances() -> dict[str, Instance]:
    catalogue = {}
    for family, size, gpu_count, vcpus, memory_gib, local_storage_gb in _SIZES:
        gpu_name, gpu_memory_mib = _GPUS[family]
        catalogue[f"ml.{family}.{size}"] = Instance(
            name=f"ml.{family}.{size}",
            gpu_name=gpu_name,
            gpu_count=gpu_count,
            gpu_memory_gib=gpu_memory_mib / 1_024,
            memory_gib=memory_gib,
            vcpus=vcpus,
            local_storage_gb=local_storage_gb,
        )
    return catalogue


INSTANCES: Mapping[str, Instance] = MappingProxyType(_instances())
"""Every instance type of the catalogue by its name."""
