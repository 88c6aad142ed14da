"""Text as the speech of a small robot, made by an installed program (espeak-ng, piper, ...).

The program writes a WAV file, which is then played faster by ``SpeechProgram.shift``: pitch and
formants rise together, as those of a shorter throat. So that the robot does not hurry, the program
is asked to speak slower by as much.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from ..installation import pip_install
from .audio_codec import FULL_SCALE, SAMPLE_RATE, Samples
from .audio_files import AudioFileError, AudioFileNotFound, read_samples

DEFAULT_COMMAND = "espeak-ng --stdin -b 1 -v {voice} -s {rate} -p {pitch} -w {wav}"
MOST_CHARACTERS = 1000
"""Of one text: about a minute and a half."""
LONGEST = 300.0
"""s of sound that are taken from a program."""
SMALLEST, LARGEST = 0.5, 2.0
"""Of the factors: rate, pitch and shift."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_PLACEHOLDERS = ("text", "wav", "voice", "rate", "length", "pitch")
_LONGEST_VOICE = 200
_WORDS_PER_MINUTE = 175
_SLOWEST, _FASTEST = 80, 450
"""Words per minute that espeak-ng speaks."""
_MIDDLE_PITCH, _PITCH_STEPS = 50, 92.0
"""espeak-ng's scale: where a voice speaks as it is, and how many steps raise it by the factor e,
as measured."""
_LOWEST_PITCH, _HIGHEST_PITCH = 0.6, 1.7
"""Factors at the ends of that scale, 0 and 99."""
_RAISED = 1.3
"""What the program raises the pitch by: a grown-up's voice is too low for the size of the throat
that ``SpeechProgram.shift`` makes."""
_LOUDEST = 0.9 * FULL_SCALE
_QUIET = 0.01 * FULL_SCALE
_REST = round(0.03 * SAMPLE_RATE)
"""Samples of silence that are left before and after the speech."""
_SHOWN = 200
_CANCELLED = "the speech was cancelled"
_POLL_PERIOD = 0.01
"""Between two checks whether the program has ended, s."""


class SpeechError(RuntimeError):
    """The program made no speech; the text says which program, and why."""


class SpeechProgramMissing(SpeechError):
    """The program is not installed, or cannot be run; the text says what to do."""


class SpeechTimeout(SpeechError):
    """The program took too long."""


@dataclass(frozen=True, slots=True)
class SpeechProgram:
    """How texts become speech. Raises ``ValueError`` for what makes no sense."""

    command: str = DEFAULT_COMMAND
    """Words of a command, no shell; see ``arguments``."""
    voice: str = "en"
    """Where a text names none, in the program's words."""
    shift: float = 1.5
    """How much higher than the program the robot speaks, 0.5 to 2."""
    timeout: float = 20.0
    """s that the program may take."""

    def __post_init__(self) -> None:
        """Check everything but whether the program is there."""
        words = self.words
        if not words:
            raise ValueError("the speech command is empty")
        used = {name for word in words for name in _PLACEHOLDER.findall(word)}
        known = ", ".join(f"{{{name}}}" for name in _PLACEHOLDERS)
        unknown = sorted(used - set(_PLACEHOLDERS))
        if unknown:
            raise ValueError(f"the speech command has {{{unknown[0]}}}; there are {known}")
        if "wav" not in used:
            raise ValueError("the speech command has no {wav}, the file it is to write")
        _check_voice(self.voice)
        _check_factor("shift", self.shift)
        if not 0.0 < self.timeout <= LONGEST:
            raise ValueError(f"timeout is {self.timeout} s; it is above 0, up to {LONGEST:g} s")

    @property
    def words(self) -> list[str]:
        """Program and arguments with their placeholders. Raises ``ValueError``."""
        try:
            return shlex.split(self.command)
        except ValueError as error:
            raise ValueError(f"the speech command {self.command!r}: {error}") from None

    def check(self, utterance: Utterance) -> None:
        """Raise ``ValueError`` for a speed that the command cannot ask for."""
        if not self.takes("rate", "length") and utterance.rate != 1.0:
            raise ValueError("the speech command has neither {rate} nor {length}: leave rate at 1")

    def takes(self, *names: str) -> bool:
        return any(f"{{{name}}}" in word for name in names for word in self.words)


