"""The camera's stream, as a client sees it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from cozmo_driver.emulator import EmulatorOptions
from cozmo_driver.media import mini_jpeg
from cozmo_driver.protocol.messages import DriveWheels, ImageChunk, ImageImuData, ImageRequest

from .bench import Bench


@pytest.fixture
def bench() -> Bench:
    bench = Bench(EmulatorOptions(torn_images=0))
    bench.start()
    return bench


def images(bench: Bench) -> dict[int, list[ImageChunk]]:
    """Group the received chunks by image; incomplete images at either end are left out."""
    by_id: dict[int, list[ImageChunk]] = {}
    for chunk in bench.got(ImageChunk):
        by_id.setdefault(chunk.image_id, []).append(chunk)
    return {key: chunks for key, chunks in by_id.items() if chunks[-1].image_chunk_count}


def pictures(bench: Bench) -> list[mini_jpeg.ImageArray]:
    payloads = [b"".join(chunk.data for chunk in chunks) for chunks in images(bench).values()]
    return [mini_jpeg.picture(mini_jpeg.to_jpeg(payload)) for payload in payloads]


def test_chunks_have_the_robots_form(bench: Bench) -> None:
    bench.send(ImageRequest())
    bench.run(2.0)
    for chunks in images(bench).values():
        assert [chunk.chunk_id for chunk in chunks] == list(range(len(chunks)))
        assert 2 <= len(chunks) <= 7
        for chunk in chunks:
            assert (chunk.image_encoding, chunk.resolution, chunk.status) == (8, 4, 2)
            assert len(chunk.data) <= 1144
        for chunk in chunks[:-1]:
            assert (chunk.frame_time_stamp, chunk.image_chunk_count) == (0, 0)
        assert chunks[-1].image_chunk_count == len(chunks)
        assert 2000 <= sum(len(chunk.data) for chunk in chunks) <= 7000


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


def test_gyro_samples_go_with_each_picture() -> None:
    bench = Bench(EmulatorOptions(ideal=True, torn_images=0))
    bench.start()
    bench.send(ImageRequest(), DriveWheels(-69, 69))
    bench.run(2.0)
    samples = bench.got(ImageImuData)
    complete = images(bench)
    lines = [[s.line2_number for s in samples if s.image_id == image_id] for image_id in complete]
    # Five in two pictures, on a grid that runs on from one to the next (spec 18).
    assert {len(entry) for entry in lines} == {2, 3}
    running = [240 * i + line for i, entry in enumerate(lines) for line in entry]
    assert {b - a for a, b in pairwise(running)} == {75, 102, 113}
    rate = np.mean([sample.rate_z for sample in samples[-40:]])
    assert rate == pytest.approx(1.97 * np.cos(-0.436), abs=0.06)


def test_a_single_picture_is_sent_once(bench: Bench) -> None:
    bench.send(ImageRequest(2, 4))
    bench.run(2.0)
    assert len(images(bench)) == 1
    bench.send(ImageRequest(2, 4))
    bench.run(2.0)
    assert len(images(bench)) == 2


def test_the_first_pictures_after_switching_on_are_torn_by_8_lines_each() -> None:
    torn, whole = Bench(EmulatorOptions(torn_images=3)), Bench(EmulatorOptions(torn_images=0))
    for bench in (torn, whole):
        bench.start()
        bench.send(ImageRequest())
        bench.run(1.0)
    for index, shift in enumerate((24, 16, 8, 0, 0)):
        difference = np.roll(pictures(whole)[index], shift, axis=0).astype(int)
        assert np.abs(difference - pictures(torn)[index]).mean() < 3


def test_an_unknown_mode_is_ignored(bench: Bench) -> None:
    bench.send(ImageRequest(77, 4))
    bench.run(1.0)
    assert not bench.got(ImageChunk)
