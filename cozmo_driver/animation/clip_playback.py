"""One clip on the robot from its start to its end: its motors, face and frames (spec 07 §3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ..media import FRAME_TIME
from ..protocol import AnimTrackFlag as Track
from ..protocol import Message, MotorID, RobotStatusFlag
from ..protocol.messages import BodyMotion, HeadAngle, LiftHeight, TurnToRecordedHeading
from ..robot import Actuator, Claim, Motion, Owner, Priority, Reason, Refused, Robot
from .clip_source import ClipSource, PreparedClip
from .schedule import BODY_STOP

MOTORS = Track.HEAD | Track.LIFT | Track.BODY
_MOVED: dict[type, Track] = {
    HeadAngle: Track.HEAD,
    LiftHeight: Track.LIFT,
    BodyMotion: Track.BODY,
    TurnToRecordedHeading: Track.BODY,
}
_NAMES = {Track.HEAD: "head", Track.LIFT: "lift", Track.BODY: "body"}
_JOINTS = {Track.HEAD: MotorID.HEAD, Track.LIFT: MotorID.LIFT}


class ClipMotors:
    """The motors of one clip, from its start to its end.

    A motor that somebody moves already, or must not be moved, is left out; one that is taken away
    while the clip plays stays away for the rest of it.
    """

    def __init__(self, motion: Motion, clip: str, tracks: Track) -> None:
        """Claim what ``tracks`` names of head, lift and body."""
        self.lost: dict[str, str] = {}
        """Motors that the clip does not move, and why."""
        self._motion, self._clip = motion, clip
        self._held = Track(0)
        self._locked = Track(0)
        self._claims: list[Claim] = []
        self._is_over = False
        for track in _NAMES:
            if tracks & track:
                self._claim(track)

    def allow(self, message: Message) -> Message | None:
        """Return what may be sent in place of a message now, None for nothing."""
        track = _MOVED.get(type(message))
        if track is None:
            return message
        if not self._held & track:
            return None
        is_forward = (
            isinstance(message, BodyMotion) and message.speed > 0 and message.curvature_radius_mm
        )
        if is_forward and self._motion.cliff.is_forward_forbidden:
            return BODY_STOP
        return message

    def release(self) -> None:
        """Give everything back; whatever the clip has moved must have ended."""
        if self._is_over:
            return
        self._is_over = True
        self._held = Track(0)
        for claim in self._claims:
            claim.actuator.release(claim)
        self._lock(Track(0))

    def _claim(self, track: Track) -> None:
        joints = self._motion.joints
        actuator: Actuator = {
            Track.HEAD: joints.head,
            Track.LIFT: joints.lift,
            Track.BODY: self._motion.wheels,
        }[track]
        reason = self._obstacle(track, actuator)
        if reason:
            self.lost[_NAMES[track]] = reason
            return
        halt = partial(self._lose, track, actuator)
        self._held |= track
        self._claims.append(actuator.claim(Owner.ANIMATION, self._clip, halt))

    def _obstacle(self, track: Track, actuator: Actuator) -> str:
        claim = actuator.claim_held
        if claim is not None and claim.owner is not Owner.ANIMATION:
            return f"{claim.what} moves it"
        if _JOINTS.get(track) in self._motion.protection.disabled:
            return "the overload protection switched its motor off"
        if track is Track.BODY:
            state = self._motion.state
            if state is not None and state.has(RobotStatusFlag.IS_ON_CHARGER):
                return "the robot stands on its charger"
            try:
                self._motion.check_wheels()
            except Refused as error:
                return str(error)
        return ""

    def _lose(self, track: Track, actuator: Actuator) -> None:
        """Stop a motor and keep what is already on its way to the robot from moving it."""
        if self._is_over:
            return
        taker = actuator.claim_held
        self.lost[_NAMES[track]] = "it was stopped" if taker is None else f"{taker.what} took it"
        self._held &= ~track
        self._lock(self._locked | track)

    def _lock(self, tracks: Track) -> None:
        self._locked = tracks
        self._motion.tracks.hold(f"clip {id(self)}", tracks)


@dataclass(frozen=True, slots=True)
class ClipProgress:
    """How far a clip is by the robot's own count; times in s."""

    clip: str
    loop: int
    """Which round it is, from 0."""
    position: float
    """Of this round."""
    duration: float


class ClipPlayback:
    """Has the robot's motors, face and clip name until it is over, however it ends."""

    def __init__(self, robot: Robot, clip: PreparedClip, tag: int, parity: int) -> None:
        """Start. Raises ``RobotError`` (NOT_CONNECTED)."""
        self.clip = clip
        self.draws = bool(clip.schedule.tracks & Track.FACE_IMAGE)
        """The clip has the face."""
        self.is_over = False
        self._robot = robot
        self.motors = ClipMotors(robot.motion, clip.name, clip.schedule.tracks & MOTORS)
        self.source = ClipSource(clip, tag, parity, self.motors.allow)
        self._disconnect: Callable[[], None] = lambda: None
        try:
            self.stream = robot.frames.play(self.source, Priority.CLIP)
        except BaseException:
            self.motors.release()
            raise
        robot.clip = clip.name
        if self.draws:
            self._claim_face()
            # A picture of the user stays in the background.
            self._disconnect = robot.display.on_owner.connect(lambda _: self._claim_face())

    def progress(self, frames_played: int, rounds_before: int = 0) -> ClipProgress:
        now = self.source.round_of(frames_played)
        position = (frames_played - now.first) * FRAME_TIME
        duration = self.clip.duration
        number = rounds_before + now.number
        return ClipProgress(self.clip.name, number, min(position, duration), duration)

    @property
    def rounds_completed(self) -> int:
        is_complete = self.stream.is_over and self.stream.error is None
        return self.source.completed_rounds(self.stream.frames_played) + is_complete

    async def finished(self) -> None:
        """Wait for its end. Raises ``RobotError``; cancelling stops it."""
        try:
            await self.stream.finished()
        finally:
            self.end(Reason.CANCELED, "the clip was cancelled")

    def end(self, reason: Reason, text: str) -> None:
        """Stop it, if it still plays, and give back what it has."""
        if self.is_over:
            return
        self.is_over = True
        self.stream.stop(reason, text)
        self.motors.release()
        self._disconnect()
        self._robot.clip = ""
        if self.draws:
            self._robot.face_owner = self._robot.display.owner

    def _claim_face(self) -> None:
        self._robot.face_owner = Owner.ANIMATION
