"""Alarms that roll an endpoint's updates back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import Stack
from aws_cdk.aws_cloudwatch import CfnAlarm

from warmroute_cdk.failures import ConstructError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aws_cdk.aws_cloudwatch import IAlarm
    from aws_cdk.aws_sagemaker import CfnEndpoint


def refuse_circles(endpoint: CfnEndpoint, alarms: Iterable[IAlarm | str], path: str) -> None:
    """Refuse alarms that refer to the endpoint: they would wait for it, and it for them.

    Args:
        endpoint: The endpoint.
        alarms: Alarms by construct or name.
        path: Path of the endpoint's construct, which begins the message.

    Raises:
        ConstructError: One of them does.
    """
    stack = Stack.of(endpoint)
    endpoint_id = stack.resolve(endpoint.logical_id)
    for alarm in alarms:
        made = None if isinstance(alarm, str) else alarm.node.default_child
        if not isinstance(made, CfnAlarm):
            continue
        watched = [made.dimensions, made.metrics, made.evaluation_criteria]
        if repr(endpoint_id) in repr(stack.resolve(watched)):
            name = made.node.path.removesuffix("/Resource")
            raise ConstructError(
                f"{path}: the alarm {name} refers to the endpoint: each would wait for the other.",
                f"Say the name as text: VariantMetrics({endpoint.endpoint_name!r}, ...) has the same metrics.",
            )
