"""``pycozmo.client``: the robot by method calls that return at once (spec 21 §10)."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

import numpy as np

from ...animation import load_assets
from ...robot import AT_GOAL, DRIVE_CENTER, Line, Pose2D, Reason, RobotError, Turn
from ..sdk.camera import pil_image
from . import logs, protocol_encoder
from .client_state import ClientState
from .conn import CONNECTED, Connection
from .event import Dispatcher, named
from .exception import ConnectionTimeout
from .lights import off_light
from .util import Pose

_LOUDEST = 65535
_MM = 1000.0
_SPEED, _ACCELERATION = 0.1, 0.02
"""m/s and m/s^2 of ``go_to_pose``."""
_SIZE = (128, 32)
_GONE = (Reason.NOT_CONNECTED, Reason.LINK_LOST, Reason.SHUTDOWN)


class Client(ClientState, Dispatcher):
    """One robot."""

    def __init__(
        self,
        robot_addr: tuple[str, int] | None = None,
        protocol_log_messages: Any = None,
        auto_initialize: bool = True,
        enable_animations: bool = True,
        enable_procedural_face: bool = True,
    ) -> None:
        super().__init__()
        self.conn = Connection(robot_addr, protocol_log_messages)
        self.conn.client = self
        self.conn.add_child_dispatcher(self)
        self._shows_face = enable_procedural_face and enable_animations
        self._names: set[str] = set()
        self._groups: dict[str, Any] = {}
        self.anim_controller = _AnimController(self)
        self._was_ready = threading.Event()

    # -- its life

    def start(self) -> None:
        logs.logger.debug("Starting")
        self.conn.start()

    def connect(self) -> None:
        """Connect. Raises ``ConnectionTimeout``."""
        self.conn.connect()
        engine = self.conn.engine
        self._take_identity(engine.robot.identity)
        engine.submit(self._listen()).result()
        if self._shows_face:
            engine.post(engine.show_eyes)
        self.conn.post_event(named("EvtRobotFound"))

    async def _listen(self) -> None:
        robot = self.conn.engine.robot
        self._on_cubes(robot.cubes.all)
        robot.cubes.on_change.connect(self._on_cubes)

    def wait_for_robot(self, timeout: float = 5.0) -> None:
        """Raises ``ConnectionTimeout``."""
        if not self._was_ready.wait(timeout):
            raise ConnectionTimeout("the robot is not ready")

    def disconnect(self) -> None:
        self.conn.disconnect()
        self._was_ready.clear()

    def stop(self) -> None:
        self.conn.stop()

    def send(self, pkt: Any) -> None:
        """Send a packet, as versions before 0.6 did."""
        self.conn.send(pkt)

    # -- motors

    def _post(self, function: Any, *values: Any) -> None:
        self.conn.engine.post(function, *values)

    def _send(self, name: str, **fields: Any) -> None:
        self.conn.send(getattr(protocol_encoder, name)(**fields))

    def set_head_angle(
        self, angle: float, accel: float = 10.0, max_speed: float = 10.0, duration: float = 0.0
    ) -> None:
        self._send(
            "SetHeadAngle",
            angle_rad=float(angle),
            accel_rad_per_sec2=accel,
            max_speed_rad_per_sec=max_speed,
            duration_sec=duration,
        )

    def set_lift_height(
        self, height: float, accel: float = 10.0, max_speed: float = 10.0, duration: float = 0.0
    ) -> None:
        """To a height in mm."""
        self._send(
            "SetLiftHeight",
            height_mm=float(height),
            accel_rad_per_sec2=accel,
            max_speed_rad_per_sec=max_speed,
            duration_sec=duration,
        )

    def move_head(self, speed: float) -> None:
        self._post(self.conn.engine.robot.joints.set_head_velocity, float(speed))

    def move_lift(self, speed: float) -> None:
        self._post(self.conn.engine.robot.joints.set_lift_velocity, float(speed))

    def drive_wheels(
        self,
        lwheel_speed: float,
        rwheel_speed: float,
        lwheel_acc: float | None = 0.0,
        rwheel_acc: float | None = 0.0,
        duration: float | None = None,
    ) -> None:
        """Drive at mm/s; with a duration, in s, wait for it and stop all motors."""
        left, right = float(lwheel_speed) / _MM, float(rwheel_speed) / _MM
        self._post(self.conn.engine.drive, left, right)
        if duration is not None:
            time.sleep(duration)
            self.stop_all_motors()

    def stop_all_motors(self) -> None:
        self._post(self.conn.engine.stand)

    def go_to_pose(self, pose: Pose, relative_to_robot: bool = False) -> None:
        """Drive there in a line and a turn; return when that has ended in any way.

        Raises ``RobotError`` where the robot is gone.
        """
        goal = self.pose.define_pose_relative_this(pose) if relative_to_robot else pose
        engine = self.conn.engine

        async def drive() -> None:
            paths, localization = engine.robot.paths, engine.robot.localization
            # Poses of programs count as the robot does, drives by the odometry.
            there = localization.robot_frame.inverse().compose(
                Pose2D(goal.position.x / _MM, goal.position.y / _MM, goal.rotation.angle_z.radians)
            )
            aim, here = there.compose(DRIVE_CENTER), localization.drive_center
            start, end = (here.x, here.y), (aim.x, aim.y)
            bearing = math.atan2(end[1] - start[1], end[0] - start[0])
            segments: list[Any] = [Turn(start, aim.yaw)]
            if math.dist(start, end) >= AT_GOAL:
                line = Line(start, end, _SPEED, _ACCELERATION)
                segments = [Turn(start, bearing), line, Turn(end, aim.yaw)]
            try:
                await paths.follow(segments)
            except RobotError as error:
                if error.reason in _GONE:
                    raise
                logs.logger.warning("go_to_pose: %s", error)

        engine.submit(drive()).result()

    # -- lights, sound

    def set_head_light(self, enable: bool) -> None:
        self._post(self.conn.engine.robot.head_light.set, bool(enable))

    def set_volume(self, level: int) -> None:
        """From 0 to 65535."""
        share = min(1.0, max(0.0, level / _LOUDEST))
        self._post(self.conn.engine.robot.audio.set_volume, share)

    def set_backpack_lights(
        self,
        left_light: Any,
        front_light: Any,
        center_light: Any,
        rear_light: Any,
        right_light: Any,
    ) -> None:
        self._send("LightStateCenter", states=(front_light, center_light, rear_light))
        self._send("LightStateSide", states=(left_light, right_light))

    def set_center_backpack_lights(self, light: Any) -> None:
        self.set_backpack_lights(off_light, light, light, light, off_light)

    def set_all_backpack_lights(self, light: Any) -> None:
        self.set_backpack_lights(light, light, light, light, light)

    def set_backpack_lights_off(self) -> None:
        self.set_all_backpack_lights(off_light)

    def play_audio(self, fspec: str) -> None:
        """Play a WAV file. Raises ``ValueError`` for one that is no such."""
        from .audio import check

        check(fspec)
        engine = self.conn.engine
        self._submit(fspec, engine.robot.audio.play_file(str(fspec)), "EvtAudioCompleted")

    # -- camera and face

    def enable_camera(self, enable: bool = True, color: bool = False) -> None:
        engine = self.conn.engine
        self._post(engine.robot.camera.set_color, bool(color))
        self._post(engine.stream, bool(enable))

    def _on_image(self, image: Any) -> None:
        try:
            made = pil_image(image)
        except ValueError:
            return
        self.last_image_timestamp = round(image.time * _MM)
        self.conn.dispatch(named("EvtNewRawCameraImage"), self, made)

    def display_image(self, im: Any, duration: float | None = None) -> None:
        """Show a PIL image of mode 1, 128x32; with a duration, in s, wait and clear it."""
        if im.mode != "1" or im.size != _SIZE:
            raise ValueError(f"an image is of mode 1 and 128x32, not {im.mode} {im.size}")
        picture = np.asarray(im).astype(bool)
        self._post(self.conn.engine.robot.display.show, picture)
        if duration is not None:
            time.sleep(duration)
            self.clear_screen()

    def clear_screen(self) -> None:
        engine = self.conn.engine
        self._post(engine.show_eyes if self._shows_face else engine.robot.display.clear)

    def enable_procedural_face(self, enabled: bool = True) -> None:
        self._shows_face = bool(enabled)
        self.clear_screen()

    def enable_animations(self, enabled: bool = True) -> None:
        """Clips are played at any time here."""

    # -- clips

    def load_anims(self, *_: object) -> None:
        """Know the clips: own ones, and imported ones. Old versions took the app's folder."""
        is_open = self.conn.state == CONNECTED
        library = self.conn.engine.player.library if is_open else load_assets().library
        self._names = set(library.clips.names)
        self._groups = {**library.groups, **library.triggers}

    def get_anim_names(self) -> set[str]:
        return set(self._names)

    @property
    def anim_names(self) -> set[str]:
        return set(self._names)

    @property
    def animation_groups(self) -> dict[str, Any]:
        return dict(self._groups)

    def play_anim(self, name: str) -> None:
        """Play a clip. Raises ``ValueError`` for one that is not known."""
        if name not in self._names:
            raise ValueError(
                f"there is no animation named {name!r}: call load_anims first, or see "
                "cozmo anim list"
            )
        self._play(name)

    def play_anim_group(self, anim_group_name: str) -> None:
        if anim_group_name not in self._groups:
            raise ValueError(f"there is no animation group named {anim_group_name!r}")
        self._play(anim_group_name)

    def _play(self, name: str) -> None:
        self._submit(name, self.conn.engine.player.play(name), "EvtAnimationCompleted")

    def _submit(self, name: str, work: Any, event: str) -> None:
        """Let it play; log why it failed, and tell its end by an event."""
        done = self.conn.engine.submit(work)

        def ended(future: Any) -> None:
            if not future.cancelled() and future.exception() is not None:
                logs.logger.warning("%s: %s", name, future.exception())
            self.conn.post_event(named(event))

        done.add_done_callback(ended)

    def cancel_anim(self) -> None:
        self._post(self.conn.engine.player.stop)

    def play_anim_ppclip(self, ppclip: Any) -> None:
        """Raises ``NotImplementedError``."""
        raise NotImplementedError("prepared clips are PyCozmo's own: play_anim plays by name")

    def activate_behavior(self, behavior: Any) -> None:
        """Raises ``NotImplementedError``."""
        raise NotImplementedError("behaviours of the app are not here: run behavior_node")

    def deactivate_behavior(self, behavior: Any) -> None:
        """Nothing is active."""


class _AnimController:
    """``cli.anim_controller``: frames are streamed by themselves."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.playing_animation = self.playing_audio = False

    def enable_animations(self, enabled: bool = True) -> None:
        self._client.enable_animations(enabled)

    def enable_procedural_face(self, enabled: bool = True) -> None:
        self._client.enable_procedural_face(enabled)

    def display_image(self, pkt: Any) -> None:
        self._client.conn.send(pkt)

    def cancel_anim(self) -> None:
        self._client.cancel_anim()
