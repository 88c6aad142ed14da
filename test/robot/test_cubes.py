"""Cubes end to end: the robot layer against the emulated robot, in virtual time."""

from __future__ import annotations

import logging
import math

import pytest

from cozmo_driver.emulator import Identity
from cozmo_driver.protocol.enums import UpAxis
from cozmo_driver.protocol.messages import (
    CubeID,
    ObjectAccel,
    ObjectMoved,
    ObjectTappedFiltered,
    SetCubeGamma,
    SetPropSlot,
    StreamObjectAccel,
)
from cozmo_driver.protocol.messages import CubeLights as WireLights
from cozmo_driver.protocol.structs import ActiveAccel
from cozmo_driver.robot import (
    Color,
    CubeEventType,
    CubeKind,
    CubeLights,
    CubeLink,
    Reason,
    steady,
    uniform_lights,
)
from cozmo_driver.robot.lights import CUBE_IDLE, DARK, cube_messages

from .hands import fails, keep_commands
from .virtual import in_virtual_time, record

ONE, TWO, THREE, CHARGER = CubeKind.CUBE_1, CubeKind.CUBE_2, CubeKind.CUBE_3, CubeKind.CHARGER
ID1, ID2, ID3 = (factory_id for factory_id, _ in Identity().cubes)
RIVAL, PAD = 0xC1000099, 0xCD000044
WITH_RIVAL = {"identity": Identity(cubes=((ID1, 1), (RIVAL, 1), (PAD, 13)))}
GREEN = Color(0.0, 1.0, 0.0)
Type = CubeEventType


def is_connected(world, *factory_ids):
    cubes = {cube.factory_id: cube for cube in world.robot.cubes.all}
    return all(each in cubes and cubes[each].is_connected for each in factory_ids)


async def all_connected(world):
    await world.until(lambda: is_connected(world, ID1, ID2, ID3))


def happened(events, *types):
    return [(event.type, event.cube.factory_id) for event in events if event.type in types]


def on_wire(slot, kind, lights):
    return cube_messages(slot, kind, lights, 1000.0)[1].lights


# -- connections


@in_virtual_time(cubes=(TWO,))
async def test_only_wanted_kinds_are_connected_and_the_others_are_listed(world):
    await world.until(lambda: is_connected(world, ID2))
    await world.pass_time(10.0)
    assert [(cube.link, cube.is_available) for cube in world.robot.cubes.all] == [
        (CubeLink.DISCONNECTED, True),
        (CubeLink.CONNECTED, True),
        (CubeLink.DISCONNECTED, True),
    ]


def bring_near(world, factory_id):
    for cube in world.firmware.cubes.cubes.values():
        cube.rssi = 30 if cube.factory_id == factory_id else 90


@in_virtual_time(WITH_RIVAL)
async def test_another_cube_of_the_same_kind_replaces_the_first_when_asked_for(world):
    bring_near(world, RIVAL)
    await world.until(lambda: is_connected(world, RIVAL))
    cube = await world.robot.cubes.connect(factory_id=ID1)
    assert (cube.factory_id, cube.link, cube.slot) == (ID1, CubeLink.CONNECTED, 0)
    assert not is_connected(world, RIVAL)
    assert world.firmware.cubes.cubes[RIVAL].slot is None


@in_virtual_time(WITH_RIVAL, cubes=())
async def test_a_charger_pad_with_a_radio_takes_the_fourth_slot(world):
    await world.until(lambda: len(world.robot.cubes.all) == 3)
    pad = await world.robot.cubes.connect(CHARGER)
    assert (pad.factory_id, pad.slot) == (PAD, 3)
    await world.until(lambda: world.firmware.cubes.move(PAD))
    await world.pass_time(1.0)
    assert not world.robot.cubes.find(CHARGER).is_moving


@in_virtual_time()
async def test_a_disconnected_cube_stays_so_and_can_be_connected_again(world):
    await all_connected(world)
    cube = await world.robot.cubes.disconnect(ONE)
    assert (cube.factory_id, cube.link) == (ID1, CubeLink.DISCONNECTED)
    await world.pass_time(20.0)
    assert world.firmware.cubes.cubes[ID1].slot is None
    assert (await world.robot.cubes.connect(ONE)).is_connected


