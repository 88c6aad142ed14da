"""``/diagnostics`` of the vision node: images, what was dropped and why, objects, faults."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import QoSProfile

from ..ros.context import NodeContext
from ..ros.diagnostics import OK, WARN, Health, node_health, status_message
from ..ros.logs import Faults
from ..ros.pacing import Rate, Ticker
from .perception import Perception
from .ros_pipeline import Pipeline
from .world.mounting import LearntMount
from .world.objects import PoseState

_PERIOD = 1.0


class DiagnosticsPart:
    def __init__(
        self, context: NodeContext, pipeline: Pipeline, perception: Perception, faults: Faults
    ) -> None:
        """Call ``start`` in the loop."""
        self._context, self._pipeline, self._perception = context, pipeline, perception
        self._world = perception.world
        self._doubled: Counter[str] = Counter()
        """As it was told last."""
        self._faults = faults
        self.more: dict[str, Callable[[], Health]] = {}
        """What else is told of, by name."""
        self._publisher = context.node.create_publisher(
            DiagnosticArray, "/diagnostics", QoSProfile(depth=10)
        )
        self._ticker = Ticker(_PERIOD, self._publish)
        self._rate, self._placed = Rate(_PERIOD / 2), Rate(_PERIOD / 2)
        self.start = self._ticker.start

    def _publish(self) -> None:
        whose = self._context.node.get_fully_qualified_name().lstrip("/")
        message = DiagnosticArray()
        message.header.stamp = self._context.stamp_now()
        message.status = [
            status_message(f"{whose}: {name}", "", health)
            for name, health in (
                ("pictures", self._pictures()),
                ("objects", self._objects()),
                *((name, health()) for name, health in self.more.items()),
                ("node", node_health(self._faults)),
            )
        ]
        self._publisher.publish(message)

    def _pictures(self) -> Health:
        pipeline, now = self._pipeline, asyncio.get_running_loop().time()
        rate = self._rate.update(pipeline.received, now)
        placed = self._placed.update(pipeline.placed, now)
        drops, last_drop = self._perception.drops, self._perception.last_drop
        values = {
            "rate [1/s]": rate,
            "received": pipeline.received,
            "placed": pipeline.placed,
            **{f"dropped: {reason.value}": count for reason, count in drops.items() if count},
            **{
                f"{mode} [ms]": 1000.0 * spent / max(pipeline.looks[mode], 1)
                for mode, spent in pipeline.times.items()
            },
            "modes": ", ".join(sorted(pipeline.modes)),
        }
        if pipeline.calibration_fault:
            return Health(WARN, pipeline.calibration_fault, values)
        if not rate:
            return Health(WARN, "no pictures come", values)
        if not placed:
            why = last_drop.value if last_drop else ""
            return Health(WARN, f"pictures are dropped: {why}", values)
        return Health(OK, f"{rate:.1f} pictures/s", values)

    def _objects(self) -> Health:
        known = self._perception.objects(self._perception.now)
        values = {
            **{one.name: one.state.name for one in known},
            **{f"{name} made no sense": n for name, n in self._world.rejected.items()},
            **{f"{name} in two places": n for name, n in self._world.doubled.items()},
            "states of the robot rejected": self._pipeline.robot.rejected,
            **_camera(self._world.camera.mounting.learnt),
            "markers measured of": ", ".join(self._perception.printed) or "no cube",
        }
        before, self._doubled = self._doubled, self._world.doubled.copy()
        if doubled := self._doubled - before:
            text = f"two things look like {', '.join(doubled)}: learn the markers of all cubes"
            return Health(WARN, text, values)
        located = [one.name for one in known if one.state is not PoseState.UNKNOWN]
        return Health(OK, ", ".join(located) or "none located", values)


def _camera(learnt: LearntMount) -> dict[str, str | int]:
    """Return what was learnt of how the camera is mounted, degrees."""
    angles = zip(asdict(learnt.mount).items(), learnt.deviations, strict=True)
    return {
        **{
            f"camera {name} [deg]": f"{math.degrees(angle):.2f} ± {math.degrees(deviation):.2f}"
            for (name, angle), deviation in angles
        },
        "camera learnt from places": learnt.sightings,
    }
