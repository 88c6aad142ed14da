from __future__ import annotations

import asyncio
import random
import socket

import pytest

from cozmo_driver.emulator import running_emulator
from cozmo_driver.link import LinkError, UdpLink
from cozmo_driver.protocol import (
    Connected,
    ConnectionLost,
    Disconnected,
    DisconnectReason,
    EngineConfig,
    MessageReceived,
    NotConnected,
    messages,
)

TIMEOUT = 30.0


class Recorder:
    """Collects the events of a link and lets a test wait for them."""

    def __init__(self) -> None:
        self.events = []
        self._changed = asyncio.Event()

    def __call__(self, event, now):
        self.events.append(event)
        self._changed.set()

    async def until(self, condition):
        async def wait():
            while not condition(self.events):
                self._changed.clear()
                await self._changed.wait()

        await asyncio.wait_for(wait(), TIMEOUT)

    def received(self, cls):
        return [
            e.message
            for e in self.events
            if isinstance(e, MessageReceived) and isinstance(e.message, cls)
        ]


async def connected_link(port, **options):
    recorder = Recorder()
    link = UdpLink("127.0.0.1", port, recorder, **options)
    link.open()
    link.connect()
    await recorder.until(lambda events: Connected() in events)
    return link, recorder


def test_a_link_connects_sends_and_disconnects():
    async def scenario(emulator):
        link, recorder = await connected_link(emulator.port)
        await link.acknowledged(link.send(messages.SetAudioVolume(7)))
        link.disconnect()
        assert not link.is_connected
        assert recorder.events[-1] == Disconnected(DisconnectReason.LOCAL)
        with pytest.raises(NotConnected):
            link.send(messages.SetAudioVolume(8))
        link.close()

    with running_emulator() as emulator:
        asyncio.run(scenario(emulator))
        state = emulator.wait_for(lambda s: not s.connected)
        assert state.last_disconnect is DisconnectReason.REMOTE
        assert state.last_received["SetAudioVolume"] == messages.SetAudioVolume(7)


def test_datagrams_of_others_and_garbage_are_counted_and_nothing_else_happens():
    rng = random.Random(3)

    async def scenario():
        loop = asyncio.get_running_loop()
        robot = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        robot.bind(("127.0.0.1", 0))
        robot.setblocking(False)
        stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        recorder = Recorder()
        link = UdpLink("127.0.0.1", robot.getsockname()[1], recorder)
        link.open()
        link.connect()
        request, engine = await asyncio.wait_for(loop.sock_recvfrom(robot, 2048), TIMEOUT)
        response = bytes.fromhex("434f5a03524501" + "09" + "010001000100" + "020000")
        stranger.sendto(response, engine)
        await until(lambda: link.socket_statistics.foreign == 1)
        assert not link.is_connected
        robot.sendto(response, engine)
        await recorder.until(lambda events: Connected() in events)
        state = bytes.fromhex("434f5a03524501" + "09" + "000000000100" + "055c00f0")
        garbage = [
            b"",
            response[:13],
            state,
            *(rng.randbytes(rng.randrange(1, 1500)) for _ in range(200)),
        ]
        for count, datagram in enumerate(garbage, start=1):
            robot.sendto(datagram, engine)
            await until(lambda count=count: sum(link.statistics.refused.values()) == count)
        stranger.sendto(response, engine)
        await until(lambda: link.socket_statistics.foreign == 2)
        assert link.is_connected
        assert link.statistics.messages_received == 0
        kinds = [type(event).__name__ for event in recorder.events]
        assert kinds == ["Connected", "ProtocolViolation"]
        assert request[7] == 1
        link.close()
        robot.close()
        stranger.close()

    async def until(condition):
        async def poll():
            while not condition():
                await asyncio.sleep(0)

        await asyncio.wait_for(poll(), TIMEOUT)

    asyncio.run(scenario())


def test_waiting_for_an_acknowledgement_ends_when_the_robot_vanishes():
    async def scenario(emulator):
        link, recorder = await connected_link(emulator.port, config=EngineConfig(timeout=2.0))
        await asyncio.get_running_loop().run_in_executor(None, emulator.kill)
        ordinal = link.send(messages.SetAudioVolume(1))
        with pytest.raises(ConnectionLost):
            await asyncio.wait_for(link.acknowledged(ordinal), TIMEOUT)
        assert recorder.events[-1] == Disconnected(DisconnectReason.TIMEOUT)
        link.close()

    with running_emulator() as emulator:
        asyncio.run(scenario(emulator))


def test_an_idle_connected_link_wakes_up_only_for_datagrams_and_pings():
    """Count the turns of the loop: a polling link would make hundreds a second."""

    async def scenario(emulator):
        link, recorder = await connected_link(emulator.port)
        link.send(messages.SyncTime())
        await recorder.until(lambda events: len(recorder.received(messages.RobotState)) > 5)
        loop = asyncio.get_running_loop()
        turns = 0
        select = loop._selector.select

        def counting(timeout=None):
            nonlocal turns
            turns += 1
            return select(timeout)

        loop._selector.select = counting
        before = len(recorder.received(messages.RobotState))
        pings = link.statistics.pings_sent
        await recorder.until(
            lambda events: len(recorder.received(messages.RobotState)) > before + 60
        )
        loop._selector.select = select
        received = link.statistics.pings_sent - pings + 60
        assert turns < 4 * received
        link.close()

    with running_emulator(calibration_time=0.0) as emulator:
        asyncio.run(scenario(emulator))


@pytest.mark.parametrize(
    ("address", "interface", "words"),
    [
        ("localhost", "", "not an IPv4 address"),
        ("127.0.0.1", "no-such-adapter0", "no network interface 'no-such-adapter0'"),
    ],
)
def test_a_link_that_cannot_be_opened_says_why(address, interface, words):
    async def scenario():
        UdpLink(address, 5551, lambda *_: None, network_interface=interface).open()

    with pytest.raises(LinkError, match=words) as refusal:
        asyncio.run(scenario())
    assert "Errno" not in str(refusal.value)


def test_a_link_bound_to_an_interface_works():
    async def scenario(emulator):
        try:
            link, _ = await connected_link(emulator.port, network_interface="lo")
        except LinkError as error:
            pytest.skip(f"binding to an interface is not allowed here: {error}")
        await link.acknowledged(link.send(messages.SetAudioVolume(7)))
        link.close()

    with running_emulator() as emulator:
        asyncio.run(scenario(emulator))
