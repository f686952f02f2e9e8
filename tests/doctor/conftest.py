"""Environments of packages that exist as metadata alone, and programs that are one line of shell."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from warmroute.doctor import Machine

OURS = """\
Requires-Python: >=3.11
Requires-Dist: boto3>=1.43.68
Requires-Dist: orjson>=3.10
Provides-Extra: local
Requires-Dist: moto[server]==5.2.5; extra == "local"
Requires-Dist: uvicorn>=0.34; extra == "local"
Provides-Extra: analysis
Requires-Dist: numpy>=2; extra == "analysis"
Provides-Extra: report
Requires-Dist: numpy>=2; extra == "report"
Requires-Dist: matplotlib>=3.9; extra == "report"
Provides-Extra: cdk
Requires-Dist: aws-cdk-lib>=2; extra == "cdk"
"""


class Site:
    """A folder of packages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.add("warmroute", "0.1.0", OURS)

    def add(self, name: str, version: str, more: str = "") -> Site:
        info = self.folder / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        text = f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n{more}"
        (info / "METADATA").write_text(text, encoding="utf-8")
        return self

    def core(self) -> Site:
        """What warmroute always needs."""
        self.add("boto3", "1.44.8", "Requires-Dist: botocore<1.45.0,>=1.44.8\n")
        return self.add("botocore", "1.44.8").add("orjson", "3.13.0")

    def machine(self, **more: object) -> Machine:
        return Machine(**{"path": [str(self.folder)], "environment": {}, **more})


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "site")


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., Path]:
    """Makes a program that prints something."""

    def make(name: str, says: str, code: int = 0) -> Path:
        file = tmp_path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\necho '{says}'\nexit {code}\n", encoding="utf-8")
        file.chmod(0o755)
        return file

    return make
