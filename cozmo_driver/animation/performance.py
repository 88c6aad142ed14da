"""One clip on the robot, in as many rounds as it is handed over: from its begin to its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..media.audio_codec import FRAME_TIME
from ..protocol.enums import AnimTrackFlag as Track
from ..robot import Owner, Priority, Reason, Robot
from .clip_source import ClipSource, PreparedClip
from .motors import MOTORS, ClipMotors


@dataclass(frozen=True, slots=True)
class ClipProgress:
    """How far a clip is by the robot's own count; times in s."""

    clip: str
    loop: int
    """Which round it is, from 0."""
    position: float
    """Of this round."""
    duration: float


class Performance:
    """Has the robot's motors, face and clip name until it is over, however it ends."""

    def __init__(self, robot: Robot, clip: PreparedClip, tag: int, parity: int) -> None:
        """Begin. Raises ``RobotError`` (NOT_CONNECTED)."""
        self.clip = clip
        self.draws = bool(clip.schedule.tracks & Track.FACE_IMAGE)
        """The clip has the face."""
        self.is_over = False
        self._robot = robot
        self.motors = ClipMotors(robot.motion, clip.clip.name, clip.schedule.tracks & MOTORS)
        self.source = ClipSource(clip, tag, parity, self.motors.allow)
        self._disconnect: Callable[[], None] = lambda: None
        try:
            self.playback = robot.frames.play(self.source, Priority.CLIP)
        except BaseException:
            self.motors.release()
            raise
        robot.clip = clip.clip.name
        if self.draws:
            robot.face_owner = Owner.ANIMATION
            # A picture of the user stays in the background.
            self._disconnect = robot.display.on_owner.connect(lambda _: self._keep_face())

    def progress(self, frames_played: int, rounds_before: int = 0) -> ClipProgress:
        """Return where it is after so many frames."""
        now = self.source.round_of(frames_played)
        position = (frames_played - now.first) * FRAME_TIME
        duration = self.clip.duration
        number = rounds_before + now.number
        return ClipProgress(self.clip.clip.name, number, min(position, duration), duration)

    @property
    def rounds_completed(self) -> int:
        """How often it was played to its end."""
        is_complete = self.playback.is_over and self.playback.error is None
        return self.source.completed_rounds(self.playback.frames_played) + is_complete

    async def finished(self) -> None:
        """Wait for its end. Raises ``RobotError``; cancelling stops it."""
        try:
            await self.playback.finished()
        finally:
            self.end(Reason.CANCELED, "the clip was cancelled")

    def end(self, reason: Reason, text: str) -> None:
        """Stop it, if it still plays, and give back what it has."""
        if self.is_over:
            return
        self.is_over = True
        self.playback.stop(reason, text)
        self.motors.release()
        self._disconnect()
        self._robot.clip = ""
        if self.draws:
            self._robot.face_owner = self._robot.display.owner

    def _keep_face(self) -> None:
        self._robot.face_owner = Owner.ANIMATION
