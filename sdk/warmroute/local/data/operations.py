"""Which operation of the data plane a request asks for, by its method and path."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple
from urllib.parse import unquote

from warmroute.local.data.failures import invalid, unknown_operation

PATH_PREFIX = "/endpoints/"
"""Beginning of every path of the data plane. Source: botocore sagemaker-runtime ``requestUri``."""


class Operation(Enum):
    """What the data plane serves, each with its path below the endpoint."""

    INVOKE = "invocations"
    INVOKE_WITH_STREAM = "invocations-response-stream"
    CHAT = "openai/v1/chat/completions"


class Target(NamedTuple):
    """What a request is for."""

    operation: Operation
    endpoint: str
    component: str
    """Inference component that the path names; empty for none."""


def target_of(method: str, raw_path: str) -> Target:
    """What a request is for.

    Args:
        method: HTTP method.
        raw_path: Path before decoding: a slash in a name is part of the name.

    Raises:
        Refusal: There is no such operation, or it is not served here.
    """
    found = _PATH.fullmatch(raw_path)
    if found is None or method != "POST":
        raise unknown_operation(method, unquote(raw_path))
    endpoint, component, operation = (unquote(part or "") for part in found.groups())
    if operation == _ASYNCHRONOUS and not component:
        raise invalid("Asynchronous invocations are not served here; use InvokeEndpoint.")
    for served in Operation:
        if operation == served.value and (not component or served is Operation.CHAT):
            return Target(served, endpoint, component)
    raise unknown_operation(method, unquote(raw_path))


_PATH = re.compile(r"/endpoints/([^/]+)/(?:inference-components/([^/]+)/)?(.+)", re.DOTALL)
_ASYNCHRONOUS = "async-invocations"
