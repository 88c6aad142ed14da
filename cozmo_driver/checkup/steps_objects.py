"""Steps with cubes and the charger: by radio, and as the camera sees them."""

from __future__ import annotations

import math

import numpy as np

from ..manipulation import ChargerMemory, RobotManipulator, dock_charger
from ..perception import Detections, RobotPerception
from ..robot import (
    LIGHT_CUBES,
    CubeEvent,
    CubeEventType,
    Reason,
    RobotError,
)
from .analysis import deviation, mean
from .bench import Bench
from .seeing import FINDING, first_cube, learnt_templates, open_perception
from .step import Motion, Picture, Quantity, Result, Step, Verdict, skipped

_LISTEN = 5.0
_CONNECTING = 15.0
_HEARD = 2.0
_TAP_DELAY = 0.5
_HEAD = math.radians(-6.0)
_LOOK = 1.2
_APPROACHES = (0.0, 0.06, 0.06)
"""m that are driven before each look at a cube that is 25 cm ahead."""
_CLOSE = 0.10
"""m from the camera, nearer than which no cube is approached."""
_SPEED = 0.05
_LEAST_SEEN = 0.5
"""Of what was driven; on a straight line nothing else tells that a robot is held."""
_TEMPLATES_ADVICE = (
    "the driver knows printed markers (cozmo vision print --cube 1); a cube of the maker must be "
    "learnt first (cozmo vision learn --cube 1)"
)


async def _radio(bench: Bench) -> Result:
    cubes = bench.robot.cubes
    await bench.record(_LISTEN)
    heard = [cube for cube in cubes.all if cube.is_available and cube.kind in LIGHT_CUBES]
    if not heard:
        return skipped("no cube was heard", "tap the cubes to wake them, put in new batteries")
    values: dict[str, Quantity] = {"heard": Quantity(len(heard))}
    lost: list[str] = []
    for kind in sorted({cube.kind for cube in heard}):
        name = f"cube_{kind.value}"
        begun = bench.now
        try:
            await cubes.connect(kind, timeout=_CONNECTING)
        except RobotError as error:
            if error.reason is not Reason.TIMEOUT:
                raise
            lost.append(name.replace("_", " "))
        else:
            values[f"{name}_connected_after"] = Quantity(bench.now - begun, "s")
    taps: list[CubeEvent] = []
    disconnect = cubes.on_event.connect(taps.append)
    try:
        await bench.record(_HEARD)
        asked = await bench.person.notices(
            "Tap each cube with glowing lights twice, firmly. Did you?"
        )
        await bench.record(_TAP_DELAY)
    finally:
        disconnect()
    for cube in cubes.all:
        if cube.is_connected:
            name = f"cube_{cube.kind.value}"
            values[f"{name}_rssi"] = Quantity(cube.rssi)
            values[f"{name}_voltage"] = Quantity(cube.battery_voltage, "V")
            values[f"{name}_packets_missed"] = Quantity(cube.missed_packets)
    count = sum(event.type in (CubeEventType.TAPPED, CubeEventType.DOUBLE_TAPPED) for event in taps)
    connected = sum(cube.is_connected for cube in cubes.all)
    sentence = f"{len(heard)} heard, {connected} connected"
    if asked is not None:
        values["taps"] = Quantity(count)
        sentence += f", {count} {'tap' if count == 1 else 'taps'} felt"
    if lost:
        advice = "bring it near, or give it a new battery"
        return Result(
            Verdict.UNUSUAL, f"{sentence}; {', '.join(lost)} did not connect", values, advice
        )
    if asked and not count:
        return Result(Verdict.UNUSUAL, sentence, values, "tap the top with a fingernail, repeat")
    return Result(Verdict.PASSED, sentence, values)


async def _cube(bench: Bench) -> Result:
    joints = bench.robot.motion.joints
    await joints.move_head(_HEAD)
    places: list[tuple[float, float, float]] = []
    # Distance from the camera, m, its noise, and the marker's side in pixels.
    values: dict[str, Quantity] = {}
    picture: tuple[Picture, ...] = ()
    # m in all, and up to the last look that saw the cube.
    driven = driven_seen = 0.0
    async with open_perception(bench, learnt_templates()) as perception:
        name, nameless = await first_cube(perception)
        if not name:
            what = f"{nameless} markers without a name" if nameless else "no marker of a cube"
            return skipped(f"{what} seen", _TEMPLATES_ADVICE, nameless=Quantity(nameless))
        for distance in _APPROACHES:
            if distance and places[-1][0] - distance < _CLOSE:
                break
            if distance:
                driven += await bench.robot.maneuvers.drive_distance(distance, speed=_SPEED)
            looks = await _looks(bench, perception, name)
            if not looks:
                break
            (seen, last), driven_seen = looks, driven
            places.append(seen)
            values[f"distance_{len(places)}"] = Quantity(seen[0], "m")
            values[f"noise_{len(places)}"] = Quantity(seen[1], "m")
            values[f"pixels_{len(places)}"] = Quantity(seen[2], "px")
            values[f"driven_{len(places)}"] = Quantity(driven, "m")
            caption = name.replace("_", " ")
            picture = (Picture("marker", caption, last.image.jpeg, last.image.time),)
        if driven:
            await bench.robot.maneuvers.drive_distance(-driven, speed=_SPEED)
    if not places:
        return skipped(f"{name} was lost again", "repeat the step in better light")
    nearer = places[0][0] - places[-1][0]
    sentence = (
        f"{name.replace('_', ' ')} seen at {1000 * places[0][0]:.0f} mm with "
        f"{1000 * places[0][1]:.1f} mm of noise"
    )
    if driven_seen:
        values["seen_per_driven"] = Quantity(nearer / driven_seen)
        sentence += f"; {1000 * driven_seen:.0f} mm driven are {1000 * nearer:.0f} mm seen"
        if nearer < _LEAST_SEEN * driven_seen:
            advice = "see that nothing holds the robot or moves the cube, then repeat the step"
            return Result(Verdict.UNUSUAL, sentence, values, advice, pictures=picture)
    return Result(Verdict.PASSED, sentence, values, pictures=picture)


