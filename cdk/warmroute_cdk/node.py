"""What the CDK's libraries need before they are imported: the extra, and which Node.js runs them."""

from __future__ import annotations

import os
from importlib.util import find_spec

from warmroute.errors import MissingExtraError
from warmroute.node import bundled_node


def require_extra() -> None:
    """Say which extra is missing, before an import does without saying it.

    Raises:
        MissingExtraError: The CDK's libraries are not installed.
    """
    if find_spec("aws_cdk") is None or find_spec("constructs") is None:
        raise MissingExtraError("warmroute_cdk", "cdk")


def use_bundled_node() -> None:
    """Let the CDK use the Node.js that the extra ``cdk`` brings, unless ``JSII_NODE`` names another.

    The one on the search path may be missing, or older than what the CDK supports.
    """
    if os.environ.get("JSII_NODE"):
        return
    if (node := bundled_node()) is not None:
        os.environ["JSII_NODE"] = str(node)
