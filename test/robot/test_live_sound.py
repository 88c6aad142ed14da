"""Live sound, end to end to the emulated loudspeaker, in virtual time."""

from __future__ import annotations

import asyncio
import random

import numpy as np
import pytest

from cozmo_driver.emulator import EmulatorOptions
from cozmo_driver.media.audio_codec import FRAME_TIME, SAMPLE_RATE
from cozmo_driver.robot import AudioStreamOptions, Reason
from cozmo_driver.robot.playback.frame_stream import AHEAD

from .hands import fails
from .sounds import audible, lose, pitch, quiet_runs, silent, sounds, tone, truth
from .virtual import Stall, in_virtual_time

LOSSY = 0.1


async def push_live(world, samples, rate, sizes, *, lateness=0.0, drift=0.0, seed=0, is_ended=True):
    """Push pieces as a microphone does, each when it is over, up to ``lateness`` s late."""
    choose, start, done, turn = random.Random(seed), world.loop.time(), 0, 0
    while done < len(samples):
        size = sizes[turn % len(sizes)]
        turn += 1
        piece = samples[done : done + size]
        done += len(piece)
        due = start + done / (rate * (1 + drift)) + choose.random() * lateness
        await asyncio.sleep(max(0.0, due - world.loop.time()))
        world.robot.audio.stream.push(piece, rate, is_last=is_ended and done >= len(samples))


@pytest.mark.parametrize(
    ("rate", "sizes"),
    [
        (8000, [1, 333, 79]),
        (22320, [744]),
        (44100, [1, 2000, 441, 17]),
        (192000, [999]),
    ],
)
@in_virtual_time()
async def test_live_pieces_of_any_size_and_rate_become_one_sound(world, rate, sizes):
    await push_live(world, tone(rate, 4.0), rate, sizes)
    await silent(world)
    (sound,) = sounds(world)
    samples = audible([sound])
    assert pitch(samples) == pytest.approx(440, abs=1.5)
    assert len(samples) / SAMPLE_RATE == pytest.approx(4.0, abs=0.03)
    assert quiet_runs(samples) == 0
    statistics = world.robot.audio.stream.statistics
    assert (statistics.underruns, statistics.dropped, statistics.streams) == (0, 0.0, 1)
    assert truth(world).starvations == 0


@in_virtual_time()
async def test_the_delay_of_a_live_sound_is_what_was_asked_for(world):
    start = world.loop.time()
    await push_live(world, tone(48000, 3.0), 48000, [960])
    await silent(world)
    (sound,) = sounds(world)
    first = int(np.nonzero(sound.samples)[0][0])
    assert sound.start + first / SAMPLE_RATE - start == pytest.approx(0.35, abs=0.06)


@in_virtual_time()
async def test_a_gap_is_silence_and_then_the_delay_is_back(world):
    stream = world.robot.audio.stream
    samples = tone(48000, 2.0)
    for _ in range(3):
        for start in range(0, len(samples), 960):
            await asyncio.sleep(0.02)
            stream.push(samples[start : start + 960], 48000)
        await world.pass_time(0.4)
    stream.push(samples[:0], 48000, is_last=True)
    await silent(world)
    assert stream.statistics.underruns >= 2
    assert stream.statistics.streams == 1
    assert truth(world).starvations == 0
    (sound,) = sounds(world)
    assert quiet_runs(audible([sound])) <= 4
    total = np.count_nonzero(np.abs(sound.samples) > 100) / SAMPLE_RATE
    assert total == pytest.approx(6.0, abs=0.2)


@pytest.mark.parametrize("seconds", [0.11, 1.0, 2.013])
@in_virtual_time()
async def test_a_stream_that_just_stops_is_heard_to_its_end_without_a_gap(world, seconds):
    await push_live(world, tone(48000, seconds), 48000, [960], is_ended=False)
    await silent(world)
    samples = audible(sounds(world))
    assert quiet_runs(samples) == 0
    assert len(samples) / SAMPLE_RATE == pytest.approx(seconds, abs=0.01)
    statistics = world.robot.audio.stream.statistics
    assert (statistics.underruns, statistics.silent_frames, statistics.streams) == (0, 0, 1)


