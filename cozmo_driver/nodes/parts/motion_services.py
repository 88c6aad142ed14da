"""The services ``calibrate_motors`` and ``set_odometry``."""

from __future__ import annotations

from rclpy.callback_groups import ReentrantCallbackGroup
from std_srvs.srv import Trigger

from cozmo_interfaces.srv import SetOdometry

from ...robot import Reason
from ...robot.data import DRIVE_CENTER
from ..context import Context
from ..conversions.geometry import plane_pose
from ..jobs import Jobs
from ..reasons import explain, refuse


class MotionServicesPart:
    """Calibrates head and lift, and tells the odometry where the robot is."""

    def __init__(self, context: Context, jobs: Jobs) -> None:
        """Offer the services."""
        self._context, self._jobs = context, jobs
        node = context.node
        self._services = [
            node.create_service(
                Trigger,
                "calibrate_motors",
                self._calibrate,
                callback_group=ReentrantCallbackGroup(),
            ),
            node.create_service(SetOdometry, "set_odometry", self._set_odometry),
        ]

    async def _calibrate(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        try:
            await self._jobs.result_of(self._context.robot.motion.calibrate())
        except Exception as error:
            _, response.message = explain(error)
            response.success = False
            return response
        response.success, response.message = True, "head and lift are calibrated"
        return response

    def _set_odometry(
        self, request: SetOdometry.Request, response: SetOdometry.Response
    ) -> SetOdometry.Response:
        try:
            pose = plane_pose(request.pose)
            origin = pose.compose(DRIVE_CENTER.inverse())
            self._context.in_loop(self._context.robot.localization.set_odometry, origin)
        except ValueError as error:
            return refuse(response, error)
        response.success, response.reason = True, int(Reason.NONE)
        response.message = f"the robot is at x {pose.x:.3f} m, y {pose.y:.3f} m, {pose.yaw:.3f} rad"
        return response
