"""Songs and dances on the robot: sound, body, eyes and cubes together, on its own frame clock."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ..animation import DANCING, SINGING, Choreography, ClipProgress, Player, openness_of
from ..media import (
    FRAME_SAMPLES,
    FRAME_TIME,
    MOST_VIBRATO,
    AudioFileError,
    AudioFileNotFound,
    BentVoice,
    LibraryMissing,
    Samples,
    read_samples,
    sing,
)
from ..protocol import AnimTrackFlag as Track
from ..protocol import SendQueueFull
from ..robot import OffTreads, Reason, Refused, Robot, RobotError, RobotState
from .beats import NoBeat, beats_of
from .cube_lights import CubeShow
from .shaking import Shaking
from .song import FASTEST, SLOWEST, Song, SongError

LONGEST_DANCE = 120.0
"""s."""
DEFAULT_DANCE = 16.0
"""s of a dance without sound."""
_WHO = "music"
_NO_TRACK = Track(0)


@dataclass(frozen=True, slots=True)
class MusicProgress:
    """How far a song or a dance is by the robot's own count; s, cents."""

    position: float
    duration: float
    beat: int
    vibrato: float = 0.0


@dataclass(frozen=True, slots=True)
class Performed:
    """What was performed: its name, how long, s, and at how many beats per minute."""

    name: str
    position: float
    bpm: float


Report = Callable[[MusicProgress], object]


