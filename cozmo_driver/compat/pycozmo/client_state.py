"""What a PyCozmo client knows of its robot: attributes that packets fill (spec 21 §10)."""

from __future__ import annotations

import json
import math
import threading
from typing import TYPE_CHECKING, Any

from .event import STATUS_EVENTS, named
from .object import Object
from .robot import LiftPosition, RobotOrientation
from .util import Angle, Distance, Pose, Speed, Vector3

if TYPE_CHECKING:
    from .conn import Connection

_TIPPED = math.radians(45.0)
_FALLEN = math.radians(60.0)


class ClientState:
    """The part of ``Client`` that is read."""

    conn: Connection
    _was_ready: threading.Event

    def __init__(self) -> None:
        super().__init__()
        self.pose = Pose(0.0, 0.0, 0.0, angle_z=Angle(radians=0.0), origin_id=1)
        self.pose_frame_id, self.pose_pitch = 0, Angle(radians=0.0)
        self.head_angle = Angle(radians=0.0)
        self.left_wheel_speed, self.right_wheel_speed = Speed(0.0), Speed(0.0)
        self.lift_position = LiftPosition(height=Distance(mm=32.0))
        self.battery_voltage = 0.0
        self.accel, self.gyro = Vector3(0.0, 0.0, 0.0), Vector3(0.0, 0.0, 0.0)
        self.robot_status = 0
        self.robot_picked_up = self.robot_moving = False
        self.robot_orientation = RobotOrientation.ON_THREADS
        self.serial_number = self.serial_number_head = 0
        self.body_hw_version = self.body_color = -1
        self.robot_fw_sig: dict[str, Any] = {}
        self.available_objects: dict[int, Object] = {}
        self.connected_objects: dict[int, dict[str, Any]] = {}
        self.last_image_timestamp: int | None = None
        self.num_anim_bytes_played = self.num_audio_frames_played = 0
        self.enabled_anim_tracks = self.tag = self.client_drop_count = 0

    def _take_identity(self, identity: Any) -> None:
        self.serial_number, self.serial_number_head = identity.body_serial, identity.head_serial
        self.body_hw_version, self.body_color = identity.body_hardware, identity.body_color
        try:
            self.robot_fw_sig = json.loads(identity.firmware_json or "{}")
        except ValueError:
            self.robot_fw_sig = {}

    def _on_cubes(self, cubes: Any) -> None:
        """Take over what the radio hears, in the robot's thread."""
        from .protocol_encoder import _enum

        available, connected = {}, {}
        for cube in cubes:
            kind = _enum("ObjectType", int(cube.kind))
            if cube.is_available:
                available[cube.factory_id] = Object(cube.factory_id, kind)
            if cube.is_connected and cube.slot is not None:
                connected[cube.slot] = {"factory_id": cube.factory_id, "object_type": kind}
        self.available_objects, self.connected_objects = available, connected

    def _before(self, packet: Any) -> None:
        """Take over a packet before handlers see it."""
        name = type(packet).__name__
        if name == "RobotState":
            self._take_state(packet)
        elif name == "AnimationState":
            self.num_anim_bytes_played = packet.num_anim_bytes_played
            self.num_audio_frames_played = packet.num_audio_frames_played
            self.enabled_anim_tracks, self.tag = packet.enabled_anim_tracks, packet.tag

    def _take_state(self, packet: Any) -> None:
        angle = Angle(radians=packet.pose_angle_rad)
        place = packet.pose_x, packet.pose_y, packet.pose_z
        self.pose = Pose(*place, angle_z=angle, origin_id=packet.pose_origin_id)
        self.pose_frame_id = packet.pose_frame_id
        self.pose_pitch = Angle(radians=packet.pose_pitch_rad)
        self.head_angle = Angle(radians=packet.head_angle_rad)
        self.left_wheel_speed = Speed(packet.lwheel_speed_mmps)
        self.right_wheel_speed = Speed(packet.rwheel_speed_mmps)
        # The robot tells an angle under a name that says mm.
        self.lift_position = LiftPosition(angle=Angle(radians=packet.lift_height_mm))
        self.battery_voltage = packet.battery_voltage
        self.accel = Vector3(packet.accel_x, packet.accel_y, packet.accel_z)
        self.gyro = Vector3(packet.gyro_x, packet.gyro_y, packet.gyro_z)

    def _after(self, packet: Any) -> None:
        """Tell what has changed with a state."""
        if type(packet).__name__ != "RobotState":
            return
        before, self.robot_status = self.robot_status, packet.status
        for bit, event in STATUS_EVENTS.items():
            if (before ^ packet.status) & bit:
                self._dispatch(event, bool(packet.status & bit))
        self.robot_picked_up = bool(packet.status & _PICKED_UP)
        self.robot_moving = bool(packet.status & _MOVING)
        orientation = self._orientation(packet)
        if orientation is not self.robot_orientation:
            self.robot_orientation = orientation
            self._dispatch(named("EvtRobotOrientationChange"), orientation)
        if not self._was_ready.is_set() and self.conn.state == self.conn.CONNECTED:
            # From now on the attributes are the robot's.
            self._was_ready.set()
            self._dispatch(named("EvtRobotReady"))
        self._dispatch(named("EvtRobotStateUpdated"))

    def _dispatch(self, event: Any, *values: Any) -> None:
        self.conn.dispatch(event, self, *values)

    def _orientation(self, packet: Any) -> RobotOrientation:
        """Judge by pitch, and by gravity across the head."""
        pitch = packet.pose_pitch_rad
        if pitch > _FALLEN:
            return RobotOrientation.ON_BACK
        if pitch < -_FALLEN:
            return RobotOrientation.ON_FACE
        rest = math.hypot(packet.accel_x, packet.accel_z)
        roll = math.atan2(packet.accel_y, rest) if packet.accel_y or rest else 0.0
        if abs(roll) > _TIPPED:
            left = RobotOrientation.ON_LEFT_SIDE
            return RobotOrientation.ON_RIGHT_SIDE if roll > 0 else left
        return RobotOrientation.ON_THREADS


_MOVING, _PICKED_UP = 0x1, 0x8
