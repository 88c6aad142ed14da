"""``define_object``, ``forget_objects`` and ``set_vision_modes``."""

from __future__ import annotations

from collections.abc import Iterable

from cozmo_interfaces.srv import DefineObject, ForgetObjects, SetVisionModes

from ..robot import Reason, RobotError
from ..ros.context import NodeContext
from .detection.objects import objects_of
from .perception import Perception
from .ros_pipeline import Pipeline


class Services:
    """All is done in the loop."""

    def __init__(self, context: NodeContext, pipeline: Pipeline, perception: Perception) -> None:
        self._pipeline, self._perception = pipeline, perception
        context.jobs.serve(DefineObject, "define_object", self._define)
        context.jobs.serve(ForgetObjects, "forget_objects", self._forget)
        context.jobs.serve(SetVisionModes, "set_vision_modes", self._set_modes)

    async def _define(self, request: DefineObject.Request, _: DefineObject.Response) -> str:
        size = request.size
        entry = {
            "size": [size.x, size.y, size.z],
            "tags": [
                {
                    "tag": tag.tag,
                    "side": tag.side,
                    "size": tag.size,
                    "offset": [tag.right, tag.up],
                }
                for tag in request.tags
            ],
        }
        [declared] = objects_of({"objects": {request.name: entry}})
        self._perception.declare(declared)
        self._pipeline.publish_states()
        return f"{declared.name} is known by {', '.join(str(one.tag) for one in declared.tags)}"

    async def _forget(self, request: ForgetObjects.Request, _: ForgetObjects.Response) -> str:
        try:
            self._perception.world.forget(request.name or None)
        except KeyError:
            known = ", ".join(one.name for one in self._perception.objects(0.0))
            raise RobotError(
                Reason.NOT_FOUND, f"there is no object '{request.name}'; there are {known}"
            ) from None
        self._pipeline.publish_states()
        return f"where {request.name or 'anything'} is has been forgotten"

    async def _set_modes(
        self, request: SetVisionModes.Request, response: SetVisionModes.Response
    ) -> str:
        modes, available = self._pipeline.modes, self._pipeline.available_modes
        response.modes = sorted(modes & available)
        for name in (*request.enable, *request.disable):
            if name not in available:
                raise RobotError(
                    Reason.NOT_FOUND,
                    f"there is no mode '{name}'; there are {_listed(available)}",
                )
        modes |= set(request.enable)
        modes -= set(request.disable)
        response.modes = sorted(modes & available)
        return f"on: {_listed(response.modes)}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