@dataclass(frozen=True, slots=True)
class Utterance:
    """A text to be spoken. Raises ``ValueError`` for what cannot be."""

    text: str
    voice: str = ""
    """Empty for the program's."""
    rate: float = 1.0
    """Factor on the speed, 0.5 to 2."""
    pitch: float = 1.0
    """Factor on the pitch, 0.5 to 2."""

    def __post_init__(self) -> None:
        if not self.plain_text:
            raise ValueError("there is no text to say")
        if len(self.text) > MOST_CHARACTERS:
            raise ValueError(
                f"the text has {len(self.text)} characters; at most {MOST_CHARACTERS} are said "
                "at a time"
            )
        _check_voice(self.voice)
        _check_factor("rate", self.rate)
        _check_factor("pitch", self.pitch)

    @property
    def plain_text(self) -> str:
        """The text in one line, without characters that nobody can say."""
        shown = (" " if unicodedata.category(c) in ("Cc", "Cs") else c for c in self.text)
        return " ".join("".join(shown).split())


def arguments(program: SpeechProgram, utterance: Utterance, wav: Path) -> list[str]:
    """Return the command for a text, with its placeholders filled in.

    ``{wav}`` is the file to write; ``{text}`` the text, which comes on standard input where the
    command does not name it; ``{voice}`` as in ``Utterance``; ``{rate}`` words per minute, 175 in
    the middle; ``{length}`` a factor on the time; ``{pitch}`` 0 to 99, 50 in the middle, as
    espeak-ng has it. Raises ``ValueError`` as ``SpeechProgram.check``.
    """
    program.check(utterance)
    rate = utterance.rate / speed_up(program, utterance)
    words_per_minute = min(max(round(_WORDS_PER_MINUTE * rate), _SLOWEST), _FASTEST)
    pitch, _ = _shares_of_pitch(program, utterance)
    text = utterance.plain_text
    values = {
        "wav": str(wav),
        # As an argument it must not look like an option.
        "text": f" {text}" if text.startswith("-") else text,
        "voice": utterance.voice or program.voice,
        "rate": str(words_per_minute),
        "length": f"{1.0 / rate:.3f}",
        "pitch": str(_MIDDLE_PITCH + round(_PITCH_STEPS * math.log(pitch))),
    }
    return [_PLACEHOLDER.sub(lambda found: values[found[1]], word) for word in program.words]


def speed_up(program: SpeechProgram, utterance: Utterance) -> float:
    return program.shift * _shares_of_pitch(program, utterance)[1]


def _shares_of_pitch(program: SpeechProgram, utterance: Utterance) -> tuple[float, float]:
    """Return what the program raises the pitch by, and what is left for the speed."""
    if not program.takes("pitch"):
        return 1.0, utterance.pitch
    wanted = _RAISED * utterance.pitch
    own = min(max(wanted, _LOWEST_PITCH), _HIGHEST_PITCH)
    return own, wanted / own


