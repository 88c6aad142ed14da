"""Targets of everything that arrives over the air, at both ends, and of the control socket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
from collections.abc import Iterator

import pytest

from cozmo_driver.emulator import EmulatorOptions, Firmware
from cozmo_driver.emulator.commands import COMMANDS, perform
from cozmo_driver.emulator.control import ControlServer
from cozmo_driver.link import udp
from cozmo_driver.media import display_codec, image_assembler, mini_jpeg
from cozmo_driver.media.mini_jpeg import mean_gray
from cozmo_driver.protocol import (
    Connection,
    Direction,
    MessageReceived,
    ProtocolError,
    Role,
    State,
    all_specs,
    decode_message,
    encode_message,
    messages,
    spec_of,
)
from cozmo_driver.protocol.delivery import following
from cozmo_driver.protocol.frames import (
    Frame,
    FrameType,
    SubMessage,
    build_frame,
    build_ping,
    pack_sub_messages,
    parse_frame,
)
from cozmo_driver.protocol.frames import Ping as PingContent
from cozmo_driver.robot import StartError
from cozmo_driver.robot.identity import _description

from ..robot.virtual import VirtualLoop, World
from .target import join, pieces

_START = 1000.0
_TICK = 0.01
_MOST_EVENTS = 4096


# -- frames


def connected_ends() -> tuple[Connection, Connection]:
    """Return an engine and a robot that are connected."""
    engine, robot = Connection(Role.ENGINE), Connection(Role.ROBOT)
    engine.connect(_START)
    for sender, receiver in ((engine, robot), (robot, engine), (engine, robot)):
        for datagram in sender.datagrams_to_send(_START):
            receiver.receive(datagram, _START)
    for end in (engine, robot):
        _drain(end, _START)
        assert end.state is State.CONNECTED
    return engine, robot


def frames(data: bytes) -> None:
    """One datagram for both ends: idle, connecting and connected."""
    connecting = Connection(Role.ENGINE)
    connecting.connect(_START)
    for end in (*connected_ends(), connecting, Connection(Role.ENGINE), Connection(Role.ROBOT)):
        end.receive(data, _START)
        _drain(end, _START)


def conversation(data: bytes) -> None:
    """Many datagrams, one after the other, for both connected ends; each reconnects nothing."""
    for end in connected_ends():
        now = _START
        for number, piece in enumerate(pieces(data)):
            now += _TICK
            # Every other one is numbered as the next that the end waits for.
            if number % 2 and len(piece) > 10:
                expected = end._receiver.next_seq.to_bytes(2, "little")
                piece = piece[:8] + expected + piece[10:]
            end.receive(piece, now)
            _drain(end, now)


def _drain(end: Connection, now: float) -> None:
    end.handle_timer(now)
    for datagram in end.datagrams_to_send(now):
        parse_frame(datagram)
    due = end.next_timer()
    assert due is None or math.isfinite(due)
    for _ in range(_MOST_EVENTS):
        if end.next_event() is None:
            return
    raise AssertionError("one datagram makes events without an end")


def frame_seeds() -> list[bytes]:
    """Return frames of every type, and each message in one of its own."""
    kinds = {type_: Frame(type_, 2, 2, 1, b"") for type_ in FrameType}
    ping = build_ping(PingContent(1.0, 2, 3))
    kinds[FrameType.PING] = Frame(FrameType.PING, 0, 0, 1, ping)
    kinds[FrameType.MULTI_PART] = Frame(FrameType.MULTI_PART, 2, 2, 1, b"\x01\x02\x97part")
    subs = [SubMessage(4, message_seeds()[0]), SubMessage(5, message_seeds()[1])]
    for container in (FrameType.MULTIPLE_RELIABLE, FrameType.MULTIPLE_MIXED):
        kinds[container] = Frame(
            container, 2, 3, 1, pack_sub_messages([*subs, SubMessage(11, ping)])
        )
    single = [Frame(FrameType.SINGLE_RELIABLE, 2, 2, 1, message) for message in message_seeds()]
    return [build_frame(frame) for frame in (*kinds.values(), *single)]


# -- messages


def message_seeds() -> list[bytes]:
    """Return every declared message, of zeros and of ones."""
    seeds = []
    for spec in all_specs():
        for fill in (b"\0", b"\1"):
            data = bytes([spec.tag]) + fill * spec.codec.min_size
            try:
                decode_message(data)
            except ProtocolError:
                # A tail of the size that the ones declare is not there.
                data = bytes([spec.tag]) + bytes(spec.codec.min_size)
            seeds.append(data)
    return seeds


def decoding(data: bytes) -> None:
    """Bytes as a message: refused, or the same again after encoding it."""
    try:
        message = decode_message(data)
    except ProtocolError:
        return
    encoded = encode_message(message)
    again = decode_message(encoded)
    assert type(again) is type(message)
    # By bytes: NaN equals nothing.
    assert encode_message(again) == encoded


# -- the robot behind the wire, and the driver's robot before it


class _Complaints(logging.Handler):
    """Raises what a handler of messages raised, which the driver only logs."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.error: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and self.error is None:
            self.error = record.exc_info[1]