@in_virtual_time()
async def test_a_cube_out_of_reach_ends_the_wait_with_what_to_do(world):
    await all_connected(world)
    world.firmware.cubes.take_away(ID1)
    await world.until(lambda: not is_connected(world, ID1))
    with fails(Reason.TIMEOUT):
        await world.robot.cubes.connect(ONE)


@in_virtual_time()
async def test_unknown_cubes_are_refused_with_what_to_do(world):
    await all_connected(world)
    cubes = world.robot.cubes
    with fails(Reason.NOT_FOUND):
        cubes.find(factory_id=0x123)
    with fails(Reason.NOT_FOUND):
        cubes.set_lights(CUBE_IDLE)
    with fails(Reason.NOT_FOUND):
        await cubes.connect(TWO, ID1)
    with fails(Reason.NOT_FOUND):
        cubes.stream_acceleration(True, CHARGER)


# -- after a loss


@in_virtual_time()
async def test_a_dropped_cube_is_back_within_a_second_with_its_lights(world):
    await all_connected(world)
    wanted = CubeLights((steady(GREEN), DARK, DARK, DARK))
    world.robot.cubes.set_lights(wanted, TWO)
    world.robot.cubes.stream_acceleration(True, TWO)
    await world.until(lambda: world.firmware.cubes.cubes[ID2].streaming)
    requests = len(world.wire.received(SetPropSlot))
    world.firmware.cubes.drop(ID2)
    await world.until(lambda: world.robot.cubes.find(TWO).link is CubeLink.LOST)
    assert not world.robot.cubes.find(TWO).is_streaming
    await world.until(lambda: is_connected(world, ID2), timeout=1.0)
    await world.until(lambda: world.firmware.cubes.cubes[ID2].streaming)
    assert world.firmware.cubes.cubes[ID2].lights == on_wire(1, TWO, wanted)
    assert len(world.wire.received(SetPropSlot)) == requests


@in_virtual_time()
async def test_what_a_full_queue_refuses_a_cube_that_is_back_it_gets_afterwards(world):
    await all_connected(world)
    world.robot.cubes.stream_acceleration(True, TWO)
    await world.until(lambda: world.firmware.cubes.cubes[ID2].streaming)
    await keep_commands(world)
    world.firmware.cubes.drop(ID2)
    await world.until(lambda: world.robot.cubes.find(TWO).link is CubeLink.LOST)
    await world.until(lambda: is_connected(world, ID2))
    del world.wire._reach_robot
    await world.until(lambda: world.firmware.cubes.cubes[ID2].streaming, timeout=5.0)
    assert world.robot.cubes.find(TWO).is_streaming


@pytest.mark.parametrize("restart", [False, True])
@in_virtual_time()
async def test_connections_lights_and_streams_are_back_after_the_robot_was_lost(world, restart):
    await all_connected(world)
    wanted = CubeLights((DARK, steady(GREEN), DARK, DARK), rotation_period=0.3)
    world.robot.cubes.set_lights(wanted, factory_id=ID3)
    world.robot.cubes.stream_acceleration(True, ONE)
    await world.until(lambda: world.firmware.cubes.cubes[ID1].streaming)
    events = record(world.robot.cubes.on_event)
    await world.reconnect(restart=restart)
    await all_connected(world)
    assert sorted(happened(events, Type.DISCONNECTED)) == sorted(
        (Type.DISCONNECTED, each) for each in (ID1, ID2, ID3)
    )
    cubes = world.firmware.cubes.cubes
    await world.until(lambda: cubes[ID1].streaming and cubes[ID3].lit)
    assert cubes[ID3].lights == on_wire(2, THREE, wanted)
    assert cubes[ID3].rotation_frames == 10
    assert world.firmware.cubes.gamma == 0x80