def make_speech(
    program: SpeechProgram, utterance: Utterance, cancelled: threading.Event
) -> Samples:
    """Return the speech of a text at the robot's rate; takes as long as the program does.

    Once ``cancelled`` is set the program is ended, or not started any more. Raises ``SpeechError``
    and its kinds, ``ValueError``, ``LibraryMissing``.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="cozmo-speech-") as folder:
            samples = _made_in(Path(folder), program, utterance, cancelled)
    except OSError as error:
        raise SpeechError(f"the files of the speech cannot be written: {error}") from None
    samples = _levelled(samples)
    if not len(samples):
        raise SpeechError(f"{program.words[0]} made no sound of this text")
    return samples


def _made_in(
    folder: Path, program: SpeechProgram, utterance: Utterance, cancelled: threading.Event
) -> Samples:
    """Return what the program speaks, by files in ``folder``. Raises ``OSError`` of these, too."""
    wav, errors = folder / "speech.wav", folder / "errors.txt"
    command = arguments(program, utterance, wav)
    spoken = folder / "text.txt"
    spoken.write_text("" if program.takes("text") else utterance.plain_text, "utf-8")
    if cancelled.is_set():
        raise SpeechError(_CANCELLED)
    with spoken.open("rb") as text, errors.open("wb") as said:
        process = _start(command, text, said)
        _wait(process, command[0], program.timeout, cancelled)
    if process.returncode:
        detail = _last_line(errors) or f"exit code {process.returncode}"
        raise SpeechError(f"{command[0]} made no speech: {detail}")
    try:
        samples = read_samples(wav, LONGEST + 1.0, speed_up(program, utterance))
        if len(samples) > LONGEST * SAMPLE_RATE:
            raise AudioFileError(f"{wav} is longer than {LONGEST:g} s")
    except AudioFileError as error:
        is_missing = isinstance(error, AudioFileNotFound)
        what = "it wrote no file" if is_missing else str(error)
        detail = _last_line(errors) or what.replace(str(wav), "what it wrote")
        raise SpeechError(f"{command[0]} made no speech: {detail}") from None
    return samples


def _start(command: list[str], text: IO[bytes], said: IO[bytes]) -> subprocess.Popen[bytes]:
    program = command[0]
    if shutil.which(program) is None:
        install = {"espeak-ng": "sudo apt install espeak-ng", "piper": pip_install("piper")}
        how = install.get(program)
        mend = f"install it: {how}" if how else "install it, or set another speech command"
        raise SpeechProgramMissing(f"there is no program {program} to speak with; {mend}")
    try:
        # A group of its own: what the program starts is ended with it.
        return subprocess.Popen(
            command, stdin=text, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True
        )
    except OSError as error:
        reason = error.strerror or str(error)
        raise SpeechProgramMissing(f"{program} cannot be run: {reason}") from None


def _wait(
    process: subprocess.Popen[bytes], program: str, timeout: float, cancelled: threading.Event
) -> None:
    ends_at = time.monotonic() + timeout
    try:
        while process.poll() is None:
            if cancelled.wait(_POLL_PERIOD):
                raise SpeechError(_CANCELLED)
            if time.monotonic() > ends_at:
                text = f"{program} did not make the speech within {timeout:g} s"
                raise SpeechTimeout(text)
    finally:
        # Once it was waited for, its number may be somebody else's.
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _levelled(samples: Samples) -> Samples:
    """Return the speech as loud as it goes, without the silence around it."""
    (loud,) = np.nonzero(np.abs(samples.astype(np.int32)) > _QUIET)
    if not len(loud):
        return samples[:0]
    speech = samples[max(0, loud[0] - _REST) : loud[-1] + 1 + _REST]
    factor = _LOUDEST / np.abs(speech.astype(np.int32)).max()
    levelled: Samples = np.rint(speech * factor).astype(np.int16)
    return levelled


def _last_line(errors: Path) -> str:
    with errors.open("rb") as file:
        file.seek(max(0, errors.stat().st_size - 4 * _SHOWN))
        lines = file.read().decode("utf-8", "replace").split("\n")
    said = [line.strip() for line in lines if line.strip()]
    return said[-1][:_SHOWN] if said else ""


def _check_voice(voice: str) -> None:
    if voice.startswith("-") or not voice.isprintable() or len(voice) > _LONGEST_VOICE:
        raise ValueError(f"{voice[:_SHOWN]!r} is no voice: it is a name of the speech program's")


def _check_factor(name: str, value: float) -> None:
    if not (math.isfinite(value) and SMALLEST <= value <= LARGEST):
        raise ValueError(f"{name} is {value:g}; it is from {SMALLEST:g} to {LARGEST:g}")
