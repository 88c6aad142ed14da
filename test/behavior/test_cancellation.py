"""Every behaviour can be ended at any moment, and leaves nothing behind."""

from __future__ import annotations

import asyncio

import pytest

from cozmo_driver.behavior.behavior import Life
from cozmo_driver.behavior.behaviors import CLASSES
from cozmo_driver.behavior.constraints import CHARGED_BATTERY
from cozmo_driver.behavior.executor import State
from cozmo_driver.behavior.testing import connected_cube as cube
from cozmo_driver.robot import OffTreads

from .paper import Home, in_virtual_time, own_system

ABLE = sorted(CLASSES)
BY_CLASS = {b.class_name: b for b in own_system().behaviors.values()}
POSTURES = {
    "ReactToPickup": OffTreads.IN_AIR,
    "ReactToRobotOnBack": OffTreads.ON_BACK,
    "ReactToRobotOnFace": OffTreads.ON_FACE,
    "ReactToRobotOnSide": OffTreads.ON_LEFT_SIDE,
}


def prepare(home, name):
    kind = CLASSES[name]
    if name in POSTURES:
        home.body.feel(off_treads=POSTURES[name], cliff_raw=8)
    if name == "ReactToRobotShaken":
        home.body.feel(acceleration=20.0)
    if kind.only_on_charger:
        home.body.feel(is_on_charger=True)
    if name == "GoHomeToCharge":
        home.body.can_go_home = True
    if name in ("AskToBeCharged", "GoHomeToCharge"):
        home.body.feel(battery_voltage=CHARGED_BATTERY - 0.3)


@pytest.mark.parametrize("after", [0.0, 0.3, 1.7])
@pytest.mark.parametrize("name", [name for name in ABLE if name in BY_CLASS])
@in_virtual_time
async def test_ended_at_any_moment_the_robot_is_still(name, after):
    async with Home(cubes=[cube()]) as home:
        home.engine.enable(False)
        prepare(home, name)
        home.engine.constraints.update(home.body.senses, 12.0)
        life = Life(home.engine.situation, BY_CLASS[name])
        task = asyncio.ensure_future(CLASSES[name].run(life))
        await asyncio.sleep(after)
        task.cancel()
        await asyncio.wait([task], timeout=1.0)
        assert task.done()
        assert home.body.busy == []
        home.body.release()
        before = len(home.body.diary)
        await asyncio.sleep(1.0)
        assert home.now.state is State.DISABLED
    # What a behaviour leaves behind needs no engine to go on.
    await asyncio.sleep(30.0)
    assert len(home.body.diary) == before


def test_every_class_that_can_run_is_used_in_its_own_tree():
    assert set(ABLE) - set(BY_CLASS) == {"PlayAnimOnNeedsChange"}