@in_virtual_time()
async def test_a_tap_of_an_earlier_session_hides_no_move_of_this_one(world):
    await ready(world)
    milliseconds = world.firmware.core.timestamp_at
    tapped_at = milliseconds(world.loop.time())
    world.firmware.cubes.tap(ID1)
    await world.pass_time(1.0)
    await world.reconnect()
    events = await ready(world)
    await world.until(lambda: milliseconds(world.loop.time()) >= tapped_at)
    world.firmware.cubes.move(ID1)
    await world.until(lambda: happened(events, Type.MOVED) == [(Type.MOVED, ID1)], timeout=1.0)


# -- lights


@in_virtual_time()
async def test_a_cube_gets_lights_with_its_connection_gamma_once_and_never_interleaved(world):
    await all_connected(world)
    world.robot.cubes.set_lights(uniform_lights(DARK), ONE)
    world.robot.cubes.set_lights(uniform_lights(DARK, 0.3), THREE)
    await world.pass_time(10.0)
    sent = world.wire.received(SetCubeGamma, CubeID, WireLights)
    assert sent[0] == SetCubeGamma(0x80)
    pairs = sent[1:]
    assert {type(message) for message in pairs[0::2]} == {CubeID}
    assert {type(message) for message in pairs[1::2]} == {WireLights}
    assert {message.object_id for message in pairs[0::2]} == {0, 1, 2}


@in_virtual_time()
async def test_a_cube_nobody_lights_greets_and_then_shows_that_it_is_connected(world):
    await all_connected(world)
    await world.pass_time(10.0)
    cube = world.firmware.cubes.cubes[ID1]
    assert cube.updates == 3
    assert cube.lights == on_wire(0, ONE, CUBE_IDLE)
    assert list(cube.colors(cube.lit_at + 0.02)) == [(0.0, 5 / 31, 5 / 31)] * 4


@in_virtual_time()
async def test_the_users_lights_are_shown_until_released(world):
    await all_connected(world)
    wanted = CubeLights((steady(GREEN), DARK, DARK, DARK), rotation_period=0.06)
    assert world.robot.cubes.set_lights(wanted, ONE)
    cube = world.firmware.cubes.cubes[ID1]
    await world.until(lambda: cube.lights == on_wire(0, ONE, wanted))
    assert [colors.index((0.0, 1.0, 0.0)) for colors in map(cube.colors, lit_times(cube))] == [
        0,
        1,
        2,
        3,
        0,
    ]
    await world.pass_time(10.0)
    assert cube.lights == on_wire(0, ONE, wanted)
    assert world.robot.cubes.release_lights(ONE)
    await world.until(lambda: cube.lights == on_wire(0, ONE, CUBE_IDLE))


def lit_times(cube):
    return [cube.lit_at + 0.01 + 0.06 * step for step in range(5)]


@in_virtual_time()
async def test_lights_a_battery_cannot_carry_are_darker_counted_and_said_once(world, caplog):
    await all_connected(world)
    cubes = world.robot.cubes
    with caplog.at_level(logging.WARNING):
        for red in (1.0, 0.9, 0.8):
            cubes.set_lights(uniform_lights(steady(Color(red, red, red))), ONE)
    await world.until(lambda: world.firmware.cubes.cubes[ID1].lights[0].on_color != 0x8000)
    await world.pass_time(10.0)
    assert cubes.dimmed == 3
    said = [record.getMessage() for record in caplog.records if "brightness" in record.message]
    assert len(said) == 1
    assert "cube 1" in said[0]
    assert world.firmware.cubes.cubes[ID1].overloads == 0


@in_virtual_time()
async def test_lights_for_a_cube_out_of_reach_are_shown_when_it_connects(world):
    await all_connected(world)
    world.firmware.cubes.take_away(ID1)
    await world.until(lambda: not is_connected(world, ID1))
    wanted = CubeLights((DARK, DARK, steady(GREEN), DARK))
    assert not world.robot.cubes.set_lights(wanted, ONE)
    world.firmware.cubes.bring_back(ID1)
    await world.until(lambda: is_connected(world, ID1))
    await world.until(lambda: world.firmware.cubes.cubes[ID1].lit)
    assert world.firmware.cubes.cubes[ID1].lights == on_wire(0, ONE, wanted)