async def _looks(
    bench: Bench, perception: RobotPerception, name: str
) -> tuple[tuple[float, float, float], Detections] | None:
    """Return distance, noise and size of a marker in the images of a moment, and the last one."""
    distances: list[float] = []
    sizes: list[float] = []
    last: list[Detections] = []

    def look(detections: Detections) -> None:
        for marker in detections.markers:
            pose = detections.pose_of(marker) if marker.name == name else None
            if pose is not None and detections.state is not None:
                away = pose[:3, 3] - detections.state.camera[:3, 3]
                distances.append(float(np.linalg.norm(away)))
                sizes.append(marker.pixels)
                last[:] = [detections]
                return

    await bench.record(0.3)
    disconnect = perception.on_detections.connect(look)
    try:
        await bench.record(_LOOK)
    finally:
        disconnect()
    if not last:
        return None
    return (float(np.median(distances)), deviation(distances), mean(sizes)), last[0]


async def _charger(bench: Bench) -> Result:
    await bench.robot.motion.joints.move_head(0.0)
    async with open_perception(bench) as perception:
        try:
            found = await perception.find("charger", FINDING)
        except RobotError as error:
            if error.reason is not Reason.NOT_SEEN:
                raise
            return skipped("its marker was not seen", "stand the robot 25 cm before it, in light")
        assert found.pose is not None
        here = perception.in_robot(found.pose)
    values = {
        "ahead": Quantity(float(here[0, 3]), "m"),
        "left": Quantity(float(here[1, 3]), "m"),
        "turned": Quantity(math.atan2(here[1, 0], here[0, 0]), "rad"),
    }
    sentence = (
        f"seen {1000 * float(here[0, 3]):.0f} mm ahead and {1000 * float(here[1, 3]):+.0f} mm to "
        "the left"
    )
    return Result(Verdict.PASSED, sentence, values)


async def _docking(bench: Bench) -> Result:
    memory, begun = ChargerMemory(), bench.now
    async with open_perception(bench) as perception:
        body = RobotManipulator(bench.robot, perception.world)
        disconnect = bench.robot.on_state.connect(lambda _: memory.update(body.state))
        try:
            attempts = await dock_charger(body, memory)
        except RobotError as error:
            if error.reason not in (Reason.MISSED, Reason.NOT_SEEN, Reason.NOT_FOUND):
                raise
            return skipped(str(error), "stand the robot 30 cm before the charger, looking at it")
        finally:
            disconnect()
    values = {"attempts": Quantity(attempts), "duration": Quantity(bench.now - begun, "s")}
    return Result(Verdict.PASSED, f"on its contacts at attempt {attempts}", values)


STEPS = (
    Step(
        "radio",
        "Cubes by radio",
        "Listens for cubes, connects them and feels for taps.",
        _radio,
        needs="Put the cubes beside the robot, and tap each to wake it.",
    ),
)
SEEN = (
    Step(
        "cube",
        "A cube as the camera sees it",
        "Looks at a cube from three distances, driving up to 12 cm towards it and back.",
        _cube,
        needs="Stand a cube 25 cm before the robot, a side with a marker towards it.",
        motion=Motion.TREADS,
    ),
    Step(
        "charger",
        "The charger as the camera sees it",
        "Looks for the charger's marker; nothing but the head moves.",
        _charger,
        needs="Stand the robot 25 cm before its charger, looking at the marker.",
        motion=Motion.JOINTS,
        is_on_ground=True,
    ),
)
DOCKING = (
    Step(
        "docking",
        "Docking on the charger",
        "Drives onto its charger, backwards. It may take two minutes.",
        _docking,
        needs="Plug the charger in, and stand the robot 30 cm before it, looking at it.",
        motion=Motion.TREADS,
        is_optional=True,
        is_pushed=True,
        is_at_edge=True,
    ),
)
