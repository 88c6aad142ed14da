"""What keyframes do when their turn comes (spec 06 §1)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..protocol import AnimTrackFlag as Track
from ..protocol import BackpackLayer, Message, messages
from .body import wrapped
from .core import Timer
from .hardware import MAX_TREAD_SPEED
from .joints import lift_angle
from .parts import Parts
from .treads import curve

TRACKS: dict[type, Track] = {
    messages.AudioSample: Track.AUDIO,
    messages.HeadAngle: Track.HEAD,
    messages.LiftHeight: Track.LIFT,
    messages.BodyMotion: Track.BODY,
    messages.RecordHeading: Track.BODY,
    messages.TurnToRecordedHeading: Track.BODY,
    messages.FaceImage: Track.FACE_IMAGE,
    messages.Event: Track.EVENT,
    messages.BackpackLights: Track.BACKPACK_LIGHTS,
}
"""Track of each message; the others belong to none and are always executed."""
BUFFERED = (*TRACKS, messages.AudioSilence, messages.StartOfAnimation, messages.EndOfAnimation)
"""Messages that go through the buffer."""
_MAX_TURN_RATE = math.radians(300.0)


class Keyframes:
    """Moves motors, shows pictures and lights; keeps which motors the stream has used."""

    def __init__(self, robot: Parts) -> None:
        self._core, self._body, self._joints = robot.core, robot.body, robot.joints
        self._path, self._backpack, self._display = robot.path, robot.backpack, robot.display
        self.used = Track(0)
        """Motors that the running stream moved: head, lift, body."""
        self._heading: float | None = None
        self._turn_end = Timer()
        self._actions: dict[type, Callable[[Any], None]] = {
            messages.HeadAngle: self._move_head,
            messages.LiftHeight: self._move_lift,
            messages.BodyMotion: self._move_body,
            messages.RecordHeading: self._record_heading,
            messages.TurnToRecordedHeading: self._turn,
            messages.FaceImage: lambda m: self._display.show(m.image),
            messages.BackpackLights: lambda m: self._backpack.animate(m.colors),
        }

    def execute(self, message: Message, tag: int) -> None:
        if isinstance(message, messages.Event):
            self._core.send(messages.AnimationEvent(self._core.timestamp, message.event_id, tag))
            return
        self.used |= TRACKS[type(message)] & (Track.HEAD | Track.LIFT | Track.BODY)
        self._actions[type(message)](message)

    def stop(self, tracks: Track) -> None:
        if tracks & Track.HEAD:
            self._joints.head.stop()
        if tracks & Track.LIFT:
            self._joints.lift.stop()
        if tracks & Track.BODY:
            self._turn_end.cancel()
            self._body.wheels.stop()

    def end(self) -> None:
        """Let the body rest and the user's lights be shown again."""
        self.stop(self.used & Track.BODY)
        self.used = Track(0)
        self._backpack.show_layer(BackpackLayer.USER)

    def abort(self) -> None:
        self.stop(self.used)
        self.used = Track(0)

    # -- motors

    def _move_head(self, m: messages.HeadAngle) -> None:
        self._joints.head.move_to(math.radians(m.angle_deg), 0.0, 0.0, m.time_ms / 1000.0)

    def _move_lift(self, m: messages.LiftHeight) -> None:
        self._joints.lift.move_to(lift_angle(m.height_mm), 0.0, 0.0, m.time_ms / 1000.0)

    def _move_body(self, m: messages.BodyMotion) -> None:
        """Drive a curve until the next command; about the robot itself the speed is in deg/s."""
        radius = m.curvature_radius_mm
        if radius == 0:
            self._rotate(math.radians(m.speed))
            return
        self._drive(*curve(min(max(float(m.speed), -MAX_TREAD_SPEED), MAX_TREAD_SPEED), radius))

    def _rotate(self, rate: float) -> None:
        rate = min(max(rate, -_MAX_TURN_RATE), _MAX_TURN_RATE)
        speed = rate * self._body.wheels.track / 2
        self._drive(-speed, speed)

    def _drive(self, left: float, right: float) -> None:
        self._turn_end.cancel()
        self._path.interrupt(stop=False)
        self._body.wheels.drive(left, right, 0.0, 0.0)

    def _record_heading(self, _: messages.RecordHeading) -> None:
        self._heading = self._body.reported_pose.angle

    def _turn(self, m: messages.TurnToRecordedHeading) -> None:
        """Turn by the angle that is left, or in the direction of the speed, and half turns more.

        Both ramps of the treads take the same time, so that the turn ends where it should.
        """
        rate = min(math.radians(abs(m.speed_deg_per_sec)), _MAX_TURN_RATE)
        now = self._body.reported_pose.angle
        base = now if self._heading is None else self._heading
        turn = wrapped(base + math.radians(m.offset_deg) - now)
        if not m.use_shortest_dir:
            direction = -1.0 if m.speed_deg_per_sec < 0 else 1.0
            turn = direction * (direction * turn % (2 * math.pi))
        turn += math.copysign(m.num_half_revs * math.pi, turn)
        if not rate or abs(turn) <= math.radians(m.tolerance_deg):
            return
        self._turn_end.cancel()
        self._path.interrupt(stop=False)
        self._body.wheels.steer(0.0, math.copysign(rate, turn))
        self._turn_end = self._core.after(
            abs(turn) / rate, lambda: self._body.wheels.servo(0.0, 0.0)
        )
