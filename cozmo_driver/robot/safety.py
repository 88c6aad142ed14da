"""Stops and safety settings: the one way in which they reach the robot, so that none is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from ..link import UdpLink, with_timeout
from ..protocol import ConnectionLost, Message, NotConnected, messages
from .errors import Reason, RobotError

_ACKNOWLEDGE_TIMEOUT = 2.0

_PATH = (
    messages.AppendPathSegmentArc,
    messages.AppendPathSegmentLine,
    messages.AppendPathSegmentPointTurn,
    messages.ExecutePath,
)
_WHEELS = (messages.DriveWheels, messages.SetBodyAngle, messages.TurnInPlaceAtSpeed)
_HEAD = (messages.MoveHead, messages.SetHeadAngle)
_LIFT = (messages.MoveLift, messages.SetLiftHeight)
_OVERTAKEN: dict[type[Message], tuple[type[Message], ...]] = {
    messages.AbortAnimation: (
        messages.AudioSample,
        messages.AudioSilence,
        messages.BackpackLights,
        messages.BodyMotion,
        messages.EndOfAnimation,
        messages.Event,
        messages.FaceImage,
        messages.HeadAngle,
        messages.LiftHeight,
        messages.RecordHeading,
        messages.StartOfAnimation,
        messages.TurnToRecordedHeading,
    ),
    messages.AbortDocking: (
        messages.DockWithObject,
        messages.DockingErrorSignal,
        messages.PlaceObjectOnGround,
    ),
    messages.ClearPath: _PATH,
    messages.DriveWheels: _WHEELS + _PATH,
    messages.MoveHead: _HEAD,
    messages.MoveLift: _LIFT,
    messages.StopAllMotors: _WHEELS + _PATH + _HEAD + _LIFT,
}
"""What a stop makes void: still waiting to be sent, it would arrive after the stop."""


class Safety:
    """Sends stops and safety settings past a full queue, and again in a new session if need be.

    The link sends them until the robot acknowledges them. Settings hold in every session; where a
    stop was not acknowledged, or is latched, the next session begins with ``StopAllMotors``.
    """

    def __init__(self, link: UdpLink) -> None:
        self.is_stop_latched = False
        self._link = link
        self._settings: dict[type[Message], Message] = {}
        self._is_set_up = False
        self._sent = asyncio.Event()
        """No setting waits until the robot is set up."""
        self._sent.set()
        self._last = self._last_stop = 0
        """Ordinals: urgent messages are acknowledged in their order."""
        self._is_stop_lost = False

    def set(self, setting: Message) -> None:
        """Let the robot have a setting from now on, in place of one of the same class."""
        if self._settings.get(type(setting)) != setting:
            self._settings[type(setting)] = setting
            if self._is_set_up:
                self.send(setting, instead_of=(type(setting),))
            else:
                self._sent.clear()

    def stop(self, *stops: Message) -> int:
        """Send stops; return the ordinal of the last, for ``UdpLink.is_acknowledged``."""
        for stop in stops:
            self._is_stop_lost |= not self.send(stop, instead_of=_OVERTAKEN[type(stop)])
        self._last_stop = self._last
        return self._last

    def send(self, message: Message, instead_of: Iterable[type[Message]] = ()) -> bool:
        """Send before all that waits, in place of some of it; return whether there is a link."""
        try:
            self._last = self._link.send(message, is_urgent=True, instead_of=instead_of)
        except NotConnected:
            return False
        return True

    async def confirmed(self) -> None:
        """Wait until the robot has acknowledged all that was sent.

        Raises ``RobotError`` when it does not within 2 s, or is not there.
        """
        try:
            if not self._link.is_connected:
                raise RobotError(Reason.NOT_CONNECTED, "no robot is connected")
            await with_timeout(_ACKNOWLEDGE_TIMEOUT, self._acknowledged())
        except TimeoutError:
            raise RobotError(
                Reason.TIMEOUT,
                f"the robot has not acknowledged it within {_ACKNOWLEDGE_TIMEOUT:g} s",
            ) from None
        except ConnectionLost as error:
            raise RobotError(Reason.LINK_LOST, str(error)) from None

    async def _acknowledged(self) -> None:
        await self._sent.wait()
        await self._link.acknowledged(self._last)

    # -- for the session

    def end_session(self) -> None:
        """Remember whether a stop was not acknowledged; before the link connects again."""
        self._is_stop_lost |= not self._link.is_acknowledged(self._last_stop)
        self._last = self._last_stop = 0
        self._is_set_up = False

    def resend_stops(self) -> None:
        """Stop everything before anything may move, if a stop was lost or is latched."""
        if self._is_stop_lost or self.is_stop_latched:
            self._is_stop_lost = False
            self.stop(messages.StopAllMotors())

    def resend_settings(self) -> None:
        """Send all settings, behind what sets the robot up."""
        for setting in self._settings.values():
            self._last = self._link.send(setting)
        self._is_set_up = True
        self._sent.set()
