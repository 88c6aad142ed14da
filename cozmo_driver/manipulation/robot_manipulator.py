"""The robot of a program without ROS, for manipulation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from ..perception import LocatedObject, WorldModel
from ..planning import Box
from ..robot import DockAction, DockingError, Phase, Robot, RobotError, Segment, lift_height
from .manipulator import SIGNAL_PERIOD, SILENCE, STILL_LOST, CubeFace, FaceSource, ManipulatorState
from .obstacle_avoidance import point_box, run_while


class RobotManipulator:
    """A ``Manipulator`` over ``robot.Robot``, with what a world model knows, if there is one."""

    def __init__(
        self,
        robot: Robot,
        world: WorldModel | None = None,
        localize: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        """``world`` is kept up to date by whoever looks at the images.

        ``localize`` looks around until the place on a map is known; it raises ``RobotError``.
        """
        self._robot, self._world, self._localize = robot, world, localize

    @property
    def state(self) -> ManipulatorState:
        robot, state, status = self._robot, self._robot.state, self._robot.status
        if state is None or status is None:
            return ManipulatorState()
        silence = asyncio.get_running_loop().time() - state.time
        return ManipulatorState(
            robot.localization.drive_center,
            state.pitch,
            lift_height(state.lift_angle),
            # Neither falls, so that every change shows.
            state.origin_id + robot.localization.odometry_sets,
            robot.session_state.phase is Phase.CONNECTED and silence < SILENCE,
            state.is_off_ground,
            state.is_on_charger,
            state.is_carrying_cube,
            state.is_moving,
            status.is_emergency_stopped,
            "turn_scale" in robot.calibration.measured,
        )

    @property
    def has_vision(self) -> bool:
        return self._world is not None

    @property
    def objects(self) -> Mapping[str, LocatedObject]:
        if self._world is None:
            return {}
        state = self._robot.state
        now = 0.0 if state is None else state.time
        return {thing.name: thing for thing in self._world.objects(now)}

    @property
    def obstacles(self) -> Sequence[Box]:
        return [
            point_box(x, y, hazard.kind.name.lower())
            for hazard in self._robot.hazards.current
            for x, y in hazard.points
        ]

    async def follow(self, segments: Sequence[Segment]) -> None:
        await self._robot.paths.follow(segments)

    async def drive(self, distance: float, speed: float, is_cliff_ignored: bool = False) -> None:
        await self._robot.maneuvers.drive_distance(
            distance, speed=speed, is_cliff_ignored=is_cliff_ignored
        )

    async def turn_to(self, heading: float) -> None:
        await self._robot.turns.turn(heading, is_absolute=True)

    async def move_lift(self, height: float) -> None:
        await self._robot.joints.move_lift(height)

    async def move_head(self, angle: float) -> None:
        await self._robot.joints.move_head(angle)

    async def dock(self, action: DockAction, face: FaceSource) -> bool | None:
        docking = asyncio.ensure_future(self._robot.docking.dock(action))
        await run_while(docking, lambda: self._signal(face()), SIGNAL_PERIOD)
        return docking.result().load

    def _signal(self, face: CubeFace | None) -> bool:
        """Tell the robot where a face is, as long as that is known."""
        docking, state = self._robot.docking, self._robot.state
        # A robot that is gone ends the docking itself.
        if face is not None and state is not None and self.state.is_connected:
            here = docking.history.pose_at(state.time).inverse().compose(face.pose)
            docking.on_error(DockingError(state.time, here.x, here.y, face.height, here.yaw))
        return True

    async def localize(self) -> bool:
        if self._localize is None:
            return False
        try:
            await self._localize()
        except RobotError as error:
            if error.reason not in STILL_LOST:
                raise
            return False
        return True

    async def place_on_ground(self) -> None:
        await self._robot.docking.place_on_ground()