@in_virtual_time(audio=AudioStreamOptions(end_after=60.0))
async def test_a_stream_can_be_ended_without_a_piece(world):
    stream = world.robot.audio.stream
    stream.finish()
    stream.push([], 48000, is_last=True)
    assert not stream.is_active
    stream.push(tone(48000, 0.1), 48000)
    start = world.loop.time()
    stream.finish()
    await silent(world)
    assert len(audible(sounds(world))) / SAMPLE_RATE == pytest.approx(0.1, abs=0.01)
    assert world.loop.time() - start < 0.5
    assert stream.statistics.streams == 1


@in_virtual_time(audio=AudioStreamOptions(capacity=2.0))
async def test_too_much_sound_drops_the_oldest_and_counts_it(world):
    stream = world.robot.audio.stream
    for frequency in (440, 880, 1760):
        stream.push(tone(SAMPLE_RATE, 2.0, frequency), SAMPLE_RATE)
    stream.push([], SAMPLE_RATE, is_last=True)
    await silent(world)
    assert stream.statistics.dropped == pytest.approx(6.0 - 2.0 - 10 * FRAME_TIME, abs=0.1)
    samples = audible(sounds(world))
    assert pitch(samples[-SAMPLE_RATE:]) == pytest.approx(1760, abs=2)
    assert len(samples) / SAMPLE_RATE == pytest.approx(2.0 + 10 * FRAME_TIME, abs=0.1)


@in_virtual_time()
async def test_the_rate_may_change_in_the_middle(world):
    stream = world.robot.audio.stream
    for rate in (8000, 44100, 16000):
        stream.push(tone(rate, 1.0), rate)
    stream.push([], 8000, is_last=True)
    await silent(world)
    samples = audible(sounds(world))
    assert len(samples) / SAMPLE_RATE == pytest.approx(3.0, abs=0.05)
    assert pitch(samples) == pytest.approx(440, abs=2)


@in_virtual_time()
async def test_a_stopped_stream_is_silent_at_once_and_can_begin_again(world):
    stream = world.robot.audio.stream
    stream.push(tone(48000, 5.0), 48000)
    await world.pass_time(1.0)
    stream.stop()
    await world.pass_time(0.05)
    assert not truth(world).is_playing
    before = len(audible(sounds(world)))
    await world.pass_time(1.0)
    assert len(audible(sounds(world))) == before
    stream.push(tone(48000, 0.5), 48000, is_last=True)
    await silent(world)
    assert stream.statistics.streams == 2
    assert len(sounds(world)) == 2


@pytest.mark.parametrize(
    ("samples", "rate", "words"),
    [
        ([0, 1], 7999, "7999 Hz"),
        ([0.5, 0.5], 48000, "integers"),
        ([[0, 1], [2, 3]], 48000, "one row"),
        ([0, 40000], 48000, "-32768 to 32767"),
    ],
)
@in_virtual_time()
async def test_senseless_pieces_are_refused(world, samples, rate, words):
    with pytest.raises(ValueError, match=words):
        world.robot.audio.stream.push(np.array(samples), rate)
    assert not world.robot.frames.is_playing


@in_virtual_time()
async def test_pieces_for_a_robot_that_is_not_there_are_refused_and_later_ones_play(world):
    stream = world.robot.audio.stream
    stream.push(tone(48000, 5.0), 48000)
    await world.pass_time(1.0)
    await world.reconnect()
    assert not stream.is_active
    async with world.without_link():
        for _ in range(3):
            with fails(Reason.NOT_CONNECTED):
                stream.push(tone(48000, 0.1), 48000)
    stream.push(tone(48000, 0.5), 48000, is_last=True)
    await silent(world)
    assert len(sounds(world)[-1].samples) >= 0.5 * SAMPLE_RATE


def cut_off(world, end):
    world.wire.is_cut = True
    world.loop.call_at(end, setattr, world.wire, "is_cut", False)


def hold_back(world, end):
    world.wire.wifi = Stall(end)


@pytest.mark.parametrize("stall", [cut_off, hold_back])
@in_virtual_time()
async def test_after_a_stall_of_the_link_the_delay_is_back(world, stall):
    stream = world.robot.audio.stream
    pushing = asyncio.ensure_future(push_live(world, tone(16000, 14.0), 16000, [320]))
    await world.pass_time(5.0)
    usual = stream.delay
    stall(world, world.loop.time() + 3.0)
    await world.until(lambda: stream.delay > 3.0)
    await world.until(lambda: world.robot.frames.ahead == AHEAD and stream.delay < 1.0)
    assert stream.delay == pytest.approx(usual, abs=0.1)
    assert stream.statistics.missed == pytest.approx(3.0 - AHEAD * FRAME_TIME, abs=0.1)
    await pushing
    await silent(world)
    statistics = stream.statistics
    assert (statistics.underruns, statistics.dropped, statistics.streams) == (0, 0.0, 1)


