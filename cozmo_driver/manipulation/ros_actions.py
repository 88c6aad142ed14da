"""The actions of manipulation: one goal at a time, of whichever action."""

from __future__ import annotations

import math
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from geometry_msgs.msg import PoseStamped

from cozmo_interfaces.action import (
    DockCharger,
    GoToObject,
    GoToPose,
    HandleObject,
    PickUpCube,
    PlaceCube,
    RollCube,
    StackCubes,
)

from ..link import with_timeout
from ..perception import CUBE_EDGE
from ..robot import (
    ANGLE_TOLERANCE,
    PATH_SPEED,
    PATH_TURN_SPEED,
    POSITION_TOLERANCE,
    GoalProgress,
    Pose2D,
    Reason,
    RobotError,
)
from ..ros.action_bridge import ActionBridge, Goal
from ..ros.context import NodeContext
from ..ros.geometry import filled, or_default, stamped_pose_message
from ..ros.transforms import FrameLookup
from .charger_docking import dock_charger
from .charger_memory import ChargerMemory
from .cube_pick_up import pick_up_cube
from .cube_placing import place_at, place_beside, place_here, place_on
from .cube_rolling import roll_cube
from .cube_stacking import stack_cubes
from .manipulator import check_ready
from .object_approach import DISTANCE, go_to_object
from .obstacle_avoidance import run_while
from .pose_approach import DriveStyle, go_to_pose
from .ros_manipulator import RosManipulator
from .ros_object_tasks import OBJECT_TASKS, ObjectTask

_DOCK_TIMEOUT = 120.0
_FEEDBACK_PERIOD = 0.1
_Work = Callable[[Goal], Coroutine[Any, Any, str]]


