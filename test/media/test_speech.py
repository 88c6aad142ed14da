"""Texts as sound: real programs through the template, their failures, the robot's voice."""

from __future__ import annotations

import json
import math
import shutil
import tempfile
import threading
from pathlib import Path

import numpy as np
import psutil
import pytest

from cozmo_driver.media.audio_codec import SAMPLE_RATE
from cozmo_driver.media.speech import (
    MOST_CHARACTERS,
    SpeechError,
    SpeechProgram,
    SpeechProgramMissing,
    SpeechTimeout,
    Utterance,
    arguments,
    make_speech,
)

from ..waiting import wait_until
from .engines import BEEP, PAUSE, PITCH, beeper, engine

SLEEPER = """
import pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
pathlib.Path(__file__ + ".pid").write_text(str(child.pid) + " ")
time.sleep(600)
"""
WAV = Path("/s/speech.wav")
needs_espeak = pytest.mark.skipif(
    shutil.which("espeak-ng") is None, reason="espeak-ng is not installed: apt install espeak-ng"
)


def made(command, text="one two three", timeout=60.0, shift=1.5, voice="en", **said):
    program = SpeechProgram(command, voice, shift, timeout)
    return make_speech(program, Utterance(text, **said), threading.Event())


def given(folder):
    return json.loads((folder / "engine.py.json").read_text())


def frequency(samples):
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples)), 1 << 20))
    return float(np.argmax(spectrum)) * SAMPLE_RATE / (1 << 20)


# -- the sound


@pytest.mark.parametrize("shift", [0.5, 1.0, 1.5, 2.0])
def test_the_robot_speaks_higher_than_the_program_by_the_shift(tmp_path, shift):
    samples = made(beeper(tmp_path), shift=shift)

    assert frequency(samples) == pytest.approx(PITCH * shift, rel=0.01)
    expected = (3 * BEEP + 2 * PAUSE) / shift
    assert len(samples) / SAMPLE_RATE == pytest.approx(expected + 0.06, abs=0.02)


def test_a_program_without_pitch_is_shifted_by_the_pitch_too(tmp_path):
    assert frequency(made(beeper(tmp_path), pitch=1.2)) == pytest.approx(PITCH * 1.8, rel=0.01)


def test_a_program_with_pitch_does_it_itself(tmp_path):
    samples = made(beeper(tmp_path, "{wav} {pitch}"), pitch=1.2)

    assert frequency(samples) == pytest.approx(PITCH * 1.5, rel=0.01)
    assert given(tmp_path)["arguments"] == ["91"]


def test_what_of_a_pitch_the_program_cannot_do_is_left_to_the_shift(tmp_path):
    samples = made(beeper(tmp_path, "{wav} {pitch}"), pitch=2.0, shift=1.0)

    assert given(tmp_path)["arguments"] == ["99"]
    assert frequency(samples) == pytest.approx(PITCH * 2.6 / 1.7, rel=0.01)


def test_the_speech_is_loud_and_without_the_silence_around_it(tmp_path):
    samples = made(beeper(tmp_path), "one")

    assert np.abs(samples.astype(int)).max() == pytest.approx(0.9 * 32767, abs=2)
    (loud,) = np.nonzero(np.abs(samples) > 400)
    assert loud[0] < 0.05 * SAMPLE_RATE
    assert len(samples) - loud[-1] < 0.05 * SAMPLE_RATE


def test_the_text_comes_on_standard_input_in_one_plain_line(tmp_path):
    made(beeper(tmp_path), "  Grüß\n\x07dich,\tRoboter\ud800! ")

    assert given(tmp_path) == {"text": "Grüß dich, Roboter !", "arguments": []}


def test_a_text_as_an_argument_is_one_word_and_no_option(tmp_path):
    made(beeper(tmp_path, "{wav} {text}"), "-v $(reboot); `x` 'y' {wav}")

    assert given(tmp_path) == {"text": "", "arguments": [" -v $(reboot); `x` 'y' {wav}"]}


# -- the command


def test_the_program_is_asked_to_speak_slower_by_the_shift():
    program = SpeechProgram("say {rate} {length} {pitch} {voice} {wav}", "en", 1.25)

    assert arguments(program, Utterance("x"), WAV) == ["say", "140", "1.250", "74", "en", str(WAV)]
    words = arguments(program, Utterance("x", "de", 2.0, 0.5), WAV)
    assert words == ["say", "280", "0.625", "10", "de", str(WAV)]


def test_espeak_is_asked_for_no_speed_that_it_has_not():
    program = SpeechProgram("say {rate} {pitch} {wav}", "en", 2.0)

    assert arguments(program, Utterance("x", rate=0.5), WAV)[1] == "80"
    assert arguments(program, Utterance("x", rate=2.0, pitch=0.5), WAV)[1] == "175"


