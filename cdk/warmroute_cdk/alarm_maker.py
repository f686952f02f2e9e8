"""Alarms as their settings want them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from aws_cdk.aws_cloudwatch import Alarm, ComparisonOperator, PromQLAlarm

from warmroute_cdk.alarm_settings import LatencyAlarm, MetricAlarm, QueryAlarm
from warmroute_cdk.failures import refused_by_cdk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aws_cdk.aws_cloudwatch import AlarmBase, MathExpression, Metric
    from constructs import Construct

    from warmroute_cdk.alarm_settings import AlarmSettings

ABOVE = ComparisonOperator.GREATER_THAN_THRESHOLD
BELOW = ComparisonOperator.LESS_THAN_THRESHOLD


class AlarmMaker:
    """Makes the alarms of one construct, each with the actions that all have.

    Args:
        scope: The construct.
        settings: A setting for each alarm, and the actions.

    Attributes:
        alarms: The alarms that it has made, by their ids.
    """

    def __init__(self, scope: Construct, settings: AlarmSettings) -> None:
        self._scope = scope
        self._settings = settings
        self.alarms: dict[str, AlarmBase] = {}

    def setting(self, alarm: str) -> Any:
        """The setting of an alarm; None where it is left out.

        Args:
            alarm: The alarm, ``server-errors``.
        """
        return self._settings.get(alarm.replace("-", "_"))

    def on_metric(
        self, alarm: str, name: str, metric: Metric | MathExpression, description: str, side: ComparisonOperator = ABOVE
    ) -> None:
        """Make an alarm on a metric, unless it is left out.

        Args:
            alarm: The alarm, ``server-errors``.
            name: Name of the variant or component.
            metric: The metric.
            description: What is wrong when it goes off.
            side: Which side of the threshold sets it off.
        """
        settings: MetricAlarm | LatencyAlarm | None = self.setting(alarm)
        if settings is None:
            return
        limit = settings.as_metric_alarm if isinstance(settings, LatencyAlarm) else settings
        with self._added(alarm, name) as id_:
            self.alarms[id_] = Alarm(
                self._scope,
                id_,
                metric=metric.with_(period=limit.period),
                threshold=limit.threshold,
                comparison_operator=side,
                datapoints_to_alarm=limit.datapoints_to_alarm,
                evaluation_periods=limit.evaluation_periods,
                treat_missing_data=limit.treat_missing_data,
                alarm_description=description,
            )

    def on_query(self, alarm: str, name: str, query: str, description: str) -> None:
        """Make an alarm on a PromQL query.

        Args:
            alarm: The alarm, ``hot-instance``.
            name: Name of the variant or component.
            query: The query.
            description: What is wrong when it goes off.
        """
        settings: QueryAlarm = self.setting(alarm)
        with self._added(alarm, name) as id_:
            self.alarms[id_] = PromQLAlarm(
                self._scope,
                id_,
                query=query,
                pending_period=settings.pending_period,
                recovery_period=settings.recovery_period,
                evaluation_interval=settings.evaluation_interval,
                alarm_description=description,
            )

    @contextmanager
    def _added(self, alarm: str, name: str) -> Iterator[str]:
        """The id of an alarm that the block makes, which then gets its actions."""
        id_ = f"{alarm}-{name}"
        with refused_by_cdk(f"{self._scope.node.path}/{id_}"):
            yield id_
            self.alarms[id_].add_alarm_action(*self._settings.get("alarm_actions", ()))
            self.alarms[id_].add_ok_action(*self._settings.get("ok_actions", ()))
