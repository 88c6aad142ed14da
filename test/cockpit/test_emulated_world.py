"""The emulator's world as pages see and handle it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from tempfile import TemporaryDirectory
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")

from cozmo_driver.cockpit.emulated_world import EmulatedWorld
from cozmo_driver.emulator import EmulatorServer

from ..emulator.controlled_room import controlled_room
from ..waiting import TIMEOUT


def in_room(
    work: Callable[[EmulatedWorld, EmulatorServer], Coroutine[Any, Any, None]],
) -> None:
    async def main() -> None:
        async with controlled_room() as server:
            await asyncio.wait_for(work(EmulatedWorld(server.host, server.port), server), TIMEOUT)

    # The path of a socket has 107 bytes at most.
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory(prefix="cozmo") as folder:
        patch.setenv("XDG_RUNTIME_DIR", folder)
        asyncio.run(main())


async def news(world: EmulatedWorld, feed: str) -> Any:
    while (value := world.poll(feed)) is None:
        await asyncio.sleep(0.01)
    return value


def test_the_world_is_shown_while_somebody_looks() -> None:
    async def work(world: EmulatedWorld, server: EmulatorServer) -> None:
        world.start("world")
        world.start("layout")
        layout = await news(world, "layout")
        assert layout["name"] == "room"
        assert len(layout["floors"][0]["corners"]) >= 3
        assert layout["solids"][0]["height"] > 0
        shown = await news(world, "world")
        assert shown["pose"]["x"] == pytest.approx(server.truth().pose.x)
        assert set(shown["cubes"]) == {"1", "2", "3"}
        world.stop("layout")
        world.stop("world")
        await asyncio.sleep(0.3)
        assert world.poll("world") is None

    in_room(work)


def test_hands_lift_put_push_and_move_and_nothing_else() -> None:
    async def work(world: EmulatedWorld, server: EmulatorServer) -> None:
        start = server.truth().pose
        assert (await world.command("pickup", {})).success
        assert server.truth().posture == "held"
        refused = await world.command("push", {"x": start.x, "y": start.y})
        assert "put it down first" in refused.message
        assert (await world.command("putdown", {"x": start.x, "y": start.y, "yaw": 0.0})).success
        assert (await world.command("push", {"x": start.x + 0.05, "y": start.y})).success
        assert server.truth().pose.x == pytest.approx(start.x + 0.05, abs=1e-6)
        cube = server.truth().cubes["1"]
        place = {"cube": 1, "x": cube.x, "y": cube.y, "yaw": 90.0}
        assert (await world.command("move-cube", place)).success
        assert not (await world.command("battery", {"volts": 3.0})).success
        assert not (await world.command("pickup", {"do": "battery", "volts": 3.0})).success
        await server.stop()

    in_room(work)


def test_a_pushed_robot_pushes_cubes_and_stops_at_walls() -> None:
    from cozmo_driver.emulator import World, find_world, load_layout, running_emulator

    layout = load_layout(find_world("room"))
    with running_emulator(world=World(layout)) as emulator:
        far = max(x for floor in layout.floors for x, _ in floor.corners)
        start = emulator.truth()
        emulator.call(lambda f: f.handling.push(2 * far, 1000 * start.pose.y))
        end = emulator.truth()
    assert start.pose.x < end.pose.x < far / 1000
    assert not end.is_fallen


def test_an_emulator_that_is_gone_is_told() -> None:
    async def work() -> None:
        answer = await EmulatedWorld("127.0.0.1", 9).command("shake", {})
        assert "does not answer" in answer.message

    asyncio.run(work())
