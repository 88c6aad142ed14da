"""An engine that docks: streams the error signal of what it sees to an emulated robot."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

from cozmo_driver.emulator import Pose2D
from cozmo_driver.protocol.enums import DockAction
from cozmo_driver.protocol.messages import DockingErrorSignal, DockWithObject

from .bench import Bench
from .world.worlds import ROOM, bench_in

PERIOD, LATENCY = 0.07, 0.07
"""Of the pictures, s."""
METHODS = {DockAction.PICKUP_LOW: 2, DockAction.PICKUP_HIGH: 2, DockAction.ALIGN: 2}
Signal = Callable[[DockingErrorSignal], DockingErrorSignal | None]


def docking_bench(*cubes: dict, **more: object) -> Bench:
    """Return a robot at the origin that looks at cube 1, whose face is 120 mm ahead."""
    return bench_in(ROOM, cubes=[{"number": 1, "x": 0.142, "y": 0.0}, *cubes], **more)


def face_of(bench: Bench, number: int = 1) -> tuple[Pose2D, float]:
    """Return the nearest face of a cube, as seen from the robot's origin, and its height."""
    robot, cube = bench.firmware.body.world_pose, bench.firmware.place.world.cube(number)
    here = cube.pose.seen_from(robot)
    quarter = math.pi / 2
    angle = here.angle - quarter * round(here.angle / quarter)
    face = Pose2D(here.x, here.y, angle).then(Pose2D(-22.0))
    return face, float(cube.place.center[2])


def request(bench: Bench, action: DockAction, method: int | None = None, **more: int) -> None:
    chosen = METHODS.get(action, 0) if method is None else method
    is_pick = action in (DockAction.PICKUP_LOW, DockAction.PICKUP_HIGH)
    bench.send(
        DockWithObject(
            0, 60.0, 200.0, 500.0, action, docking_method=chosen, num_retries=0,
            do_lift_load_check=is_pick, **more,
        )
    )  # fmt: skip


def guide(
    bench: Bench,
    seconds: float,
    *,
    cube: int = 1,
    signal: Signal = lambda m: m,
    until: Callable[[], object] = lambda: False,
) -> None:
    """Stream signals of a cube for a time, or until a condition holds; ``signal`` changes them."""
    end, waiting = bench.now + seconds, deque[tuple[float, DockingErrorSignal]]()
    while bench.now < end and not until():
        face, height = face_of(bench, cube)
        if face.x > 0.0:
            seen = DockingErrorSignal(
                bench.firmware.core.timestamp, face.x, face.y, height, face.angle
            )
            waiting.append((bench.now + LATENCY, seen))
        while waiting and waiting[0][0] <= bench.now + 1e-9:
            changed = signal(waiting.popleft()[1])
            if changed is not None:
                bench.send(changed)
        bench.run(PERIOD)
