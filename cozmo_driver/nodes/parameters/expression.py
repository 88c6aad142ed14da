"""Sound, speech and animations."""

from __future__ import annotations

from ...media import speech
from ...resources.errors import ResourceError
from ...resources.locations import find_user_tree
from ..parameter_set import ParameterSpec as P


def _is_speech_command(value: str) -> str:
    try:
        speech.SpeechProgram(command=value)
    except ValueError as error:
        return str(error)
    return ""


def _is_speech_voice(value: str) -> str:
    try:
        speech.SpeechProgram(voice=value)
    except ValueError as error:
        return str(error)
    return ""


def _is_resource_dir(value: str) -> str:
    try:
        if value:
            find_user_tree(value)
    except ResourceError as error:
        return str(error)
    return ""


SOUND = (
    P("volume", 1.0, "loudness of the speaker", low=0.0, high=1.0),
    P(
        "audio_latency",
        0.3,
        "sound of the topic audio that is collected before it is played",
        "s",
        low=0.17,
        high=1.0,
    ),
    P(
        "audio_capacity",
        10.0,
        "most sound of the topic audio that waits; of more the oldest is dropped",
        "s",
        low=1.5,
        high=60.0,
    ),
    P(
        "audio_end_after",
        0.5,
        "a stream of the topic audio ends when nothing came for this time",
        "s",
        low=0.1,
        high=60.0,
    ),
    P(
        "speech_command",
        speech.DEFAULT_COMMAND,
        "program that writes the speech of say as a WAV file",
        check=_is_speech_command,
        rule="a command with {wav}",
    ),
    P(
        "speech_voice",
        "en",
        "voice or language for texts that name none",
        check=_is_speech_voice,
        rule="a voice of the speech program",
    ),
    P(
        "speech_pitch",
        1.5,
        "how much higher than the speech program the robot speaks",
        low=speech.SMALLEST,
        high=speech.LARGEST,
    ),
    P(
        "speech_timeout",
        20.0,
        "time that the speech program may take",
        "s",
        low=1.0,
        high=speech.LONGEST,
    ),
)


ANIMATION = (
    P(
        "resource_dir",
        "",
        "assets of the app: the folder with assets, or one in it; empty: the imported ones",
        check=_is_resource_dir,
        rule="a folder with animations",
    ),
    P("animation_mood", "Default", "mood by which groups choose their clips"),
    P("animation_replace", True, "a newer clip takes the place of the one that plays"),
    P(
        "animation_seed",
        0,
        "seed of all that chance decides about clips; 0: another one each time",
        low=0,
        high=999_999,
    ),
)
