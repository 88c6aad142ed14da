"""Sound files, end to end to the emulated loudspeaker, in virtual time."""

from __future__ import annotations

import asyncio
import math
import tracemalloc

import numpy as np
import pytest
import soundfile

from cozmo_driver.emulator import EmulatorOptions
from cozmo_driver.media import audio_codec
from cozmo_driver.media.audio_codec import FRAME_SAMPLES, FRAME_TIME, SAMPLE_RATE
from cozmo_driver.protocol.messages import AbortAnimation, AudioSample
from cozmo_driver.robot import Reason

from .hands import fails
from .sounds import lose, pitch, quiet_runs, silent, sounds, tone_file, truth
from .virtual import in_virtual_time

LOSSY = 0.1


@in_virtual_time()
async def test_every_sample_of_a_file_reaches_the_loudspeaker(world, tmp_path):
    noise = np.random.default_rng(1).integers(-0x8000, 0x8000, 50 * FRAME_SAMPLES + 100, np.int16)
    path = tmp_path / "noise.wav"
    soundfile.write(path, noise, SAMPLE_RATE, subtype="PCM_16")
    await world.robot.audio.play_file(path)
    await silent(world)
    (sound,) = sounds(world)
    expected = np.zeros(51 * FRAME_SAMPLES, np.int16)
    # Half a step is lost where the file's samples pass through floating point.
    as_read = audio_codec.quantize(noise.astype(np.float32) / 32768)
    expected[: len(noise)] = audio_codec.decode(audio_codec.encode(as_read))
    assert (sound.samples == expected).all()


@in_virtual_time()
async def test_progress_is_told_and_the_end_is_when_the_robot_has_played_it(world, tmp_path):
    received = []
    start = world.loop.time()
    path = tone_file(tmp_path, 2.0)
    result = await world.robot.audio.play_file(path, on_progress=received.append)
    assert world.loop.time() - start == pytest.approx(2.05, abs=0.1)
    positions = [progress.position for progress in received]
    assert positions == sorted(set(positions))
    assert np.diff(positions) == pytest.approx(FRAME_TIME)
    assert received[-1] == result
    assert result.duration == result.position == pytest.approx(2.0)


@in_virtual_time()
async def test_cancelling_at_any_frame_leaves_the_robot_silent(world, tmp_path):
    path = tone_file(tmp_path, 2.0)
    for step in range(0, 40, 3):
        world.wire.log.clear()
        playing = asyncio.ensure_future(world.robot.audio.play_file(path))
        await world.pass_time(step * 0.017)
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing
        await world.pass_time(0.05)
        assert not truth(world).is_playing
        assert truth(world).frames_buffered == 0
        played = truth(world).frames_played
        world.wire.log.clear()
        await world.pass_time(1.0)
        assert truth(world).frames_played == played
        assert world.wire.received(AudioSample, AbortAnimation) == []
    await world.robot.audio.play_file(path)


@pytest.mark.parametrize(
    ("make", "gain", "reason", "words"),
    [
        (lambda path: None, 1.0, Reason.NOT_FOUND, "no file"),
        (lambda path: path.write_bytes(b"x" * 500), 1.0, Reason.INVALID, "no sound file"),
        (lambda path: path.mkdir(), 1.0, Reason.INVALID, "is no file"),
        (lambda path: None, math.nan, Reason.INVALID, "gain"),
    ],
)
@in_virtual_time()
async def test_what_cannot_be_played_is_refused(world, make, gain, reason, words, tmp_path):
    path = tmp_path / "sound.wav"
    make(path)
    with fails(reason):
        await world.robot.audio.play_file(path, gain=gain)
    assert not world.robot.frames.is_playing


@in_virtual_time()
async def test_a_file_damaged_in_the_middle_plays_that_far_and_says_so(world, tmp_path):
    path = tmp_path / "noise.flac"
    noise = np.random.default_rng(1).integers(-20000, 20000, 10 * SAMPLE_RATE, np.int16)
    soundfile.write(path, noise, SAMPLE_RATE)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
    path.write_bytes(data)
    received = []
    with fails(Reason.INVALID):
        await world.robot.audio.play_file(path, on_progress=received.append)
    await silent(world)
    assert received[-1].position > 4.0


@pytest.mark.parametrize("loss", [0.0, LOSSY])
@in_virtual_time()
async def test_a_minute_plays_without_a_gap_or_an_overflow(world, loss, tmp_path):
    lose(world, loss)
    path = tone_file(tmp_path, 60.0)
    start = world.loop.time()
    result = await world.robot.audio.play_file(path)
    assert result.position == pytest.approx(60.0)
    seconds = 60.0 / EmulatorOptions().audio_clock
    assert world.loop.time() - start == pytest.approx(seconds, abs=1.0)
    assert truth(world).frames_played == 1801
    assert truth(world).overflows == 0
    assert world.robot.frames.buffer.resets == 0
    # A message that is lost four times in a row comes later than the robot's buffer lasts; of
    # 1800 with a loss of 10 % in each direction that is hardly one.
    assert truth(world).starvations <= (1 if loss else 0)
    for sound in sounds(world):
        assert quiet_runs(sound.samples) == 0
    assert pitch(sounds(world)[0].samples[: 1 << 20]) == pytest.approx(440, abs=1)


@in_virtual_time()
async def test_a_long_file_takes_no_more_memory_than_a_short_one(world, tmp_path):
    path = tone_file(tmp_path, 12.0)
    recording = world.firmware.animation.recording
    most = {"early": 0, "late": 0}

    def watch(progress):
        world.wire.log.clear()
        recording.clear()
        when = "early" if progress.position < 4.0 else "late"
        most[when] = max(most[when], tracemalloc.get_traced_memory()[0])

    tracemalloc.start()
    await world.robot.audio.play_file(path, on_progress=watch)
    tracemalloc.stop()
    # The samples of these 8 s alone would take 0.36 MB; what other threads keep counts, too.
    assert most["late"] - most["early"] < 180_000
