"""One end of a connection, without I/O: five methods, and time is always an argument.

``receive(datagram, now)``, ``datagrams_to_send(now)``, ``next_timer()``, ``handle_timer(now)``
and ``next_event()``; besides these only ``connect``, ``send`` and ``disconnect``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from .config import EngineConfig, RobotConfig, Role, Statistics
from .delivery import Receiver
from .engine_sender import EngineSender
from .errors import EncodeError, NotConnected, ProtocolError, RefusedMessage, UnknownMessage
from .frames import (
    RELIABLE_TYPES,
    Frame,
    FrameType,
    SubMessage,
    build_frame,
    parse_frame,
    parse_ping,
)
from .registry import Direction, Message, decode_message, encode_message, spec_of
from .robot_sender import RobotSender


class DisconnectReason(Enum):
    LOCAL = "closed by this end"
    REMOTE = "closed by the other end"
    TIMEOUT = "the other end fell silent"
    NO_ANSWER = "no answer to the connection request"
    NEW_ENGINE = "the engine started a new connection"


@dataclass(frozen=True, slots=True)
class Connected:
    """The handshake is complete; messages may be sent."""


@dataclass(frozen=True, slots=True)
class MessageReceived:
    """A message arrived; reliable ones exactly once and in order."""

    message: Message
    reliable: bool


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection ended; nothing follows until the next ``connect``."""

    reason: DisconnectReason


@dataclass(frozen=True, slots=True)
class ProtocolViolation:
    """The peer broke the protocol; reported once per kind and connection, counted always."""

    kind: str
    detail: str


Event = Connected | MessageReceived | Disconnected | ProtocolViolation


class State(Enum):
    """State of a connection; ``TRANSITIONS`` names every way between them."""

    IDLE = "idle"
    CONNECTING = "connecting"
    CONNECTED = "connected"


TRANSITIONS: dict[tuple[State, str], State] = {
    (State.IDLE, "connect"): State.CONNECTING,
    (State.IDLE, "request received"): State.CONNECTED,
    (State.CONNECTING, "response received"): State.CONNECTED,
    (State.CONNECTING, "no answer"): State.IDLE,
    (State.CONNECTING, "disconnect"): State.IDLE,
    (State.CONNECTED, "disconnect"): State.IDLE,
    (State.CONNECTED, "disconnect received"): State.IDLE,
    (State.CONNECTED, "request received"): State.IDLE,
    (State.CONNECTED, "silence"): State.IDLE,
}
"""Everything that changes the state goes through this table."""


