"""Actions of ``cozmo.robot.Robot`` with places and objects (spec 21 §3)."""

from __future__ import annotations

from typing import Any

from . import objects, util
from .exceptions import CannotPlaceObjectsOnThis, NotPickupable
from .robot_actions import TurnTowardsFace
from .robot_alignment import RobotAlignmentTypes
from .robot_docking import (
    DockWithCube,
    GoToObject,
    GoToPose,
    PickupObject,
    PlaceObjectOnGroundHere,
    PlaceOnObject,
    PopAWheelie,
    RollCube,
)
from .robot_motions import Motions
from .units import as_distance


class Places(Motions):
    """Begins actions that drive somewhere."""

    turn_towards_face_factory: Any = TurnTowardsFace
    pickup_object_factory: Any = PickupObject
    place_on_object_factory: Any = PlaceOnObject
    go_to_pose_factory: Any = GoToPose
    go_to_object_factory: Any = GoToObject
    place_object_on_ground_here_factory: Any = PlaceObjectOnGroundHere
    dock_with_cube_factory: Any = DockWithCube
    roll_cube_factory: Any = RollCube
    pop_a_wheelie_factory: Any = PopAWheelie

    # -- places and objects

    def go_to_pose(
        self,
        pose: Any,
        relative_to_robot: bool = False,
        in_parallel: bool = False,
        num_retries: int = 0,
    ) -> Any:
        if not isinstance(pose, util.Pose):
            raise TypeError(f"go_to_pose takes a cozmo.util.Pose, not {pose!r}")
        goal = self.pose.define_pose_relative_this(pose) if relative_to_robot else pose
        made = self.go_to_pose_factory(goal, lambda: self._to_odometry(goal), dispatch_parent=self)
        return self._start(made, in_parallel, num_retries)

    def go_to_object(
        self,
        target_object: Any,
        distance_from_object: Any,
        in_parallel: bool = False,
        num_retries: int = 0,
    ) -> Any:
        is_seen = isinstance(target_object, objects.ObservableObject)
        if not is_seen or isinstance(target_object, objects.CustomObject):
            raise TypeError("go_to_object takes a light cube or the charger")
        as_distance(distance_from_object, "distance_from_object")
        made = self.go_to_object_factory(target_object, distance_from_object, dispatch_parent=self)
        return self._start(made, in_parallel, num_retries)

    def pickup_object(
        self,
        obj: Any,
        use_pre_dock_pose: bool = True,
        in_parallel: bool = False,
        num_retries: int = 0,
    ) -> Any:
        if not getattr(obj, "pickupable", False):
            raise NotPickupable(f"{obj!r} cannot be picked up")
        made = self.pickup_object_factory(obj, use_pre_dock_pose, dispatch_parent=self)
        return self._start(made, in_parallel, num_retries)

    def place_on_object(
        self,
        obj: Any,
        use_pre_dock_pose: bool = True,
        in_parallel: bool = False,
        num_retries: int = 0,
    ) -> Any:
        if not getattr(obj, "place_objects_on_this", False):
            raise CannotPlaceObjectsOnThis(f"nothing can be put on {obj!r}")
        made = self.place_on_object_factory(obj, use_pre_dock_pose, dispatch_parent=self)
        return self._start(made, in_parallel, num_retries)

    def place_object_on_ground_here(
        self, obj: Any = None, in_parallel: bool = False, num_retries: int = 0
    ) -> Any:
        made = self.place_object_on_ground_here_factory(obj, dispatch_parent=self)
        return self._start(made, in_parallel, num_retries)

    def dock_with_cube(
        self,
        cube: Any,
        approach_angle: Any = None,
        alignment_type: Any = None,
        distance_from_marker: Any = None,
        in_parallel: bool = False,
        num_retries: int = 0,
    ) -> Any:
        _check_cube(cube)
        kind = alignment_type or RobotAlignmentTypes.LiftPlate  # type: ignore[attr-defined]
        made = self.dock_with_cube_factory(
            cube, approach_angle, kind, distance_from_marker, dispatch_parent=self
        )
        return self._start(made, in_parallel, num_retries)

    def roll_cube(
        self,
        cube: Any,
        approach_angle: Any = None,
        check_for_object_on_top: bool = False,
        in_parallel: bool = False,
        num_retries: int = 0,
    ) -> Any:
        _check_cube(cube)
        made = self.roll_cube_factory(
            cube, approach_angle, check_for_object_on_top, dispatch_parent=self
        )
        return self._start(made, in_parallel, num_retries)

    def pop_a_wheelie(
        self, cube: Any, approach_angle: Any = None, in_parallel: bool = False, num_retries: int = 0
    ) -> Any:
        _check_cube(cube)
        made = self.pop_a_wheelie_factory(cube, approach_angle, dispatch_parent=self)
        return self._start(made, in_parallel, num_retries)

    def turn_towards_face(self, face: Any, in_parallel: bool = False, num_retries: int = 0) -> Any:
        made = self.turn_towards_face_factory(face, self._bearing_of, dispatch_parent=self)
        return self._start(made, in_parallel, num_retries)


def _check_cube(cube: Any) -> None:
    if not isinstance(cube, objects.LightCube):
        raise TypeError(f"this takes a cozmo.objects.LightCube, not {cube!r}")