class Actions:
    """What manipulation offers. Who drives by ``cmd_vel`` ends it."""

    def __init__(self, context: NodeContext, robot: RosManipulator, memory: ChargerMemory) -> None:
        self._context, self._robot, self._memory = context, robot, memory
        self._current: Goal | None = None
        self._frames: FrameLookup | None = None
        for kind, name, work, finish in (
            (DockCharger, "dock_charger", self._dock, lambda _: None),
            (GoToObject, "go_to_object", self._go_to_object, self._add_pose),
            (GoToPose, "go_to_pose_avoiding", self._go_to_pose, self._add_pose),
            (PickUpCube, "pick_up_cube", self._pick_up, lambda _: None),
            (PlaceCube, "place_cube", self._place, lambda _: None),
            (RollCube, "roll_cube", self._roll, lambda _: None),
            (StackCubes, "stack_cubes", self._stack, lambda _: None),
        ):
            ActionBridge(context, kind, name, self._alone(work), finish)
        for name, task in OBJECT_TASKS.items():
            ActionBridge(context, HandleObject, name, self._alone(partial(self._handle, task)))

    def update(self) -> None:
        """Yield to who drives by hand."""
        if self._robot.is_driven_by_hand and self._current is not None:
            self._current.end(Reason.SUPERSEDED, "cmd_vel took over the wheels")

    def _alone(self, work: _Work) -> _Work:
        """Return work that ends the goal before it, of whichever action."""

        async def run(goal: Goal) -> str:
            older, self._current = self._current, goal
            if older is not None:
                older.end(Reason.SUPERSEDED, "a newer goal of manipulation took over")
            self._robot.begin()
            try:
                return await work(goal)
            finally:
                if self._current is goal:
                    self._current = None

        return run

    def _reporter(self, goal: Goal, kind: Any) -> Callable[[str, int], None]:
        def on_phase(phase: str, attempt: int) -> None:
            goal.result.attempts = attempt
            goal.publish(kind.Feedback(phase=phase, attempt=attempt))

        return on_phase

    async def _dock(self, goal: Goal) -> str:
        timeout = or_default("timeout", goal.request.timeout, _DOCK_TIMEOUT)
        docking = dock_charger(
            self._robot,
            self._memory,
            self._reporter(goal, DockCharger),
            is_search_forbidden=goal.request.is_search_forbidden,
        )
        try:
            goal.result.attempts = await with_timeout(timeout, docking)
        except TimeoutError:
            text = f"the robot was not on its charger after {timeout:g} s"
            raise RobotError(Reason.TIMEOUT, text) from None
        return "the robot stands on its charger"

    async def _go_to_object(self, goal: Goal) -> str:
        name, distance = goal.request.object, goal.request.distance
        if not math.isfinite(distance):
            raise ValueError(f"the distance must be finite, not {distance}")
        goal.result.attempts = await go_to_object(
            self._robot, name, distance or DISTANCE, self._reporter(goal, GoToObject)
        )
        return f"the robot stands before {name}"

    async def _go_to_pose(self, goal: Goal) -> str:
        request, result = goal.request, goal.result
        result.position_error = result.angle_error = math.nan
        style = DriveStyle(
            or_default("speed", request.speed, PATH_SPEED),
            or_default("angular_speed", request.angular_speed, PATH_TURN_SPEED),
            or_default("position_tolerance", request.position_tolerance, POSITION_TOLERANCE),
            or_default("angle_tolerance", request.angle_tolerance, ANGLE_TOLERANCE),
        )
        is_any = request.is_heading_ignored
        angle = math.pi if is_any else style.angle_tolerance
        there = await self._in_odom(request.pose, style.position_tolerance, angle)

        def report() -> bool:
            here = self._robot.state.pose
            progress = GoalProgress.to(there, here, is_heading_ignored=is_any)
            result.position_error = float(progress.distance_remaining)
            result.angle_error = float(progress.angle_remaining)
            goal.publish(filled(GoToPose.Feedback, progress, pose=self._here()))
            return True

        driving = go_to_pose(self._robot, there, style, is_heading_ignored=is_any)
        await run_while(driving, report, _FEEDBACK_PERIOD)
        report()
        return f"the robot is {result.position_error * 1000:.0f} mm from the goal"

    def _add_pose(self, result: GoToObject.Result | GoToPose.Result) -> None:
        result.pose = self._here()

    def _here(self) -> PoseStamped:
        stamp = self._context.stamp_now()
        return stamped_pose_message(self._robot.state.pose, stamp, self._robot.odom_frame)

    async def _pick_up(self, goal: Goal) -> str:
        on_phase = self._reporter(goal, PickUpCube)
        goal.result.object = goal.request.object
        name, goal.result.attempts = await pick_up_cube(self._robot, goal.request.object, on_phase)
        goal.result.object = name
        return f"{name} is on the lift"

    async def _place(self, goal: Goal) -> str:
        robot, request, result = self._robot, goal.request, goal.result
        on_phase, height = self._reporter(goal, PlaceCube), CUBE_EDGE / 2
        if request.target == PlaceCube.Goal.HERE:
            place = await place_here(robot, on_phase)
        elif request.target == PlaceCube.Goal.AT_POSE:
            pose = await self._in_odom(request.pose)
            place = await place_at(robot, pose, on_phase, self._memory.turn_scale)
        elif request.target == PlaceCube.Goal.BESIDE:
            place = await place_beside(robot, request.object, on_phase)
        elif request.target == PlaceCube.Goal.ON:
            place, result.attempts = await place_on(robot, request.object, on_phase)
            height += CUBE_EDGE
        else:
            raise ValueError(f"there is no target {request.target}")
        result.pose = stamped_pose_message(place, self._context.stamp_now(), robot.odom_frame)
        result.pose.pose.position.z = height
        return "the cube is put down"

    async def _roll(self, goal: Goal) -> str:
        request, result = goal.request, goal.result
        result.object, on_phase = request.object, self._reporter(goal, RollCube)
        rolled = await roll_cube(self._robot, request.object, request.is_once, on_phase)
        result.object, result.is_upright, result.attempts = rolled
        return f"{result.object} is upright" if result.is_upright else f"{result.object} was rolled"

    async def _stack(self, goal: Goal) -> str:
        request, result = goal.request, goal.result
        result.top, result.bottom = request.top, request.bottom
        on_phase = self._reporter(goal, StackCubes)
        stacked = await stack_cubes(self._robot, request.top, request.bottom, on_phase)
        result.top, result.bottom, result.attempts = stacked
        return f"{result.top} stands on {result.bottom}"

    async def _handle(self, task: ObjectTask, goal: Goal) -> str:
        request, result = goal.request, goal.result
        on_phase = self._reporter(goal, HandleObject)
        handled, result.attempts = await task(self._robot, request, on_phase)
        result.objects = list(handled)
        return f"done with {', '.join(handled)}"

    async def _in_odom(
        self,
        message: PoseStamped,
        position: float = POSITION_TOLERANCE,
        angle: float = ANGLE_TOLERANCE,
    ) -> Pose2D:
        """Return a pose of any frame in odom; of the map where that is known within m and rad.

        Raises ``ValueError``, ``RobotError``.
        """
        robot = self._robot
        check_ready(robot)
        if self._frames is None:
            self._frames = FrameLookup(
                self._context.node, robot.odom_frame, robot.base_frame, lambda: robot.state.pose
            )
        return await robot.place.in_odom(message, self._frames, position, angle)
