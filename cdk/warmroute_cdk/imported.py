"""An endpoint that exists already."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from warmroute_cdk.access import EndpointAccess, endpoint_arn, endpoint_name_in
from warmroute_cdk.failures import ConstructError, checked_construct
from warmroute_cdk.place import known

if TYPE_CHECKING:
    from constructs import Construct

_ARN = re.compile(r"arn:[^:]+:sagemaker:[^:]+:[^:]+:endpoint/[^/]+")
_NAME = re.compile(r"[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}")
"""Source: SageMaker API, ``EndpointName``."""


class ImportedEndpoint(EndpointAccess):
    """An endpoint of the account that another stack, or another tool, made.

    Args:
        scope: Where it belongs.
        id: Its id there.
        endpoint_name: Its name. Default: the one in the ARN.
        arn: Its ARN. Default: that of the name in the account and region of the stack.

    Raises:
        ConstructError: Neither is given, or one is not what an endpoint is called.
    """

    @checked_construct
    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        endpoint_name: str | None = None,
        arn: str | None = None,
    ) -> None:
        super().__init__(scope, id)
        if not isinstance(endpoint_name or arn or None, str):
            raise ConstructError(f"{self.node.path}: no endpoint is named.", "Give its name, or its ARN.")
        if endpoint_name and (text := known(endpoint_name)) and not _NAME.fullmatch(text):
            raise ConstructError(f"{self.node.path}: no endpoint can be called {text!r}.", "Give the name alone.")
        if arn and (text := known(arn)) and not _ARN.fullmatch(text):
            raise ConstructError(
                f"{self.node.path}: {text!r} is not the ARN of an endpoint.",
                "It begins with arn:aws:sagemaker:<region>:<account>:endpoint/.",
            )
        self._arn = arn or endpoint_arn(self, endpoint_name or "")
        self._name = endpoint_name or endpoint_name_in(self, self._arn)

    @property
    def endpoint_name(self) -> str:
        """Name of the endpoint, for InvokeEndpoint."""
        return self._name

    @property
    def endpoint_arn(self) -> str:
        """ARN of the endpoint, for policies."""
        return self._arn