class Performer:
    """Sings and dances through a player of clips, of which it is one more. Use in the robot's loop.

    A newer clip, song or dance takes its place; the emergency stop, a lost link and a lifted
    robot end it.
    """

    def __init__(self, robot: Robot, player: Player) -> None:
        self._robot, self._player = robot, player
        self._give_back: Callable[[], None] = lambda: None
        """Leaves the cubes as they were before the newest song or dance that began."""

    async def sing(
        self,
        song: Song,
        *,
        bpm: float = 0.0,
        transpose: int = 0,
        excluded: Track = _NO_TRACK,
        on_progress: Report = lambda _: None,
    ) -> Performed:
        """Sing a song, at its own tempo for ``bpm`` 0; a cube that is shaken bends the voice.

        Returns when the robot has sung all of it; cancelling silences it. Raises ``RobotError``
        with the reason: INVALID, PICKED_UP, ESTOP, NOT_CALIBRATED, NOT_CONNECTED, SUPERSEDED,
        CANCELED, LINK_LOST, TIMEOUT.
        """
        self._check()
        try:
            song = replace(song, bpm=bpm or song.bpm, transpose=song.transpose + transpose)
        except SongError as error:
            raise RobotError(Reason.INVALID, str(error)) from error
        samples, openness = await self._player.made(asyncio.to_thread(_sung, song))
        voice = BentVoice(samples)
        beats = [round(time / FRAME_TIME) for time in song.beat_times()]
        show = Choreography(f"song: {song.title}", voice.frames, beats, SINGING, openness)
        position = await self._perform(show, voice, excluded, on_progress)
        return Performed(song.title, position, song.bpm)

    async def dance(
        self,
        file: Path | None = None,
        *,
        bpm: float = 0.0,
        duration: float = 0.0,
        excluded: Track = _NO_TRACK,
        on_progress: Report = lambda _: None,
    ) -> Performed:
        """Dance to a sound file, or in silence for music that plays elsewhere; durations in s.

        Without ``bpm`` the beat is found in the file. Returns and raises as ``sing``, also with
        NOT_FOUND and UNSUPPORTED for the file.
        """
        self._check()
        if bpm and not SLOWEST <= bpm <= FASTEST:
            text = f"bpm is {bpm:g}; it is from {SLOWEST:g} to {FASTEST:g}, or 0 for the file's"
            raise RobotError(Reason.INVALID, text)
        if not 0.0 <= duration <= LONGEST_DANCE:
            text = f"duration is {duration:g} s; it is up to {LONGEST_DANCE:g} s, or 0"
            raise RobotError(Reason.INVALID, text)
        if file is None and not bpm:
            raise RobotError(Reason.INVALID, "say the bpm, or the file whose beat is danced to")
        if file is None:
            times = _even_beats(bpm, duration or DEFAULT_DANCE)
            length, voice = round((duration or DEFAULT_DANCE) / FRAME_TIME), None
        else:
            samples, bpm, times = await self._player.made(
                _heard(file, bpm, duration or LONGEST_DANCE)
            )
            length, voice = -(-len(samples) // FRAME_SAMPLES), BentVoice(samples)
        beats = [beat for time in times if (beat := round(time / FRAME_TIME)) < length]
        name = "dance" if file is None else f"dance: {file.name}"
        show = Choreography(name, max(1, length), beats, DANCING)
        return Performed(name, await self._perform(show, voice, excluded, on_progress), bpm)

    def _check(self) -> None:
        state = self._robot.state
        if state is not None and state.off_treads is not OffTreads.ON_TREADS:
            raise Refused(Reason.PICKED_UP, "the robot is off its treads: put it down first")

    async def _perform(
        self,
        show: Choreography,
        voice: BentVoice | None,
        excluded: Track,
        on_progress: Report,
    ) -> float:
        # Of minutes it takes longer than the robot's messages may wait.
        clip = await self._player.made(asyncio.to_thread(show.prepared, voice, excluded))
        self._check()
        self._robot.motion.check()
        # Before the older one, whose place this takes, ends by itself: that would be too late.
        self._give_back()
        cubes, shaking = CubeShow(self._robot.cubes), Shaking()
        last = MusicProgress(0.0, show.length * FRAME_TIME, 0)

        def on_clip(progress: ClipProgress) -> None:
            nonlocal last
            beat = show.beat_of(round(progress.position / FRAME_TIME))
            level = shaking.update()
            vibrato = 0.0
            if voice is not None:
                voice.wanted = MOST_VIBRATO * level
                vibrato = voice.depth
            cubes.show(beat)
            last = MusicProgress(progress.position, progress.duration, beat, vibrato)
            on_progress(last)

        def on_state(state: RobotState) -> None:
            if state.off_treads is not OffTreads.ON_TREADS:
                self._player.stop(Reason.PICKED_UP, "the robot was lifted")

        robot = self._robot
        with contextlib.ExitStack() as stack:
            self._give_back = stack.close
            stack.callback(robot.on_state.connect(on_state))
            if voice is not None:
                stack.callback(
                    robot.cubes.on_acceleration.connect(
                        lambda felt: shaking.feel(felt.factory_id, felt.acceleration)
                    )
                )
                for cube in cubes.cubes:
                    stack.callback(self._stream, cube, False)
                    self._stream(cube, True)
            stack.callback(cubes.release)
            await self._player.perform(clip, on_progress=on_clip)
        return last.position

    def _stream(self, factory_id: int, on: bool) -> None:
        with contextlib.suppress(RobotError, SendQueueFull):
            self._robot.cubes.stream_acceleration(on, factory_id=factory_id, who=_WHO)


def _sung(song: Song) -> tuple[Samples, tuple[float, ...]]:
    """Return a song's samples, and how far the eyes open."""
    samples = sing(song.sung_notes(), song.duration)
    return samples, openness_of(samples)


async def _heard(file: Path, bpm: float, longest: float) -> tuple[Samples, float, list[float]]:
    """Return a file's samples, its tempo and the times of its beats. Raises ``RobotError``."""

    def hear() -> tuple[Samples, float, list[float]]:
        samples = read_samples(file, longest)
        return samples, *beats_of(samples, bpm)

    try:
        return await asyncio.to_thread(hear)
    except AudioFileNotFound as error:
        raise RobotError(Reason.NOT_FOUND, str(error)) from error
    except LibraryMissing as error:
        raise RobotError(Reason.UNSUPPORTED, str(error)) from error
    except NoBeat as error:
        raise RobotError(Reason.INVALID, f"{file}: {error}") from error
    except (AudioFileError, ValueError) as error:
        raise RobotError(Reason.INVALID, str(error)) from error


def _even_beats(bpm: float, duration: float) -> list[float]:
    beat = 60.0 / bpm
    return [number * beat for number in range(int(duration / beat) + 1)]
