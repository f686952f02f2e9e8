"""The control plane as an ASGI application: what it says when moto itself fails."""

from __future__ import annotations

import asyncio
import json

import moto.core.request
import pytest
from moto.moto_server.werkzeug_app import DomainDispatcherApplication

from warmroute.errors import LocalEndpointError
from warmroute.local.control import control_plane


def _answer(app):
    coming = [{"type": "http.request", "body": b"", "more_body": False}]
    sent = []

    async def receive():
        return coming.pop() if coming else await asyncio.Event().wait()

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "raw_path": b"/", "query_string": b"", "headers": []}
    scope |= {"http_version": "1.1", "scheme": "http", "server": ("localhost", 80), "client": ("127.0.0.1", 1)}
    asyncio.run(app(scope, receive, send))
    headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:])


def test_a_fault_of_moto_is_an_error_of_the_service_and_told(monkeypatch, caplog):
    def broken(self, environ, start_response):
        raise KeyError("a fault")

    monkeypatch.setattr(DomainDispatcherApplication, "__call__", broken)
    status, headers, body = _answer(control_plane())

    assert (status, headers["x-amzn-errortype"]) == (500, "InternalFailure")
    assert json.loads(body)["__type"] == "InternalFailure"
    assert "KeyError: 'a fault'" in caplog.text


def test_a_moto_that_lacks_a_part_of_its_server_is_refused_by_name(monkeypatch):
    monkeypatch.delattr(moto.core.request, "environ_key_for_header")
    with pytest.raises(LocalEndpointError, match=r"lacks moto\.core\.request\.environ_key_for_header"):
        control_plane()
