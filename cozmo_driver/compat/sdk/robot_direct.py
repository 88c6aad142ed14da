"""What ``cozmo.robot.Robot`` does at once: motors, lights, behaviours (spec 21 §3)."""

from __future__ import annotations

import asyncio
import math
from contextlib import suppress
from typing import Any

from ...protocol import AnimTrackFlag as Track
from ...robot import BackpackLights, RobotError
from . import audio, logs
from .anim import Triggers
from .behavior import Behavior, _BehaviorType
from .behaviors import FREEPLAY
from .lights import Light, check_light, off_light
from .off_charger import OffChargerContext
from .robot_places import Places
from .units import Angle

_MM = 1000.0
_BACKUP_SPEED = -40.0
"""mm/s, the app's is -30 (spec 21 §3): within 3 s it is farther than the way off is here."""
_POLL = 0.03


class DirectControl(Places):
    """Commands that are no actions."""

    behavior_factory: Any = Behavior
    perform_off_charger_factory: Any = OffChargerContext
    _current_behavior: Behavior | None = None
    _is_freeplay = False

    # -- motors

    async def drive_wheels(
        self,
        l_wheel_speed: float,
        r_wheel_speed: float,
        l_wheel_acc: float | None = None,
        r_wheel_acc: float | None = None,
        duration: float | None = None,
    ) -> None:
        """Drive at mm/s, for ``duration`` s or until told otherwise."""
        self.drive_wheel_motors(l_wheel_speed, r_wheel_speed, l_wheel_acc, r_wheel_acc)
        if duration:
            await asyncio.sleep(duration)
            self.stop_all_motors()

    def drive_wheel_motors(
        self,
        l_wheel_speed: float,
        r_wheel_speed: float,
        l_wheel_acc: float | None = None,
        r_wheel_acc: float | None = None,
    ) -> None:
        left, right = float(l_wheel_speed) / _MM, float(r_wheel_speed) / _MM
        self._engine.post(self._engine.drive, left, right)

    def stop_all_motors(self) -> None:
        self._engine.post(self._engine.stand)

    def move_head(self, speed: float) -> None:
        """Move the head at rad/s until told otherwise."""
        value = _radians(speed)
        self._engine.post(lambda: self._engine.robot.joints.set_head_velocity(value))

    def move_lift(self, speed: float) -> None:
        """Move the lift at rad/s until told otherwise."""
        value = _radians(speed)
        self._engine.post(lambda: self._engine.robot.joints.set_lift_velocity(value))

    async def backup_onto_charger(self, max_drive_time: float = 3) -> None:
        """Drive back until it is on the contacts, for some s at most."""
        self.drive_wheel_motors(_BACKUP_SPEED, _BACKUP_SPEED)
        try:
            for _ in range(math.ceil(max_drive_time / _POLL)):
                await asyncio.sleep(_POLL)
                if self.is_on_charger:
                    break
        finally:
            self.stop_all_motors()

    def perform_off_charger(self, *values: Any, **named: Any) -> Any:
        """Return a context: off the charger within it, and back if it was on it."""
        return self.perform_off_charger_factory(self, *values, **named)

    def enable_stop_on_cliff(self, enable: bool = True) -> None:
        self._engine.post(lambda: self._engine.robot.cliff.enable(bool(enable)))

    # -- sound and lights

    def set_robot_volume(self, robot_volume: float) -> None:
        """From 0 to 1. Raises ``ValueError``."""
        value = min(1.0, max(0.0, float(robot_volume)))
        self._engine.post(lambda: self._engine.robot.audio.set_volume(value))

    def play_audio(self, audio_event: Any) -> None:
        """Play a sound of the tablet; here what comes nearest, or nothing."""
        if not isinstance(audio_event, audio._AudioEvent):
            raise TypeError("play_audio takes one of cozmo.audio.AudioEvents")
        clip = audio.clip_for(audio_event.name)
        if clip is None:
            logs.note("the tablet's music is not there: play_audio was silent for it")
            return
        logs.note(f"the tablet's sound {audio_event.name} was that of the clip {clip}")
        silent = Track.HEAD | Track.LIFT | Track.BODY | Track.FACE_IMAGE | Track.BACKPACK_LIGHTS
        self._engine.submit(_quietly(self._engine.player.play(clip, excluded_tracks=silent)))

    def set_backpack_lights(
        self, light1: Any, light2: Any, light3: Any, light4: Any, light5: Any
    ) -> None:
        """Left, front, middle, rear, right; None leaves one as it is. Raises ``TypeError``."""
        for index, light in enumerate((light1, light2, light3, light4, light5)):
            if light is not None:
                self._lights[index] = check_light(light)
        left, front, middle, rear, right = (light._of_robot() for light in self._lights)
        lights = BackpackLights(front, middle, rear, left, right)
        self._engine.post(self._engine.set_backpack, lights)

    _lights: list[Light]

    def set_center_backpack_lights(self, light: Any) -> None:
        self.set_backpack_lights(off_light, light, light, light, off_light)

    def set_all_backpack_lights(self, light: Any) -> None:
        self.set_backpack_lights(light, light, light, light, light)

    def set_backpack_lights_off(self) -> None:
        self.set_all_backpack_lights(off_light)

    def set_head_light(self, enable: bool) -> None:
        self._engine.post(lambda: self._engine.robot.head_light.set(bool(enable)))

    # -- clips

    @property
    def anim_names(self) -> Any:
        return self.conn.anim_names

    @property
    def anim_triggers(self) -> Any:
        return Triggers.trigger_list

    def set_idle_animation(self, anim_trigger: Any) -> None:
        logs.note("idle animations are not played")

    def clear_idle_animation(self) -> None:
        """Nothing idle is played."""

    # -- behaviours

    @property
    def current_behavior(self) -> Any:
        return self._current_behavior

    @property
    def is_behavior_running(self) -> bool:
        return self._current_behavior is not None or self._is_freeplay

    @property
    def is_freeplay_mode_active(self) -> bool:
        return self._is_freeplay

    def start_behavior(self, behavior_type: Any) -> Any:
        """Start one; it ends the former one. Raises ``TypeError`` unless of ``BehaviorTypes``."""
        if not isinstance(behavior_type, _BehaviorType):
            raise TypeError(f"a behavior is one of cozmo.behavior.BehaviorTypes: {behavior_type!r}")
        if self._current_behavior is not None:
            self._current_behavior.stop()
        made: Behavior = self.behavior_factory(self, behavior_type, dispatch_parent=self)
        self._current_behavior = made
        made._begin()
        return made

    def _behavior_ended(self, ended: Behavior) -> None:
        if self._current_behavior is ended:
            self._current_behavior = None

    async def run_timed_behavior(self, behavior_type: Any, active_time: float) -> None:
        """Let one run for some s at most."""
        made = self.start_behavior(behavior_type)
        await made.wait_for_started()
        with suppress(asyncio.TimeoutError):
            await made.wait_for_completed(active_time)
        made.stop()

    def start_freeplay_behaviors(self) -> None:
        """Let the personality have the robot."""
        self.start_behavior(_BehaviorType(FREEPLAY, -1))
        self._is_freeplay = True

    def stop_freeplay_behaviors(self) -> None:
        self._is_freeplay = False
        if self._current_behavior is not None:
            self._current_behavior.stop()
        self._action_dispatcher.abort_all()

    def enable_all_reaction_triggers(self, should_enable: bool) -> None:
        if should_enable:
            logs.note("the robot does not react by itself: reactions run as behavior_node")

    def enable_freeplay_cube_lights(self, enable: bool = True) -> None:
        """Cubes show what the program sets."""

    def set_needs_levels(
        self, repair_value: float = 1, energy_value: float = 1, play_value: float = 1
    ) -> None:
        """Needs are the personality's."""

    # -- what only the phone could

    def enable_device_imu(
        self,
        enable_raw: bool = False,
        enable_user: bool = False,
        enable_gyro: bool = False,
    ) -> None:
        if enable_raw or enable_user or enable_gyro:
            logs.note("there is no phone: device_accel_raw, _user and device_gyro stay None")

    def enable_facial_expression_estimation(self, enable: bool = True) -> None:
        if enable:
            logs.note("expressions of faces are not judged: they stay unknown")

    def _bearing_of(self, face: Any) -> Any:
        """Return yaw and pitch, rad, to a face; None where it is not known."""
        pose = getattr(face, "pose", None)
        if pose is None or not pose.is_comparable(self.pose):
            return None
        here, there = self.pose, pose.position
        dx, dy = there.x - here.position.x, there.y - here.position.y
        yaw = math.atan2(dy, dx) - self.pose_angle.radians
        neck = 45.0
        return math.remainder(yaw, 2 * math.pi), math.atan2(there.z - neck, math.hypot(dx, dy))


def _radians(value: Any) -> float:
    return value.radians if isinstance(value, Angle) else float(value)


async def _quietly(work: Any) -> None:
    try:
        await work
    except RobotError as error:
        logs.logger.debug("%s", error)
