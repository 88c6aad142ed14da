"""``cozmo mcp`` as an assistant sees it: the SDK's own client, the emulated robot over UDP."""

from __future__ import annotations

import asyncio
import base64
import http.client
import io
import json
import math
import re
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from cozmo_driver.emulator import RunningEmulator, running_emulator
from cozmo_driver.link import with_timeout
from cozmo_driver.media import mean_gray
from cozmo_driver.robot import CameraOptions
from cozmo_driver.robot.camera.exposure import DARKEST

mcp = pytest.importorskip("mcp")

from cozmo_driver.assistant.acts import Acts  # noqa: E402
from cozmo_driver.assistant.data import Limits  # noqa: E402

from ..behavior.alive import assets  # noqa: E402
from ..cli.command import environment, started  # noqa: E402
from ..examples.programs import shades  # noqa: E402
from ..programs import DEADLINE  # noqa: E402
from ..robot.hands import act, set_on_dark_floor, with_robot  # noqa: E402

HOST = "127.0.0.1"
MOTION = ("--allow-motion", "--max-speed", 0.1, "--max-distance", 0.3)
MOVES = [
    "drive",
    "turn",
    "undock",
    "play_clip",
    "sing",
    "dance",
    "go_to",
    "move_head",
    "move_lift",
]
READS = ["where_am_i", "what_do_i_see", "look", "find_clips", "list_songs"]
LONG = {"distance": 0.3, "speed": 0.02}
"""Arguments of a drive that ends long after what is tested."""


@pytest.fixture(scope="module")
def emulator() -> Iterator[RunningEmulator]:
    with running_emulator(calibration_time=0.0) as running:
        yield running


@pytest.fixture(scope="module")
def url(emulator: RunningEmulator) -> Iterator[str]:
    """Return where a server with permission to move the robot listens."""
    where = ("--robot", HOST, "--port", emulator.port)
    with started("mcp", *where, *MOTION, "--http", 0) as program:
        line = program.wait_for("serving")
        emulator.wait_for(lambda state: state.connected, timeout=DEADLINE)
        yield line.split()[-1]


def run(test: Coroutine[Any, Any, None]) -> None:
    async def limited() -> None:
        await with_timeout(DEADLINE, test)

    asyncio.run(limited())


async def until(condition: Callable[[], Any]) -> None:
    while not condition():
        await asyncio.sleep(0.02)


@asynccontextmanager
async def connected(server: Any, **options: Any) -> AsyncIterator[Any]:
    """Be the client of a server whose robot is ready."""
    async with mcp.Client(server, **options) as client:
        while (await client.call_tool("where_am_i")).is_error:
            await asyncio.sleep(0.1)
        yield client


def with_client(
    work: Callable[[Any, RunningEmulator], Coroutine[Any, Any, None]],
) -> Callable[[RunningEmulator, str], None]:
    """Make a test of what a client of the server with permission to move the robot does."""

    def test(emulator: RunningEmulator, url: str) -> None:
        async def main() -> None:
            async with connected(url) as client:
                await work(client, emulator)

        run(main())

    test.__name__ = work.__name__
    return test


def over_stdio(emulator: RunningEmulator, *words: object) -> Any:
    command = ["-m", "cozmo_driver.cli.main", "mcp", "--robot", HOST, "--port", emulator.port]
    return mcp.StdioServerParameters(
        command=sys.executable, args=[*map(str, (*command, *words))], env=environment()
    )


def backpack_colors(emulator: RunningEmulator) -> Any:
    return emulator.call(lambda firmware: firmware.backpack.colors())


