"""The session with one robot: connect, identify, start, keep, reconnect (spec 01 §8)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

from ..link import Backoff, LinkError, UdpLink, end, set_at, with_timeout
from ..protocol import (
    Connected,
    ConnectionLost,
    Disconnected,
    DisconnectReason,
    Event,
    Message,
    MessageReceived,
    NotConnected,
    SendQueueFull,
    messages,
)
from .data import Calibration, Cause, Identity, Phase, SessionState
from .errors import Reason, Refused, RobotError
from .identity import StartError, identity_from
from .safety import Safety
from .signal import Signal

_log = logging.getLogger(__name__)

_Message = TypeVar("_Message", bound=Message)
Handler = Callable[[Any, float], object]
Until = Callable[[], Awaitable[object]] | None

_STOPS = messages.StopAllMotors(), messages.AbortAnimation()
_FAREWELL_TIME = 1.0
"""s that the goodbye waits for its acknowledgement: a Wi-Fi stalls for some tenths."""
_FOREVER = 86400.0
_IDENTITY_TIMEOUT = 2.0
_BODY_TIMEOUT = 1.0
_CLOCK_TIMEOUT = 5.0
_STATE_TIMEOUT = 10.0
_CALIBRATION_GRACE = 3.0
_REASONS = {
    DisconnectReason.LOCAL: Cause.REQUESTED,
    DisconnectReason.REMOTE: Cause.CLOSED,
    DisconnectReason.TIMEOUT: Cause.SILENT,
    DisconnectReason.NO_ANSWER: Cause.NO_ANSWER,
}
_ADVICE = {
    Cause.SILENT: "is it switched on and in Wi-Fi range?",
    Cause.CLOSED: "is another program connected to it?",
    Cause.NO_ANSWER: "is it awake, its Wi-Fi (Cozmo_...) joined, and no app or driver connected?",
}


class Session:
    """Keeps one robot connected; lives in one asyncio loop.

    Messages go to the handlers registered with ``on``; ``on_setup`` hooks run in every new session
    as soon as messages may be sent, to (re)apply what was set before.
    """

    def __init__(self, link: UdpLink, backoff: Backoff) -> None:
        """Use ``link`` exclusively; its events must arrive at ``handle_event``."""
        self.link = link
        self.safety = Safety(link)
        self.identity = Identity(link.address, link.port)
        self.state = SessionState(
            Phase.DISCONNECTED, Phase.DISCONNECTED, Cause.NONE, "not connected", 0, 0
        )
        self.on_state: Signal[SessionState] = Signal()
        self.on_identity: Signal[Identity] = Signal()
        self.on_setup: Signal[None] = Signal()
        self.on_failure: Signal[str] = Signal()
        """What keeps the robot safe has failed and cannot be relied on: the program should end."""
        self._backoff = backoff
        self._handlers: dict[type, list[Handler]] = {}
        self.received: dict[type, Message] = {}
        """The latest message of each class in this session."""
        self.calibration = Calibration()
        self.clock_acknowledged: bool | None = None
        """Whether the robot acknowledged its clock in this session; None while that is awaited."""
        self._arrival = asyncio.Event()
        self._ended: asyncio.Future[DisconnectReason] | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_wanted = False
        self._asked = asyncio.Event()
        self._holds = 0
        """Goodbyes and blocks of ``suspended`` under way: nothing connects meanwhile."""
        self.on(messages.MotorCalibration, self.calibration.handle)
        self.on(messages.SyncTimeAck, self._on_clock)

    # -- for the parts of the robot

    def on(self, cls: type[_Message], handler: Callable[[_Message, float], object]) -> None:
        """Call ``handler(message, now)``, ``now`` in s, for every message of this class."""
        self._handlers.setdefault(cls, []).append(handler)

    def send(self, message: Message) -> int:
        """Send a message; return its ordinal for ``link.acknowledged``.

        Raises ``NotConnected``, ``EncodeError``, ``RefusedMessage`` or ``SendQueueFull``.
        """
        return self.link.send(message)

    def guarded(self, what: str, function: Callable[..., object]) -> Callable[..., None]:
        """Return ``function`` with every error but the link's made a failure: ``fail``.

        The link's are told once, until it succeeds again: it may be called with every state.
        """
        is_told = False

        def call(*args: Any) -> None:
            nonlocal is_told
            try:
                function(*args)
                is_told = False
            except (NotConnected, SendQueueFull) as error:
                # Without a link the robot stops by itself.
                if not is_told:
                    _log.warning("%s: %s", what, error)
                is_told = True
            except Exception as error:
                self.fail(what, error)

        return call

    def fail(self, what: str, error: BaseException) -> None:
        """Stop the motors because ``what``, which keeps the robot safe, has failed."""
        _log.critical("%s failed, so the motors are stopped", what, exc_info=error)
        self.safety.stop(messages.StopAllMotors())
        self.on_failure.emit(what)

    @property
    def is_ready(self) -> bool:
        return self.state.phase is Phase.CONNECTED

    def check_ready(self) -> None:
        if not self.is_ready:
            raise Refused(Reason.NOT_CONNECTED, f"no robot is ready: {self.state.text}")

    async def wait_for(self, cls: type[_Message], timeout: float) -> _Message:
        """Return the latest message of this class in this session, waiting for the first one.

        Raises ``TimeoutError`` after ``timeout`` seconds and ``ConnectionLost``.
        """
        await self.until(lambda: cls in self.received, timeout)
        return cast(_Message, self.received[cls])

    async def until(self, condition: Callable[[], bool], timeout: float) -> None:
        """Wait until a condition on what arrived holds.

        Raises ``TimeoutError`` after ``timeout`` seconds and ``ConnectionLost``.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        while not condition():
            if self._ended is None or self._ended.done():
                raise ConnectionLost("the connection ended")
            if loop.time() >= deadline:
                raise TimeoutError
            self._arrival.clear()
            with set_at(self._arrival, deadline):
                await self._arrival.wait()

    # -- for the robot's user

    def open(self) -> None:
        """Begin to keep the robot connected; returns at once. Ends a wait for the next attempt."""
        self._is_wanted = True
        self._asked.set()
        if not self._holds and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._run())
            self._task.add_done_callback(self._on_end)

    async def close(
        self, cause: Cause = Cause.REQUESTED, text: str = "disconnected", until: Until = None
    ) -> None:
        """Stop the motors, say goodbye and stay disconnected; nothing is sent afterwards.

        The goodbye waits for ``until``; nothing begins meanwhile. ``open`` takes effect after it.
        """
        self._is_wanted = False
        async with self._held():
            if until is not None and self.state.phase in (Phase.CONNECTED, Phase.DISCONNECTING):
                self._enter(Phase.DISCONNECTING, cause, "disconnecting")
                self.safety.stop(*_STOPS)
                await until()
            await self._leave(cause, text)

    @contextlib.asynccontextmanager
    async def suspended(self, text: str) -> AsyncIterator[None]:
        """Stay disconnected while the block runs, then connect if that is requested by then.

        ``text`` says why. ``open`` and ``close`` only take effect afterwards.
        """
        async with self._held():
            await self._leave(Cause.REQUESTED, text)
            yield

    @contextlib.asynccontextmanager
    async def _held(self) -> AsyncIterator[None]:
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            if self._is_wanted:
                self.open()

    async def connect_once(self) -> None:
        """Ask for a connection and wait for the answer; nothing else is sent.

        Raises ``LinkError``, and ``ConnectionLost`` when no robot answers.
        """
        self._ended = asyncio.get_running_loop().create_future()
        self.received.clear()
        self.clock_acknowledged = None
        self.calibration.reset()
        self.link.open()
        self.safety.end_session()
        self.link.connect()
        await self.until(lambda: self.link.is_connected, _FOREVER)

    async def identify(self) -> Identity:
        """Return who the robot is (spec 01 §9). Raises ``StartError`` and ``ConnectionLost``."""
        try:
            head = await self.wait_for(messages.RobotAvailable, _IDENTITY_TIMEOUT)
            version = await self.wait_for(messages.FirmwareVersion, _IDENTITY_TIMEOUT)
        except TimeoutError:
            if messages.FWVersionInfo in self.received:
                raise StartError(
                    Cause.FIRMWARE, "the robot runs its recovery image, which can only be updated"
                ) from None
            raise StartError(
                Cause.NOT_READY, "the robot did not say who it is within 2 s; trying again"
            ) from None
        body = await self._ask_for_body()
        flash = cast("messages.WiFiFlashID | None", self.received.get(messages.WiFiFlashID))
        return identity_from((self.link.address, self.link.port), head, version, body, flash)

    async def _ask_for_body(self) -> messages.ManufacturingID | None:
        for _ in range(2):
            self.send(messages.GetManufacturingInfo())
            with contextlib.suppress(TimeoutError):
                return await self.wait_for(messages.ManufacturingID, _BODY_TIMEOUT)
        _log.warning("the robot did not report its body's serial number")
        return None

    async def set_up(self) -> None:
        """Set the robot up and wait until it takes commands.

        Raises ``StartError``, ``ConnectionLost`` and what a hook of ``on_setup`` raises.
        """
        self.safety.resend_stops()
        self.send(messages.SyncTime(0))
        self.send(messages.InitController())
        self.on_setup.emit(None, raise_errors=True)
        self.safety.resend_settings()
        try:
            await self.wait_for(messages.SyncTimeAck, _CLOCK_TIMEOUT)
        except TimeoutError:
            # Not another try: each calibrates head and lift. What the stamps count from does not
            # matter to ``DeviceClock``, so that such a robot can be used (spec 01 §8).
            self.clock_acknowledged = False
            _log.warning("the robot did not acknowledge the clock; its time stamps may be off")
        # A state of before the acknowledgement has the stamp of another clock.
        self.received.pop(messages.RobotState, None)
        try:
            await self.wait_for(messages.RobotState, _STATE_TIMEOUT)
            await self.until(lambda: self.calibration.is_complete, _CALIBRATION_GRACE)
        except TimeoutError:
            if messages.RobotState not in self.received:
                raise StartError(
                    Cause.NOT_READY,
                    "the robot sent no state within 10 s; lift it off and restart it",
                ) from None
            _log.warning("head or lift did not report the end of their calibration")
        try:
            await self.safety.confirmed()
        except RobotError as error:
            if error.reason is not Reason.TIMEOUT:
                raise ConnectionLost(str(error)) from None
            raise StartError(
                Cause.NOT_READY, "the robot does not acknowledge its safety settings; trying again"
            ) from None

    async def _leave(self, cause: Cause, text: str) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
        try:
            # Who leaves may be cancelled at once: the stop goes before anything is awaited.
            if self.link.is_connected:
                self._enter(Phase.DISCONNECTING, cause, "disconnecting")
                await self._say_goodbye()
            if task is not None:
                await end(task)
        finally:
            self.link.close()
            if self.state.phase is not Phase.DISCONNECTED:
                self._enter(Phase.DISCONNECTED, cause, text)

    def handle_event(self, event: Event, now: float) -> None:
        if isinstance(event, MessageReceived):
            self._dispatch(event.message, now)
        elif isinstance(event, Connected | Disconnected):
            if isinstance(event, Disconnected) and self._ended and not self._ended.done():
                self._ended.set_result(event.reason)
            self._arrival.set()

    def _on_clock(self, _: messages.SyncTimeAck, now: float) -> None:
        self.clock_acknowledged = True

    def _dispatch(self, message: Message, now: float) -> None:
        cls = type(message)
        self.received[cls] = message
        self._arrival.set()
        for handler in self._handlers.get(cls, ()):
            try:
                handler(message, now)
            except Exception:
                _log.exception("handling %s failed", cls.__name__)

    def _on_end(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self.fail("the session", error)

    async def _run(self) -> None:
        attempts = 0
        while True:
            attempts += 1
            ready_before = self.state.connections
            cause, text = await self._live(attempts)
            if self.state.connections > ready_before:
                attempts = 0
            delay = self._backoff.delay(max(1, attempts))
            self._enter(Phase.WAITING, cause, text, attempts=attempts, next_attempt=delay)
            self._asked.clear()
            with set_at(self._asked, asyncio.get_running_loop().time() + delay):
                await self._asked.wait()

    async def _live(self, attempts: int) -> tuple[Cause, str]:
        """Go through one session from the request to its end; return why it ended."""
        where = f"{self.link.address}:{self.link.port}"
        text = f"asking {where} to connect"
        self._enter(Phase.CONNECTING, self.state.cause, text, attempts=attempts)
        try:
            await self.connect_once()
            self._enter(Phase.INITIALIZING, Cause.NONE, "the robot answered")
            self.identity = await self.identify()
            self.on_identity.emit(self.identity)
            await self.set_up()
        except LinkError as error:
            return Cause.NETWORK, str(error)
        except StartError as error:
            await self._say_goodbye()
            return error.cause, str(error)
        except (ConnectionLost, NotConnected):
            pass
        except Exception as error:
            # What was not set up might be what stops it at edges.
            _log.exception("setting the robot up failed")
            await self._say_goodbye()
            return Cause.NOT_READY, f"setting the robot up failed: {error!r}; trying again"
        else:
            text = f"connected to robot {self.identity.head_serial:08x}"
            count = self.state.connections + 1
            self._enter(Phase.CONNECTED, Cause.NONE, text, attempts=0, connections=count)
        return await self._end_of_connection()

    async def _end_of_connection(self) -> tuple[Cause, str]:
        assert self._ended is not None
        cause = _REASONS.get(await self._ended, Cause.CLOSED)
        advice = _ADVICE.get(cause, "trying again")
        if cause is Cause.NO_ANSWER and self.link.address.startswith("127."):
            advice = "is an emulator (cozmo emulator) running there, no other program connected?"
        return cause, f"{cause.value}; {advice}"

    async def _say_goodbye(self) -> None:
        """Leave the robot still, then end the connection (spec 01 §8)."""
        self.safety.stop(*_STOPS)
        self.safety.send(messages.ImageRequest(0, 4))
        try:
            await with_timeout(_FAREWELL_TIME, self.link.drained())
        except (ConnectionLost, TimeoutError) as error:
            _log.warning(
                "the robot did not acknowledge its stop (%s); without a link it stops within 5 s",
                str(error) or f"nothing came for {_FAREWELL_TIME:g} s",
            )
        self.link.disconnect()

    def _enter(self, phase: Phase, cause: Cause, text: str, **changes: Any) -> None:
        changes = {"next_attempt": math.nan, "previous": self.state.phase, **changes}
        self.state = replace(self.state, phase=phase, cause=cause, text=text, **changes)
        self.on_state.emit(self.state)
