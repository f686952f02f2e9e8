"""A small server in vLLM's place: its command line, its paths, and whatever a request asks it to do.

Fields of a request's body: ``max_tokens`` chunks, ``delay`` seconds before each, ``status`` of an error, ``die_after``
chunks at which the process is gone.

It prints its port as soon as connections are accepted there; ``--port 0`` takes a free one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import sys

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

SEEN = {"argv": sys.argv[1:], "pid": os.getpid(), "token": os.environ.get("HF_TOKEN"), "requests": []}
SEEN |= {"begun": 0, "ended": 0, "given_up": 0}


async def ping(_: Request) -> Response:
    return Response()


async def seen(_: Request) -> Response:
    return JSONResponse(SEEN)


async def answer(request: Request) -> Response:
    body = await request.body()
    SEEN["requests"].append({"path": request.url.path, "headers": dict(request.headers), "body": body.decode()})
    values = json.loads(body)
    headers = {"x-amzn-sagemaker-custom-attributes": "from=container", "x-secret": "kept"}
    if values.get("status"):
        return JSONResponse({"error": "as asked"}, values["status"], headers)
    parts = chunks(request, values)
    if values.get("stream"):
        return StreamingResponse(parts, media_type="text/event-stream", headers=headers)
    return Response(b"".join([part async for part in parts]), media_type="application/json", headers=headers)


async def chunks(request: Request, values: dict):
    SEEN["begun"] += 1
    count, whole = values.get("max_tokens", 3), False
    try:
        for number in range(count):
            await asyncio.sleep(values.get("delay", 0))
            if not values.get("stream") and await request.is_disconnected():
                return
            if number == values.get("die_after"):
                await asyncio.sleep(0.2)  # What was sent is on its way.
                os.kill(os.getpid(), signal.SIGKILL)
            delta = {"delta": {"content": f"{number} "}, "index": 0, "finish_reason": None}
            if values.get("stream"):
                yield b"data: " + json.dumps({"object": "chat.completion.chunk", "choices": [delta]}).encode() + b"\n\n"
        yield b"data: [DONE]\n\n" if values.get("stream") else b'{"choices": []}'
        whole = True
    finally:
        SEEN["ended" if whole else "given_up"] += 1


parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int)
parser.add_argument("--fail-at-start", action="store_true")
options, _ = parser.parse_known_args()
if options.fail_at_start:
    sys.exit("The model cannot be loaded.")
routes = [Route("/seen", seen), Route("/ping", ping)]
routes += [Route(path, answer, methods=["POST"]) for path in ("/invocations", "/v1/chat/completions")]
listener = socket.create_server(("127.0.0.1", options.port), backlog=2_048)
print(listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="error")).run([listener])
