"""Requests to a server behind HTTP: what reaches it, what comes back, and what becomes of them when either leaves."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from aiohttp import web
from local.containers import Answer, container

from warmroute.errors import MissingExtraError
from warmroute.fleet import BLOCK_SIZE
from warmroute.local.engines import forwarding
from warmroute.local.engines.container import (
    CHAT_COMPLETIONS,
    INVOCATIONS,
    ContainerRefusal,
    ContainerRequest,
    EngineCounts,
    StreamBrokenError,
)
from warmroute.local.engines.forwarding import ADAPTER_HEADER, ForwardingEngine, http_client, read_if_weighed

BODY = b'{"messages":[],  "marker": 1}'
CHAT = b'{"messages": [{"role": "user", "content": "%s"}]}' % (b"A handbook. " * 40)


class Arrived:
    """A container that keeps what it is sent, and gives one answer to all of it."""

    def __init__(self, body: bytes = b"{}", status: int = 200, **headers: str) -> None:
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self._answer = status, body, {name.replace("_", "-"): value for name, value in headers.items()}

    async def __call__(self, request: web.BaseRequest) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.requests.append((request.path, headers, await request.read()))
        status, body, more = self._answer
        return web.Response(status=status, body=body, headers=more)


def run(answer: Answer, ask: Callable[[ForwardingEngine], Coroutine[Any, Any, Any]], **options: Any) -> Any:
    """What a function makes of an engine whose server answers so."""

    async def main() -> Any:
        client = http_client()
        async with container(answer) as url:
            try:
                return await ask(ForwardingEngine(url, client, **options))
            finally:
                await client.close()

    return asyncio.run(asyncio.wait_for(main(), 60))


def whole(request: ContainerRequest) -> Callable[[ForwardingEngine], Coroutine[Any, Any, Any]]:
    async def ask(engine: ForwardingEngine) -> Any:
        answer = await engine.answer(request)
        body = b"".join([part async for part in answer])
        await answer.close()
        assert engine.active == 0
        return answer.content_type, answer.headers, body

    return ask


def refused(request: ContainerRequest) -> Callable[[ForwardingEngine], Coroutine[Any, Any, Any]]:
    async def ask(engine: ForwardingEngine) -> Any:
        with pytest.raises(ContainerRefusal) as refusal:
            await engine.answer(request)
        assert engine.active == 0
        return refusal.value.status, refusal.value.message

    return ask


def test_a_body_arrives_as_it_was_sent_with_its_headers_and_no_others():
    server = Arrived()
    run(
        server, whole(ContainerRequest(INVOCATIONS, BODY, {"content-type": "application/json", "accept": "text/plain"}))
    )

    ((path, headers, body),) = server.requests
    assert (path, body) == (INVOCATIONS, BODY)
    assert headers.pop("host").startswith("127.0.0.1:")
    assert headers == {"content-type": "application/json", "accept": "text/plain", "content-length": str(len(BODY))}


def test_of_an_answer_s_headers_type_and_custom_attributes_come_back():
    server = Arrived(b"ok", Content_Type="text/html", X_Amzn_SageMaker_Custom_Attributes="a=1", X_Secret="kept")

    content_type, headers, body = run(server, whole(ContainerRequest(INVOCATIONS, BODY)))

    assert (content_type, headers, body) == ("text/html", {"x-amzn-sagemaker-custom-attributes": "a=1"}, b"ok")


@pytest.mark.parametrize(("adapter", "told"), [("", None), ("legal/8", "legal")])
def test_the_server_is_told_the_adapter_that_the_endpoint_resolved_and_not_the_client_s_word(adapter, told):
    server = Arrived()
    run(server, whole(ContainerRequest(INVOCATIONS, BODY, {ADAPTER_HEADER: "somebody-else-s"}, adapter)))

    ((_, headers, _),) = server.requests
    assert headers.get(ADAPTER_HEADER) == told


@pytest.mark.parametrize(
    ("path", "body", "to"),
    [
        (INVOCATIONS, b'{"messages": []}', "/v1/chat/completions"),
        (INVOCATIONS, b'{"prompt": "x"}', "/v1/completions"),
        (CHAT_COMPLETIONS, b'{"messages": []}', "/v1/chat/completions"),
    ],
)
def test_a_server_without_invocations_gets_them_on_its_openai_paths(path, body, to):
    server = Arrived()
    run(server, whole(ContainerRequest(path, body)), has_invocations=False)
    assert [path for path, _, _ in server.requests] == [to]


@pytest.mark.parametrize("status", [400, 404, 500, 503])
def test_an_error_comes_back_with_its_status_and_words(status):
    assert run(Arrived(b"as asked", status), refused(ContainerRequest(INVOCATIONS, BODY))) == (status, "as asked")


def test_a_redirect_is_an_answer_and_is_not_followed():
    server = Arrived(b"elsewhere", 302, Location="http://127.0.0.1:9/")
    assert run(server, whole(ContainerRequest(INVOCATIONS, BODY)))[2] == b"elsewhere"


def test_a_server_that_is_not_there_is_a_refusal_without_a_status():
    async def ask(engine):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            engine.url = f"http://127.0.0.1:{unused.getsockname()[1]}"
            return await refused(ContainerRequest(INVOCATIONS, BODY))(engine)

    status, message = run(Arrived(), ask)
    assert status == 0
    assert message.startswith("The container does not answer: Cannot connect to host 127.0.0.1:")


def test_a_server_that_hangs_up_instead_of_answering_is_a_refusal_without_a_status():
    async def answer(request):
        await request.read()
        request.transport.abort()
        return web.Response()

    status, message = run(answer, refused(ContainerRequest(INVOCATIONS, BODY)))
    assert (status, message) == (0, "The container does not answer: Server disconnected.")


def _breaking_off(status: int, when: asyncio.Event) -> Answer:
    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse(status=status)
        await response.prepare(request)
        await response.write(b"begun")
        await when.wait()
        assert request.transport is not None
        request.transport.close()
        return response

    return answer


def test_an_answer_that_breaks_off_gives_what_came_and_then_says_so():
    has_come = asyncio.Event()

    async def ask(engine):
        answer = await engine.answer(ContainerRequest(INVOCATIONS, BODY))
        parts = aiter(answer)
        assert await anext(parts) == b"begun"
        has_come.set()
        with pytest.raises(StreamBrokenError, match=r"^The container broke its answer off: .*[^.]\.$"):
            await anext(parts)
        await answer.close()
        assert engine.active == 0

    run(_breaking_off(200, has_come), ask)


def test_an_error_that_breaks_off_keeps_its_status():
    at_once = asyncio.Event()
    at_once.set()
    status, message = run(_breaking_off(500, at_once), refused(ContainerRequest(INVOCATIONS, BODY)))
    assert status == 500
    assert message.startswith("The container broke its answer off: ")


def test_a_stream_comes_as_it_is_made():
    first_has_come = asyncio.Event()

    async def answer(request):
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"first")
        await first_has_come.wait()
        await response.write(b"second")
        return response

    async def ask(engine):
        parts = []
        async for part in await engine.answer(ContainerRequest(INVOCATIONS, BODY)):
            parts.append(part)
            first_has_come.set()
        return parts

    assert run(answer, ask) == [b"first", b"second"]


def test_an_answer_that_nobody_waits_for_is_given_up_by_the_server():
    given_up = asyncio.Event()

    async def answer(request):
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"first")
        try:
            await asyncio.sleep(3_600)
        finally:
            given_up.set()
        return response

    async def ask(engine):
        coming = await engine.answer(ContainerRequest(INVOCATIONS, BODY))
        assert await anext(aiter(coming)) == b"first"
        assert engine.active == 1
        await coming.close()
        await coming.close()
        assert engine.active == 0
        await given_up.wait()

    run(answer, ask)


def test_a_server_goes_on_when_its_instance_is_gone():
    async def ask(engine):
        engine.release()
        assert engine.in_service
        return await whole(ContainerRequest(INVOCATIONS, BODY))(engine)

    assert run(Arrived(b"ok"), ask)[2] == b"ok"


METRICS = b"""\
vllm:prefix_cache_queries_total{engine="0"} 900.0
vllm:prefix_cache_hits_total{engine="0"} 600.0
vllm:num_requests_waiting{engine="0"} 2.0
"""


def _told(pages: dict[str, bytes], asked: list[str]) -> Answer:
    async def answer(request: web.BaseRequest) -> web.Response:
        asked.append(request.path)
        found = pages.get(request.path)
        return web.Response(body=found) if found is not None else web.Response(status=404, body=b"no such page")

    return answer


@pytest.mark.parametrize(
    ("pages", "told"),
    [
        (
            {"/metrics": METRICS, "/version": b'{"version": "0.30.0"}'},
            EngineCounts(queried_tokens=900, hit_tokens=600, waiting=2, software="vLLM 0.30.0"),
        ),
        ({"/metrics": METRICS}, EngineCounts(queried_tokens=900, hit_tokens=600, waiting=2)),
        ({}, EngineCounts()),
    ],
)
def test_counts_are_what_the_server_s_own_pages_say(pages, told):
    assert run(_told(pages, []), lambda engine: engine.counts()) == told


def test_counts_are_asked_for_once_in_a_while_however_often_somebody_looks(monkeypatch):
    monkeypatch.setattr(forwarding, "_COUNTS_SECONDS", 60.0)
    asked: list[str] = []

    async def ask(engine):
        return [await engine.counts() for _ in range(5)]

    counts = run(_told({"/metrics": METRICS}, asked), ask)
    assert counts == [EngineCounts(queried_tokens=900, hit_tokens=600, waiting=2)] * 5
    assert sorted(asked) == ["/metrics", "/version"]


def test_a_server_that_is_not_there_has_counted_nothing():
    async def ask(engine):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            engine.url = f"http://127.0.0.1:{unused.getsockname()[1]}"
            return await engine.counts()

    assert run(Arrived(), ask) == EngineCounts()


def test_a_prompt_is_known_where_it_was_sent():
    async def ask(engine):
        request = await read_if_weighed(ContainerRequest(CHAT_COMPLETIONS, CHAT), weighs_caches=True)
        before = engine.cached_tokens(request.prompt)
        await whole(request)(engine)
        return before, engine.cached_tokens(request.prompt)

    before, after = run(Arrived(), ask)
    assert before == 0
    assert after >= 7 * BLOCK_SIZE


def _prompt(path: str, body: bytes, *, weighs_caches: bool = True) -> Any:
    return asyncio.run(read_if_weighed(ContainerRequest(path, body), weighs_caches=weighs_caches)).prompt


def test_prompts_are_read_where_routing_weighs_caches_and_nowhere_else():
    assert _prompt(CHAT_COMPLETIONS, CHAT, weighs_caches=False) is None
    assert _prompt(CHAT_COMPLETIONS, CHAT) == _prompt(INVOCATIONS, CHAT)
    assert _prompt(INVOCATIONS, b'{"prompt": "x"}') is not None


@pytest.mark.parametrize("body", [b"no JSON", b'{"prompt": ["a", "b"]}', b"{}"])
def test_what_cannot_be_read_is_left_to_the_server(body):
    request = ContainerRequest(INVOCATIONS, body)
    assert asyncio.run(read_if_weighed(request, weighs_caches=True)) == request
    assert run(Arrived(b"ok"), whole(request))[2] == b"ok"


def test_without_aiohttp_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    with pytest.raises(MissingExtraError, match=r"An engine behind HTTP .*warmroute\[local\]"):
        http_client()
