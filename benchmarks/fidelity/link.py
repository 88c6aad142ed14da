"""The link: frames of every kind, pings, what is not acknowledged; and a cube that is lost."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from cozmo_driver.emulator import Firmware
from cozmo_driver.protocol import Message, decode_message, encode_message
from cozmo_driver.protocol.frames import (
    Frame,
    FrameType,
    Ping,
    SubMessage,
    build_frame,
    build_ping,
    pack_sub_messages,
    parse_frame,
)
from cozmo_driver.protocol.messages import (
    GetManufacturingInfo,
    IMURequest,
    ObjectConnectionState,
    PrintTrace,
    SetPropSlot,
)

from .recording import Recording, Row, robot_like

_STEP = 0.001
_PING = SubMessage(FrameType.PING, build_ping(Ping(0.0, 0, 0)))
_GOODBYE = SubMessage(FrameType.DISCONNECT_REQUEST, b"")
Frames = list[tuple[float, Frame]]


def _reliable(message: Message) -> SubMessage:
    return SubMessage(FrameType.SINGLE_RELIABLE, encode_message(message))


class _Computer:
    """Sends frames of any kind and acknowledges nothing."""

    def __init__(self, phase: int) -> None:
        self._firmware = Firmware(robot_like("B", phase))
        self._now = 0.0
        self.send(0.1 + 0.005 * phase, Frame(FrameType.CONNECTION_REQUEST, 1, 1, 0))

    def send(self, seconds: float, *frames: Frame) -> Frames:
        """Return the robot's frames of the next seconds, each with its time since then."""
        begin = self._now
        for frame in frames:
            self._firmware.receive(build_frame(frame), begin)
        answers: Frames = []
        while self._now < begin + seconds:
            self._now += _STEP
            for datagram in self._firmware.datagrams_to_send(self._now):
                answers.append((self._now - begin, parse_frame(datagram)))
        return answers


def _container(kind: FrameType, first: int, last: int, *subs: SubMessage) -> Frame:
    return Frame(kind, first, last, 0, pack_sub_messages(subs))


def _echoes(frame: Frame) -> int:
    return sum(sub.type == FrameType.PING for sub in frame.sub_messages())


def frames(phase: int) -> Iterator[Row]:
    """Frames of type 7, 8 and 9, a ping now and then, and a goodbye among other messages."""
    computer = _Computer(phase)
    again = [t for t, _ in computer.send(0.5)]
    period = median(b - a for a, b in pairwise(again)) * 1e3
    yield Row("what is not acknowledged comes again after", "B", 33, period, 1, "ms")
    two = _reliable(GetManufacturingInfo()), _PING, _reliable(GetManufacturingInfo())
    answers = computer.send(0.1, _container(FrameType.MULTIPLE_MIXED, 2, 3, *two))
    yield Row("type 9 with two reliable messages: acknowledged", "B", 3, answers[-1][1].ack, 0)
    answers = computer.send(0.1, _container(FrameType.MULTIPLE_UNRELIABLE, 0, 0, _PING, _PING))
    most = max(_echoes(frame) for _, frame in answers)
    yield Row("type 8 with two pings: echoes in one frame", "B", 2, most, 0)
    two = (_reliable(IMURequest(0)),) * 2
    answers = computer.send(0.1, _container(FrameType.MULTIPLE_RELIABLE, 4, 5, *two))
    yield Row("type 7 with two ImuRequest: both answered", "B", 2, _traces(answers[-1][1]), 0)
    delays = []
    for i in range(60):
        answers = computer.send(0.05 + 0.0007 * i, Frame(FrameType.PING, 0, 0, 0, _PING.payload))
        delays.append(next(t for t, frame in answers if _echoes(frame)) * 1e3)
    yield Row("ping: soonest echo", "B", 1.7, min(delays), 3, "ms")
    yield Row("ping: latest echo", "B", 35, max(delays), 3, "ms")
    yield Row("ping: median", "B", 19.5, median(delays), 11.5, "ms")
    computer.send(1.0, _container(FrameType.MULTIPLE_RELIABLE, 6, 6, _GOODBYE))
    left = len(computer.send(1.0, Frame(FrameType.PING, 0, 0, 0, _PING.payload)))
    yield Row("frames after a goodbye in type 7", "B", 0, left, 0)


def _traces(frame: Frame) -> int:
    """Return how often a frame says that there is no IMU yet."""
    messages = [
        decode_message(sub.payload)
        for sub in frame.sub_messages()
        if sub.type == FrameType.SINGLE_RELIABLE
    ]
    return sum(isinstance(m, PrintTrace) and m.name_id == 337 for m in messages)


def cube(phase: int) -> Iterator[Row]:
    """A cube that is lost for a moment."""
    bench = Recording("B", phase).bench
    cubes = bench.firmware.cubes
    factory_id = next(iter(cubes.cubes))
    bench.send(SetPropSlot(factory_id, 0))
    bench.run(5.0)
    bench.forget()
    cubes.drop(factory_id)
    bench.run(2.0)
    lost, back = bench.got(ObjectConnectionState)
    between = [b - a for a, b in pairwise(bench.times_of(ObjectConnectionState))]
    yield Row("a lost cube is back after", "B", 0.5, between[0], 0.034, "s")
    yield Row("a lost cube: connected, then", "B", 0, lost.connected, 0)
    yield Row("a lost cube: connected, at last", "B", 1, back.connected, 0)
