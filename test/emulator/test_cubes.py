"""The emulated radio by itself: made-up time, our own engine's connection."""

from __future__ import annotations

import itertools

import pytest

from cozmo_driver.emulator import Identity
from cozmo_driver.protocol.enums import UpAxis
from cozmo_driver.protocol.messages import (
    CubeID,
    CubeLights,
    ObjectAvailable,
    ObjectConnectionState,
    ObjectPowerLevel,
    ObjectTapped,
    ObjectTappedFiltered,
    SetPropSlot,
)
from cozmo_driver.protocol.structs import LightState

(ID1, _), (ID2, _), (ID3, _) = Identity().cubes
DIM = LightState(0x8400, 0x8400, 30, 0, 0, 0, 0)


def light(bench, slot):
    bench.send(CubeID(slot), CubeLights((DIM,) * 4))


def test_each_cube_advertises_once_a_second_until_it_is_connected(bench):
    bench.run(10.0)
    heard = zip(bench.times_of(ObjectAvailable), bench.got(ObjectAvailable), strict=True)
    adverts = [time for time, message in heard if message.factory_id == ID1]
    gaps = [b - a for a, b in itertools.pairwise(adverts)]
    assert len(adverts) in (10, 11)
    assert min(gaps) > 0.9
    assert max(gaps) < 1.1
    assert all(45 <= m.rssi <= 90 for m in bench.got(ObjectAvailable))
    bench.send(SetPropSlot(ID1, 0))
    bench.run(2.5)
    bench.forget()
    bench.run(5.0)
    assert {m.factory_id for m in bench.got(ObjectAvailable)} == {ID2, ID3}


def test_a_cube_connects_two_seconds_after_it_was_put_into_a_slot(bench):
    start = bench.time
    bench.send(SetPropSlot(ID2, 4))
    bench.run(4.0)
    assert bench.got(ObjectConnectionState) == [ObjectConnectionState(4, ID2, 2, True)]
    assert bench.times_of(ObjectConnectionState)[0] - start == pytest.approx(2.0, abs=0.05)


def test_an_emptied_slot_tells_after_a_fifth_of_a_second(bench):
    bench.send(SetPropSlot(ID1, 0))
    bench.run(3.0)
    start = bench.time
    bench.send(SetPropSlot(0, 0))
    bench.run(3.0)
    assert bench.got(ObjectConnectionState)[1:] == [ObjectConnectionState(0, ID1, 1, False)]
    assert bench.times_of(ObjectConnectionState)[1] - start == pytest.approx(0.2, abs=0.05)


def test_a_repeated_request_connects_once(bench):
    bench.send(SetPropSlot(ID1, 0))
    bench.run(1.0)
    bench.send(SetPropSlot(ID1, 0))
    bench.run(5.0)
    assert bench.got(ObjectConnectionState) == [ObjectConnectionState(0, ID1, 1, True)]


def test_a_request_that_is_repeated_again_and_again_holds_up_nothing(bench):
    start = bench.time
    for _ in range(5):
        bench.send(SetPropSlot(ID1, 0))
        bench.run(1.0)
    bench.run(2.5)
    assert bench.got(ObjectConnectionState)[0] == ObjectConnectionState(0, ID1, 1, True)
    assert bench.times_of(ObjectConnectionState)[0] - start == pytest.approx(2.0, abs=0.05)


def test_a_cube_that_went_to_another_slot_may_come_back(bench):
    for slot in (0, 1, 0):
        bench.send(SetPropSlot(ID1, slot))
        bench.run(2.5)
    states = [(m.object_id, m.connected) for m in bench.got(ObjectConnectionState)]
    assert states == [(0, True), (0, False), (1, True), (1, False), (0, True)]


def test_a_connected_cube_tells_nothing_before_it_was_given_lights(bench):
    bench.send(SetPropSlot(ID1, 0))
    bench.run(3.0)
    cubes = bench.firmware.cubes
    assert not cubes.tap(ID1)
    assert not cubes.flip(ID1, UpAxis.X_POSITIVE)
    light(bench, 1)
    bench.run(0.1)
    assert not cubes.move(ID1)
    light(bench, 0)
    bench.run(0.2)
    assert cubes.tap(ID1, 97)
    assert cubes.tap(ID1, 255)
    bench.run(0.1)
    assert [(m.tap_neg, m.tap_pos) for m in bench.got(ObjectTapped)] == [(-48, 49), (-128, 127)]
    assert [m.tap_intensity for m in bench.got(ObjectTappedFiltered)] == [97, 255]


def test_the_battery_is_told_with_the_first_lights_and_then_every_minute(bench):
    bench.send(SetPropSlot(ID1, 0))
    bench.run(3.0)
    light(bench, 0)
    bench.run(0.2)
    light(bench, 0)
    bench.run(61.0)
    assert bench.got(ObjectPowerLevel) == [ObjectPowerLevel(0, 0, 158)] * 2


def test_lights_too_bright_for_the_battery_are_counted(bench):
    bench.send(SetPropSlot(ID1, 0))
    bench.run(3.0)
    white = LightState(0xFFFF, 0xFFFF, 30, 0, 0, 0, 0)
    bench.send(CubeID(0), CubeLights((white,) * 4))
    bench.run(0.2)
    assert bench.firmware.cubes.cubes[ID1].overloads == 1