def test_a_speed_is_refused_where_the_command_cannot_ask_for_it():
    with pytest.raises(ValueError, match=r"neither \{rate\} nor \{length\}"):
        arguments(SpeechProgram("say {wav}"), Utterance("x", rate=1.1), WAV)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"command": ""}, "is empty"),
        ({"command": "say 'x {wav}"}, "No closing quotation"),
        ({"command": "say {text}"}, r"no \{wav\}"),
        ({"command": "say {wav} {speed}"}, r"has \{speed\}; there are \{text\}"),
        ({"voice": "-x"}, "is no voice"),
        ({"shift": math.nan}, "shift is nan"),
        ({"timeout": 0.0}, "timeout"),
    ],
)
def test_a_program_that_makes_no_sense_is_refused(options, reason):
    with pytest.raises(ValueError, match=reason):
        SpeechProgram(**options)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"text": " \n\x00"}, "no text"),
        ({"text": "a" * (MOST_CHARACTERS + 1)}, "1001 characters; at most 1000"),
        ({"voice": "-w/etc/x"}, "is no voice"),
        ({"rate": 0.49}, "rate is 0.49"),
        ({"pitch": math.inf}, "pitch is inf"),
    ],
)
def test_a_text_that_cannot_be_said_is_refused(options, reason):
    with pytest.raises(ValueError, match=reason):
        Utterance(**{"text": "hello", **options})


# -- programs that fail


def test_a_missing_program_is_named_and_how_to_install_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(SpeechProgramMissing, match="install it: sudo apt install espeak-ng"):
        made(SpeechProgram().command)
    with pytest.raises(SpeechProgramMissing, match=r"no program parrot .* another speech command"):
        made("parrot {wav}")


def test_a_program_that_cannot_be_run_says_why(tmp_path):
    script = tmp_path / "broken"
    script.write_text("#!/nowhere/at/all\n")
    script.chmod(0o755)

    with pytest.raises(SpeechProgramMissing, match="cannot be run: No such file"):
        made(f"{script} {{wav}}")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import sys; sys.exit('no such voice')", "no such voice"),
        ("pass", "it wrote no file"),
        ("import sys; print('disk full', file=sys.stderr)", "disk full"),
        ("import sys; open(sys.argv[1], 'w').write('x' * 99)", "what it wrote is no sound file"),
        ("import os; os.kill(os.getpid(), 9)", "exit code -9"),
    ],
)
def test_a_program_that_fails_says_why(tmp_path, code, reason):
    with pytest.raises(SpeechError, match=reason):
        made(engine(tmp_path, code))


def test_without_a_place_for_its_files_there_is_no_speech(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(SpeechError, match=r"cannot be written: .*/gone/"):
        made(beeper(tmp_path))


def test_a_speech_without_sound_is_an_error(tmp_path):
    code = """
import sys, wave
with wave.open(sys.argv[1], "wb") as file:
    file.setnchannels(1)
    file.setsampwidth(2)
    file.setframerate(16000)
    file.writeframes(bytes(32000))
"""
    with pytest.raises(SpeechError, match="no sound of this text"):
        made(engine(tmp_path, code))


def pids(folder):
    file = folder / "engine.py.pid"
    text = file.read_text() if file.exists() else ""
    return int(text) if text.endswith(" ") else 0


def is_gone(pid):
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_a_program_that_takes_too_long_is_ended_with_what_it_started(tmp_path):
    for timeout in (2.0, 8.0, 32.0):
        with pytest.raises(SpeechTimeout, match=f"within {timeout:g} s"):
            made(engine(tmp_path, SLEEPER), timeout=timeout)
        # On a busy computer it takes longer to start anything.
        if child := pids(tmp_path):
            break
    assert child
    wait_until(lambda: is_gone(child), "the program is gone")


def test_cancelled_from_another_thread_the_program_ends_at_once(tmp_path):
    cancelled = threading.Event()
    failed = []

    def make():
        try:
            make_speech(SpeechProgram(engine(tmp_path, SLEEPER)), Utterance("hello"), cancelled)
        except SpeechError as error:
            failed.append(error)

    thread = threading.Thread(target=make)
    thread.start()
    child = wait_until(lambda: pids(tmp_path), "the program has started")
    cancelled.set()
    thread.join(60.0)
    assert not thread.is_alive()
    assert len(failed) == 1
    wait_until(lambda: is_gone(child), "the program is gone")


def test_cancelled_before_it_began_no_program_is_started(tmp_path):
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(SpeechError, match="cancelled"):
        make_speech(SpeechProgram(beeper(tmp_path)), Utterance("hello"), cancelled)
    assert not (tmp_path / "engine.py.json").exists()


# -- the program that is asked by default


@needs_espeak
def test_espeak_says_a_sentence():
    samples = made(SpeechProgram().command, "Hello there! I am a small robot.")

    assert 1.0 < len(samples) / SAMPLE_RATE < 6.0
    assert np.abs(samples.astype(int)).max() > 29000


@needs_espeak
def test_espeak_at_twice_the_rate_is_done_sooner_and_as_high():
    text = "This is a long sentence, so that its length can be compared."
    slow, fast = (len(made(SpeechProgram().command, text, rate=rate)) for rate in (1.0, 2.0))

    assert 0.4 < fast / slow < 0.65


@needs_espeak
def test_a_voice_that_espeak_has_not_is_said():
    with pytest.raises(SpeechError, match="voice does not exist"):
        made(SpeechProgram().command, voice="klingon-9")
