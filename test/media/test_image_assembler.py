"""Chunks of camera images become images, whatever order they come in (spec 03 §3)."""

from __future__ import annotations

import random

import pytest

from cozmo_driver.media.image_assembler import MAX_CHUNK, ImageAssembler
from cozmo_driver.protocol.messages import ImageChunk


def chunks(image_id: int, *parts: bytes, timestamp: int = 1000) -> list[ImageChunk]:
    """Return the chunks of one image as the robot sends them."""
    last = len(parts) - 1
    return [
        ImageChunk(
            frame_time_stamp=timestamp if number == last else 0,
            image_id=image_id,
            chunk_debug=0,
            image_encoding=8,
            resolution=4,
            image_chunk_count=len(parts) if number == last else 0,
            chunk_id=number,
            status=2,
            data=data,
        )
        for number, data in enumerate(parts)
    ]


def fed(assembler: ImageAssembler, sequence: list[ImageChunk]) -> list[tuple[int, bytes]]:
    """Return id and data of the images that a sequence of chunks completes."""
    images = [(chunk.image_id, assembler.add(chunk)) for chunk in sequence]
    return [(image_id, data) for image_id, data in images if data is not None]


def test_the_last_chunk_completes_an_image() -> None:
    assembler = ImageAssembler()
    first, second, third = chunks(7, b"one", b"two", b"three", timestamp=1234)
    assert assembler.add(first) is None
    assert assembler.add(second) is None
    assert assembler.add(third) == b"onetwothree"
    assert (assembler.complete, assembler.incomplete, assembler.stale) == (1, 0, 0)


@pytest.mark.parametrize(
    "order",
    [[0, 1, 3], [1, 2, 3], [0, 2, 1, 3], [0, 0, 1, 2, 3], [0, 1, 1, 2, 3], [3], [1, 0, 2, 3]],
    ids=str,
)
def test_a_lost_repeated_or_overtaken_chunk_spoils_its_image_and_no_other(order: list[int]) -> None:
    assembler = ImageAssembler()
    spoilt = chunks(1, b"a", b"b", b"c", b"d")
    images = fed(assembler, [spoilt[n] for n in order] + chunks(2, b"e", b"f"))
    assert images == [(2, b"ef")]
    assert (assembler.complete, assembler.incomplete) == (1, 1)


def test_a_lost_last_chunk_is_noticed_with_the_next_image() -> None:
    assembler = ImageAssembler()
    assert fed(assembler, chunks(1, b"a", b"b")[:1]) == []
    assert assembler.incomplete == 0
    assert fed(assembler, chunks(2, b"c", b"d")) == [(2, b"cd")]
    assert assembler.incomplete == 1


def test_a_repeated_last_chunk_completes_nothing_twice() -> None:
    assembler = ImageAssembler()
    whole = chunks(1, b"a", b"b")
    assert len(fed(assembler, [*whole, whole[-1], whole[0], whole[1]])) == 1
    assert assembler.incomplete == 0


@pytest.mark.parametrize(
    "change",
    [{"data": bytes(MAX_CHUNK + 1)}, {"resolution": 6}, {"resolution": -1}],
    ids=["too long", "other resolution", "no resolution"],
)
def test_an_impossible_chunk_spoils_its_image(change: dict[str, object]) -> None:
    assembler = ImageAssembler()
    first, second, third = chunks(1, b"a", b"b", b"c")
    assert fed(assembler, [first, second._replace(**change), third]) == []  # type: ignore[arg-type]
    assert assembler.incomplete == 1


def test_an_image_older_than_the_one_before_is_dropped_and_an_equally_old_one_is_not() -> None:
    assembler = ImageAssembler()
    sequence = [
        *chunks(1, b"a", timestamp=1000),
        *chunks(2, b"b", timestamp=999),
        *chunks(3, b"c", timestamp=1000),
        *chunks(4, b"d", timestamp=1066),
    ]
    assert [image_id for image_id, _ in fed(assembler, sequence)] == [1, 3, 4]
    assert (assembler.complete, assembler.stale, assembler.incomplete) == (3, 1, 0)


def test_a_count_in_an_early_chunk_completes_nothing() -> None:
    assembler = ImageAssembler()
    first, second, third = chunks(1, b"a", b"b", b"c")
    early = first._replace(image_chunk_count=3)
    assert fed(assembler, [early, second, third]) == [(1, b"abc")]


def test_an_image_without_an_end_fills_no_memory() -> None:
    assembler = ImageAssembler()
    for number in range(20_000):
        endless = chunks(1, bytes(MAX_CHUNK))[0]._replace(
            chunk_id=number % 256, image_chunk_count=0
        )
        assert assembler.add(endless) is None
    assert sum(map(len, assembler._parts)) <= 256 * MAX_CHUNK


@pytest.mark.parametrize("seed", range(5))
def test_only_true_images_come_out_of_a_bad_link(seed: int) -> None:
    rng = random.Random(seed)
    sent = {n: [rng.randbytes(50) for _ in range(rng.randrange(1, 7))] for n in range(300)}
    stream: list[ImageChunk] = []
    for number, parts in sent.items():
        for chunk in chunks(number, *parts, timestamp=number):
            copies = rng.choices((0, 1, 2), (0.05, 0.9, 0.05))[0]
            for _ in range(copies):
                stream.insert(len(stream) - (rng.random() < 0.05), chunk)
    assembler = ImageAssembler()
    images = fed(assembler, stream)
    assert 50 < len(images) < 300
    assert all(data == b"".join(sent[image_id]) for image_id, data in images)
    assert [image_id for image_id, _ in images] == sorted({image_id for image_id, _ in images})
    assert assembler.complete == len(images)
