"""Keeps this process apart from the AWS settings of its environment, which moto would read too."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def without_aws_settings() -> Iterator[None]:
    """No profile, no setting and no configuration file of AWS's for as long as the ``with`` block lasts."""
    before = {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
    nothing = dict.fromkeys(("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"), os.devnull)
    for name in before:
        del os.environ[name]
    os.environ.update(nothing)
    try:
        yield
    finally:
        for name in nothing:
            del os.environ[name]
        os.environ.update(before)
