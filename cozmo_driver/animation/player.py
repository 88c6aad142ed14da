"""Plays clips by name: one at a time, its rounds, the face afterwards (spec 06 §2, §6)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import random
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from ..face import NEUTRAL
from ..protocol import AnimTrackFlag as Track
from ..resources import AnimationGroup, ClipNotFound, Library, SoundSource
from ..robot import Priority, Reason, Robot, RobotError
from .assets import Assets, Kind, Selection
from .clip_playback import ClipPlayback, ClipProgress
from .clip_source import ClipSource, PreparedClip, prepare
from .face_track import FaceTrack
from .schedule import NO_TRACK, Schedule

_log = logging.getLogger(__name__)
_Made = TypeVar("_Made")

NEUTRAL_TRIGGER = "NeutralFace"
"""Played after a clip that drew on the face (spec 04 §7)."""
ALL_TRACKS = Track(0x7F)
_TAGS = range(1, 255)
_PARITY_KEPT = 30.0
"""s after which the rows of the face alternate also for the clip that was played last, and from
one of its rounds to the next."""


@dataclass(frozen=True, slots=True)
class PlayedClip:
    """What was played: the clip, the last one of several, and how often all in all."""

    clip: str
    loops_completed: int
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Of head, lift and body those that the clip did not move, or not to its end, and why."""


Report = Callable[[ClipProgress], object]


@dataclass(eq=False, slots=True)
class _Goal:
    """One call of ``Player.play``."""

    target: AnimationGroup | str | PreparedClip
    excluded: Track
    loops: float
    report: Report
    chosen: int = 0
    """Rounds that were chosen so far."""
    completed: int = 0
    """Rounds of the clips that are over."""
    error: RobotError | None = None
    """Why it must not start any more."""


@dataclass(eq=False, slots=True)
class _Making:
    """One call of ``Player.made``."""

    error: RobotError | None = None
    """Why what is made must not be played any more."""


