"""Clips beside what an activity's behaviours do."""

from __future__ import annotations

import asyncio

from cozmo_driver.robot import OffTreads

from .paper import Home, in_virtual_time
from .trees import only_activity


def life_with(tmp_path, behavior, **keys):
    return only_activity(
        tmp_path,
        activityStrategy={"type": "Simple", "activityShouldEndDurationSecs": -1},
        behaviorChooser={"type": "StrictPriority", "behaviors": [behavior]},
        **keys,
    )


@in_virtual_time
async def test_while_it_waits_the_idle_clip_plays_and_the_treads_stand(tmp_path):
    system = life_with(tmp_path, "NothingToDo_Wait", idleAnimTrigger="NothingToDoBoredIdle")
    async with Home(system=system) as home:
        await asyncio.sleep(0.9)
        assert home.body.diary == []
        await home.until(lambda: len(home.body.done("play")) == 2, 10)
        assert set(home.body.done("play")) == {"play NothingToDoBoredIdle still"}


@in_virtual_time
async def test_a_reaction_or_a_command_ends_the_idle_clip(tmp_path):
    system = life_with(tmp_path, "NothingToDo_Wait", idleAnimTrigger="NothingToDoBoredIdle")
    async with Home(system=system) as home:
        await home.until(lambda: home.body.busy, 10)
        home.body.feel(off_treads=OffTreads.IN_AIR, is_picked_up=True, cliff_raw=8)
        await home.until(lambda: home.now.reaction == "RobotPickedUp", 1)
        await home.until(lambda: "play ReactToPickup still" in home.body.busy, 2)
        assert home.body.busy == ["play ReactToPickup still"]
        home.body.feel(off_treads=OffTreads.ON_TREADS, is_picked_up=False, cliff_raw=880)
        await home.until(lambda: home.body.busy == ["play NothingToDoBoredIdle still"], 10)
        home.engine.suspend("cmd_vel")
        await home.until(lambda: not home.body.busy, 0.2)
        await asyncio.sleep(10)
        assert not home.body.busy


@in_virtual_time
async def test_driving_has_a_clip_before_beside_and_after_it(tmp_path):
    clips = {"driveStartAnimTrigger": "Nod", "driveLoopAnimTrigger": "Curiosity"}
    system = life_with(tmp_path, "Alone_Wander", **clips, driveStopAnimTrigger="Joy")
    async with Home(system=system) as home:
        await home.until(lambda: home.body.felt.pose.x != 0.0, 60)
        await home.until(lambda: home.body.diary[-1][1] == "play Joy still", 60)
        (first, _), (second, _) = home.body.diary[:2]
        assert first == second
        assert {entry.split()[0] for _, entry in home.body.diary[:2]} == {"turn", "play"}
        assert "play Nod still" in home.body.done("play")


@in_virtual_time
async def test_a_clip_that_fails_beside_a_drive_does_not_end_the_drive(tmp_path):
    system = life_with(tmp_path, "Alone_Wander", driveLoopAnimTrigger="Curiosity")
    async with Home(system=system) as home:
        home.body.fails = lambda what: "no room" if what.startswith("play") else ""
        await home.until(lambda: len(home.body.done("drive")) >= 3, 120)
        assert not any("failed" in str(one) for one in home.engine.trace.decisions)
