"""A chat request as the arguments of ``invoke_endpoint``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from warmroute.client.body_size import check_body
from warmroute.client.errors import UnsupportedClientError
from warmroute.client.ids import id_of_request
from warmroute.client.kinds import check_encode, wrong_kind
from warmroute.client.names import checked_name
from warmroute.client.runtime_client import SERVICE, gives_awaitables
from warmroute.prefix import canonical_json
from warmroute.routing import PrefixAwareId

if TYPE_CHECKING:
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
        InvalidSettingsError: A name, the id or the encoder is malformed.
        UnsupportedClientError: The client does not invoke endpoints, or is of the other kind, sync or async.
    """

    _is_async: bool

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
        self._client = _checked_client(client, is_async=self._is_async)
        self._target = {"EndpointName": checked_name(endpoint_name, "endpoint_name")}
        if inference_component is not None:
            self._target["InferenceComponentName"] = checked_name(inference_component, "inference_component")
        if target_variant is not None:
            self._target["TargetVariant"] = checked_name(target_variant, "target_variant")
        check_encode(encode)
        self._encode = encode
        self._find_id = id_of_request(prefix_aware_id)

    def _whole(self, request: Mapping[str, Any], prefix_aware_id: str | None) -> dict[str, Any]:
        """Arguments of ``invoke_endpoint``."""
        checked = _checked_request(request)
        body = {name: value for name, value in checked.items() if name not in {"stream", "stream_options"}}
        return self._call(body, prefix_aware_id)

    def _streamed(self, request: Mapping[str, Any], prefix_aware_id: str | None) -> dict[str, Any]:
        """Arguments of ``invoke_endpoint_with_response_stream``; asks for usage unless the request says otherwise."""
        checked = _checked_request(request)
        options = {"include_usage": True, **(checked.get("stream_options") or {})}
        return self._call({**checked, "stream": True, "stream_options": options}, prefix_aware_id)

    def _call(self, body: Mapping[str, Any], prefix_aware_id: str | None) -> dict[str, Any]:
        encoded = self._encode(body)
        check_body(encoded)
        call: dict[str, Any] = {**self._target, "ContentType": "application/json", "Body": encoded}
        own = self._find_id(body) if prefix_aware_id is None else PrefixAwareId(prefix_aware_id)
        if own is not None:
            call["PrefixAwareId"] = own
        return call


def _checked_client(client: Any, *, is_async: bool) -> Any:
    if not callable(getattr(client, "invoke_endpoint", None)):
        raise UnsupportedClientError(
            f"client: a {type(client).__name__} does not invoke endpoints.", f'Use a "{SERVICE}" client.'
        )
    if gives_awaitables(client) is (not is_async):
        found, remedy = ("a boto3", "SageMakerChat") if is_async else ("an aiobotocore", "AsyncSageMakerChat")
        raise UnsupportedClientError(f"client: this chat cannot use {found} client.", f"Use {remedy} with it.")
    return client


def _checked_request(request: object) -> Mapping[str, Any]:
    if not isinstance(request, Mapping):
        remedy = "Give a mapping with `messages`; for JSON text, what json.loads makes of it."
        raise wrong_kind("request", request, "a chat request", remedy)
    messages = request.get("messages")
    if not isinstance(messages, (list, tuple)):
        raise wrong_kind("request.messages", messages, "a list of messages", "Give a list of mappings with a role.")
    for position, message in enumerate(messages):
        if not isinstance(message, Mapping):
            path, remedy = f"request.messages[{position}]", 'Give a mapping: {"role": "user", "content": …}.'
            raise wrong_kind(path, message, "a message", remedy)
    options = request.get("stream_options")
    if options is not None and not isinstance(options, Mapping):
        path, remedy = "request.stream_options", 'Leave it out, or give a mapping: {"include_usage": true}.'
        raise wrong_kind(path, options, "a mapping", remedy)
    return request
