"""The robot speaks: a text's sound, and the eyes in step with it, on the robot's frame clock."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..face import EYE_HEIGHT, NEUTRAL, Eye, Face, combine
from ..media import (
    FRAME_SAMPLES,
    FRAME_TIME,
    SAMPLE_RATE,
    LibraryMissing,
    Samples,
    SpeechError,
    SpeechProgram,
    SpeechProgramMissing,
    SpeechTimeout,
    Utterance,
    make_speech,
)
from ..protocol import AnimTrackFlag as Track
from ..protocol import messages
from ..robot import Frame, Owner, Playback, Priority, Reason, Robot, RobotError, SoundProgress
from .clip_source import ClipSource
from .face_track import code_of

STEPS = 6
"""Heights of the eyes besides that at rest; so few that their pictures are drawn only once."""
_RANGE_DB = 24.0
"""Frames so much softer than the loudest one, and all below, leave the eyes at rest."""
_RELEASE = 0.35
"""How far the eyes close in one frame at the most: they snap open and fall shut, as a jaw does."""
_TALLER, _NARROWER = 0.36, 0.06
"""Change of the eyes at the loudest, as fractions."""
_STOPPED = "the speech was stopped"


def openness_of(samples: Samples) -> tuple[float, ...]:
    """Return how far the eyes open in each frame, 0 to 1 in ``STEPS``, and 0 after the sound."""
    frames = -(-len(samples) // FRAME_SAMPLES)
    padded = np.zeros(frames * FRAME_SAMPLES)
    padded[: len(samples)] = samples
    loudness = np.sqrt((padded.reshape(frames, FRAME_SAMPLES) ** 2).mean(axis=1))
    loudest = loudness.max(initial=0.0)
    if loudest == 0.0:
        return (0.0,) * (frames + 1)
    decibels = 20.0 * np.log10(np.maximum(loudness / loudest, 1e-6))
    shares, share = [], 0.0
    for target in np.clip(1.0 + decibels / _RANGE_DB, 0.0, 1.0).tolist():
        share = max(target, share - _RELEASE)
        shares.append(round(share * STEPS) / STEPS)
    return (*shares, 0.0)


def speaking(face: Face, openness: float) -> Face:
    """Return the face with the lower edge of its eyes dropped like a jaw."""
    taller = 1.0 + _TALLER * openness
    layer = Face(
        left_eye=_layer(face.left_eye, taller, openness),
        right_eye=_layer(face.right_eye, taller, openness),
    )
    return combine(face, layer)


def _layer(eye: Eye, taller: float, openness: float) -> Eye:
    # An eye grows from its middle; moved by half of that its upper edge stays.
    down = 0.5 * EYE_HEIGHT * eye.scale_y * (taller - 1.0)
    return replace(Eye(), center_y=down, scale_x=1.0 - _NARROWER * openness, scale_y=taller)


class SpeechSource:
    """Gives the frames of a speech; see ``FrameSource``. The face is its own meanwhile."""

    def __init__(self, samples: Samples, face: Face, parity: int) -> None:
        """Speak 16-bit samples at 22320 Hz with the eyes of ``face``."""
        self._samples, self._openness = samples, openness_of(samples)
        self._face, self._parity = face, parity
        self._frame = 0
        self._shown: float | None = None

    def is_ready(self, _now: float) -> bool:
        return True

    def next_frame(self, _now: float) -> Frame:
        first = self._frame * FRAME_SAMPLES
        sound = self._samples[first : first + FRAME_SAMPLES]
        openness = self._openness[self._frame]
        self._frame += 1
        pictures: tuple[messages.FaceImage, ...] = ()
        if openness != self._shown:
            self._shown = openness
            code = code_of(speaking(self._face, openness), self._parity)
            pictures = (messages.FaceImage(code),)
        return Frame(
            sound if len(sound) else None,
            pictures,
            Track.FACE_IMAGE,
            is_last=self._frame == len(self._openness),
        )


class Speech:
    """Says texts, one at a time, the newer one in place of the older. Use in the robot's loop.

    A clip that plays at the same time goes on with its sound, and keeps the face if it has it.
    """

    def __init__(self, robot: Robot, program: SpeechProgram | None = None) -> None:
        """Speak with ``program``, which may be changed at any time and counts for the next text."""
        self.program = program or SpeechProgram()
        self._robot = robot
        self._newest: object = None
        self._playback: Playback | None = None
        self._parity = 0

    async def say(
        self,
        text: str,
        voice: str = "",
        rate: float = 1.0,
        pitch: float = 1.0,
        *,
        face: Face = NEUTRAL.face,
        on_progress: Callable[[SoundProgress], object] = lambda _: None,
    ) -> SoundProgress:
        """Say a text; ``rate`` and ``pitch`` are factors, 0.5 to 2.

        Returns how far it came once the robot has said all. ``on_progress`` is called with every
        frame played. Cancelling silences the robot. Raises ``RobotError`` with the reason:
        INVALID for the text or a program that cannot speak it, UNSUPPORTED for a missing program,
        TIMEOUT, SUPERSEDED, NOT_CONNECTED, LINK_LOST.
        """
        # A text that is refused ends no other one.
        try:
            utterance = Utterance(text, voice, rate, pitch)
            self.program.check(utterance)
        except ValueError as error:
            raise RobotError(Reason.INVALID, str(error)) from error
        order = self._newest = object()
        samples = await self._made(utterance)
        if self._newest is None:
            raise RobotError(Reason.CANCELED, _STOPPED)
        if self._newest is not order:
            raise RobotError(Reason.SUPERSEDED, "a newer text was said in its place")
        if self._playback is not None:
            self._playback.stop(Reason.SUPERSEDED, "a newer text took its place")
        return await self._play(samples, face, on_progress)

    def stop(self) -> None:
        """Silence the robot; what says a text fails with CANCELED."""
        self._newest = None
        if self._playback is not None:
            self._playback.stop(Reason.CANCELED, _STOPPED)

    async def _made(self, utterance: Utterance) -> Samples:
        cancelled = threading.Event()
        try:
            making = asyncio.get_running_loop().run_in_executor(
                None, make_speech, self.program, utterance, cancelled
            )
            # It may fail unheard once nobody waits.
            making.add_done_callback(lambda done: done.cancelled() or done.exception())
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        except (SpeechProgramMissing, LibraryMissing) as error:
            raise RobotError(Reason.UNSUPPORTED, str(error)) from error
        except SpeechTimeout as error:
            raise RobotError(Reason.TIMEOUT, str(error)) from error
        except (SpeechError, ValueError) as error:
            raise RobotError(Reason.INVALID, str(error)) from error

    async def _play(
        self, samples: Samples, face: Face, on_progress: Callable[[SoundProgress], object]
    ) -> SoundProgress:
        duration = len(samples) / SAMPLE_RATE

        def progress(frames: int) -> SoundProgress:
            return SoundProgress(min(frames * FRAME_TIME, duration), duration)

        # Against burn-in the rows alternate (spec 04 §3).
        self._parity = 1 - self._parity
        playback = self._robot.frames.play(SpeechSource(samples, face, self._parity))
        self._playback = playback
        playback.on_progress.connect(lambda frames: on_progress(progress(frames)))
        # A clip that ends in the meantime gives the face away.
        playback.on_progress.connect(lambda _: self._keep_face())
        with contextlib.ExitStack() as stack:
            stack.callback(self._give_back, playback)
            stack.callback(self._robot.display.on_owner.connect(lambda _: self._keep_face()))
            self._keep_face()
            await playback.finished()
        return progress(playback.frames_played)

    def _keep_face(self) -> None:
        """A picture of the user stays in the background."""
        self._robot.face_owner = Owner.ANIMATION

    def _give_back(self, playback: Playback) -> None:
        playback.stop()
        if self._playback is playback:
            self._playback = None
            has_clip_the_face = any(
                isinstance(one.source, ClipSource)
                and one.priority is Priority.CLIP
                and one.source.owned & Track.FACE_IMAGE
                for one in self._robot.frames.playing
            )
            if not has_clip_the_face:
                self._robot.face_owner = self._robot.display.owner
