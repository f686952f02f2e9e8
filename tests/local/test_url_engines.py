"""Servers that run already: their addresses, what they are, and which instance has which."""

from __future__ import annotations

import asyncio
import socket

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from local.containers import container

from warmroute.errors import LocalEndpointError
from warmroute.local.engines import INVOCATIONS, ContainerRequest
from warmroute.local.engines.url import UrlEngines, base_url

CHAT = b'{"messages": [{"role": "user", "content": "Hello."}]}'


class Server:
    """One that says who it is and where it was asked; ``/ping`` is there or not."""

    def __init__(self, name: str, ping: int = 200) -> None:
        self._name, self._ping = name, ping

    async def __call__(self, request: web.BaseRequest) -> web.Response:
        if request.path == "/ping":
            return web.Response(status=self._ping)
        return web.Response(text=f"{self._name} {request.path}")


async def answers(engines, numbers, *, weighs_caches=False):
    request = await engines.read(ContainerRequest(INVOCATIONS, CHAT), weighs_caches=weighs_caches)
    found = []
    for number in numbers:
        answer = await engines.start(f"main-{number}", number, {}).answer(request)
        found.append(b"".join([part async for part in answer]).decode())
        await answer.close()
    return found


def test_each_instance_has_the_server_of_its_number():
    async def main():
        async with container(Server("a")) as first, container(Server("b")) as second:
            engines = await asyncio.to_thread(UrlEngines, [first, second])
            assert engines.most == 2
            found = await answers(engines, [1, 0, 1])
            await engines.close()
            return found

    assert asyncio.run(main()) == ["b /invocations", "a /invocations", "b /invocations"]


@pytest.mark.parametrize(
    ("ping", "path"), [(200, "/invocations"), (404, "/v1/chat/completions"), (401, "/v1/chat/completions")]
)
def test_a_server_without_sagemaker_s_ping_is_asked_on_its_openai_path(ping, path):
    async def main():
        async with container(Server("a", ping)) as url:
            engines = await asyncio.to_thread(UrlEngines, [url])
            found = await answers(engines, [0])
            await engines.close()
            return found

    assert asyncio.run(main()) == [f"a {path}"]


def test_prompts_are_read_where_routing_weighs_caches():
    async def main():
        async with container(Server("a")) as url:
            engines = await asyncio.to_thread(UrlEngines, [url])
            request = ContainerRequest(INVOCATIONS, CHAT)
            read = [await engines.read(request, weighs_caches=weighs) for weighs in (False, True)]
            await engines.close()
            return [each.prompt is not None for each in read]

    assert asyncio.run(main()) == [False, True]


def test_servers_go_on_when_the_local_endpoint_ends():
    async def main():
        async with container(Server("a")) as url:
            for _ in range(2):
                engines = await asyncio.to_thread(UrlEngines, [url])
                assert await answers(engines, [0]) == ["a /invocations"]
                await engines.close()

    asyncio.run(main())


def test_a_server_that_does_not_answer_is_named_before_anything_is_served():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(LocalEndpointError, match=rf"Engine {url} does not answer: .*refused.* Start it first\."):
            UrlEngines([url])


def test_a_server_of_another_protocol_is_told_apart():
    async def main():
        ended = asyncio.Event()

        async def other(reader, writer):
            writer.write(b"SSH-2.0-OpenSSH_9.6\r\n")
            await reader.read()
            writer.close()
            await writer.wait_closed()
            ended.set()

        async with await asyncio.start_server(other, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            with pytest.raises(LocalEndpointError, match=f"Engine {url} does not speak HTTP. Name the port of its"):
                await asyncio.to_thread(UrlEngines, [url])
            await ended.wait()  # Else its connection would be found unclosed, in whatever test runs then.

    asyncio.run(main())


hosts = st.sampled_from(["http://127.0.0.1:8000", "https://llm.example.com", "http://[::1]:80", "http://h:1/behind/it"])


@given(hosts, st.sampled_from(["", "/", "/v1", "/v1/"]))
def test_the_address_of_a_server_and_that_of_its_api_are_one(host, path):
    assert base_url(host + path) == host
    assert base_url(base_url(host + path)) == host


@pytest.mark.parametrize(
    "url",
    [
        *("", "nothing", "127.0.0.1:8000", "ftp://host", "http://", "http://h/?a=1", "http://h#a"),
        *("http://[::1", "http://h:abc", "http://h:0", "http://h:70000"),
    ],
)
def test_what_is_no_address_of_a_server_is_refused(url):
    with pytest.raises(
        LocalEndpointError, match=r"is no address of a server\. Give one like http://127\.0\.0\.1:8000\."
    ):
        base_url(url)
