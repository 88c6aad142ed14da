from __future__ import annotations

import json
import math

import pytest

from cozmo_driver.emulator import Identity
from cozmo_driver.emulator.storage import calibration_record
from cozmo_driver.emulator.variation import variation_of
from cozmo_driver.protocol.enums import NVEntryTag, NVOperation
from cozmo_driver.protocol.messages import NVCommand, SyncTimeAck
from cozmo_driver.robot import CalibrationSource, Phase, StorageOptions
from cozmo_driver.robot.camera.calibration import (
    DEFAULT_CALIBRATION,
    CalibrationCache,
    CalibrationInvalid,
    parse_calibration,
)

from .virtual import in_virtual_time, record

ZEROS = (0.0, 0.0, 0.0, 0.0, 0.0)
GOOD = (0.01, -0.02, 0.0003, 0.004, 0.5, 0.0, 0.0, 0.0)
SERIAL = 0x45A1B2C3
QUICK = {"calibration_time": 0.0}
READ = NVCommand(NVEntryTag.CAMERA_CALIB, 1, NVOperation.READ, 0, b"")


def record_of(serial):
    """Return what an emulated robot holds."""
    lens = variation_of(serial).calibration
    return calibration_record(lens.fx, lens.fy, lens.cx, lens.cy)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """Return the cache that a robot made in this test uses."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return CalibrationCache(tmp_path / "cozmo_driver")


# -- the record


def test_the_record_of_a_real_robot_is_understood():
    calibration = parse_calibration(calibration_record(), body_hardware=5)
    assert (calibration.fx, calibration.fy) == pytest.approx((294.716, 294.899), abs=1e-3)
    assert (calibration.cx, calibration.cy) == pytest.approx((143.163, 117.454), abs=1e-3)
    assert (calibration.width, calibration.height) == (320, 240)
    assert calibration.distortion == ZEROS
    assert calibration.source is CalibrationSource.ROBOT


@pytest.mark.parametrize("hardware", [0, 1, 4, 5, 6])
def test_distortion_of_old_bodies_is_garbage(hardware):
    record = calibration_record(distortion=GOOD)
    assert parse_calibration(record, hardware).distortion == ZEROS


def test_distortion_of_newer_bodies_is_used_in_the_order_of_opencv():
    record = calibration_record(distortion=GOOD)
    assert parse_calibration(record, 7).distortion == pytest.approx(GOOD[:5])


@pytest.mark.parametrize(("index", "bad"), [(0, math.inf), (4, math.nan), (7, -math.inf)])
def test_one_coefficient_that_is_no_number_spoils_all(index, bad):
    coefficients = [*GOOD]
    coefficients[index] = bad
    record = calibration_record(distortion=tuple(coefficients))
    assert parse_calibration(record, 7).distortion == ZEROS


@pytest.mark.parametrize("size", [0, 4, 52, 55, 57, 60, 1024])
def test_a_record_of_another_size_is_refused(size):
    with pytest.raises(CalibrationInvalid, match=f"{size} bytes"):
        parse_calibration(calibration_record().ljust(size, b"\0")[:size], 5)


@pytest.mark.parametrize(
    "values",
    [
        {"fx": 200.0},
        {"fy": 500.0},
        {"fx": math.nan},
        {"cx": -0.1},
        {"cy": 240.0},
        {"rows": 320, "columns": 240},
    ],
)
def test_values_of_no_real_camera_are_refused(values):
    with pytest.raises(CalibrationInvalid):
        parse_calibration(calibration_record(**values), 5)


# -- the cache


def test_a_record_is_kept_for_each_robot(cache):
    cache.store(1, calibration_record(fx=300.0))
    cache.store(2, calibration_record(fx=310.0))
    assert cache.load(1) == calibration_record(fx=300.0)
    assert cache.load(2) == calibration_record(fx=310.0)
    assert cache.load(3) is None
    assert len(list(cache.path(1).parent.iterdir())) == 2


def spoiled(document):
    yield document | {"format": "something"}
    yield document | {"version": 2}
    yield document | {"record": "zz"}
    yield document | {"record": 5}
    yield document | {"record": document["record"][:-2]}
    yield document | {"record": "00" * 56}
    yield document | {"sha256": "0" * 64}
    yield {}
    yield [document]
    yield None


def test_a_spoiled_file_counts_as_missing(cache):
    cache.store(SERIAL, calibration_record())
    path = cache.path(SERIAL)
    document = json.loads(path.read_text())
    for bad in spoiled(document):
        path.write_text(json.dumps(bad))
        assert cache.load(SERIAL) is None
    for raw in (b"", b"\xff\xfe", b"[" * 4000, path.read_bytes() + b" " * 5000):
        path.write_bytes(raw)
        assert cache.load(SERIAL) is None
    # A file that was copied from another robot's name.
    path.write_text(json.dumps(document))
    path.rename(cache.path(7))
    assert cache.load(7) is None
    cache.store(7, calibration_record())
    assert cache.load(7) == calibration_record()


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    cache = CalibrationCache(tmp_path / "file" / "below")
    cache.store(SERIAL, calibration_record())
    assert cache.load(SERIAL) is None
    assert "cannot keep the camera calibration" in caplog.text


# -- a session


async def calibrated(world):
    return await world.until(lambda: world.robot.camera.calibration)


@in_virtual_time(QUICK)
async def test_the_calibration_is_read_once_the_robot_is_ready(world, cache):
    seen = record(world.robot.camera.on_calibration)
    calibration = await calibrated(world)
    assert calibration == parse_calibration(calibration_record(), 5)
    assert seen == [calibration]
    assert world.wire.received(NVCommand) == [READ]
    assert SyncTimeAck in world.robot.session.received
    assert world.robot.session_state.phase is Phase.CONNECTED
    assert cache.load(SERIAL) == calibration_record()


async def exchange(world, head_serial, spoil=lambda storage: None):
    """Put another robot in the place of this one; return the calibration it comes with."""
    async with world.without_link():
        world.wire.options["identity"] = Identity(head_serial=head_serial)
        world.wire.restart()
        spoil(world.firmware.storage)
        seen = record(world.robot.camera.on_calibration)
    await world.until(lambda: seen)
    return seen[0]


async def spoil_and_reconnect(world, spoil):
    """Let a robot come that has something wrong, and of which nothing is known."""
    await calibrated(world)
    return await exchange(world, 0x77, spoil)


def short(storage):
    storage.factory[NVEntryTag.CAMERA_CALIB] = calibration_record()[:52]


def absent(storage):
    storage.factory.clear()


def insane(storage):
    storage.factory[NVEntryTag.CAMERA_CALIB] = calibration_record(fx=5000.0)


def silent(storage):
    storage.faults.silent = 1


@pytest.mark.parametrize("spoil", [short, absent, insane, silent])
@in_virtual_time(QUICK)
async def test_an_unusable_record_makes_the_default_and_says_so(world, spoil, cache, caplog):
    assert await spoil_and_reconnect(world, spoil) == DEFAULT_CALIBRATION
    assert world.robot.camera.calibration.source is CalibrationSource.DEFAULT
    assert "calibration is not used" in caplog.text
    assert cache.load(0x77) is None


@in_virtual_time(QUICK)
async def test_a_robot_without_one_is_asked_again_in_its_next_session(world, cache):
    assert await spoil_and_reconnect(world, silent) == DEFAULT_CALIBRATION
    await world.reconnect()
    await world.until(lambda: world.robot.camera.calibration.source is CalibrationSource.ROBOT)
    assert cache.load(0x77) == record_of(0x77)


@in_virtual_time(QUICK)
async def test_a_known_robot_that_comes_back_after_another_has_its_own_again(world):
    first = await calibrated(world)
    assert await exchange(world, 0x77, absent) == DEFAULT_CALIBRATION
    assert await exchange(world, SERIAL, absent) == first


@in_virtual_time(QUICK, storage=StorageOptions(timeout=60.0))
async def test_a_link_lost_while_it_is_read_leaves_nothing_behind(world):
    await world.until(lambda: world.wire.received(NVCommand))
    # The answer is on its way when the link goes.
    await world.reconnect()
    assert (await calibrated(world)).source is CalibrationSource.ROBOT
