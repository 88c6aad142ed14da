"""The action ``say``."""

from __future__ import annotations

from cozmo_interfaces.action import Say

from ...animation.speech import Speech
from ...media.speech import SpeechProgram
from ..action_bridge import ActionBridge, Goal
from ..context import Context
from ..feedback import sound_feedback
from ..jobs import Jobs
from ..parameter_set import ParameterSet

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
