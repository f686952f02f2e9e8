"""Reads classic metrics of CloudWatch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warmroute.errors import WarmrouteError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

NAMESPACE = "AWS/SageMaker"

_QUERIES_OF_ONE_CALL = 500
"""Source: botocore cloudwatch ``GetMetricData``, MetricDataQueries."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of CloudWatch, in one statistic."""

    name: str
    dimensions: Mapping[str, str]
    statistic: str


class CloudWatchData:
    """The metrics of one account and region.

    Args:
        client: A boto3 client of ``cloudwatch``.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def dimensions(self, metric: str, known: Mapping[str, str]) -> list[dict[str, str]]:
        """Every combination of dimensions that a metric has, among those with some of them known.

        Args:
            metric: Its name.
            known: Dimensions with their values.

        Raises:
            WarmrouteError: CloudWatch does not answer, or refuses.
        """
        filters = [{"Name": name, "Value": value} for name, value in known.items()]
        pages = self._pages("list_metrics", Namespace=NAMESPACE, MetricName=metric, Dimensions=filters)
        return [
            {dimension["Name"]: dimension["Value"] for dimension in found["Dimensions"]}
            for page in pages
            for found in page["Metrics"]
        ]

    def values(
        self, metrics: Sequence[Metric], began: datetime, ended: datetime, period_seconds: int
    ) -> list[dict[datetime, float]]:
        """The values of metrics, each by the start of its period; a period without data is not among them.

        Args:
            metrics: Which.
            began: Start of the first period.
            ended: End of the last period.
            period_seconds: Length of a period.

        Raises:
            WarmrouteError: CloudWatch does not answer, or refuses.
        """
        values: list[dict[datetime, float]] = [{} for _ in metrics]
        queries = [_query(number, metric, period_seconds) for number, metric in enumerate(metrics)]
        for start in range(0, len(queries), _QUERIES_OF_ONE_CALL):
            pages = self._pages(
                "get_metric_data",
                MetricDataQueries=queries[start : start + _QUERIES_OF_ONE_CALL],
                StartTime=began,
                EndTime=ended,
                ScanBy="TimestampAscending",
            )
            for page in pages:
                for result in page["MetricDataResults"]:
                    # A metric can be continued on the next page.
                    found = zip(result["Timestamps"], result["Values"], strict=True)
                    values[int(result["Id"].removeprefix("m"))].update(found)
        return values

    def _pages(self, operation: str, **parameters: Any) -> list[Any]:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            return list(self._client.get_paginator(operation).paginate(**parameters))
        except (BotoCoreError, ClientError) as error:
            raise WarmrouteError(
                f"Telemetry: CloudWatch: {error}",
                "The permissions needed are cloudwatch:ListMetrics and cloudwatch:GetMetricData.",
            ) from None


def _query(number: int, metric: Metric, period_seconds: int) -> dict[str, Any]:
    dimensions = [{"Name": name, "Value": value} for name, value in metric.dimensions.items()]
    return {
        "Id": f"m{number}",
        "MetricStat": {
            "Metric": {"Namespace": NAMESPACE, "MetricName": metric.name, "Dimensions": dimensions},
            "Period": period_seconds,
            "Stat": metric.statistic,
        },
    }
