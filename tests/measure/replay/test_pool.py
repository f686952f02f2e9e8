"""A bounded number of connections, over transports that are none."""

from __future__ import annotations

import asyncio
import socket
import ssl

import pytest
from measure.virtual_time import run_virtually

from warmroute.errors import WarmrouteError
from warmroute.measure.replay.http.errors import ExchangeError
from warmroute.measure.replay.http.pool import Connections, Server

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
SERVER = Server("test", 80, is_encrypted=False)


class Wire:
    """The other end of one connection."""

    def __init__(self, loop, protocol, answer):
        self.loop, self.protocol, self.answer, self.closing = loop, protocol, answer, False

    def writelines(self, parts):
        self.loop.call_later(1.0, self.answer, self, b"".join(parts))

    def reply(self, data):
        if not self.closing:
            self.protocol.data_received(data)

    def abort(self):
        if not self.closing:
            self.closing = True
            self.loop.call_soon(self.protocol.connection_lost, None)

    def is_closing(self):
        return self.closing


class Receiver:
    def __init__(self):
        self.status, self.body, self.sent_at = 0, b"", []

    def begin(self, status, headers):
        self.status = status

    def part(self, data):
        self.body += data


def over(answer, use, *, limit=2, refused=None):
    wires = []

    async def main(loop):
        async def create_connection(make, *_, **__):
            await asyncio.sleep(0.1)
            if refused is not None:
                raise refused
            protocol = make()
            wires.append(Wire(loop, protocol, answer))
            protocol.connection_made(wires[-1])
            return wires[-1], protocol

        loop.create_connection = create_connection
        async with Connections(SERVER, limit) as connections:

            async def ask(receiver):
                def on_sent(connection):
                    receiver.sent_at.append(loop.time())
                    receiver.connection = connection

                await connections.exchange(b"", b"hi", receiver, on_sent)
                return receiver

            return await use(ask)

    return run_virtually(main), wires


def test_no_more_connections_than_allowed_and_the_others_wait_in_turn():
    async def use(ask):
        return await asyncio.gather(*(ask(Receiver()) for _ in range(6)))

    receivers, wires = over(lambda wire, _: wire.reply(ANSWER), use)

    assert len(wires) == 2
    assert [each.body for each in receivers] == [b"ok"] * 6
    begins = [each.sent_at[0] for each in receivers]
    assert begins == sorted(begins)
    assert begins[-1] - begins[0] == pytest.approx(2.0, abs=0.2)


def test_a_connection_that_its_server_closed_meanwhile_is_replaced_once():
    def answer(wire, _):
        if wire.protocol.used:
            wire.abort()
        else:
            wire.reply(ANSWER)

    async def use(ask):
        await ask(Receiver())
        return await ask(Receiver())

    receiver, _ = over(answer, use, limit=1)
    assert receiver.body == b"ok"
    assert len(receiver.sent_at) == 2


def test_a_new_connection_that_is_lost_is_an_error():
    async def use(ask):
        with pytest.raises(ExchangeError, match="connection lost"):
            await ask(Receiver())

    over(lambda wire, _: wire.abort(), use)


def test_an_answer_that_breaks_off_is_not_asked_for_again():
    async def use(ask):
        receiver = Receiver()
        await ask(Receiver())
        with pytest.raises(ExchangeError, match="connection lost"):
            await ask(receiver)
        return receiver

    def answer(wire, _):
        wire.reply(ANSWER[:-1] if wire.protocol.used else ANSWER)
        if wire.protocol.used:
            wire.abort()

    receiver, _ = over(answer, use, limit=1)
    assert (receiver.body, len(receiver.sent_at)) == (b"o", 1)


def test_a_request_that_is_given_up_frees_its_place():
    async def use(ask):
        first = asyncio.create_task(ask(Receiver()))
        second = asyncio.create_task(ask(Receiver()))
        await asyncio.sleep(0.5)
        first.cancel()
        return await second

    receiver, wires = over(lambda wire, _: wire.reply(ANSWER), use, limit=1)
    assert receiver.body == b"ok"
    assert len(wires) == 2


def test_an_exchange_that_is_ended_from_outside_says_why_and_its_connection_is_not_used_again():
    async def use(ask):
        receiver = Receiver()
        asking = asyncio.create_task(ask(receiver))
        await asyncio.sleep(0.5)
        receiver.connection.fail("no answer for 60 s")
        with pytest.raises(ExchangeError, match="no answer for 60 s"):
            await asking
        return await ask(Receiver())

    receiver, wires = over(lambda wire, _: wire.reply(ANSWER), use, limit=1)
    assert receiver.body == b"ok"
    assert [wire.closing for wire in wires] == [True, True]  # The second is closed at the end.
    assert len(wires) == 2


def test_what_a_server_says_unasked_is_no_answer_to_the_next_request():
    async def use(ask):
        receiver = await ask(Receiver())
        receiver.connection.data_received(ANSWER.replace(b"ok", b"no"))
        return await ask(Receiver())

    receiver, wires = over(lambda wire, _: wire.reply(ANSWER), use, limit=1)
    assert receiver.body == b"ok"
    assert len(wires) == 2


def test_what_is_no_http_is_an_error_and_ends_its_connection():
    async def use(ask):
        with pytest.raises(ExchangeError, match="no HTTP response"):
            await ask(Receiver())

    _, wires = over(lambda wire, _: wire.reply(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"), use, limit=1)
    assert wires[0].closing


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ConnectionRefusedError(), "connection refused"),
        (socket.gaierror(-2, "Name or service not known"), "unknown host"),
        (OSError(101, "Network is unreachable"), "no connection"),
        (ssl.SSLCertVerificationError(), "TLS failed"),
        (TimeoutError(), "connecting took too long"),
    ],
)
def test_a_server_that_cannot_be_reached_is_named_with_the_reason(error, reason):
    with pytest.raises(WarmrouteError, match=rf"^test:80 cannot be reached: {reason}\. Is the address right, and does"):
        over(lambda wire, _: None, None, refused=error)
