"""A target whose answers take virtual time."""

from __future__ import annotations

import asyncio

import orjson

from warmroute.measure.replay.bodies import Body
from warmroute.measure.replay.http.errors import ExchangeError
from warmroute.measure.replay.http.pool import Server
from warmroute.measure.replay.planning import Planned


def event(**chunk):
    return b"data: " + orjson.dumps({"object": "chat.completion.chunk", **chunk}) + b"\n\n"


TOKEN = event(choices=[{"index": 0, "delta": {"content": " the"}, "finish_reason": None}])
LAST = event(choices=[{"index": 0, "delta": {"content": " end"}, "finish_reason": "length"}])
END = event(
    choices=[], usage={"prompt_tokens": 9, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}
)
END += b"data: [DONE]\n\n"


class Target:
    server = Server("test", 80, is_encrypted=False)
    chat_only = True
    in_event_stream = False
    name = "a test"

    def head(self, body, prefix_aware_id):
        return b"POST / HTTP/1.1\r\n\r\n"

    async def refresh(self):
        pass


class Endpoint:
    """Answers three tokens, the first after one second, 0.1 s apart; or as ``behave`` of the body says."""

    def __init__(self, behave=lambda body: "answer", *, connections=1_000):
        self.behave = behave
        self.bodies = []
        self._free = asyncio.Semaphore(connections)

    async def exchange(self, head, body, receiver, on_sent):
        async with self._free:
            on_sent(None)
            self.bodies.append(body)
            behaviour = self.behave(body)
            await asyncio.sleep(1.0)
            if behaviour == "lose":
                raise ExchangeError("connection lost")
            if behaviour == "fail":
                raise ValueError("a fault of the program")
            if isinstance(behaviour, tuple):
                receiver.begin(*behaviour[:2])
                receiver.part(behaviour[2])
                return
            receiver.begin(200, {"x-amzn-invoked-production-variant": "main"})
            receiver.part(TOKEN)
            if behaviour == "break":
                return
            await asyncio.sleep(0.1)
            receiver.part(TOKEN)
            await asyncio.sleep(0.1)
            receiver.part(LAST + END)


def request(number, at, *, session="", delay=0.0):
    return Planned(number, at, delay, session, "", 7, Body(b'{"n":%d}' % number, ""))