class Player:
    """Plays the clips of a library on one robot. Use in the robot's loop.

    A newer clip takes the place of the one that plays, or is refused if it shall not. The
    emergency stop ends a clip; a lost link, too.
    """

    def __init__(
        self,
        robot: Robot,
        library: Library,
        sounds: SoundSource,
        rng: random.Random | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``clock`` times the cooldowns of groups; ``rng`` decides all that is chance."""
        self._robot, self._sounds, self._clock = robot, sounds, clock
        self._rng = rng or random.Random()
        self.selection = Selection(library, self._rng)
        self._newest: _Goal | None = None
        self._making: _Making | None = None
        self._playback: ClipPlayback | None = None
        self._resting: asyncio.Task[None] | None = None
        self._tag = _TAGS[-1]
        self._names: dict[int, str] = {}
        self._untidy = NO_TRACK
        """Face and backpack as far as a clip has left them to be tidied up."""
        self._reading = threading.Lock()
        self._parity = 0
        self._parity_of = ""
        self._parity_at = -math.inf
        robot.events.name_clip = lambda tag: self._names.get(tag, "")
        robot.motion.on_stop.connect(self._on_stop)

    @property
    def clip(self) -> str:
        """Name of the clip that plays, empty for none."""
        return "" if self._playback is None else self._playback.clip.name

    @property
    def library(self) -> Library:
        """What is played from; a new one counts from the next clip on."""
        return self.selection.library

    def use(self, assets: Assets) -> None:
        """Play from other assets from the next round on."""
        self.selection.library, self._sounds = assets.library, assets.sounds

    def stop(self, reason: Reason = Reason.CANCELED, text: str = "the clip was stopped") -> None:
        """End the clip that plays, or is about to; the robot stands still and looks neutral."""
        self._end_making(reason, text)
        if self._newest is not None:
            self._newest.error, self._newest = RobotError(reason, text), None
        if self._playback is not None:
            self._playback.end(reason, text)

    async def at_rest(self) -> None:
        """Wait until the robot shows that nothing plays any more: its face is neutral."""
        if self._resting is not None:
            await asyncio.shield(self._resting)

    async def play(
        self,
        name: str,
        kind: Kind = Kind.ANY,
        *,
        excluded_tracks: Track = NO_TRACK,
        loops: int = 1,
        replace: bool = True,
        on_progress: Report = lambda _: None,
    ) -> PlayedClip:
        """Play a clip, or one of a group or of a trigger's group, ``loops`` times, 0 for ever.

        A group's clip is chosen for each round. Returns when the robot has played the last
        frame. ``on_progress`` is called at each start and with every frame played. Without
        ``replace`` it is refused while another one plays. Cancelling stops the robot. Raises
        ``RobotError`` with the reason: NOT_FOUND, INVALID, BUSY, ESTOP, NOT_CALIBRATED,
        NOT_CONNECTED, SUPERSEDED, CANCELED, LINK_LOST, TIMEOUT.
        """
        target = self._checked(name, kind, loops)
        if (self._newest or self._making) is not None and not replace:
            raise RobotError(
                Reason.BUSY, f"{self.clip or 'another clip'} plays and shall not be replaced"
            )
        return await self._run(_Goal(target, excluded_tracks, loops or math.inf, on_progress))

    async def _run(self, goal: _Goal) -> PlayedClip:
        self._end_making(Reason.SUPERSEDED, "a newer clip was played in its place")
        self._newest = goal
        try:
            return await self._carry_out(goal)
        finally:
            if self._newest is goal:
                self._newest = None
            if self._newest is None:
                self._tidy_up()

    async def made(self, making: Awaitable[_Made]) -> _Made:
        """Await what ``perform`` shall play; as a clip it ends by ``stop`` and by what is newer.

        Raises ``RobotError`` with the reason: CANCELED, ESTOP, SUPERSEDED.
        """
        self._end_making(Reason.SUPERSEDED, "something newer was played in its place")
        order = self._making = _Making()
        try:
            made = await making
        finally:
            if self._making is order:
                self._making = None
        if order.error is not None:
            raise order.error
        return made

    def _end_making(self, reason: Reason, text: str) -> None:
        if self._making is not None:
            self._making.error, self._making = RobotError(reason, text), None

    async def perform(
        self, clip: PreparedClip, *, on_progress: Report = lambda _: None
    ) -> PlayedClip:
        """Play a clip that was made for this once, as ``play`` does one of the library."""
        self._robot.motion.check()
        return await self._run(_Goal(clip, NO_TRACK, 1, on_progress))

    def _checked(self, name: str, kind: Kind, loops: int) -> AnimationGroup | str:
        if loops < 0:
            raise RobotError(Reason.INVALID, f"a clip is not played {loops} times")
        self._robot.motion.check()
        try:
            return self.selection.find(name, kind)
        except ClipNotFound as error:
            raise RobotError(Reason.NOT_FOUND, str(error)) from error

    async def _carry_out(self, goal: _Goal) -> PlayedClip:
        """Play round after round; those of one clip are one animation of the robot."""
        clip: PreparedClip | None = await self._next_round(goal)
        left_out: dict[str, str] = {}
        while clip is not None:
            name = clip.name
            playback = self._start(goal, clip)
            feeding = asyncio.ensure_future(self._feed(goal, playback))
            # It may fail unheard when the clip itself has failed.
            feeding.add_done_callback(lambda done: done.cancelled() or done.exception())
            try:
                goal.report(playback.progress(0, goal.completed))
                await playback.finished()
                clip = await feeding
            finally:
                playback.end(Reason.CANCELED, "the clip was cancelled")
                goal.completed += playback.rounds_completed
                left_out |= playback.motors.lost
                feeding.cancel()
                if playback.stream.error is not None:
                    # Only the end of an animation brings the user's lights back.
                    self._untidy |= playback.clip.schedule.tracks & Track.BACKPACK_LIGHTS
                if self._playback is playback:
                    self._playback = None
        return PlayedClip(name, goal.completed, left_out)

    def _start(self, goal: _Goal, clip: PreparedClip) -> ClipPlayback:
        name = clip.name
        if goal.error is not None:
            raise goal.error
        if self._newest is not goal:
            raise RobotError(Reason.SUPERSEDED, f"a newer clip took the place of {name}")
        # Reading files may have taken a while.
        self._robot.motion.check()
        if self._playback is not None:
            self._playback.end(Reason.SUPERSEDED, f"{name} took its place")
        tag = self._next_tag(name)
        playback = ClipPlayback(self._robot, clip, tag, self._parity_for(name))
        self._playback = playback
        if playback.draws:
            self._untidy = Track.FACE_IMAGE
        else:
            self._tidy_up()
        before = goal.completed
        playback.stream.on_progress.connect(
            lambda frames: goal.report(playback.progress(frames, before))
        )
        return playback

    async def _feed(self, goal: _Goal, playback: ClipPlayback) -> PreparedClip | None:
        """Hand over the rounds of a clip, each in good time; return the first of another clip."""
        source = playback.source
        started = asyncio.Event()
        source.on_round = started.set
        try:
            while goal.chosen < goal.loops:
                clip = await self._next_round(goal)
                if clip.name != playback.clip.name:
                    return clip
                source.extend(clip, self._parity_for(clip.name))
                started.clear()
                while not source.needs_next:
                    await started.wait()
                    started.clear()
            return None
        finally:
            source.finish()

    async def _next_round(self, goal: _Goal) -> PreparedClip:
        """Choose and prepare a clip; files are read in a thread. Raises ``RobotError``."""
        goal.chosen += 1
        if isinstance(goal.target, PreparedClip):
            return goal.target
        state = self._robot.state
        head_angle = 0.0 if state is None else state.head_angle
        name = self.selection.clip_of(goal.target, self._clock(), head_angle)
        return await self._prepared(name, goal.excluded)

    async def _prepared(self, name: str, excluded: Track) -> PreparedClip:
        rng = random.Random(self._rng.getrandbits(64))
        library, sounds = self.library, self._sounds

        def read() -> PreparedClip:
            # Neither the library nor the sounds are made for several threads.
            with self._reading:
                loaded = library.clips.load(name)
                for warning in loaded.warnings:
                    _log.warning("%s", warning)
                return prepare(loaded.clip, excluded, library.face_pictures, sounds, rng)

        try:
            return await asyncio.get_running_loop().run_in_executor(None, read)
        except ClipNotFound as error:
            raise RobotError(Reason.NOT_FOUND, str(error)) from error
        except ValueError as error:
            raise RobotError(Reason.INVALID, f"{name} cannot be played: {error}") from error

    def _next_tag(self, name: str) -> int:
        self._tag = _TAGS[self._tag % len(_TAGS)]
        self._names[self._tag] = name
        return self._tag

    def _parity_for(self, clip: str) -> int:
        """Return which rows are lit: against burn-in others than the last clip's (spec 04 §3)."""
        now = asyncio.get_running_loop().time()
        if clip != self._parity_of or now - self._parity_at > _PARITY_KEPT:
            self._parity, self._parity_of, self._parity_at = 1 - self._parity, clip, now
        return self._parity

    def _tidy_up(self) -> None:
        """Make the face neutral, unless the user's picture comes back; end the lights."""
        left, self._untidy = self._untidy, NO_TRACK
        if self._robot.display.owner:
            left &= ~Track.FACE_IMAGE
        if left:
            self._resting = asyncio.ensure_future(self._rest(bool(left & Track.FACE_IMAGE)))

    async def _rest(self, is_drawn: bool) -> None:
        # Behind everything else that is drawn; without a robot nothing is.
        with contextlib.suppress(RobotError):
            clip = await self._neutral() if is_drawn else _STILLNESS
            source = ClipSource(clip, None, self._parity)
            source.finish()
            if self._playback is None or not self._playback.draws:
                await self._robot.frames.play(source, Priority.IDLE).finished()

    async def _neutral(self) -> PreparedClip:
        try:
            target = self.selection.find(NEUTRAL_TRIGGER, Kind.TRIGGER)
            name = self.selection.clip_of(target, self._clock(), 0.0)
            return await self._prepared(name, ALL_TRACKS & ~Track.FACE_IMAGE)
        except (ClipNotFound, RobotError) as error:
            _log.debug("the neutral face is drawn: %s", error)
            return _NEUTRAL_FACE

    def _on_stop(self, is_stopped: bool) -> None:
        if is_stopped:
            self.stop(Reason.ESTOP, "the emergency stop was latched")


def _still(tracks: Track, faces: FaceTrack) -> PreparedClip:
    schedule = Schedule({}, (), (), (), (), 1, tracks)
    return PreparedClip("", schedule, faces, {}, random.Random())


_STILLNESS = _still(NO_TRACK, FaceTrack())
_NEUTRAL_FACE = _still(Track.FACE_IMAGE, FaceTrack((0,), (0,), (NEUTRAL.face,)))
