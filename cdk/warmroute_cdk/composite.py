"""Composite alarms of any number of alarms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aws_cdk.aws_cloudwatch import AlarmRule, CompositeAlarm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aws_cdk.aws_cloudwatch import IAlarm
    from constructs import Construct

MOST_CHARACTERS = 10_240
"""Characters of a rule. Source: CloudWatch ``PutCompositeAlarm``, as is that a rule names at most 100 alarms."""

_LONGEST_NAME = 255
_LONGEST_TERM = len('ALARM("arn:aws-us-gov:cloudwatch:ap-southeast-1:123456789012:alarm:") OR ') + _LONGEST_NAME
MOST_ALARMS = MOST_CHARACTERS // _LONGEST_TERM
"""Alarms that a rule holds whatever they are called: CloudFormation names them, at deployment."""


def any_of(scope: Construct, id: str, alarms: Sequence[IAlarm], **properties: Any) -> CompositeAlarm:  # noqa: A002
    """A composite alarm that any of some alarms sets off.

    Where they are too many for one rule it watches composite alarms, each of which watches some of them.

    Args:
        scope: Where it belongs.
        id: Its id there; the parts have it with a number.
        alarms: The alarms, at most ``MOST_ALARMS`` times as many as a rule holds; a stack holds fewer.
        properties: Further properties of the composite alarm, which its parts do not have.
    """
    if len(alarms) > MOST_ALARMS:
        parts = [alarms[begin : begin + MOST_ALARMS] for begin in range(0, len(alarms), MOST_ALARMS)]
        alarms = [any_of(scope, f"{id}{number}", part) for number, part in enumerate(parts, start=1)]
    return CompositeAlarm(scope, id, alarm_rule=AlarmRule.any_of(*alarms), **properties)
