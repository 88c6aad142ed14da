"""A virtual network between an engine and a robot: seeded, and faster than time.

Time jumps from one timer or delivery to the next, so that a minute takes milliseconds and every
run with the same seed is the same.
"""

from __future__ import annotations

import heapq
import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from cozmo_driver.protocol import (
    Connected,
    Connection,
    Disconnected,
    EngineConfig,
    Event,
    MessageReceived,
    ProtocolViolation,
    RobotConfig,
    Role,
    State,
)
from cozmo_driver.protocol.frames import (
    Frame,
    FrameType,
    SubMessage,
    build_frame,
    pack_sub_messages,
    parse_frame,
)
from cozmo_driver.protocol.messages import RobotState
from cozmo_driver.protocol.structs import AccelData, GyroData, RobotPose

STATE = RobotState(
    timestamp=0,
    pose_frame_id=0,
    pose_origin_id=0,
    pose=RobotPose(0.0, 0.0, 0.0, 0.0, 0.0),
    lwheel_speed_mmps=0.0,
    rwheel_speed_mmps=0.0,
    head_angle=0.0,
    lift_angle=0.0,
    accel=AccelData(0.0, 0.0, 0.0),
    gyro=GyroData(0.0, 0.0, 0.0),
    battery_voltage=4.0,
    status=0,
    cliff_data_raw=(0, 0, 0, 0),
    backpack_touch_sensor_raw=0,
    curr_path_segment=-1,
)

_Class = TypeVar("_Class")
_SPINNING = 10_000


@dataclass(frozen=True, slots=True)
class Air:
    """What happens to datagrams on their way; shares from 0 to 1, times in seconds."""

    loss: float = 0.0
    duplication: float = 0.0
    reordering: float = 0.0
    """Share that is held back, so that later datagrams overtake it."""
    latency: float = 0.003
    held_back: float = 0.030


@dataclass(slots=True)
class End:
    """One end: its connection, what it reported and what it sent, each with its time."""

    connection: Connection
    events: list[tuple[float, Event]] = field(default_factory=list)
    sent: list[tuple[float, bytes]] = field(default_factory=list)
    messages: list[Any] = field(default_factory=list)
    """The messages that arrived."""

    def of(self, kind: type[_Class]) -> list[_Class]:
        return [event for _, event in self.events if isinstance(event, kind)]

    @property
    def ended(self) -> list[Disconnected]:
        return self.of(Disconnected)

    @property
    def violations(self) -> list[ProtocolViolation]:
        return self.of(ProtocolViolation)

    def frames(self, *types: FrameType) -> list[Frame]:
        """Return the frames sent so far, of certain types if any are named."""
        frames = [parse_frame(datagram) for _, datagram in self.sent]
        return [frame for frame in frames if not types or frame.type in types]

    def times(self, *types: FrameType) -> list[float]:
        """Return when frames of these types were sent."""
        return [t for t, data in self.sent if not types or parse_frame(data).type in types]


class Network:
    """Both ends and the air between them."""

    def __init__(
        self,
        *,
        air: Air | None = None,
        air_to_engine: Air | None = None,
        seed: int = 0,
        engine: EngineConfig | None = None,
        robot: RobotConfig | None = None,
        start: float = 100.0,
    ) -> None:
        """Set up two idle ends; ``air`` holds in both directions unless told otherwise."""
        self.now = start
        self.engine = End(Connection(Role.ENGINE, engine=engine))
        self.robot = End(Connection(Role.ROBOT, robot=robot))
        self.air_to_robot = air or Air()
        self.air_to_engine = air_to_engine or self.air_to_robot
        self.lose: Callable[[End, bytes], bool] = lambda sender, datagram: False
        """Decides about a datagram's loss by its sender and content, besides the air."""
        self._random = random.Random(seed)
        self._order = itertools.count()
        self._due: list[tuple[float, int, Callable[[], None]]] = []

    # -- what tests do

    def at(self, when: float, action: Callable[[], None]) -> None:
        """Call ``action`` when that time comes."""
        heapq.heappush(self._due, (when, next(self._order), action))

    def every(self, interval: float, action: Callable[[], None]) -> None:
        """Call ``action`` now and then regularly."""

        def again() -> None:
            action()
            self.at(self.now + interval, again)

        self.at(self.now, again)

    def run(self, seconds: float) -> None:
        self._advance(self.now + seconds, lambda: False)

    def run_until(self, condition: Callable[[], bool], limit: float = 60.0) -> None:
        """Let time pass until the condition holds; fail when it never does."""
        deadline = self.now + limit
        self._advance(deadline, condition)
        assert condition(), f"not within {limit} s"

    def connect(self) -> None:
        self.engine.connection.connect(self.now)
        self.run_until(
            lambda: (
                self.engine.connection.state is State.CONNECTED
                and self.robot.connection.state is State.CONNECTED
                and bool(self.robot.of(Connected))
            )
        )

    def stream_states(self) -> None:
        """Let the robot send its state every 30 ms, as a calibrated one does."""
        self.every(0.03, lambda: self.robot.connection.send(STATE, self.now) and None)

    def inject(self, receiver: End, datagram: bytes) -> None:
        """Hand a made-up datagram to one end, now."""
        receiver.connection.receive(datagram, self.now)
        self._flush()

    # -- inside

    def _advance(self, until: float, condition: Callable[[], bool]) -> None:
        same_time = 0
        while True:
            self._flush()
            if condition():
                return
            times = [end.connection.next_timer() for end in (self.engine, self.robot)]
            due = [t for t in times if t is not None] + [entry[0] for entry in self._due[:1]]
            if not due or min(due) > until:
                self.now = until
                return
            same_time = same_time + 1 if min(due) <= self.now else 0
            assert same_time < _SPINNING, f"timers stand still at {self.now}"
            self.now = max(self.now, min(due))
            while self._due and self._due[0][0] <= self.now:
                heapq.heappop(self._due)[2]()
            for end in (self.engine, self.robot):
                end.connection.handle_timer(self.now)

    def _flush(self) -> None:
        for end, peer, air in (
            (self.engine, self.robot, self.air_to_robot),
            (self.robot, self.engine, self.air_to_engine),
        ):
            for datagram in end.connection.datagrams_to_send(self.now):
                end.sent.append((self.now, datagram))
                if not self.lose(end, datagram):
                    self._carry(peer, datagram, air)
            while (event := end.connection.next_event()) is not None:
                end.events.append((self.now, event))
                if isinstance(event, MessageReceived):
                    end.messages.append(event.message)

    def _carry(self, receiver: End, datagram: bytes, air: Air) -> None:
        if self._random.random() < air.loss:
            return
        copies = 2 if self._random.random() < air.duplication else 1
        for _ in range(copies):
            held_back = air.held_back if self._random.random() < air.reordering else 0.0

            def deliver() -> None:
                receiver.connection.receive(datagram, self.now)

            self.at(self.now + air.latency + held_back, deliver)


def client_and_server(**options: Any) -> Network:
    """Return a network whose two ends are connected; the options are those of ``Network``."""
    network = Network(**options)
    network.connect()
    return network


def frame_bytes(
    kind: FrameType, first: int, last: int, ack: int, *content: SubMessage | bytes
) -> bytes:
    """Return a made-up datagram of sub-messages, or of bytes as they are."""
    parts = [one if isinstance(one, bytes) else pack_sub_messages([one]) for one in content]
    return build_frame(Frame(kind, first, last, ack, b"".join(parts)))
