from __future__ import annotations

import json
import random

import pytest

from cozmo_driver.emulator import EmulatorOptions
from cozmo_driver.emulator.firmware_update import END
from cozmo_driver.protocol.messages import FirmwareVersion, OtaAck, OtaWrite

from .bench import Bench

HEADER = json.dumps({"version": 2381, "build": "DEVELOPMENT", "wifiSig": "a" * 40}).encode()
FILE = HEADER.ljust(1024, b"\0") + random.Random(0).randbytes(9 * 1024)
CHUNKS = [FILE[i : i + 1024] for i in range(0, len(FILE), 1024)]


@pytest.fixture
def bench():
    bench = Bench(EmulatorOptions(on_charger=True))
    bench.connect()
    return bench


def write(bench, number, data=None, seconds=0.1):
    """Send a chunk; return the robot's answers to it."""
    bench.forget()
    chunk = bytes(1024) if number == END else CHUNKS[number]
    bench.send(OtaWrite(number, chunk if data is None else data))
    bench.run(seconds)
    return bench.got(OtaAck)


def test_an_update_that_is_not_finished_changes_nothing(bench):
    write(bench, 0, seconds=1.0)
    write(bench, 1)
    bench.engine.disconnect(bench.now)
    bench.run(0.1)
    bench.connect()
    assert json.loads(bench.got(FirmwareVersion)[-1].json)["version"] == 2457


def test_a_chunk_out_of_order_is_an_error(bench):
    write(bench, 0, seconds=1.0)
    (answer,) = write(bench, 3)
    assert answer.result not in (0, 10)


def test_a_file_without_a_description_is_not_complete(bench):
    write(bench, 0, bytes(1024), 1.0)
    for number in range(1, len(CHUNKS)):
        write(bench, number)
    (answer,) = write(bench, END, seconds=0.4)
    assert answer.result not in (0, 10)
    bench.run(3.0)
    assert bench.firmware.update.restarts == 0
