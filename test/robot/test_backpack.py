from __future__ import annotations

import logging

import numpy as np
import pytest

from cozmo_driver.emulator.lights import FRONT, LEFT, MIDDLE, REAR, RIGHT
from cozmo_driver.protocol import SendQueueFull, messages
from cozmo_driver.protocol.structs import LightState as WireLight
from cozmo_driver.robot import BackpackLights, Battery, Charge, ChargeDisplay, Color, steady
from cozmo_driver.robot.lights import charge_display

from .hands import keep_commands
from .virtual import in_virtual_time

OFF_CHARGER, CHARGING, CHARGED, BAD = ChargeDisplay
BLUE = steady(Color(0.0, 0.0, 1.0))
RED = steady(Color(1.0, 0.0, 0.0))
STEADY_GREEN = WireLight(0x81E0, 0x81E0, 30, 0, 0, 0, 0)
STEADY_OFF = WireLight(0x8000, 0x8000, 30, 0, 0, 0, 0)
BACKPACK = (messages.BackpackLightsMiddle, messages.BackpackLightsTurnSignals)


def battery(voltage=4.0, charge=Charge.DISCHARGING, on_charger=False, **judged):
    return Battery(voltage, 0.5, charge, on_charger, **judged)


@pytest.mark.parametrize(
    ("now", "shown"),
    [
        (battery(), OFF_CHARGER),
        (battery(3.49, is_low=True), BAD),
        (battery(4.6, Charge.CHARGING, True), CHARGING),
        (battery(4.6, Charge.FULL, True), CHARGED),
        (battery(4.6, Charge.CHARGER_OUT_OF_SPEC, True), BAD),
    ],
)
def test_the_pattern_follows_charger_and_voltage(now, shown):
    assert charge_display(now) is shown


def user_lights(firmware):
    return [firmware.backpack.light(place) for place in (LEFT, FRONT, MIDDLE, REAR, RIGHT)]


@in_virtual_time()
async def test_off_the_charger_the_lights_are_sent_once_and_off(world):
    sent = world.wire.received(*BACKPACK)
    assert [type(message) for message in sent] == list(BACKPACK)
    assert user_lights(world.firmware) == [STEADY_OFF] * 5
    await world.pass_time(5.0)
    assert len(world.wire.received(*BACKPACK)) == 2


@in_virtual_time({"on_charger": True})
async def test_on_the_charger_the_lights_run_the_official_wave(world):
    await world.until(lambda: world.robot.backpack.display is CHARGING)
    await world.until(lambda: world.firmware.backpack.light(REAR) == STEADY_GREEN)
    assert user_lights(world.firmware) == [
        STEADY_OFF,
        WireLight(0x81E0, 0x8000, 10, 30, 10, 10, -29),
        WireLight(0x81E0, 0x8000, 30, 10, 10, 10, -9),
        STEADY_GREEN,
        STEADY_OFF,
    ]


@in_virtual_time()
async def test_the_users_lights_go_over_the_charging_pattern_until_released(world):
    backpack = world.robot.backpack
    backpack.set(BackpackLights(front=BLUE, left=RED, right=RED))
    await world.until(lambda: world.firmware.backpack.colors()[FRONT] == (0.0, 0.0, 1.0))
    assert world.firmware.backpack.colors()[LEFT] == (1.0, 0.0, 0.0)
    world.firmware.battery.put_on_charger(True)
    await world.until(lambda: backpack.display is CHARGING)
    await world.pass_time(1.0)
    assert world.firmware.backpack.colors()[FRONT] == (0.0, 0.0, 1.0)
    backpack.release()
    await world.until(lambda: world.firmware.backpack.light(REAR) == STEADY_GREEN)
    assert world.firmware.backpack.light(LEFT) == STEADY_OFF


@in_virtual_time()
async def test_lights_and_head_light_are_back_after_the_link_was_lost(world):
    world.robot.backpack.set(BackpackLights(rear=BLUE))
    world.robot.head_light.set(True)
    await world.until(lambda: world.firmware.backpack.head_light)
    await world.reconnect(restart=True)
    await world.until(lambda: world.firmware.backpack.colors()[REAR] == (0.0, 0.0, 1.0))
    assert world.firmware.backpack.head_light
    world.robot.head_light.set(False)
    await world.until(lambda: not world.firmware.backpack.head_light)


def test_lights_that_a_full_queue_refused_are_shown_once_it_is_empty(caplog):
    @in_virtual_time({"calibration_time": 0.0})
    async def scenario(world):
        robot = world.robot
        await world.until(lambda: robot.battery)
        count = robot.state_tracker.received
        await keep_commands(world)
        robot.backpack.set(BackpackLights(rear=BLUE))
        robot.display.show(np.ones((64, 128), bool))
        with pytest.raises(SendQueueFull):
            robot.head_light.set(True)
        await world.until(lambda: robot.state_tracker.received > count + 60)
        del world.wire._reach_robot
        await world.until(lambda: world.firmware.backpack.colors()[REAR] == (0.0, 0.0, 1.0))
        await world.until(lambda: robot.display.shown.any())
        assert not robot.head_light.is_on

    scenario()
    assert [one for one in caplog.records if one.levelno >= logging.WARNING] == []


@in_virtual_time()
async def test_lights_asked_for_without_a_link_are_shown_when_it_is_back(world):
    async with world.without_link():
        world.robot.backpack.set(BackpackLights(rear=BLUE))
        world.robot.head_light.set(True)
    assert world.firmware.backpack.colors()[REAR] == (0.0, 0.0, 1.0)
    assert world.firmware.backpack.head_light