async def refusal(client: Any, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result
    return str(result.content[0].text)


async def answer(client: Any, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return str(result.content[-1].text)


@with_robot()
async def test_on_a_dark_floor_the_robot_is_at_an_edge_where_one_is(world):
    acts = Acts(world.robot, Limits(), assets())
    await set_on_dark_floor(world)
    assert not (await acts.where_am_i()).is_cliff_ahead
    act(world, lambda f: f.ground.set_edge(True))
    await world.until(lambda: world.robot.cliff.is_detected)
    assert (await acts.where_am_i()).is_cliff_ahead


@with_robot()
async def test_an_expression_stays_lit(world):
    acts = Acts(world.robot, Limits(), assets())
    animating = asyncio.ensure_future(acts.animate_face())
    await acts.express("Happiness")
    await world.until(lambda: world.robot.display.shown.any())
    lit = []
    for _ in range(300):
        await world.pass_time(1 / 30)
        lit.append(world.robot.display.shown.any())
    animating.cancel()
    # The eyes of a closed blink are one line, which may be a row that is dark.
    assert all(any(lit[at : at + 5]) for at in range(len(lit) - 4))


@with_robot(camera=CameraOptions(enabled=False, auto_exposure=True))
async def test_a_picture_in_dim_light_is_exposed_long_enough(world):
    act(world, lambda f: setattr(f.camera, "light", 0.2))
    picture = await Acts(world.robot, Limits(), assets()).look()
    assert mean_gray(picture.jpeg) >= DARKEST


@with_robot(emulator={"torn_images": 37}, camera=CameraOptions(enabled=False))
async def test_a_picture_of_a_camera_that_was_just_switched_on_is_not_torn(world):
    picture = await Acts(world.robot, Limits(), assets()).look()
    world.robot.camera.enable(True)
    await world.pass_time(4.0)
    later = await world.robot.on_image.next()
    seen = np.asarray(Image.open(io.BytesIO(picture.jpeg)))
    assert np.corrcoef(seen.ravel(), later.pixels().ravel())[0, 1] > 0.9


@with_robot(camera=CameraOptions(enabled=False, auto_exposure=True))
async def test_a_dark_picture_is_shown_where_no_more_come(world):
    act(world, lambda f: setattr(f.camera, "light", 0.2))
    looking = asyncio.ensure_future(Acts(world.robot, Limits(), assets()).look())
    await world.robot.on_image.next()
    world.wire.is_cut = True
    assert mean_gray((await looking).jpeg) < DARKEST


def test_without_permission_everything_is_read_and_nothing_moves(tmp_path: Path) -> None:
    log = tmp_path / "mcp.log"

    async def test(emulator: RunningEmulator) -> None:
        server = over_stdio(emulator, "--log", log)
        # Older clients begin with a handshake.
        async with connected(server, mode="legacy") as client:
            tools = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
            assert {name for name, one in tools.items() if one.read_only_hint} == set(READS)
            assert {name for name, one in tools.items() if one.destructive_hint} == set(MOVES)

            for tool, arguments in {
                "drive": {"distance": 0.1},
                "turn": {"degrees": 90},
                "go_to": {"x": 0.1, "y": 0.0},
                "move_head": {"angle": 20},
                "move_lift": {"height": 0.08},
                "play_clip": {"name": "Greeting"},
                "sing": {"song": "twinkle"},
                "dance": {"duration": 4},
                "undock": {},
            }.items():
                assert "--allow-motion" in await refusal(client, tool, **arguments), tool
            assert await answer(client, "stop") == "stopped"

            assert "anim_nod_01" in await answer(client, "find_clips", search="NOD")
            status = await client.call_tool("where_am_i")
            assert status.structured_content["is_motion_allowed"] is False
            read = await client.read_resource("cozmo://status")
            now = json.loads(read.contents[0].text)
            assert now.keys() == status.structured_content.keys()
            assert now["posture"] == "on treads"

    with running_emulator(calibration_time=0.0) as emulator:
        run(test(emulator))
        truth = emulator.truth()
    assert (truth.pose.x, truth.pose.y, truth.pose.yaw) == (0.0, 0.0, 0.0)
    lines = log.read_text().splitlines()
    assert any('drive {"distance": 0.1}: the robot may not be moved' in line for line in lines)


_UNIT = re.compile(r"(m|m/s|degrees|V|strength of .*|0 to 1|s|beats per minute)\b")
_OF_THE_HOUSE = re.compile(r"\b(ROS|topic|node|driver|action|odometry|pose|goal|claim)s?\b", re.I)
_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")


@with_client
async def test_descriptions_are_plain_and_name_what_there_is(
    client: Any, emulator: RunningEmulator
) -> None:
    tools = (await client.list_tools()).tools
    texts = [client.instructions]
    assert "tricks" not in client.instructions
    texts += [one.description for one in (await client.list_resources()).resources]
    known = {tool.name for tool in tools} | {"z_positive"}
    for tool in tools:
        texts.append(tool.description)
        known |= tool.input_schema["properties"].keys()
        for name, field in fields_of(tool).items():
            texts.append(field.get("description", ""))
            kinds = [field, *field.get("anyOf", ())]
            said = "".join(one.get("description", "") for one in kinds)
            if any(one.get("type") in ("number", "integer") for one in kinds):
                assert said, (tool.name, name)
            if any(one.get("type") == "number" for one in kinds):
                assert _UNIT.match(said), (tool.name, name)
        arguments = tool.input_schema["properties"].values()
        assert all("description" in json.dumps(field) for field in arguments), tool.name
    for text in texts:
        assert text == " ".join(text.split()), text
        assert not _OF_THE_HOUSE.search(text), text
        assert set(_NAME.findall(text)) <= known, text


def fields_of(tool: Any) -> dict[str, Any]:
    """Return what goes into a tool and comes out of it, by name."""
    results = tool.output_schema or {}
    objects = [tool.input_schema, results, *results.get("$defs", {}).values()]
    return {name: field for one in objects for name, field in one.get("properties", {}).items()}


def test_what_the_robot_says_has_the_names_of_tools() -> None:
    async def test(emulator: RunningEmulator) -> None:
        server = over_stdio(emulator, *MOTION, "--max-distance", 10)
        async with connected(server, mode="legacy") as client:
            moving = asyncio.ensure_future(refusal(client, "go_to", x=9, y=0))
            await until(lambda: emulator.state().left_speed != 0.0)
            emulator.kill()
            assert (await moving).startswith("go_to ended: no state came")

    with running_emulator(calibration_time=0.0) as emulator:
        run(test(emulator))


def test_a_client_that_goes_leaves_the_robot_standing_and_no_process(tmp_path: Path) -> None:
    async def test(emulator: RunningEmulator) -> None:
        async with connected(over_stdio(emulator, *MOTION), mode="legacy") as client:
            driving = asyncio.ensure_future(client.call_tool("drive", LONG))
            await until(lambda: emulator.truth().speed > 0.0)
        with pytest.raises(mcp.MCPError):
            await driving

    with running_emulator(calibration_time=0.0) as emulator:
        run(test(emulator))
        emulator.wait_for(lambda state: not state.connected, timeout=DEADLINE)
        assert emulator.truth().speed == 0.0
        assert 0.0 < emulator.truth().pose.x < 0.29


@with_client
async def test_the_robot_drives_turns_and_goes_as_far_as_it_is_told(
    client: Any, emulator: RunningEmulator
) -> None:
    begin = emulator.truth().pose
    driven = (await answer(client, "drive", distance=0.1, speed=0.1)).split()[1]
    assert float(driven) == pytest.approx(0.1, abs=0.01)
    end = emulator.truth().pose
    assert math.hypot(end.x - begin.x, end.y - begin.y) == pytest.approx(0.1, abs=0.01)

    await answer(client, "turn", degrees=90)
    turned = math.remainder(emulator.truth().pose.yaw - end.yaw, math.tau)
    assert math.degrees(turned) == pytest.approx(90, abs=3)

    await answer(client, "move_head", angle=20)
    assert math.degrees(emulator.truth().head_angle) == pytest.approx(20, abs=3)

    here = (await client.call_tool("where_am_i")).structured_content
    goal = {"x": here["x"], "y": here["y"] + 0.1, "heading": 0}
    await answer(client, "go_to", **goal)
    there = (await client.call_tool("where_am_i")).structured_content
    assert (there["x"], there["y"]) == pytest.approx((goal["x"], goal["y"]), abs=0.02)
    assert there["heading"] == pytest.approx(0, abs=11)


@with_client
async def test_no_act_exceeds_its_bounds(client: Any, emulator: RunningEmulator) -> None:
    before = emulator.truth().pose
    assert "at most 0.3 m" in await refusal(client, "drive", distance=0.31)
    assert "at most 0.3 m" in await refusal(client, "go_to", x=5.0, y=0.0)
    for tool, arguments, reason in (
        ("drive", {}, "distance: Field required"),
        ("drive", {"distance": "far"}, "distance: Input should be a valid number"),
        ("drive", {"distance": math.nan}, "distance: Input should be"),
        ("drive", {"distance": 0.1, "fast": True}, "drive has no argument fast"),
        ("move_head", {"angle": 90}, "angle: Input should be less than or equal to 44"),
        ("light_cube", {"cube": 4, "color": "red"}, "cube: Input should be less than"),
        ("light_backpack", {"color": "nothing"}, "unknown color"),
        ("express", {"name": "Grumpy"}, "there is no expression 'Grumpy'; there are"),
        ("play_clip", {"name": "anim_nod_1"}, "did you mean"),
        ("play_clip", {"name": "qqqqqqqq"}, "find_clips has the names"),
        ("undock", {}, "does not stand on its charger"),
        ("publish", {"topic": "/cmd_vel"}, "Unknown tool"),
    ):
        assert reason in await refusal(client, tool, **arguments), (tool, arguments)
    assert emulator.truth().pose == before

    driving = asyncio.ensure_future(answer(client, "drive", distance=0.2, speed=1.0))
    fastest = 0.0
    while not driving.done():
        fastest = max(fastest, emulator.truth().speed)
        await asyncio.sleep(0.02)
    await driving
    assert 0.05 < fastest < 0.11


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_stop_and_cancelling_end_what_is_under_way(
    emulator: RunningEmulator, url: str, mode: str
) -> None:
    async def test() -> None:
        async with connected(url, mode=mode) as client:
            driving = asyncio.ensure_future(refusal(client, "drive", **LONG))
            await until(lambda: emulator.truth().speed > 0.0)
            assert "drive is under way" in await refusal(client, "turn", degrees=10)
            assert await answer(client, "stop") == "stopped"
            assert "told to stop" in await driving
            await until(lambda: emulator.truth().speed == 0.0)

            driving = asyncio.ensure_future(client.call_tool("drive", LONG))
            await until(lambda: emulator.truth().speed > 0.0)
            driving.cancel()
            await until(lambda: emulator.truth().speed == 0.0)

    run(test())


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
@with_client
async def test_what_is_said_goes_on_when_a_drive_is_cancelled_and_ends_when_stopped(
    client: Any, emulator: RunningEmulator
) -> None:
    # Long enough that it is still said, or made, when it is stopped.
    speaking = asyncio.ensure_future(client.call_tool("say", {"text": "a long text " * 40}))
    driving = asyncio.ensure_future(client.call_tool("drive", LONG))
    await until(lambda: emulator.truth().speed > 0.0)
    driving.cancel()
    await until(lambda: emulator.truth().speed == 0.0)
    assert not speaking.done()
    await answer(client, "stop")
    assert (await speaking).is_error


@with_client
async def test_pictures_are_pictures(client: Any, emulator: RunningEmulator) -> None:
    for color, mode in ((False, "L"), (True, "RGB")):
        result = await client.call_tool("look", {"color": color})
        picture, text = result.content
        assert picture.mime_type == "image/jpeg"
        with Image.open(io.BytesIO(base64.b64decode(picture.data))) as image:
            image.load()
            assert (image.size, image.mode) == ((320, 240), mode)
        assert text.text.startswith("head at ")
    await until(lambda: not emulator.state().camera_streaming)


@with_client
async def test_face_lights_and_cubes_are_shown(client: Any, emulator: RunningEmulator) -> None:
    await answer(client, "express", name="Happiness")
    await until(lambda: emulator.shown_picture().any())
    await answer(client, "light_backpack", color="red")
    await until(lambda: shades(backpack_colors(emulator))[1:4] == ("r", "r", "r"))
    await answer(client, "light_backpack", color="off")
    await until(lambda: shades(backpack_colors(emulator))[1:4] == ("-", "-", "-"))
    while not (cubes := (await client.call_tool("what_do_i_see")).structured_content):
        await asyncio.sleep(0.1)
    assert {cube["cube"] for cube in cubes["result"]} <= {1, 2, 3}


@with_client
async def test_events_are_kept_and_notified(client: Any, emulator: RunningEmulator) -> None:
    async with client.listen(resource_subscriptions=["cozmo://events"]) as events:
        emulator.call(lambda firmware: firmware.battery.put_on_charger(True))
        assert (await anext(aiter(events))).uri == "cozmo://events"
    emulator.call(lambda firmware: firmware.battery.put_on_charger(False))
    while True:
        read = await client.read_resource("cozmo://events")
        types = [one["type"] for one in json.loads(read.contents[0].text)]
        if "left_charger" in types:
            break
        await asyncio.sleep(0.1)
    assert "placed_on_charger" in types


def post(port: int, body: dict[str, Any], **headers: str) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection(HOST, port, timeout=DEADLINE)
    accepted = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    message = json.dumps({"jsonrpc": "2.0", **body})
    connection.request("POST", "/mcp", message, {**accepted, **headers})
    return connection


def test_web_pages_and_other_names_of_this_computer_are_refused(url: str) -> None:
    port = int(url.split(":")[2].split("/")[0])
    for headers, status in (
        ({"Origin": f"http://{HOST}:{port}"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": f"rebound.example:{port}"}, 421),
    ):
        connection = post(port, {"id": 1, "method": "ping"}, **headers)
        assert connection.getresponse().status == status, headers
        connection.close()


def test_a_connection_that_breaks_stops_the_robot(emulator: RunningEmulator, url: str) -> None:
    port = int(url.split(":")[2].split("/")[0])
    client = {"name": "test", "version": "1"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    response = post(port, {"id": 1, "method": "initialize", "params": hello}).getresponse()
    session = {"Mcp-Session-Id": response.headers["Mcp-Session-Id"]}
    response.read()
    post(port, {"method": "notifications/initialized"}, **session).getresponse().read()
    before = emulator.truth().pose

    call = {"id": 2, "method": "tools/call", "params": {"name": "drive", "arguments": LONG}}
    connection = post(port, call, **session)

    async def test() -> None:
        await until(lambda: emulator.truth().speed > 0.0)
        connection.close()
        await until(lambda: emulator.truth().speed == 0.0)

    run(test())
    after = emulator.truth().pose
    assert math.hypot(after.x - before.x, after.y - before.y) < 0.29
