"""What ``cdk bootstrap`` leaves in an account, there from the beginning: ``cdk deploy`` asks for nothing more.

It appears the moment somebody looks for it, in whatever account and region, and does again after a reset.
"""

from __future__ import annotations

import re
import threading
from typing import Any

import moto.s3.models as s3_models
import moto.ssm.models as ssm_models

QUALIFIER = "hnb659fds"
"""What the names of a bootstrap have in common. Source: aws-cdk-lib ``DefaultStackSynthesizer``."""

VERSION_PARAMETER = f"/cdk-bootstrap/{QUALIFIER}/version"

VERSION = "30"
"""Version of the bootstrap template of aws-cdk 2.1148; stacks ask for 6 or more."""

RELIED_ON: tuple[tuple[object, str], ...] = (
    (s3_models.S3Backend, "get_bucket"),
    (s3_models.S3Backend, "create_bucket"),
    (ssm_models.SimpleSystemManagerBackend, "get_parameter"),
    (ssm_models.SimpleSystemManagerBackend, "get_parameters"),
    (ssm_models.SimpleSystemManagerBackend, "put_parameter"),
)


def staging_bucket(account: str, region: str) -> str:
    """Name of the bucket to which the CDK uploads templates and files."""
    return f"cdk-{QUALIFIER}-assets-{account}-{region}"


def attach() -> None:
    """Let the bootstrap be found wherever somebody looks for it."""
    _attach_bucket(s3_models.S3Backend)
    _attach_parameter(ssm_models.SimpleSystemManagerBackend)


def _attach_bucket(backend_type: Any) -> None:
    stock = backend_type.get_bucket

    def get_bucket(self: Any, bucket_name: str) -> Any:
        found = _STAGING_BUCKET.fullmatch(bucket_name)
        if found and found["account"] == self.account_id:
            with _SEEDING:
                if bucket_name not in s3_models.s3_backends.bucket_accounts:
                    self.create_bucket(bucket_name, found["region"])
        return stock(self, bucket_name)

    backend_type.get_bucket = get_bucket


def _attach_parameter(backend_type: Any) -> None:
    one, several = backend_type.get_parameter, backend_type.get_parameters

    def seed(self: Any, names: list[str]) -> None:
        with _SEEDING:
            if VERSION_PARAMETER in names and one(self, VERSION_PARAMETER) is None:
                values = {"name": VERSION_PARAMETER, "value": VERSION, "parameter_type": "String"}
                nothing = dict.fromkeys(("description", "allowed_pattern", "keyid"), "")
                others = {"overwrite": False, "tags": [], "data_type": "text", "tier": "Standard", "policies": None}
                self.put_parameter(**values, **nothing, **others)

    def get_parameter(self: Any, name: str) -> Any:
        seed(self, [name])
        return one(self, name)

    def get_parameters(self: Any, names: list[str]) -> Any:
        seed(self, names)
        return several(self, names)

    backend_type.get_parameter = get_parameter
    backend_type.get_parameters = get_parameters


_SEEDING = threading.RLock()
_STAGING_BUCKET = re.compile(rf"cdk-{QUALIFIER}-assets-(?P<account>\d{{12}})-(?P<region>[a-z0-9-]+)")