class Connection:
    """The engine's or the robot's end of a connection (spec 01)."""

    def __init__(
        self,
        role: Role,
        *,
        engine: EngineConfig | None = None,
        robot: RobotConfig | None = None,
    ) -> None:
        """Create an idle end; the configuration of the other role is ignored."""
        self.role = role
        self.engine_config = engine or EngineConfig()
        self.robot_config = robot or RobotConfig()
        self.state = State.IDLE
        self.statistics = Statistics()
        self._events: deque[Event] = deque()
        self._to_send: deque[bytes] = deque()
        self._reset(0.0)
        self._deadline = self._next_request = 0.0

    def _reset(self, now: float) -> None:
        self._receiver = Receiver(self.statistics)
        self._engine = EngineSender(self.engine_config, self.statistics, now)
        self._robot = RobotSender(self.robot_config, self.statistics, now)
        self._reported: set[str] = set()
        self._connected_at = now
        self._progressed = False

    def _change(self, cause: str) -> None:
        self.state = TRANSITIONS[self.state, cause]

    # -- what the user of the connection does

    def connect(self, now: float) -> None:
        """Start to connect (engine). ``Connected`` or ``Disconnected`` follows.

        Raises ``ValueError`` at the robot's end and unless idle.
        """
        if self.role is not Role.ENGINE:
            raise ValueError("only the engine connects; the robot waits for it")
        if self.state is not State.IDLE:
            raise ValueError(f"cannot connect while {self.state.value}; disconnect first")
        self._change("connect")
        self.statistics = Statistics()
        self._deadline = now + self.engine_config.connect_timeout
        self._request(now)

    def send(
        self, message: Message, now: float, *, hot: bool = False, is_urgent: bool = False
    ) -> int:
        """Queue a message; return its ordinal, for ``is_acknowledged``.

        An urgent one of the engine goes before all that waits and is never too much. Raises
        ``NotConnected``, ``EncodeError``, ``RefusedMessage``, ``SendQueueFull``. The robot's end
        returns 0 for unreliable messages and for those that its full store drops.
        """
        if self.state is not State.CONNECTED:
            raise NotConnected(f"{type(message).__name__} not sent: there is no connection")
        payload = encode_message(message)
        spec = spec_of(message)
        if self.role is Role.ENGINE:
            if spec.direction is not Direction.ENGINE_TO_ROBOT:
                raise EncodeError(f"{spec.name} is a message of the robot")
            if spec.never_send:
                raise RefusedMessage(f"{spec.name} can harm a robot and is never sent")
            return self._engine.push(payload, is_urgent=is_urgent)
        if spec.direction is not Direction.ROBOT_TO_ENGINE:
            raise EncodeError(f"{spec.name} is a message of the engine")
        kind = FrameType.SINGLE_RELIABLE if spec.reliable else FrameType.SINGLE_UNRELIABLE
        kept = self._robot.push(SubMessage(kind, payload), now, hot=hot)
        ordinal = self._robot.outbox.acknowledged + self._robot.waiting
        return ordinal if kept and spec.reliable else 0

    def discard(self, classes: Iterable[type[Message]]) -> None:
        """Drop what the engine has queued of these classes and not yet sent."""
        self._engine.discard({spec_of(cls).tag for cls in classes})

    def is_acknowledged(self, ordinal: int) -> bool:
        """Tell whether the peer has acknowledged the message; never of one that was dropped."""
        if self.role is Role.ENGINE:
            return self._engine.is_acknowledged(ordinal)
        return self._robot.outbox.acknowledged >= ordinal

    def acknowledge_early(self) -> None:
        """Let the robot acknowledge at once, as it does for frames with sound (spec 18)."""
        if self.state is State.CONNECTED:
            self._robot.acknowledge_early()

    def disconnect(self, now: float) -> None:
        """End the connection at once; nothing is sent after the one request (spec 01 §8)."""
        if self.state is State.IDLE:
            return
        was_connected = self.state is State.CONNECTED
        self._end("disconnect", DisconnectReason.LOCAL)
        if was_connected and self.role is Role.ENGINE:
            seq = self._engine.outbox.next_seq
            request = Frame(FrameType.DISCONNECT_REQUEST, seq, seq, self._receiver.ack)
            self._queue(build_frame(request))

    @property
    def waiting(self) -> int:
        return self._sender.waiting

    @property
    def room(self) -> int:
        """Messages that the engine may send before one is refused with ``SendQueueFull``."""
        return self._engine.room

    @property
    def _sender(self) -> EngineSender | RobotSender:
        return self._engine if self.role is Role.ENGINE else self._robot

    # -- what the adapter of the socket does

    def receive(self, datagram: bytes, now: float) -> None:
        """Handle a datagram of the peer. Never raises; what is wrong is counted."""
        self.statistics.datagrams_received += 1
        self.statistics.bytes_received += len(datagram)
        try:
            frame = parse_frame(datagram)
            if frame.type == FrameType.CONNECTION_REQUEST and self.role is Role.ROBOT:
                self._on_request(now)
            elif self.state is not State.IDLE and self._accepts(frame):
                self._on_frame(frame, now)
        except ProtocolError as error:
            self._violation(error)

    def datagrams_to_send(self, now: float) -> list[bytes]:
        """Return the datagrams that are due, oldest first."""
        if self.state is State.CONNECTED:
            for datagram in self._sender.frames(now, self._receiver.ack):
                self._queue(datagram)
        datagrams = list(self._to_send)
        self._to_send.clear()
        return datagrams

    def next_timer(self) -> float | None:
        """Return when ``handle_timer`` is due next; None for never."""
        if self.state is State.IDLE:
            return None
        if self.state is State.CONNECTING:
            return min(self._deadline, self._next_request)
        due = self._sender.next_time()
        return self._deadline if due is None else min(due, self._deadline)

    def handle_timer(self, now: float) -> None:
        """Do what is due at ``now``; call ``datagrams_to_send`` afterwards."""
        if self.state is State.CONNECTING:
            if now >= self._deadline:
                self._end("no answer", DisconnectReason.NO_ANSWER)
            elif now >= self._next_request:
                self._request(now)
        elif self.state is State.CONNECTED and now >= self._deadline:
            self._end("silence", DisconnectReason.TIMEOUT)

    def next_event(self) -> Event | None:
        return self._events.popleft() if self._events else None

    def _queue(self, datagram: bytes) -> None:
        self.statistics.datagrams_sent += 1
        self.statistics.bytes_sent += len(datagram)
        self._to_send.append(datagram)

    def _request(self, now: float) -> None:
        self._reset(now)
        self._next_request = now + self.engine_config.request_interval
        self._queue(build_frame(Frame(FrameType.CONNECTION_REQUEST, 1, 1, 0)))

    def _on_request(self, now: float) -> None:
        """Answer an engine that connects; a request of a running one ends it (spec 01 §8).

        A copy of the request that arrives soon after it is a duplicate datagram and ignored; an
        engine that repeats it later and has sent nothing else never got the answer.
        """
        if self.state is State.CONNECTED:
            if now - self._connected_at <= self.robot_config.request_echo:
                return
            if self._progressed:
                self._end("request received", DisconnectReason.NEW_ENGINE)
                return
        else:
            self._change("request received")
        self._events.append(Connected())
        self.statistics = Statistics()
        self._reset(now)
        self._receiver = Receiver(self.statistics, next_seq=2)
        self._deadline = now + self.robot_config.timeout
        response = SubMessage(FrameType.CONNECTION_RESPONSE, b"")
        self._robot.push(response, now, hot=True)

    def _accepts(self, frame: Frame) -> bool:
        """While connecting, only a frame whose first reliable message is the response counts."""
        if self.state is State.CONNECTED:
            return True
        reliable = (sub.type for sub in frame.sub_messages() if sub.type in RELIABLE_TYPES)
        return frame.seq_min == 1 and next(reliable, None) == FrameType.CONNECTION_RESPONSE

    def _on_frame(self, frame: Frame, now: float) -> None:
        timeout = self.engine_config if self.role is Role.ENGINE else self.robot_config
        self._deadline = now + timeout.timeout
        try:
            for sub in self._receiver.deliver(frame):
                self._on_sub_message(sub, now)
                if self.state is State.IDLE:
                    return
        finally:
            self._sender.acknowledge(frame.ack, now)

    def _on_sub_message(self, sub: SubMessage, now: float) -> None:
        kind = sub.type
        if self.state is State.CONNECTING and kind != FrameType.CONNECTION_RESPONSE:
            return
        if kind in (FrameType.SINGLE_RELIABLE, FrameType.SINGLE_UNRELIABLE):
            self._on_message(sub.payload, kind == FrameType.SINGLE_RELIABLE)
        elif kind == FrameType.PING:
            self._on_ping(sub, now)
        elif kind == FrameType.CONNECTION_RESPONSE and self.state is State.CONNECTING:
            self._change("response received")
            self._connected_at = now
            self._events.append(Connected())
        elif kind == FrameType.DISCONNECT_REQUEST:
            self._end("disconnect received", DisconnectReason.REMOTE)

    def _on_ping(self, sub: SubMessage, now: float) -> None:
        ping = parse_ping(sub.payload)
        if self.role is Role.ENGINE:
            self._engine.pings.on_echo(ping, now)
        else:
            self._robot.push(sub, now)

    def _on_message(self, payload: bytes, reliable: bool) -> None:
        self._progressed = True
        try:
            message = decode_message(payload)
            direction = spec_of(message).direction
            if (direction is Direction.ENGINE_TO_ROBOT) is (self.role is Role.ENGINE):
                raise UnknownMessage(f"{type(message).__name__} came from the wrong end")
        except ProtocolError as error:
            self._violation(error)
            return
        self.statistics.messages_received += 1
        self._events.append(MessageReceived(message, reliable))

    def _violation(self, error: ProtocolError) -> None:
        self.statistics.refused[error.kind] += 1
        if self.state is not State.IDLE and error.kind not in self._reported:
            self._reported.add(error.kind)
            self._events.append(ProtocolViolation(error.kind, str(error)))

    def _end(self, cause: str, reason: DisconnectReason) -> None:
        self._change(cause)
        self._to_send.clear()
        self._events.append(Disconnected(reason))
