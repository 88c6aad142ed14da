"""The robot speaks: what is heard and seen of it at the emulated robot, frame by frame."""

from __future__ import annotations

import asyncio
import subprocess
import threading
from itertools import pairwise

import numpy as np
import pytest

from cozmo_driver.animation.speech import STEPS, Speech, openness_of, speaking
from cozmo_driver.face.expressions import EXPRESSIONS, NEUTRAL
from cozmo_driver.face.renderer import render
from cozmo_driver.media import audio_codec, display_codec
from cozmo_driver.media.audio_codec import FRAME_SAMPLES, FRAME_TIME, SAMPLE_RATE
from cozmo_driver.media.speech import SpeechProgram, Utterance, make_speech
from cozmo_driver.protocol.messages import (
    AudioSample,
    AudioSilence,
    EndOfAnimation,
    FaceImage,
    StartOfAnimation,
)
from cozmo_driver.robot import Owner, Reason, RobotError

from ..media.engines import beeper, engine
from ..robot.sounds import lose, silent, truth
from ..robot.virtual import in_virtual_time
from .clips import face, face_clip, player

WORDS = "one two three"


def speech_of(world, folder, **options):
    return Speech(world.robot, SpeechProgram(beeper(folder), **options))


def frames_of(world):
    """What the robot was told for each frame: codes of the sound, and the picture or None."""
    frames = []
    for _, message in world.wire.log:
        if isinstance(message, (AudioSample, AudioSilence)):
            codes = message.sample if isinstance(message, AudioSample) else bytes(FRAME_SAMPLES)
            frames.append([codes, None])
        elif isinstance(message, FaceImage):
            frames[-1][1] = message.image
    return frames


def made(program, text=WORDS):
    return make_speech(program, Utterance(text), threading.Event())


