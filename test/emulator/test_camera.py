"""The camera's stream, as a client sees it."""

from __future__ import annotations

import numpy as np
import pytest

from cozmo_driver.emulator import EmulatorOptions
from cozmo_driver.protocol.messages import DriveWheels, ImageChunk, ImageImuData, ImageRequest

from .bench import Bench, started


@pytest.fixture
def bench() -> Bench:
    return started(EmulatorOptions(torn_images=0))


def test_chunks_have_the_robots_form(bench: Bench) -> None:
    bench.send(ImageRequest())
    bench.run(2.0)
    chunks = bench.got(ImageChunk)
    forms = {(chunk.image_encoding, chunk.resolution, chunk.status) for chunk in chunks}
    assert forms == {(8, 4, 2)}
    assert all(chunk.frame_time_stamp == 0 for chunk in chunks if not chunk.image_chunk_count)
    counts = [chunk.image_chunk_count for chunk in chunks if chunk.image_chunk_count]
    assert 2 <= min(counts) <= max(counts) <= 7
    assert len(bench.images()) == len(counts)


def test_the_last_chunk_does_not_wait_for_the_tick(bench: Bench) -> None:
    """It leaves 45 ms after the picture was begun, wherever the tick stands."""
    bench.send(ImageRequest())
    bench.run(5.0)
    ages = [
        time * 1000 - chunk.frame_time_stamp
        for time, chunk in bench.received
        if isinstance(chunk, ImageChunk) and chunk.image_chunk_count
    ]
    assert len(ages) > 70
    assert max(ages) - min(ages) < 2
    assert all(len(frame) <= 1420 for _, frame in bench.frames)


def test_gyro_samples_of_each_picture_measure_the_turn() -> None:
    bench = started(EmulatorOptions(ideal=True, torn_images=0))
    bench.send(ImageRequest(), DriveWheels(-69, 69))
    bench.run(2.0)
    rate = np.mean([sample.rate_z for sample in bench.got(ImageImuData)[-40:]])
    assert rate == pytest.approx(1.97 * np.cos(-0.436), abs=0.06)


def test_a_single_picture_is_sent_once(bench: Bench) -> None:
    bench.send(ImageRequest(2, 4))
    bench.run(2.0)
    assert len(bench.images()) == 1
    bench.send(ImageRequest(2, 4))
    bench.run(2.0)
    assert len(bench.images()) == 2


def test_the_first_pictures_after_switching_on_are_torn_by_8_lines_each() -> None:
    torn, whole = (started(EmulatorOptions(torn_images=count)) for count in (3, 0))
    for bench in (torn, whole):
        bench.send(ImageRequest())
        bench.run(1.0)
    images = zip(torn.images(), whole.images(), (24, 16, 8, 0, 0), strict=False)
    for one, other, shift in images:
        assert np.abs(np.roll(other, shift, axis=0).astype(int) - one).mean() < 3


def test_an_unknown_mode_is_ignored(bench: Bench) -> None:
    bench.send(ImageRequest(77, 4))
    bench.run(1.0)
    assert not bench.got(ImageChunk)