def driver(data: bytes) -> None:
    """Messages of a hostile robot, for the whole driver below ROS; none may make a part fail."""
    complaints, log = _Complaints(), logging.getLogger("cozmo_driver")
    log.addHandler(complaints)
    propagates, log.propagate = log.propagate, False
    loop = VirtualLoop()
    try:
        with pytest.MonkeyPatch.context() as patch:
            world = World(loop, {"calibration_time": 0.0}, {})
            patch.setattr(udp, "open_socket", lambda *_: world.wire)
            loop.run_until_complete(_listen(world, data))
    finally:
        loop.close()
        log.removeHandler(complaints)
        log.propagate = propagates
    if complaints.error is not None:
        raise complaints.error


async def _listen(world: World, data: bytes) -> None:
    await world.robot.start()
    try:
        await world.connected()
        # From here on the robot says only what is hostile.
        world.wire.is_lost = lambda datagram: True
        session = world.robot.session
        for message in _from(Direction.ROBOT_TO_ENGINE, data):
            session.handle_event(MessageReceived(message, True), world.loop.time())
            await asyncio.sleep(_TICK)
        task = session._task
        assert task is not None
        assert not task.done() or task.exception() is None
    finally:
        await world.robot.stop()
        if world.wire._timer is not None:
            world.wire._timer.cancel()


def starting(data: bytes) -> None:
    """The description of its firmware by which a robot introduces itself."""
    with contextlib.suppress(StartError):
        _description(data.decode("utf-8", "replace"))


def _from(direction: Direction, data: bytes) -> Iterator[tuple]:
    for piece in pieces(data):
        try:
            message = decode_message(piece)
        except ProtocolError:
            continue
        if spec_of(message).direction is direction:
            yield message


def emulator(data: bytes) -> None:
    """Messages of a hostile engine, for the emulated robot."""
    firmware = Firmware(EmulatorOptions(ideal=True, calibration_time=0.0), _START)
    now, seq = _START, 1
    firmware.receive(build_frame(Frame(FrameType.CONNECTION_REQUEST, 1, 1, 0)), now)
    for piece in pieces(data):
        now += _TICK
        seq = following(seq)
        ack = firmware.core.connection._robot.outbox.acknowledged & 0xFFFF
        firmware.receive(build_frame(Frame(FrameType.SINGLE_RELIABLE, seq, seq, ack, piece)), now)
        for datagram in firmware.datagrams_to_send(now):
            parse_frame(datagram)
    pose = firmware.snapshot(now + 0.2).pose
    assert math.isfinite(pose.x + pose.y + pose.angle)


def talk_seeds(direction: Direction) -> list[bytes]:
    """Return the messages of one direction, a few to each input."""
    talk = [data for data in message_seeds() if _direction_of(data) is direction]
    return [join(talk[at : at + 16]) for at in range(0, len(talk), 16)]


def _direction_of(data: bytes) -> Direction:
    return next(spec.direction for spec in all_specs() if spec.tag == data[0])


# -- pictures


def camera(data: bytes) -> None:
    """Pieces as the chunks of camera pictures, put together and decoded."""
    assembler = image_assembler.ImageAssembler()
    for piece in pieces(data):
        try:
            chunk = decode_message(piece)
        except ProtocolError:
            continue
        if not isinstance(chunk, messages.ImageChunk):
            continue
        data = assembler.add(chunk)
        if data is not None:
            _look_at(data)


def jpeg(data: bytes) -> None:
    """The bytes of a whole camera picture."""
    _look_at(data)


def _look_at(data: bytes) -> None:
    try:
        whole = mini_jpeg.to_jpeg(data)
    except ValueError:
        return
    for look in (mini_jpeg.picture, mean_gray):
        with contextlib.suppress(ValueError):
            look(whole)


def display(data: bytes) -> None:
    """Bytes as the display's run-length code."""
    shown = display_codec.decode(data)
    assert (display_codec.decode(display_codec.encode(shown)) == shown).all()


# -- the control socket


def control(data: bytes) -> None:
    """A line of the emulator's control socket; every one is answered with JSON."""
    firmware = Firmware(EmulatorOptions(ideal=True), _START)
    server = ControlServer(lambda request: perform(firmware, request), None)  # type: ignore[arg-type]
    for line in data.split(b"\n")[:16]:
        answer = server._answer(line[:4096])
        json.dumps(answer, allow_nan=False)
        assert answer["ok"] or answer["error"]


def control_seeds() -> list[bytes]:
    """Return a good line for every command."""
    seeds = []
    for name, command in COMMANDS.items():
        values = {
            value.name: value.choices[0] if value.choices else max(value.low, min(value.high, 1))
            for value in command.values
        }
        seeds.append(json.dumps({"do": name, **values}).encode() + b"\n")
    return [*seeds, b"".join(seeds)]