@pytest.mark.parametrize("loss", [0.0, 0.1])
@in_virtual_time()
async def test_every_frame_has_its_sound_and_the_eyes_that_belong_to_it(world, loss, tmp_path):
    speech = speech_of(world, tmp_path)
    samples = made(speech.program)
    lose(world, loss)
    world.wire.log.clear()
    await speech.say(WORDS)

    frames = frames_of(world)
    openness = openness_of(samples)
    assert len(frames) == len(openness) == -(-len(samples) // FRAME_SAMPLES) + 1
    shown = None
    for number, (codes, picture) in enumerate(frames):
        piece = samples[number * FRAME_SAMPLES : (number + 1) * FRAME_SAMPLES]
        expected = audio_codec.decode(audio_codec.encode(piece))
        heard = audio_codec.decode(codes)
        assert (heard[: len(piece)] == expected).all()
        assert not heard[len(piece) :].any()
        shown = picture or shown
        face = render(speaking(NEUTRAL.face, openness[number]), 1)
        assert (display_codec.decode(shown) == face).all()
    assert truth(world).overflows == 0


@in_virtual_time()
async def test_progress_is_the_robots_own_count(world, tmp_path):
    received = []
    speech = speech_of(world, tmp_path)
    begin = world.loop.time()
    result = await speech.say(WORDS, on_progress=received.append)
    duration = len(made(speech.program)) / SAMPLE_RATE
    assert result.duration == result.position == pytest.approx(duration)
    assert np.diff([one.position for one in received[:-2]]) == pytest.approx(FRAME_TIME)
    assert received[-1] == result
    assert world.loop.time() - begin == pytest.approx(duration, abs=0.2)


@in_virtual_time()
async def test_a_cancelled_speech_falls_silent_and_gives_the_face_back(world, tmp_path):
    speech = speech_of(world, tmp_path)
    for step in range(0, 30, 4):
        saying = asyncio.ensure_future(speech.say(WORDS))
        await world.pass_time(step * 0.017)
        saying.cancel()
        with pytest.raises(asyncio.CancelledError):
            await saying
        assert world.robot.face_owner is Owner.NONE
        await world.pass_time(0.05)
        assert not truth(world).is_playing
        played = truth(world).frames_played
        await world.pass_time(1.0)
        assert truth(world).frames_played == played
    assert (await speech.say(WORDS)).position > 0.5


@in_virtual_time()
async def test_a_newer_text_takes_the_place_of_the_older(world, tmp_path):
    speech = speech_of(world, tmp_path)
    older = asyncio.ensure_future(speech.say(WORDS))
    await world.pass_time(0.3)
    newer = asyncio.ensure_future(speech.say("four"))
    with pytest.raises(RobotError, match="newer text") as ended:
        await older
    assert ended.value.reason is Reason.SUPERSEDED
    assert world.robot.face_owner is Owner.ANIMATION
    await newer
    assert world.robot.face_owner is Owner.NONE


@in_virtual_time()
async def test_a_clip_keeps_the_face_while_the_robot_speaks(world, tmp_path):
    clip = face_clip("anim_look", face(0, 20.0), face(2970, 20.0))
    playing = asyncio.ensure_future(player(world, tmp_path, clip).play("anim_look"))
    await world.until(lambda: world.robot.display.shown.any())
    world.wire.log.clear()
    await speech_of(world, tmp_path).say(WORDS)
    assert not any(picture for _, picture in frames_of(world))
    assert len(world.wire.received(AudioSample)) > 10
    assert world.robot.face_owner is Owner.ANIMATION
    await playing
    assert world.robot.face_owner is Owner.NONE


@in_virtual_time()
async def test_the_stream_ends_with_the_speech(world, tmp_path):
    await speech_of(world, tmp_path).say("one")
    await silent(world)
    assert world.wire.received(StartOfAnimation) == []
    assert len(world.wire.received(EndOfAnimation)) == 1
    assert truth(world).frames_buffered == 0


@pytest.mark.parametrize(
    ("command", "said", "reason"),
    [
        ("", {"text": " "}, Reason.INVALID),
        ("", {"rate": 1.5}, Reason.INVALID),
        ("parrot-that-is-not-there {wav}", {}, Reason.UNSUPPORTED),
        ("raise SystemExit(1)", {}, Reason.INVALID),
        ("import time; time.sleep(600)", {}, Reason.TIMEOUT),
    ],
)
@in_virtual_time()
async def test_what_cannot_be_said_is_refused_with_its_reason(
    world, command, said, reason, tmp_path
):
    if not command:
        command = beeper(tmp_path)
    elif "{wav}" not in command:
        command = engine(tmp_path, command)
    timeout = 1.0 if reason is Reason.TIMEOUT else 60.0
    speech = Speech(world.robot, SpeechProgram(command, timeout=timeout))
    with pytest.raises(RobotError) as refused:
        await speech.say(**{"text": "hello", **said})
    assert refused.value.reason is reason
    assert not world.robot.frames.is_playing


@pytest.mark.parametrize(
    "said",
    [
        {"text": " "},
        {"text": "a" * 1001},
        {"text": "four", "rate": 3.0},
        {"text": "four", "rate": 1.5},
    ],
)
@in_virtual_time()
async def test_a_text_that_is_refused_leaves_one_that_is_being_made_alone(
    world, said, tmp_path, monkeypatch
):
    speech = speech_of(world, tmp_path)

    def make_while_another_is_refused(*of):
        monkeypatch.setattr("cozmo_driver.animation.speech.make_speech", make_speech)
        with pytest.raises(RobotError) as refused:
            speech.say(**said).send(None)
        assert refused.value.reason is Reason.INVALID
        return make_speech(*of)

    monkeypatch.setattr("cozmo_driver.animation.speech.make_speech", make_while_another_is_refused)
    assert (await speech.say(WORDS)).position > 0.5


@in_virtual_time()
async def test_a_lost_robot_ends_the_speech(world, tmp_path):
    speech = speech_of(world, tmp_path)
    saying = asyncio.ensure_future(speech.say(" ".join([WORDS] * 8)))
    await world.pass_time(0.5)
    world.wire.is_cut = True
    with pytest.raises(RobotError) as ended:
        await saying
    assert ended.value.reason is Reason.LINK_LOST
    with pytest.raises(RobotError) as refused:
        await speech.say(WORDS)
    assert refused.value.reason is Reason.NOT_CONNECTED


# -- in real time: a thread makes the speech


def test_a_text_cancelled_while_its_speech_is_made_ends_the_program(tmp_path, monkeypatch):
    ended = []
    code = "import pathlib, time; pathlib.Path(__file__ + '.on').touch(); time.sleep(600)"
    speech = Speech.__new__(Speech)
    speech.program = SpeechProgram(engine(tmp_path, code))
    wait = subprocess.Popen.wait

    def watched(process, *arguments, **options):
        ended.append(wait(process, *arguments, **options))
        return ended[-1]

    monkeypatch.setattr(subprocess.Popen, "wait", watched)

    async def scenario():
        making = asyncio.ensure_future(speech._made(Utterance("hello")))
        while not (tmp_path / "engine.py.on").exists():
            await asyncio.sleep(0.01)
        making.cancel()
        with pytest.raises(asyncio.CancelledError):
            await making
        # The loop's thread ends with the program.

    asyncio.run(asyncio.wait_for(scenario(), 60.0))
    assert ended[-1] == -9


# -- the eyes


def test_silence_leaves_the_eyes_at_rest():
    assert openness_of(np.zeros(3 * FRAME_SAMPLES, np.int16)) == (0.0,) * 4
    assert openness_of(np.zeros(0, np.int16)) == (0.0,)


def test_the_eyes_follow_the_loudness_and_fall_shut_within_three_frames():
    loud, soft = np.full(FRAME_SAMPLES, 20000, np.int16), np.full(FRAME_SAMPLES, 5000, np.int16)
    quiet = np.zeros(4 * FRAME_SAMPLES, np.int16)
    openness = openness_of(np.concatenate([quiet, soft, loud, quiet]))
    assert openness[:4] == (0.0,) * 4
    assert openness[4] == pytest.approx(0.5)
    assert openness[5] == 1.0
    assert openness[6:] == pytest.approx((4 / 6, 2 / 6, 0.0, 0.0, 0.0))
    assert all((one * STEPS).is_integer() for one in openness)


def edges(face, openness):
    """First and last row of a speaking face."""
    (rows,) = np.nonzero(render(speaking(face, openness), None).any(axis=1))
    return int(rows[0]), int(rows[-1])


def test_the_eyes_drop_their_lower_edge_like_a_jaw():
    places = [edges(NEUTRAL.face, step / STEPS) for step in range(STEPS + 1)]
    assert {top for top, _ in places} == {places[0][0]}
    assert all(before < after for (_, before), (_, after) in pairwise(places))
    assert places[-1][1] - places[0][1] > 10


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=lambda one: one.name)
def test_every_expression_can_speak(expression):
    at_rest, loudest = edges(expression.face, 0.0), edges(expression.face, 1.0)
    assert (render(speaking(expression.face, 0.0)) == render(expression.face)).all()
    assert loudest[1] - loudest[0] > at_rest[1] - at_rest[0]
