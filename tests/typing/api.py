"""The public names, used as an application uses them; checked by mypy and pyright, never run."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, assert_type

from openai import AsyncOpenAI, OpenAI
from openai.types.chat import ChatCompletion

from warmroute import (
    AutoScaling,
    DeploymentConfig,
    EndpointSpec,
    Finding,
    InferenceComponent,
    InvalidSettingsError,
    Model,
    PrefixAwareId,
    PrefixAwareRoutingConfig,
    ProductionVariant,
    RoutingConfig,
    RoutingStrategy,
    Severity,
    VllmContainer,
    WarmrouteError,
    check,
    load_spec,
    parse_spec,
)
from warmroute.client import openai, sagemaker
from warmroute.client.bearer_token import AsyncBearerTokens, BearerTokens
from warmroute.client.body_size import BodyTooLargeError
from warmroute.client.chat import (
    AsyncSageMakerChat,
    ChatError,
    ChatReply,
    ModelError,
    ModelStreamError,
    SageMakerChat,
    ToolCall,
    UnexpectedReplyError,
    Usage,
)
from warmroute.client.errors import (
    MissingCredentialsError,
    MissingRegionError,
    UnsupportedClientError,
    UnsupportedSessionError,
)
from warmroute.client.ids import hashed_id
from warmroute.client.testing import FakeEndpoint, RecordedRequest
from warmroute.deploy import DeployedEndpoint, Deployment, Imported, Outcome, Plan, Progress, Status
from warmroute.prefix import CanonicalJsonError, FieldOrder, RoutingKey, canonical_json, routing_key


def the_spec() -> None:
    spec = load_spec("endpoint.yaml")
    assert_type(spec, EndpointSpec)
    assert_type(parse_spec("name: chat"), EndpointSpec)
    findings = check(spec)
    assert_type(findings, list[Finding])
    assert_type(findings[0].severity, Severity)
    for variant in spec.variants:
        assert_type(variant, ProductionVariant)
        assert_type(variant.routing_config, RoutingConfig | None)


def settings() -> tuple[type, ...]:
    routing = RoutingConfig.prefix_aware(prefix_length=4_096, concurrency_threshold=16)
    assert_type(routing, RoutingConfig)
    assert_type(routing.routing_strategy, RoutingStrategy)
    assert_type(routing.prefix_aware_routing_config, PrefixAwareRoutingConfig | None)
    assert_type(PrefixAwareId.derive("acme", key=b"sixteen bytes or more"), PrefixAwareId)
    return AutoScaling, DeploymentConfig, InferenceComponent, Model, VllmContainer


def errors(error: WarmrouteError) -> None:
    assert_type(error.message, str)
    if isinstance(error, InvalidSettingsError):
        assert_type(error.findings, tuple[Finding, ...])
    if isinstance(error, CanonicalJsonError):
        assert_type(error.offset, int | None)
    if isinstance(error, BodyTooLargeError):
        assert_type(error.size, int)
    if isinstance(error, ChatError):
        assert_type(error.received, ChatReply | None)
        assert_type(error.cause, Exception | None)
    if isinstance(error, ModelError):
        assert_type(error.status, int)
    if isinstance(error, ModelStreamError):
        assert_type(error.code, str)
    if isinstance(error, UnexpectedReplyError):
        assert_type(error.answer, bytes)
    if isinstance(
        error, (MissingCredentialsError, MissingRegionError, UnsupportedClientError, UnsupportedSessionError)
    ):
        assert_type(error.remedy, str)


def prefixes(request: Mapping[str, Any]) -> None:
    body = canonical_json(request)
    assert_type(body, bytes)
    assert_type(canonical_json(request, order=FieldOrder(tools="after_messages")), bytes)
    assert_type(routing_key(body, api="invoke", prefix_length=1_024), RoutingKey)
    assert_type(routing_key(request, api="openai", prefix_length=1_024, prefix_aware_id="a"), RoutingKey)


def deployments(spec: EndpointSpec) -> None:
    def show(step: Progress) -> None:
        assert_type(step.waited_seconds, float)

    deployment = Deployment(spec)
    plan = deployment.plan(keep=5)
    assert_type(plan, Plan)
    assert_type(plan.is_empty, bool)
    assert_type(deployment.apply(on_progress=show), Outcome)
    live = DeployedEndpoint("support-bot", region="us-east-1")
    assert_type(live.status(), Status)
    assert_type(live.rollback(), Outcome)
    assert_type(live.to_spec(), Imported)


def tokens() -> tuple[BearerTokens, AsyncBearerTokens]:
    return BearerTokens("us-east-1"), AsyncBearerTokens("us-east-1")


class Runtime:
    """Stands for a typed boto3 client."""


def tenant(operation: str, params: Mapping[str, Any]) -> str | None:
    return str(params.get("TargetVariant")) if operation == "InvokeEndpoint" else None


def user(request: Mapping[str, Any]) -> str | None:
    return str(request["user"])


def boto3_clients(client: Runtime) -> None:
    assert_type(sagemaker.install(client, prefix_aware_id="team-a"), Runtime)
    sagemaker.install(client, prefix_aware_id=tenant)
    sagemaker.install(client, prefix_aware_id=hashed_id(tenant, key="sixteen bytes or more"))
    sagemaker.install(client, encode=functools.partial(canonical_json, order=FieldOrder(tools="after_messages")))
    sagemaker.uninstall(client)


def chats(client: Runtime) -> None:
    chat = SageMakerChat(client, "chat", inference_component="llama", target_variant="blue", prefix_aware_id=user)
    reply = chat.complete({"messages": []}, prefix_aware_id="own")
    assert_type(reply, ChatReply)
    assert_type(reply.text, str)
    assert_type(reply.tool_calls, tuple[ToolCall, ...])
    assert_type(reply.usage, Usage | None)
    with chat.stream({"messages": []}) as stream:
        for text in stream:
            assert_type(text, str)
        for chunk in stream.chunks():
            assert_type(chunk, Mapping[str, Any])
        assert_type(stream.reply, ChatReply)


async def async_chats(client: Runtime) -> None:
    chat = AsyncSageMakerChat(client, "chat", prefix_aware_id=hashed_id(user, key=b"sixteen bytes or more"))
    assert_type(await chat.complete({"messages": []}), ChatReply)
    async with chat.stream({"messages": []}) as stream:
        async for text in stream:
            assert_type(text, str)
        async for chunk in stream.chunks():
            assert_type(chunk, Mapping[str, Any])
        assert_type(stream.reply, ChatReply)


async def openai_clients() -> None:
    client = openai.client("chat", region="us-east-1", inference_component="llama", prompt_cache_key=user)
    assert_type(client, OpenAI)
    assert_type(openai.wrap(client, prompt_cache_key="team-a"), OpenAI)
    reply = client.chat.completions.create(model="", messages=[{"role": "user", "content": "Hello"}])
    assert_type(reply, ChatCompletion)
    openai.unwrap(client)
    async_client = openai.async_client("chat", max_retries=3)
    assert_type(async_client, AsyncOpenAI)
    assert_type(openai.wrap(async_client), AsyncOpenAI)
    assert_type(
        await async_client.chat.completions.create(model="", messages=[{"role": "user", "content": "Hello"}]),
        ChatCompletion,
    )
    assert_type(BearerTokens("us-east-1")(), str)


def tests_of_applications(client: Runtime) -> None:
    endpoint = FakeEndpoint(lambda request: str(request["user"]), prefix_length=2_048)
    assert_type(endpoint.connect(client), Runtime)
    assert_type(endpoint.requests, list[RecordedRequest])
    assert_type(endpoint.requests[0].routing_key, RoutingKey)
    openai.client("chat", http_client=endpoint.http_client())
    openai.async_client("chat", http_client=endpoint.async_http_client())
