"""CloudWatch's PromQL endpoint: the HTTP API of Prometheus, signed by SigV4."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from warmroute.errors import WarmrouteError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boto3.session import Session

_SECONDS = 25
"""How long an answer may take. CloudWatch itself gives up after 20 seconds."""


class Series(NamedTuple):
    """One time series."""

    labels: Mapping[str, str]
    points: tuple[tuple[float, float], ...]
    """Seconds since 1970 and value."""


class PromqlApi:
    """The API of one region.

    Args:
        session: Whose credentials sign.
        region: AWS region.
        endpoint_url: Where it is, if not at CloudWatch.
    """

    def __init__(self, session: Session, region: str, endpoint_url: str = "") -> None:
        self._session = session
        self._region = region
        self._url = (endpoint_url or f"https://monitoring.{region}.amazonaws.com").rstrip("/")

    def names(self) -> list[str]:
        """The name of every metric.

        Raises:
            WarmrouteError: It does not answer, or refuses.
        """
        return [str(name) for name in self._asked("label/__name__/values", {})]

    def series(self, query: str, began: float, ended: float, step_seconds: float) -> list[Series]:
        """What a query gives over a span of time.

        Args:
            query: In PromQL.
            began: Seconds since 1970.
            ended: Seconds since 1970.
            step_seconds: Between two points.

        Raises:
            WarmrouteError: It does not answer, or refuses.
        """
        asked = {"query": query, "start": f"{began:.3f}", "end": f"{ended:.3f}", "step": f"{step_seconds:g}"}
        return [_series(each) for each in self._asked("query_range", asked)["result"]]

    def _asked(self, path: str, parameters: Mapping[str, str]) -> Any:
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.exceptions import BotoCoreError
        from botocore.httpsession import URLLib3Session

        credentials = self._session.get_credentials()
        if credentials is None:
            raise _failed("there are no AWS credentials")
        url = f"{self._url}/api/v1/{path}" + (f"?{urlencode(parameters)}" if parameters else "")
        request = AWSRequest("GET", url)
        SigV4Auth(credentials.get_frozen_credentials(), "monitoring", self._region).add_auth(request)
        try:
            answer = URLLib3Session(timeout=_SECONDS).send(request.prepare())
        except BotoCoreError as error:
            raise _failed(str(error)) from None
        document = _document(answer.content)
        if answer.status_code != 200 or document.get("status") != "success":
            said = document.get("error") or document.get("message") or ""
            raise _failed(f"it answers with status {answer.status_code} {said}")
        return document["data"]


def _document(content: bytes) -> dict[str, Any]:
    """An answer's JSON object; an empty one where it is something else, as a proxy's page of HTML."""
    try:
        document = json.loads(content)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _series(result: Mapping[str, Any]) -> Series:
    return Series(result["metric"], tuple((float(at), float(value)) for at, value in result["values"]))


def _failed(why: str) -> WarmrouteError:
    return WarmrouteError(
        f"Telemetry: CloudWatch's PromQL endpoint: {why.rstrip(' .')}.",
        "The permissions needed are cloudwatch:ListMetrics and cloudwatch:GetMetricData.",
    )