# -- what cubes feel


async def ready(world):
    """Wait until the cubes are connected and tell what they feel; return the events from now."""
    await all_connected(world)
    await world.until(
        lambda: not any(math.isnan(cube.battery_voltage) for cube in world.robot.cubes.all)
    )
    return record(world.robot.cubes.on_event)


@in_virtual_time()
async def test_a_tap_is_told_with_the_time_it_happened_on_the_robot(world):
    events = await ready(world)
    # Between two of the robot's frames, so that the tap arrives late.
    await world.pass_time(1.01)
    tapped_at = world.loop.time()
    world.firmware.handle_timer(tapped_at)
    assert world.firmware.cubes.tap(ID2, 97)
    (event,) = await world.until(lambda: [e for e in events if e.type is Type.TAPPED])
    assert (event.cube.factory_id, event.tap_intensity) == (ID2, 97)
    assert event.time == pytest.approx(tapped_at, abs=0.005)
    assert event.text == "cube 2 (c2000022) was tapped"


@in_virtual_time()
async def test_two_taps_soon_after_another_are_a_double_tap_and_weak_ones_are_none(world):
    events = await ready(world)
    world.firmware.cubes.tap(ID1)
    await world.pass_time(0.3)
    world.firmware.cubes.tap(ID1)
    await world.pass_time(1.0)
    world.firmware.cubes.tap(ID1, 60)
    await world.pass_time(1.0)
    assert [kind for kind, _ in happened(events, Type.TAPPED, Type.DOUBLE_TAPPED)] == [
        Type.TAPPED,
        Type.DOUBLE_TAPPED,
    ]
    assert world.robot.cubes.senses.ignored["weak tap"] == 1


@in_virtual_time()
async def test_a_moved_cube_moves_until_it_comes_to_rest(world):
    events = await ready(world)
    world.firmware.cubes.move(ID1)
    world.firmware.cubes.move(ID1)
    await world.until(lambda: world.robot.cubes.find(ONE).is_moving)
    await world.pass_time(5.0)
    assert world.robot.cubes.find(ONE).is_moving
    world.firmware.cubes.stop(ID1)
    world.firmware.cubes.stop(ID1)
    await world.until(lambda: not world.robot.cubes.find(ONE).is_moving)
    await world.pass_time(1.0)
    assert happened(events, Type.MOVED, Type.STOPPED) == [(Type.MOVED, ID1), (Type.STOPPED, ID1)]
    moved = next(event for event in events if event.type is Type.MOVED)
    assert moved.acceleration.z == pytest.approx(9.5, abs=1.0)


@in_virtual_time()
async def test_the_shaking_of_a_tap_is_no_move_and_a_later_move_is_one(world):
    events = await ready(world)
    world.firmware.cubes.tap(ID1)
    world.firmware.cubes.move(ID1)
    await world.pass_time(0.3)
    world.firmware.cubes.move(ID1)
    world.firmware.cubes.stop(ID1)
    await world.pass_time(0.3)
    assert happened(events, Type.MOVED, Type.STOPPED) == []
    world.firmware.cubes.move(ID1)
    await world.until(lambda: happened(events, Type.MOVED) == [(Type.MOVED, ID1)])


@pytest.mark.parametrize("axis", [axis for axis in UpAxis if axis is not UpAxis.UNKNOWN_AXIS])
@in_virtual_time()
async def test_a_cube_turned_over_tells_its_up_axis_and_feels_gravity_along_it(world, axis):
    await ready(world)
    world.robot.cubes.stream_acceleration(True, THREE)
    events = record(world.robot.cubes.on_event)
    felt = record(world.robot.cubes.on_acceleration)
    world.firmware.cubes.flip(ID3, axis)
    await world.until(lambda: world.robot.cubes.find(THREE).up_axis is axis)
    assert happened(events, Type.UP_AXIS_CHANGED) == [(Type.UP_AXIS_CHANGED, ID3)]
    felt.clear()
    sample = (await world.until(lambda: [s for s in felt if s.factory_id == ID3]))[0]
    parts = (sample.acceleration.x, sample.acceleration.y, sample.acceleration.z)
    index, is_positive = divmod(axis, 2)
    assert parts[index] == pytest.approx(9.5 if is_positive else -9.5, abs=1.0)
    assert sum(map(abs, parts)) - abs(parts[index]) < 2.0


