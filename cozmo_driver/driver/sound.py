"""``audio``, the actions ``play_audio`` and ``say`` and the service ``set_volume``."""

from __future__ import annotations

import asyncio

from cozmo_interfaces.action import PlayAudio, Say
from cozmo_interfaces.msg import Audio
from cozmo_interfaces.srv import SetVolume

from ..animation import Speech
from ..media import Samples, SpeechProgram
from ..robot import AudioStreamOptions
from ..ros.action_bridge import ActionBridge, Goal, sound_feedback
from ..ros.context import Context
from ..ros.file_urls import file_of
from ..ros.media_messages import samples_of
from ..ros.parameter_set import ParameterSet
from ..ros.topics import STREAM
from .services import serve_parameter

_STREAM_PARAMETERS = ("audio_latency", "audio_capacity", "audio_end_after")
_SPEECH_PARAMETERS = ("speech_command", "speech_voice", "speech_pitch", "speech_timeout")
_DIGITS = 6
"""Of a loudness; the robot knows 65536 of them, and a float32 has no more."""


def stream_options(parameters: ParameterSet) -> AudioStreamOptions:
    return AudioStreamOptions(*(parameters[name] for name in _STREAM_PARAMETERS))


def _speech_program(parameters: ParameterSet) -> SpeechProgram:
    return SpeechProgram(*(parameters[name] for name in _SPEECH_PARAMETERS))


class AudioPart:
    """Plays what comes on ``audio`` and sound files; senseless pieces are rejected."""

    def __init__(self, context: Context) -> None:
        self._context, self._audio = context, context.robot.audio
        context.subscribe(Audio, "audio", self._read, self._play, STREAM)
        serve_parameter(
            context,
            SetVolume,
            "set_volume",
            "volume",
            lambda request: round(float(request.volume), _DIGITS),
            what="the volume",
        )
        ActionBridge(context, PlayAudio, "play_audio", self._play_file)
        context.on_parameter("volume", self._audio.set_volume)
        for name in _STREAM_PARAMETERS:
            context.on_parameter(name, lambda _: self._set_options())

    # -- in the executor's thread

    def _read(self, message: Audio) -> tuple[Samples, int, bool]:
        samples = samples_of(message, self._context.parameters["audio_capacity"])
        return samples, int(message.sample_rate), bool(message.is_last)

    # -- in the robot's thread

    def _play(self, piece: tuple[Samples, int, bool]) -> None:
        samples, rate, is_last = piece
        stream = self._audio.stream
        dropped = stream.statistics.dropped
        if len(samples):
            stream.push(samples, rate, is_last=is_last)
        else:
            stream.finish()
        if stream.statistics.dropped > dropped:
            self._context.log.warning(
                "audio comes faster than it is played: the oldest of more than "
                f"{stream.options.capacity:g} s is dropped (audio_capacity)"
            )

    def _set_options(self) -> None:
        self._audio.stream.options = stream_options(self._context.parameters)

    async def _play_file(self, goal: Goal) -> str:
        if not goal.request.file:
            raise ValueError("name the sound file: a path or a package:// URL")
        path = await asyncio.to_thread(file_of, goal.request.file)
        end = await self._audio.play_file(
            path,
            gain=float(goal.request.gain),
            on_progress=sound_feedback(goal, PlayAudio.Feedback),
        )
        goal.result.position = end.position
        return f"{path} was played, {end.position:.2f} s"


class SpeechPart:
    """Says texts, one at a time; the eyes move with the voice."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._speech = Speech(context.robot, _speech_program(context.parameters))
        ActionBridge(context, Say, "say", self._say)
        for name in _SPEECH_PARAMETERS:
            context.on_parameter(name, lambda _: self._set_program())

    def _set_program(self) -> None:
        self._speech.program = _speech_program(self._context.parameters)

    async def _say(self, goal: Goal) -> str:
        request = goal.request
        end = await self._speech.say(
            str(request.text),
            str(request.voice),
            float(request.rate),
            float(request.pitch),
            on_progress=sound_feedback(goal, Say.Feedback),
        )
        goal.result.position = end.position
        return f"the text was said, {end.position:.2f} s"
