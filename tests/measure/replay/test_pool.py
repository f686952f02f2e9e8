"""A bounded number of connections, over transports that are none."""

from __future__ import annotations

import asyncio

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


def over(answer, use, *, limit=2, refuse=False):
    wires = []

    async def main(loop):
        async def create_connection(make, *_, **__):
            await asyncio.sleep(0.1)
            if refuse:
                raise ConnectionRefusedError
            protocol = make()
            wires.append(Wire(loop, protocol, answer))
            protocol.connection_made(wires[-1])
            return wires[-1], protocol

        loop.create_connection = create_connection
        async with Connections(SERVER, limit) as connections:

            async def ask(receiver):
                await connections.exchange(b"", b"hi", receiver, lambda _: receiver.sent_at.append(loop.time()))
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


def test_a_server_that_cannot_be_reached():
    with pytest.raises(WarmrouteError, match="test:80 cannot be reached: connection refused"):
        over(lambda wire, _: None, None, refuse=True)
