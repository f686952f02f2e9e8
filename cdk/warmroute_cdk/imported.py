"""An endpoint that exists already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warmroute_cdk.access import EndpointAccess, endpoint_arn, endpoint_name_in

if TYPE_CHECKING:
    from constructs import Construct


class ImportedEndpoint(EndpointAccess):
    """An endpoint of the account that another stack, or another tool, made.

    Args:
        scope: Where it belongs.
        id: Its id there.
        endpoint_name: Its name. Default: the one in the ARN.
        arn: Its ARN. Default: that of the name in the account and region of the stack.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        endpoint_name: str | None = None,
        arn: str | None = None,
    ) -> None:
        super().__init__(scope, id)
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
