"""A chat request as the arguments of ``invoke_endpoint``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warmroute.client.body_size import check_size
from warmroute.client.ids import id_of_request
from warmroute.client.names import checked_name
from warmroute.prefix import canonical_json
from warmroute.routing import PrefixAwareId

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warmroute.client.encoding import Encode
    from warmroute.client.ids import IdOfRequest


class Chat:
    """Chat with one endpoint over the user's own client: what both kinds of client have in common.

    Args:
        client: A ``sagemaker-runtime`` client, with the retries, timeouts and credentials that it has.
        endpoint_name: The endpoint.
        inference_component: The inference component that serves requests, on an endpoint that has such.
        target_variant: The production variant that serves requests, instead of SageMaker's choice by weight.
        prefix_aware_id: One id for every request, or a function that finds the id of a request, of its tenant or
            conversation; ``warmroute.client.ids.hashed_id`` keeps their names to yourself.
        encode: How requests are written; for another order of fields, ``functools.partial(canonical_json, order=…)``.

    Raises:
        InvalidSettingsError: A name or the id is malformed.
    """

    def __init__(
        self,
        client: Any,
        endpoint_name: str,
        *,
        inference_component: str | None = None,
        target_variant: str | None = None,
        prefix_aware_id: str | IdOfRequest | None = None,
        encode: Encode = canonical_json,
    ) -> None:
        self._client = client
        self._target = {"EndpointName": checked_name(endpoint_name, "endpoint_name")}
        if inference_component is not None:
            self._target["InferenceComponentName"] = checked_name(inference_component, "inference_component")
        if target_variant is not None:
            self._target["TargetVariant"] = checked_name(target_variant, "target_variant")
        self._encode = encode
        self._find_id = id_of_request(prefix_aware_id)

    def _whole(self, request: Mapping[str, Any], prefix_aware_id: str | None) -> dict[str, Any]:
        """Arguments of ``invoke_endpoint``."""
        body = {name: value for name, value in request.items() if name not in {"stream", "stream_options"}}
        return self._call(body, prefix_aware_id)

    def _streamed(self, request: Mapping[str, Any], prefix_aware_id: str | None) -> dict[str, Any]:
        """Arguments of ``invoke_endpoint_with_response_stream``; asks for usage unless the request says otherwise."""
        options = {"include_usage": True, **(request.get("stream_options") or {})}
        return self._call({**request, "stream": True, "stream_options": options}, prefix_aware_id)

    def _call(self, body: Mapping[str, Any], prefix_aware_id: str | None) -> dict[str, Any]:
        encoded = self._encode(body)
        check_size(encoded)
        call: dict[str, Any] = {**self._target, "ContentType": "application/json", "Body": encoded}
        own = self._find_id(body) if prefix_aware_id is None else PrefixAwareId(prefix_aware_id)
        if own is not None:
            call["PrefixAwareId"] = own
        return call
