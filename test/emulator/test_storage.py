from __future__ import annotations

import math
import random

import pytest

from cozmo_driver.emulator.storage import calibration_record
from cozmo_driver.protocol.enums import NVEntryTag, NVOperation, NVResult
from cozmo_driver.protocol.messages import NVCommand, NVOpResult

from .bench import Bench

GAMES, ALBUM = NVEntryTag.GAME_UNLOCKS, NVEntryTag.FACE_ALBUM_DATA
READ, WRITE, ERASE, WIPE = NVOperation
OKAY, MORE = NVResult.OKAY, NVResult.MORE


@pytest.fixture
def bench():
    bench = Bench()
    bench.connect()
    return bench


def ask(bench, tag, length, operation=READ, data=b"", seconds=1.0):
    """Send a command; return what the robot answers."""
    bench.forget()
    bench.send(NVCommand(tag, length, operation, 0, data))
    bench.run(seconds)
    return bench.got(NVOpResult)


def results(answers):
    return [answer.result for answer in answers]


def test_the_recorded_exchange_of_the_camera_calibration(bench):
    (answer,) = ask(bench, 0x80000001, 1)
    assert (answer.tag, answer.block, answer.op, answer.result) == (0x80000001, 0, 0, 0)
    assert len(answer.data) == 56
    assert answer.data == calibration_record()


def test_the_length_of_a_factory_read_counts_records(bench):
    factory = bench.firmware.storage.factory
    factory[0x80000002], factory[0x80000010] = b"two", b"far"
    answers = ask(bench, 0x80000001, 1024)
    assert [(a.tag, a.block, a.result, a.data) for a in answers] == [
        (0x80000001, 0, MORE, calibration_record()),
        (0x80000001, 1, MORE, b"two"),
        (0x80000001, 15, MORE, b"far"),
        (0x80000001, 0, OKAY, b""),
    ]


def test_blocks_wait_for_room_in_the_robots_transport(bench):
    bench.firmware.storage.put(ALBUM, random.Random(0).randbytes(0xFFF0))
    answers = ask(bench, ALBUM, 0x10000, seconds=10.0)
    assert [a.block for a in answers] == list(range(64))
    assert bench.firmware.core.connection.statistics.dropped == 0


@pytest.mark.parametrize(("tag", "length"), [(GAMES, 1024), (0x80000000, 1), (0x80010000, 0xFFFF)])
def test_what_is_not_there_is_not_found(bench, tag, length):
    assert results(ask(bench, tag, length)) == [NVResult.NOT_FOUND]


@pytest.mark.parametrize(
    ("operation", "tag", "length", "data"),
    [
        (READ, 0x1000, 1024, b""),
        (READ, 0x197FFC, 8, b""),
        (READ, 0x1FD000, 1024, b""),
        (READ, GAMES, 0, b""),
        (READ, GAMES, -1, b""),
        (READ, GAMES + 2, 16, b""),
        (7, GAMES, 16, b""),
        # Writes are whole words, erases whole sectors.
        (WRITE, GAMES, 0, b""),
        (WRITE, GAMES, 3, bytes(3)),
        (WRITE, GAMES, 1022, bytes(1022)),
        (ERASE, GAMES, 0, b""),
        (ERASE, GAMES, 100, b""),
        (ERASE, GAMES + 4, 0x1000, b""),
        (ERASE, 0x197000, 0x2000, b""),
    ],
)
def test_what_makes_no_sense_is_refused(bench, operation, tag, length, data):
    assert results(ask(bench, tag, length, operation, data)) == [NVResult.BAD_ARGS]
    assert bench.firmware.storage.written_blocks == 0


@pytest.mark.parametrize("operation", [WRITE, ERASE])
@pytest.mark.parametrize("tag", [0x80000001, 0xDE000, 0xFFFFC, 0x1C0000, 0x1FD000])
def test_protected_ranges_are_not_changed(bench, tag, operation):
    assert results(ask(bench, tag, 0x1000, operation, b"evil")) == [NVResult.ERROR]
    assert bench.firmware.storage.factory == {0x80000001: calibration_record()}


def test_wiping_everything_is_an_error(bench):
    bench.firmware.storage.put(GAMES, b"data")
    assert results(ask(bench, 0, 0, WIPE)) == [NVResult.ERROR]
    assert bench.firmware.storage.get(GAMES) == b"data"


def test_flash_must_be_erased_before_it_is_written_again(bench):
    assert results(ask(bench, GAMES, 4, WRITE, b"\x0f\xff\x00\xff")) == [OKAY]
    assert results(ask(bench, GAMES, 4, WRITE, b"\xf1\xf0\xff\xff")) == [OKAY]
    assert bench.firmware.storage.image(GAMES, 4) == b"\x01\xf0\x00\xff"
    assert results(ask(bench, GAMES, 0x1000, ERASE)) == [OKAY]
    assert bench.firmware.storage.image(GAMES, 0x1000) == b"\xff" * 0x1000


def test_flash_survives_the_connection_and_an_erase_stops_where_it_is(bench):
    storage = bench.firmware.storage
    storage.put_image(ALBUM, bytes(0x10000))
    bench.send(NVCommand(ALBUM, 0x10000, ERASE, 0, b""))
    bench.run(0.15)
    bench.engine.disconnect(bench.now)
    bench.run(1.0)
    assert 0 < storage.erased_sectors < 16
    erased = storage.erased_sectors * 0x1000
    assert storage.image(ALBUM, 0x10000) == b"\xff" * erased + bytes(0x10000 - erased)
    bench.connect()
    assert results(ask(bench, ALBUM, 0x10000, ERASE)) == [OKAY]


# -- faults


def test_the_calibration_of_the_real_robot_has_an_infinite_coefficient():
    assert calibration_record()[48:52] == b"\x00\x00\x80\x7f"
    assert math.inf in memoryview(calibration_record()).cast("f").tolist()
