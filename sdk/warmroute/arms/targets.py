"""Where the requests of an arm go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.errors import WarmrouteError
from warmroute.measure.replay import NativeTarget, SageMakerOpenAITarget

if TYPE_CHECKING:
    from warmroute.inference_api import Api
    from warmroute.measure.replay import Target


def target_of(
    api: Api, session: Any, endpoint: str, *, variant: str = "", component: str | None = None, url: str | None = None
) -> Target:
    """Where to send requests.

    Args:
        api: By which API.
        session: The boto3 session.
        endpoint: Name of the endpoint.
        variant: The variant to address; empty for SageMaker's choice by weight.
        component: The inference component, on an endpoint that has such.
        url: Root of the runtime API, instead of the session's.

    Raises:
        WarmrouteError: The API cannot address a variant; a name is malformed; no region is known.
    """
    if api == "invoke":
        return NativeTarget(
            session, endpoint, target_variant=variant or None, inference_component=component, endpoint_url=url
        )
    if variant:
        raise WarmrouteError("The OpenAI-compatible API takes no target variant.", "Use --api invoke.")
    return SageMakerOpenAITarget(session, endpoint, inference_component=component, endpoint_url=url)
