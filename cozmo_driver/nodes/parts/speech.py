"""The action ``say``."""

from __future__ import annotations

from typing import Any

from cozmo_interfaces.action import Say

from ...animation.speech import Speech
from ...media.audio_codec import FRAME_TIME
from ...media.speech import SpeechProgram
from ...robot import SoundProgress
from ..action_bridge import ActionBridge, Goal
from ..context import Context
from ..jobs import Jobs
from ..parameter_set import ParameterSet

_FEEDBACK_PERIOD = 0.1
"""s of the speech between two feedbacks."""
_PARAMETERS = ("speech_command", "speech_voice", "speech_pitch", "speech_timeout")


def speech_program(parameters: ParameterSet) -> SpeechProgram:
    """Return how texts become speech."""
    command, voice, shift, timeout = (parameters[name] for name in _PARAMETERS)
    return SpeechProgram(command, voice, shift, timeout)


class SpeechPart:
    """Says texts, one at a time; the eyes move with the voice."""

    def __init__(self, context: Context, jobs: Jobs) -> None:
        """Offer the action and follow the parameters."""
        self._context = context
        self._speech = Speech(context.robot, speech_program(context.parameters))
        self._action = ActionBridge(context, jobs, Say, "say", self._say)
        for name in _PARAMETERS:
            context.parameters.on_change(name, lambda _: context.thread.post(self._follow))

    # -- in the robot's thread

    def _follow(self) -> None:
        self._speech.program = speech_program(self._context.parameters)

    async def _say(self, goal: Goal) -> str:
        request, told = goal.request, -_FEEDBACK_PERIOD

        def report(progress: SoundProgress) -> None:
            nonlocal told
            goal.result.position = progress.position
            is_due = progress.position - told > _FEEDBACK_PERIOD - FRAME_TIME / 2
            if is_due or progress.position >= progress.duration:
                told = progress.position
                goal.publish(_feedback(progress))

        end = await self._speech.say(
            str(request.text),
            str(request.voice),
            float(request.rate),
            float(request.pitch),
            on_progress=report,
        )
        goal.result.position = end.position
        return f"the text was said, {end.position:.2f} s"


def _feedback(progress: SoundProgress) -> Any:
    return Say.Feedback(position=progress.position, duration=progress.duration)
