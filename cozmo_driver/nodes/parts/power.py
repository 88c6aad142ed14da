"""The service ``power_off``."""

from __future__ import annotations

from dataclasses import replace

from rclpy.callback_groups import ReentrantCallbackGroup
from std_srvs.srv import Trigger

from ...robot import PowerOptions
from ..context import Context
from ..jobs import Jobs
from ..parameter_set import ParameterSet
from ..reasons import explain


def power_options(parameters: ParameterSet) -> PowerOptions:
    """Return whether the robot may be switched off, as the parameters have it."""
    return PowerOptions(allow_off=parameters["allow_power_off"])


class PowerPart:
    """Switches the robot off, with permission only (spec 09 §7)."""

    def __init__(self, context: Context, jobs: Jobs) -> None:
        """Offer the service."""
        self._jobs = jobs
        self._power = context.robot.power
        context.parameters.on_change(
            "allow_power_off", lambda on: context.thread.post(self._allow, on)
        )
        self._service = context.node.create_service(
            Trigger, "power_off", self._switch_off, callback_group=ReentrantCallbackGroup()
        )

    async def _switch_off(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        try:
            await self._jobs.result_of(self._power.off())
        except Exception as error:
            _, response.message = explain(error)
            response.success = False
            return response
        response.success = True
        response.message = "the robot is off; the driver stays disconnected until connect is called"
        return response

    # -- in the robot's thread

    def _allow(self, on: bool) -> None:
        self._power.options = replace(self._power.options, allow_off=on)
