"""When each alarm goes off, with defaults that can be changed one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from aws_cdk import Duration, Token
from aws_cdk.aws_cloudwatch import TreatMissingData

from warmroute_cdk.failures import ConstructError
from warmroute_cdk.options import refuse_unknown

if TYPE_CHECKING:
    from aws_cdk.aws_cloudwatch import IAlarm, IAlarmAction

ONE_MINUTE, FIVE_MINUTES = Duration.minutes(1), Duration.minutes(5)


@dataclass(frozen=True, kw_only=True)
class MetricAlarm:
    """An alarm on a metric of CloudWatch: so many of the last data points are past the threshold."""

    threshold: float
    """The limit, in the unit that the alarm names."""

    datapoints_to_alarm: int = 3
    """Data points past it that set the alarm off."""

    evaluation_periods: int = 5
    """Data points that are looked at."""

    period: Duration = ONE_MINUTE
    """Length of a data point."""

    treat_missing_data: TreatMissingData = TreatMissingData.NOT_BREACHING
    """What a minute without data counts as. SageMaker publishes most metrics only while there are requests."""


@dataclass(frozen=True, kw_only=True)
class LatencyAlarm:
    """An alarm on a latency. SageMaker publishes microseconds; here they are a duration or milliseconds."""

    threshold: Duration | float
    """The limit: a duration, or milliseconds."""

    statistic: str
    """``Average``, ``Maximum``; of the model's latency also percentiles: ``p90``."""

    datapoints_to_alarm: int = 5
    """Data points past it that set the alarm off."""

    evaluation_periods: int = 5
    """Data points that are looked at."""

    period: Duration = ONE_MINUTE
    """Length of a data point."""

    treat_missing_data: TreatMissingData = TreatMissingData.NOT_BREACHING
    """What a minute without data counts as."""

    @property
    def milliseconds(self) -> float:
        """The limit in milliseconds."""
        return self.threshold.to_milliseconds() if isinstance(self.threshold, Duration) else self.threshold

    @property
    def as_metric_alarm(self) -> MetricAlarm:
        """The same in microseconds."""
        return MetricAlarm(
            threshold=self.milliseconds * 1_000,
            datapoints_to_alarm=self.datapoints_to_alarm,
            evaluation_periods=self.evaluation_periods,
            period=self.period,
            treat_missing_data=self.treat_missing_data,
        )


@dataclass(frozen=True, kw_only=True)
class QueryAlarm:
    """An alarm on vLLM's own metrics, by PromQL."""

    threshold: float
    """The limit, in the unit that the alarm names."""

    pending_period: Duration = FIVE_MINUTES
    """How long the query must hold."""

    recovery_period: Duration = FIVE_MINUTES
    """How long it must no longer hold."""

    evaluation_interval: Duration = ONE_MINUTE
    """Time between two looks."""


class AlarmSettings(TypedDict, total=False):
    """One setting for each alarm: absent, it has its default; None switches it off."""

    server_errors: MetricAlarm | None
    """Percent of requests answered with 5XX. Default: over 1 % in 3 of 5 minutes."""

    model_errors: MetricAlarm | None
    """Errors of the container in a minute. Default: over 0 in 3 of 5 minutes."""

    mid_stream_errors: MetricAlarm | None
    """Broken streams in a minute, of variants. Default: over 0 in 2 of 5 minutes."""

    latency: LatencyAlarm | None
    """Latency of the model. Default: none, since only you know what your users accept."""

    overhead: LatencyAlarm | None
    """Average latency that SageMaker adds. Default: over 20 ms in 5 of 5 minutes; better your own baseline + 10 ms."""

    no_capacity: MetricAlarm | None
    """Refused requests of a component in a minute. Default: over 0 in 3 of 5; none for one that sleeps at zero."""

    serving: MetricAlarm | None
    """Instances or copies that serve, with prefix-aware routing. Default: under 2 in 3 of 3 minutes with requests."""

    disk: MetricAlarm | None
    """Percent of the disk in use, with data capture, which stops at 75 %. Default: over 75 % in 3 of 5 minutes."""

    hot_instance: QueryAlarm | None
    """Requests running on the busiest instance over the mean. Default: over 1.5 for 15 minutes."""

    near_overflow: QueryAlarm | None
    """Share of ``concurrency_threshold`` in use on one instance. Default: 0.8 for 5 minutes."""

    kv_cache: QueryAlarm | None
    """Share of the KV cache in use while requests wait. Default: over 0.95 for 5 minutes."""

    alarm_actions: list[IAlarmAction]
    """What each alarm does, for example ``SnsAction(topic)``. Default: nothing."""

    ok_actions: list[IAlarmAction]
    """What each alarm does when it is over. Default: nothing."""

    no_actions_reason: str
    """Why there are no actions, for policy checkers such as cdk-nag. Default: they report each alarm."""

    composite_actions: list[IAlarmAction]
    """What the composite alarm does. Default: nothing, since each alarm speaks for itself."""

    suppressor: IAlarm
    """An alarm that silences the composite while it is in ALARM, for example one raised during updates."""


DEFAULTS = AlarmSettings(
    server_errors=MetricAlarm(threshold=1),
    model_errors=MetricAlarm(threshold=0),
    mid_stream_errors=MetricAlarm(threshold=0, datapoints_to_alarm=2),
    latency=None,
    overhead=LatencyAlarm(threshold=20, statistic="Average"),
    no_capacity=MetricAlarm(threshold=0),
    serving=MetricAlarm(threshold=2, datapoints_to_alarm=3, evaluation_periods=3),
    disk=MetricAlarm(threshold=75),
    hot_instance=QueryAlarm(threshold=1.5, pending_period=Duration.minutes(15)),
    near_overflow=QueryAlarm(threshold=0.8),
    kv_cache=QueryAlarm(threshold=0.95),
)
"""What holds where nothing is said."""


def refuse_unfit(given: AlarmSettings) -> None:
    """Refuse a setting of no alarm, or of another kind than its alarm's.

    Args:
        given: What was given.

    Raises:
        ConstructError: A name is not known, or what it names does not fit.
    """
    refuse_unknown(given, AlarmSettings)
    for name, value in given.items():
        if kind := _KINDS.get(name):
            if value is not None and not isinstance(value, kind):
                remedy = f"Give {kind.__name__}(...), or None to leave the alarm out."
                raise ConstructError(f"{name} is {type(value).__name__}.", remedy)
            _refuse_token(name, getattr(value, "threshold", None))
        elif name.endswith("_actions"):
            actions = value if isinstance(value, list | tuple) else [None]
            if not all(hasattr(each, "bind") for each in actions):
                raise ConstructError(
                    f"{name} is not a list of actions.", "Give a list, for example [SnsAction(topic)]."
                )


def _refuse_token(name: str, threshold: Duration | float | None) -> None:
    """A limit of vLLM's metrics stands in a query, and one of a latency is converted: both need the number itself."""
    unknown = threshold.is_unresolved() if isinstance(threshold, Duration) else Token.is_unresolved(threshold)
    if unknown and not issubclass(_KINDS[name], MetricAlarm):
        raise ConstructError(f"{name}: its threshold is known at deployment only.", "Give a number.")


_KINDS: dict[str, type] = {
    "latency": LatencyAlarm,
    **{name: type(value) for name, value in DEFAULTS.items() if value is not None},
}
