"""``audio``, the action ``play_audio`` and the service ``set_volume``."""

from __future__ import annotations

from pathlib import Path

from rclpy.parameter import Parameter

from cozmo_interfaces.action import PlayAudio
from cozmo_interfaces.msg import Audio
from cozmo_interfaces.srv import SetVolume

from ...media.audio_codec import Samples
from ...protocol import SendQueueFull
from ...robot import AudioStreamOptions, Phase, Reason, RobotError
from ..action_bridge import ActionBridge, Goal
from ..context import Context
from ..conversions.media import samples_of
from ..feedback import sound_feedback
from ..file_urls import PackageMissing, path_of
from ..jobs import Jobs
from ..parameter_set import ParameterSet
from ..qos import STREAM
from ..reasons import explain
from ..throttled_log import ThrottledLog

_STREAM_PARAMETERS = ("audio_latency", "audio_capacity", "audio_end_after")
_DIGITS = 6
"""Of a loudness; the robot knows 65536 of them, and a float32 has no more."""


def stream_options(parameters: ParameterSet) -> AudioStreamOptions:
    """Return how live sound is buffered."""
    return AudioStreamOptions(
        latency=parameters["audio_latency"],
        capacity=parameters["audio_capacity"],
        end_after=parameters["audio_end_after"],
    )


class AudioPart:
    """Plays what comes on ``audio`` and sound files; senseless pieces are rejected."""

    def __init__(self, context: Context, jobs: Jobs) -> None:
        """Subscribe, offer service and action, and follow the parameters."""
        self._context, self._audio = context, context.robot.audio
        node, parameters = context.node, context.parameters
        self._topic = context.command_topic("audio")
        self._log = ThrottledLog(node.get_logger())
        self._subscription = node.create_subscription(Audio, "audio", self._take, STREAM)
        self._service = node.create_service(SetVolume, "set_volume", self._set_volume)
        self._action = ActionBridge(context, jobs, PlayAudio, "play_audio", self._play_file)
        parameters.on_change("volume", lambda volume: context.thread.post(self._tell, volume))
        for name in _STREAM_PARAMETERS:
            parameters.on_change(name, lambda _: context.thread.post(self._apply_options))

    # -- in the executor's thread

    def _take(self, message: Audio) -> None:
        try:
            samples = samples_of(message, self._context.parameters["audio_capacity"])
        except ValueError as error:
            self._topic.reject(error)
            return
        rate, is_last = int(message.sample_rate), bool(message.is_last)
        self._context.thread.post(self._play, samples, rate, is_last)

    def _set_volume(
        self, request: SetVolume.Request, response: SetVolume.Response
    ) -> SetVolume.Response:
        volume = round(float(request.volume), _DIGITS)
        value = Parameter("volume", Parameter.Type.DOUBLE, volume)
        [result] = self._context.node.set_parameters([value])
        response.success = result.successful
        response.reason = int(Reason.NONE if result.successful else Reason.INVALID)
        response.message = result.reason or f"the volume is {volume:g}"
        if result.successful and self._context.robot.session_state.phase is not Phase.CONNECTED:
            response.message += "; the robot is told when it is connected"
        return response

    # -- in the robot's thread

    def _play(self, samples: Samples, rate: int, is_last: bool) -> None:
        stream = self._audio.stream
        dropped = stream.statistics.dropped
        try:
            if len(samples):
                stream.push(samples, rate, is_last=is_last)
            else:
                stream.finish()
        except Exception as error:
            reason, text = explain(error)
            (self._topic.reject if reason is Reason.INVALID else self._topic.refuse)(text)
            return
        self._topic.accept()
        if stream.statistics.dropped > dropped:
            self._log.warning(
                "audio comes faster than it is played: the oldest of more than "
                f"{stream.options.capacity:g} s is dropped (audio_capacity)"
            )

    def _tell(self, volume: float) -> None:
        try:
            self._audio.set_volume(volume)
        except SendQueueFull as error:
            self._log.warning(f"the volume is told with the next connection: {explain(error)[1]}")

    def _apply_options(self) -> None:
        self._audio.stream.options = stream_options(self._context.parameters)

    async def _play_file(self, goal: Goal) -> str:
        path = _file(goal.request.file)
        end = await self._audio.play_file(
            path,
            gain=float(goal.request.gain),
            on_progress=sound_feedback(goal, PlayAudio.Feedback),
        )
        goal.result.position = end.position
        return f"{path} was played, {end.position:.2f} s"


def _file(url: str) -> Path:
    """Return the file of a goal. Raises ``ValueError``, ``RobotError`` (NOT_FOUND)."""
    if not url:
        raise ValueError("name the sound file: a path or a package:// URL")
    try:
        return path_of(url).absolute()
    except PackageMissing as error:
        raise RobotError(Reason.NOT_FOUND, str(error)) from error
