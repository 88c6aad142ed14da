"""Objects that a program defines: by its own tags, or without any (spec 21 §5, §8)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...perception import LocatedObject, Perception, objects_of
from ...planning import Box
from . import logs
from .objects import (
    CustomObject,
    FixedCustomObject,
    _CustomObjectMarker,
    _CustomObjectType,
)
from .pose import Pose
from .sync import Synced

if TYPE_CHECKING:
    from ..engine import Engine
    from .robot import Robot

TAGS = "36h11"
"""Family of the tags that stand for the sixteen markers: their pictures are not free."""
_WALL_MM = 10.0
_SIDES = ("front", "back", "top", "bottom", "left", "right")


class CustomObjects(Synced):
    """The part of ``World`` that knows them."""

    _engine: Engine
    _robot: Robot
    _objects: dict[int, Any]

    def _init_custom(self) -> None:
        self.custom_object_archetypes: dict[int, CustomObject] = {}
        self._by_name: dict[str, CustomObject] = {}
        self._fixed: list[FixedCustomObject] = []

    async def define_custom_cube(
        self,
        object_type: _CustomObjectType,
        marker: _CustomObjectMarker,
        size_mm: float,
        marker_width_mm: float,
        marker_height_mm: float,
        is_unique: bool = True,
    ) -> CustomObject | None:
        """Know a cube with the same marker on all sides."""
        sizes = size_mm, size_mm, size_mm
        return await self._define(
            object_type, {"front": marker}, sizes, (marker_width_mm, marker_height_mm), is_unique
        )

    async def define_custom_wall(
        self,
        object_type: _CustomObjectType,
        marker: _CustomObjectMarker,
        width_mm: float,
        height_mm: float,
        marker_width_mm: float,
        marker_height_mm: float,
        is_unique: bool = True,
    ) -> CustomObject | None:
        """Know a wall, 10 mm thick, with a marker on its front and back."""
        sizes = _WALL_MM, width_mm, height_mm
        return await self._define(
            object_type, {"front": marker}, sizes, (marker_width_mm, marker_height_mm), is_unique
        )

    async def define_custom_box(
        self,
        custom_object_type: _CustomObjectType,
        marker_front: _CustomObjectMarker,
        marker_back: _CustomObjectMarker,
        marker_top: _CustomObjectMarker,
        marker_bottom: _CustomObjectMarker,
        marker_left: _CustomObjectMarker,
        marker_right: _CustomObjectMarker,
        depth_mm: float,
        width_mm: float,
        height_mm: float,
        marker_width_mm: float,
        marker_height_mm: float,
        is_unique: bool = True,
    ) -> CustomObject | None:
        """Know a box with six different markers. Raises ``ValueError`` for the same twice."""
        markers = (
            marker_front, marker_back, marker_top, marker_bottom, marker_left, marker_right
        )  # fmt: skip
        if len(set(markers)) != len(markers):
            raise ValueError("the six markers of a box are all different")
        sizes = depth_mm, width_mm, height_mm
        named = dict(zip(_SIDES, markers, strict=True))
        return await self._define(
            custom_object_type, named, sizes, (marker_width_mm, marker_height_mm), is_unique
        )

    async def _define(
        self,
        kind: Any,
        markers: dict[str, Any],
        sizes: tuple[float, float, float],
        marker_size: tuple[float, float],
        is_unique: bool,
    ) -> CustomObject | None:
        if not isinstance(kind, _CustomObjectType):
            raise TypeError("an object is of one of cozmo.objects.CustomObjectTypes")
        for marker in markers.values():
            if not isinstance(marker, _CustomObjectMarker):
                raise TypeError("a marker is one of cozmo.objects.CustomObjectMarkers")
        logs.note(
            f"markers are AprilTags here, {TAGS}:0 for Circles2 to {TAGS}:15 for Triangles5, "
            "printed as large as the shorter of their two sizes"
        )
        archetype = CustomObject(
            self._robot.conn, self, kind, *sizes, *marker_size, is_unique, dispatch_parent=None
        )
        edge = min(*marker_size, *sizes[1:]) / 1000
        tags = [
            {"tag": f"{TAGS}:{marker.id}", "size": edge, "side": side}
            for side, marker in markers.items()
        ]
        size = [part / 1000 for part in sizes]
        try:
            [declared] = objects_of({"objects": {kind.name: {"size": size, "tags": tags}}})
            await asyncio.wrap_future(self._engine.submit(self._declare(declared)))
        except ValueError as error:
            logs.logger.error("%s was not defined: %s", kind.name, error)
            return None
        self.custom_object_archetypes[kind.id] = archetype
        self._by_name[kind.name] = archetype
        return archetype

    async def _declare(self, declared: Any) -> None:
        await self._engine.look_now()
        assert self._engine.perception is not None
        self._engine.perception.core.declare(declared)

    def _custom_thing(self, name: str, known: LocatedObject) -> Any:
        """Return the object that the program knows under one of our names, once it is seen."""
        archetype = self._by_name.get(name)
        if archetype is None:
            return None
        for one in self._objects.values():
            if isinstance(one, CustomObject) and one.object_type == archetype.object_type:
                return one
        if known.pose is None:
            return None
        made = CustomObject(
            self._robot.conn,
            self,
            archetype.object_type,
            *archetype._sizes,
            *archetype._marker,
            archetype.is_unique,
            dispatch_parent=self,
        )
        self._identify(made)  # type: ignore[attr-defined]
        assert made.object_id is not None
        self._objects[made.object_id] = made
        return made

    # -- in the way, and never seen

    async def create_custom_fixed_object(
        self,
        pose: Pose,
        x_size_mm: float,
        y_size_mm: float,
        z_size_mm: float,
        relative_to_robot: bool = False,
        use_robot_origin: bool = True,
    ) -> FixedCustomObject:
        """Let a box be in the way from now on."""
        robot = self._robot.pose
        if relative_to_robot:
            pose = robot.define_pose_relative_this(pose)
        else:
            place, angle = pose.position, pose.rotation.angle_z
            pose = Pose(*place.x_y_z, angle_z=angle, origin_id=robot.origin_id)
        number = next(self._object_ids)  # type: ignore[attr-defined]
        made = FixedCustomObject(pose, x_size_mm, y_size_mm, z_size_mm, number)
        self._fixed.append(made)
        self._tell_fixed()
        return made

    def _tell_fixed(self) -> None:
        boxes = []
        for one in self._fixed:
            x, y, yaw = self._robot._to_odometry(one.pose)
            size = one.x_size_mm / 1000, one.y_size_mm / 1000
            boxes.append(Box(x, y, yaw, *size, f"object {one.object_id}"))
        self._engine.post(setattr, self._engine.manipulator, "declared", boxes)

    async def delete_all_custom_objects(self) -> None:
        await self.delete_custom_marker_objects()
        await self.delete_fixed_custom_objects()

    async def delete_custom_marker_objects(self) -> None:
        """Forget the objects that were seen; they are found again by sight."""
        await self._forget_seen(Perception.forget_declared)

    async def delete_fixed_custom_objects(self) -> None:
        self._fixed.clear()
        self._tell_fixed()

    async def undefine_all_custom_marker_objects(self) -> None:
        """Forget what markers mean."""
        await self._forget_seen(Perception.undeclare_all)
        self._by_name.clear()
        self.custom_object_archetypes.clear()

    async def _forget_seen(self, forget: Callable[[Perception], None]) -> None:
        """Let perception forget first: images that it has told of until then bring them back."""

        async def call() -> None:
            if self._engine.perception is not None:
                forget(self._engine.perception.core)

        await asyncio.wrap_future(self._engine.submit(call()))
        for number, one in list(self._objects.items()):
            if isinstance(one, CustomObject):
                del self._objects[number]
