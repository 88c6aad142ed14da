"""Cubes and lights on the graph, as they are commanded and as robot and cubes show them."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable

import pytest
from std_msgs.msg import ColorRGBA
from std_srvs.srv import SetBool

from cozmo_driver.emulator import Identity
from cozmo_driver.emulator.lights import FRONT, REAR
from cozmo_interfaces.msg import (
    BackpackLights,
    Cube,
    CubeAccel,
    CubeArray,
    CubeEvent,
    CubeLights,
    LightState,
    Reason,
    RobotStatus,
)
from cozmo_interfaces.srv import ConnectCube

from ..waiting import TIMEOUT, wait_until
from .conftest import World, running_world
from .graph import LATCHED, Graph, Inbox, seconds

(FIRST, _), (SECOND, _), (THIRD, _) = Identity().cubes


def cubes_of(graph: Graph) -> Inbox[CubeArray]:
    return graph.listen(CubeArray, "cubes", LATCHED)


def cube_of(array: CubeArray, factory_id: int) -> Cube | None:
    return next((cube for cube in array.cubes if cube.factory_id == factory_id), None)


def are_connected(array: CubeArray, count: int = 3) -> bool:
    return sum(cube.is_connected for cube in array.cubes) == count


@pytest.fixture(scope="module")
def cubes(world: World) -> World:
    """Return the world when all cubes have connected and told their battery."""
    cubes_of(world.graph).wait_for(
        lambda array: (
            are_connected(array)
            and not any(math.isnan(cube.battery_voltage) for cube in array.cubes)
        )
    )
    world.graph.clear()
    return world


@pytest.mark.covers("cubes")
def test_those_who_come_late_get_all_cubes(cubes: World) -> None:
    array = cubes_of(cubes.graph).wait_for(lambda array: True)
    assert [cube.factory_id for cube in array.cubes] == [FIRST, SECOND, THIRD]
    assert [cube.cube_id for cube in array.cubes] == [Cube.CUBE_1, Cube.CUBE_2, Cube.CUBE_3]
    assert len({cube.slot for cube in array.cubes} - {Cube.NO_SLOT}) == 3
    for cube in array.cubes:
        assert cube.connection == Cube.CONNECTED
        assert cube.is_connected
        assert cube.is_available
        assert not cube.is_streaming_acceleration
        assert 1.0 < cube.battery_voltage < 1.7
        assert 0.0 <= cube.battery_percentage <= 1.0
        audible = cubes.graph.now() * 1e-9 - seconds(cube.last_heard)
        assert 0.0 <= audible < 600.0


def event_of(graph: Graph, kind: int, happen: Callable[[], object]) -> CubeEvent:
    """Let something happen, again while the subscription is not yet known to the driver."""
    events = graph.listen(CubeEvent, "cube_events")
    for _ in range(60):
        happen()
        with contextlib.suppress(AssertionError):
            return events.wait_for(lambda event: event.type == kind, timeout=0.5)
    raise AssertionError(f"no event {kind} came: {events.messages}")


@pytest.mark.covers("cube_events")
def test_a_tap_is_an_event(cubes: World) -> None:
    event = event_of(
        cubes.graph,
        CubeEvent.TAPPED,
        lambda: cubes.emulator.call(lambda firmware: firmware.cubes.tap(FIRST)),
    )
    assert (event.cube_id, event.factory_id) == (Cube.CUBE_1, FIRST)
    assert event.tap_intensity_raw == 97
    assert event.header.frame_id == "cube_1"
    assert math.isnan(event.acceleration.x)
    assert 0.0 <= cubes.graph.now() * 1e-9 - seconds(event.header.stamp) < 60.0


@pytest.mark.covers("cube_accel")
def test_cubes_send_their_acceleration_only_while_somebody_takes_it(cubes: World) -> None:
    inbox = cubes_of(cubes.graph)
    inbox.wait_for(lambda array: not any(cube.is_streaming_acceleration for cube in array.cubes))
    inbox.clear()
    felt = cubes.graph.listen(CubeAccel, "cube_accel")
    inbox.wait_for(lambda array: all(cube.is_streaming_acceleration for cube in array.cubes))
    message = felt.wait_for(lambda message: message.factory_id == FIRST)
    assert (message.cube_id, message.header.frame_id) == (Cube.CUBE_1, "cube_1")
    pull = message.linear_acceleration
    assert math.hypot(pull.x, pull.y, pull.z) == pytest.approx(9.8, rel=0.2)
    cubes.graph.clear()
    later = cubes_of(cubes.graph)
    later.wait_for(lambda array: not any(cube.is_streaming_acceleration for cube in array.cubes))


def ask(graph: Graph, **fields: object) -> ConnectCube.Response:
    return graph.call(ConnectCube, "connect_cube", ConnectCube.Request(**fields))


@pytest.mark.covers("connect_cube", "cubes")
def test_a_cube_is_disconnected_and_connected_on_request(cubes: World) -> None:
    inbox = cubes_of(cubes.graph)
    response = ask(cubes.graph, cube_id=Cube.CUBE_2, connect=False)
    assert (response.success, response.reason) == (True, Reason.NONE)
    assert response.cube.factory_id == SECOND
    assert not response.cube.is_connected
    inbox.wait_for(lambda array: cube_of(array, SECOND).connection == Cube.DISCONNECTED)
    inbox.clear()
    response = ask(cubes.graph, factory_id=SECOND)
    assert (response.success, response.reason) == (True, Reason.NONE)
    assert response.cube.is_connected
    assert response.cube.cube_id == Cube.CUBE_2
    inbox.wait_for(lambda array: cube_of(array, SECOND).is_connected)


@pytest.mark.covers("connect_cube")
def test_what_is_no_cube_is_refused_with_the_reason(cubes: World) -> None:
    for fields, reason in (({}, Reason.NOT_FOUND), ({"cube_id": 77}, Reason.INVALID)):
        response = ask(cubes.graph, **fields)
        assert (response.success, response.reason) == (False, reason)


@pytest.mark.covers("connect_cube")
def test_a_request_for_a_cube_does_not_hold_up_the_node_and_ends_with_it() -> None:
    with running_world() as world:
        emulator, driver, graph = world.emulator, world.driver, world.graph
        cubes_of(graph).wait_for(are_connected)
        emulator.call(lambda firmware: firmware.cubes.take_away(FIRST))
        cubes_of(graph).wait_for(lambda array: not cube_of(array, FIRST).is_connected)
        client = graph.in_executor(lambda: graph.node.create_client(ConnectCube, "connect_cube"))
        assert client.wait_for_service(TIMEOUT)
        # Requests of one client come in their order.
        requests = ConnectCube.Request(factory_id=FIRST), ConnectCube.Request(cube_id=Cube.CUBE_2)
        waiting, other = graph.in_executor(lambda: [client.call_async(one) for one in requests])
        # Answered while the first request waits.
        wait_until(other.done, "the other request is held up")
        assert other.result().success
        assert not waiting.done()
        assert driver.stop() == 0
        wait_until(waiting.done, f"the request is not answered: {driver.log}")
        response = waiting.result()
        assert (response.success, response.reason) == (False, Reason.SHUTDOWN)
        assert response.cube.factory_id == FIRST
        graph.in_executor(lambda: graph.node.destroy_client(client))


# -- lights

RED, GREEN, DARK = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0)


def light(red: float, green: float, blue: float, **timing: float) -> LightState:
    """Return a light of one colour that is dark otherwise."""
    return LightState(on_color=ColorRGBA(r=red, g=green, b=blue, a=1.0), **timing)


def backpack_of(world: World) -> tuple[tuple[float, float, float], ...]:
    """Return what the backpack shows: left, front, middle, rear, right."""
    return world.emulator.call(lambda firmware: firmware.backpack.colors())


@pytest.mark.covers("backpack_lights")
def test_the_backpack_shows_what_it_is_told_until_it_is_released(world: World) -> None:
    publisher = world.graph.publisher(BackpackLights, "backpack_lights")
    lights = BackpackLights(front=light(*RED), rear=light(*GREEN), left=light(1.0, 1.0, 1.0))
    publisher.publish(lights)
    # Two messages bring the lights: the side lights come in the second one.
    wait_until(
        lambda: backpack_of(world)[:4] == (RED, RED, DARK, GREEN),
        "left and front are not red, the rear not green",
    )
    publisher.publish(BackpackLights(is_released=True, front=light(*RED)))
    wait_until(lambda: backpack_of(world)[FRONT] == DARK, "the front light stays")
    publisher.publish(BackpackLights(rear=light(7.0, 0.0, 0.0)))
    world.driver.wait_for_log("backpack_lights is rejected: rear: the red of a colour is")
    assert backpack_of(world)[REAR] == DARK


def colors_of(world: World) -> tuple[tuple[float, float, float], ...]:
    return world.emulator.call(lambda firmware: firmware.cubes.colors(FIRST))


@pytest.mark.covers("cube_lights")
def test_a_cube_shows_what_it_is_told_until_it_is_released(world: World) -> None:
    world.graph.listen(CubeArray, "cubes", LATCHED).wait_for(
        lambda array: any(cube.factory_id == FIRST and cube.is_connected for cube in array.cubes)
    )
    publisher = world.graph.publisher(CubeLights, "cube_lights")
    lights = CubeLights(lights=[light(*RED), *[LightState()] * 3], factory_id=FIRST)
    publisher.publish(lights)
    wait_until(lambda: colors_of(world) == (RED, DARK, DARK, DARK), "the cube is not red")
    publisher.publish(CubeLights(is_released=True, cube_id=Cube.CUBE_1))
    wait_until(lambda: RED not in colors_of(world), "the cube stays red")
    publisher.publish(CubeLights(factory_id=0x0BADCAFE))
    world.driver.wait_for_log("(0badcafe) has not been heard")


@pytest.mark.covers("set_head_light", "status")
def test_the_head_light_is_switched(world: World) -> None:
    status = world.graph.listen(RobotStatus, "status")
    for on in (True, False):
        response = world.graph.call(SetBool, "set_head_light", SetBool.Request(data=on))
        assert response.success
        assert response.message == f"the head light is {'on' if on else 'off'}"
        wait_until(
            lambda on=on: world.emulator.call(lambda f: f.backpack.head_light) is on,
            "the head light does not follow",
        )
        status.wait_for_new(lambda message, on=on: message.is_head_light_on is on)