@pytest.mark.parametrize("stall", [cut_off, hold_back])
@in_virtual_time()
async def test_short_stalls_of_the_link_do_not_add_up(world, stall):
    stream = world.robot.audio.stream
    pushing = asyncio.ensure_future(push_live(world, tone(16000, 25.0), 16000, [320]))
    await world.pass_time(5.0)
    usual = stream.delay
    for _ in range(6):
        stall(world, world.loop.time() + 0.6)
        await world.pass_time(2.5)
    assert stream.delay < usual + 0.7
    await pushing
    await silent(world)
    statistics = stream.statistics
    assert statistics.missed > 0.0
    assert (statistics.underruns, statistics.dropped, statistics.streams) == (0, 0.0, 1)


@in_virtual_time()
async def test_stalls_that_the_speed_made_up_for_cost_nothing(world):
    stream = world.robot.audio.stream
    pushing = asyncio.ensure_future(push_live(world, tone(16000, 125.0), 16000, [320]))
    await world.pass_time(5.0)
    for _ in range(4):
        hold_back(world, world.loop.time() + 0.45)
        await world.pass_time(30.0)
    await pushing
    await silent(world)
    statistics = stream.statistics
    assert (statistics.missed, statistics.underruns, statistics.silent_frames) == (0.0, 0, 0)


@pytest.mark.parametrize(("before", "meanwhile"), [(8.0, 0.0), (4.0, 6.0)])
@in_virtual_time(audio=AudioStreamOptions(end_after=60.0))
async def test_what_is_sent_at_once_is_heard_whole_in_spite_of_a_stall(world, before, meanwhile):
    stream = world.robot.audio.stream
    stream.push(tone(16000, before), 16000)
    await world.pass_time(1.0)
    cut_off(world, world.loop.time() + 3.0)
    await world.pass_time(1.0)
    stream.push(tone(16000, meanwhile), 16000)
    await world.pass_time(3.0)
    stream.finish()
    await silent(world)
    total = np.count_nonzero(np.abs(audible(sounds(world))) > 100) / SAMPLE_RATE
    assert total == pytest.approx(before + meanwhile, abs=0.2)
    assert (stream.statistics.missed, stream.statistics.dropped) == (0.0, 0.0)


@in_virtual_time()
async def test_a_sound_that_ends_in_a_stall_is_heard_to_its_end(world):
    pushing = asyncio.ensure_future(push_live(world, tone(16000, 4.0), 16000, [320]))
    await world.pass_time(2.0)
    cut_off(world, world.loop.time() + 3.0)
    await pushing
    await silent(world)
    assert world.robot.audio.stream.statistics.missed == 0.0


@pytest.mark.parametrize("drift", [-0.003, 0.003])
@in_virtual_time()
async def test_clocks_that_differ_change_neither_delay_nor_sound(world, drift):
    stream = world.robot.audio.stream
    delays = []
    samples = tone(16000, 75.0)

    async def watch():
        while True:
            await asyncio.sleep(1.0)
            delays.append(stream.delay)

    watching = asyncio.ensure_future(watch())
    await push_live(world, samples, 16000, [640], lateness=0.02, drift=drift)
    watching.cancel()
    await silent(world)
    assert max(delays[10:]) < 0.5
    assert (stream.statistics.underruns, stream.statistics.dropped) == (0, 0.0)
    (sound,) = sounds(world)
    assert quiet_runs(audible([sound])) == 0
    assert truth(world).starvations == 0


@in_virtual_time()
async def test_a_live_sound_survives_a_bad_link(world):
    lose(world, LOSSY)
    await push_live(world, tone(16000, 30.0), 16000, [320])
    await silent(world)
    assert truth(world).starvations == 0
    assert world.robot.audio.stream.statistics.underruns <= 1
    # What a lost datagram adds to the delay is made up for by playing a little faster.
    heard_pitch = pitch(audible(sounds(world))[: 1 << 19]) * EmulatorOptions().audio_clock
    assert heard_pitch == pytest.approx(440, rel=0.006)
