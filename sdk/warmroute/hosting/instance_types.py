"""The instance types that SageMaker hosts endpoints on.

Source: botocore ``ProductionVariantInstanceType`` (1.44.8); a test compares the two.
"""

from __future__ import annotations

_SIZES = {
    "t2": "medium large xlarge 2xlarge",
    "m4": "xlarge 2xlarge 4xlarge 10xlarge 16xlarge",
    "m5": "large xlarge 2xlarge 4xlarge 12xlarge 24xlarge",
    "m5d": "large xlarge 2xlarge 4xlarge 12xlarge 24xlarge",
    "c4": "large xlarge 2xlarge 4xlarge 8xlarge",
    "p2": "xlarge 8xlarge 16xlarge",
    "p3": "2xlarge 8xlarge 16xlarge",
    "c5": "large xlarge 2xlarge 4xlarge 9xlarge 18xlarge",
    "c5d": "large xlarge 2xlarge 4xlarge 9xlarge 18xlarge",
    "g4dn": "xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
    "r5": "large xlarge 2xlarge 4xlarge 12xlarge 24xlarge",
    "r5d": "large xlarge 2xlarge 4xlarge 12xlarge 24xlarge",
    "inf1": "xlarge 2xlarge 6xlarge 24xlarge",
    "dl1": "24xlarge",
    "c6i": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge",
    "m6i": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge",
    "r6i": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge",
    "g5": "xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge",
    "g6": "xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge",
    "r8g": "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge",
    "g6e": "xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge",
    "g7": "2xlarge 4xlarge 8xlarge 12xlarge 24xlarge 48xlarge",
    "g7e": "2xlarge 4xlarge 8xlarge 12xlarge 24xlarge 48xlarge",
    "p4d": "24xlarge",
    "c7g": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
    "m6g": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
    "m6gd": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
    "c6g": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
    "c6gd": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
    "c6gn": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
    "r6g": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
    "r6gd": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
    "p4de": "24xlarge",
    "trn1": "2xlarge 32xlarge",
    "trn1n": "32xlarge",
    "trn2": "48xlarge",
    "inf2": "xlarge 8xlarge 24xlarge 48xlarge",
    "p5": "48xlarge 4xlarge",
    "p5e": "48xlarge",
    "p5en": "48xlarge",
    "m7i": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge",
    "c7i": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge",
    "r7i": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge",
    "c8g": "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge",
    "r7gd": "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge",
    "m8g": "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge",
    "c6in": "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge",
    "p6-b200": "48xlarge",
    "p6-b300": "48xlarge",
    "p6e-gb200": "36xlarge",
}

INSTANCE_TYPES = frozenset(f"ml.{family}.{size}" for family, sizes in _SIZES.items() for size in sizes.split())
"""Every ML instance type, with its ``ml.`` prefix."""