@in_virtual_time()
async def test_how_a_cube_was_turned_while_it_had_no_link_is_not_known(world):
    await all_connected(world)
    world.firmware.cubes.flip(ID3, UpAxis.X_POSITIVE)
    await world.until(lambda: world.robot.cubes.find(THREE).up_axis is UpAxis.X_POSITIVE)
    world.firmware.cubes.drop(ID3)
    await world.until(lambda: not is_connected(world, ID3))
    await world.until(lambda: is_connected(world, ID3))
    assert world.robot.cubes.find(THREE).up_axis is UpAxis.X_POSITIVE
    async with world.without_link():
        world.firmware.cubes.cubes[ID3].up_axis = UpAxis.Y_POSITIVE
    events = record(world.robot.cubes.on_event)
    await all_connected(world)
    assert world.robot.cubes.find(THREE).up_axis is UpAxis.UNKNOWN_AXIS
    await world.until(lambda: world.firmware.cubes.cubes[ID3].lit)
    for axis in (UpAxis.X_POSITIVE, UpAxis.Y_POSITIVE):
        world.firmware.cubes.flip(ID3, axis)
        await world.until(lambda axis=axis: world.robot.cubes.find(THREE).up_axis is axis)
    assert happened(events, Type.UP_AXIS_CHANGED) == [(Type.UP_AXIS_CHANGED, ID3)]


@in_virtual_time()
async def test_acceleration_comes_thirty_times_a_second_while_it_streams(world):
    await ready(world)
    felt = record(world.robot.cubes.on_acceleration)
    await world.pass_time(1.0)
    assert felt == []
    assert world.robot.cubes.stream_acceleration(True, TWO)
    assert world.robot.cubes.find(TWO).is_streaming
    await world.pass_time(10.0)
    assert 295 <= len(felt) <= 305
    times = [sample.time for sample in felt]
    assert times == sorted(times)
    world.robot.cubes.stream_acceleration(False, TWO)
    await world.pass_time(0.5)
    felt.clear()
    await world.pass_time(5.0)
    assert felt == []
    assert [m.enable for m in world.wire.received(StreamObjectAccel)] == [True, False]


@in_virtual_time()
async def test_the_battery_is_told_in_volts_and_as_a_share_and_low_once(world):
    events = await ready(world)
    cube = await world.until(
        lambda: [c for c in world.robot.cubes.all if c.kind is ONE and c.battery_level == 1.0]
    )
    assert cube[0].battery_voltage == pytest.approx(1.58)
    for level in (125, 110, 108, 105):
        world.firmware.cubes.set_battery(ID1, level)
    await world.until(lambda: world.robot.cubes.find(ONE).battery_voltage == 1.05)
    assert world.robot.cubes.find(ONE).battery_level == pytest.approx(0.1)
    assert happened(events, Type.BATTERY_LOW) == [(Type.BATTERY_LOW, ID1)]


@in_virtual_time()
async def test_messages_of_empty_slots_and_broken_numbers_are_counted_and_harmless(world):
    events = await ready(world)
    ignored = world.robot.cubes.senses.ignored
    send = world.firmware.core.send
    send(ObjectTappedFiltered(5, 4, 0, 100))
    send(ObjectMoved(5, 0xFFFFFFFF, ActiveAccel(0.0, 0.0, 31.0)))
    send(ObjectMoved(5, 0, ActiveAccel(math.nan, 0.0, 31.0)))
    send(ObjectAccel(5, 0, ActiveAccel(0.0, math.inf, 31.0)))
    await world.until(lambda: ignored["not finite"] == 2)
    assert ignored["slot without a cube"] == 2
    assert happened(events, Type.MOVED) == []
