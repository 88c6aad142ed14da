"""Actions of ``cozmo.robot.Robot`` that need nothing around it (spec 21 §3)."""

from __future__ import annotations

from typing import Any

from . import anim
from .action import Action, ActionDispatcher
from .anim import Animation, AnimationTrigger
from .robot_actions import (
    DisplayOledFaceImage,
    DriveOffChargerContacts,
    DriveStraight,
    PlaySong,
    SayText,
    SetHeadAngle,
    SetLiftHeight,
    TurnInPlace,
)
from .robot_state import RobotStateReader
from .sync import Synced
from .units import as_angle, as_distance, as_speed


class Motions(RobotStateReader, Synced):
    """Begins actions; a factory may be replaced by the program."""

    conn: Any
    _action_dispatcher: ActionDispatcher
    _face_action: Action | None = None
    _bearing_of: Any

    turn_in_place_factory: Any = TurnInPlace
    say_text_factory: Any = SayText
    set_head_angle_factory: Any = SetHeadAngle
    set_lift_height_factory: Any = SetLiftHeight
    drive_off_charger_contacts_factory: Any = DriveOffChargerContacts
    drive_straight_factory: Any = DriveStraight
    display_oled_face_image_factory: Any = DisplayOledFaceImage
    play_song_factory: Any = PlaySong
    animation_factory: Any = Animation
    animation_trigger_factory: Any = AnimationTrigger

    # -- actions

    def _start(self, action: Action, in_parallel: bool, num_retries: int) -> Any:
        return self._action_dispatcher.start(action, bool(in_parallel), num_retries)

    @property
    def has_in_progress_actions(self) -> bool:
        return self._action_dispatcher.has_in_progress

    def abort_all_actions(self, log_abort_messages: bool = False) -> None:
        self._action_dispatcher.abort_all(log_abort_messages)

    async def wait_for_all_actions_completed(self) -> None:
        await self._action_dispatcher.wait_for_all()

    def drive_straight(
        self,
        distance: Any,
        speed: Any,
        should_play_anim: bool = True,
        in_parallel: bool = False,
        num_retries: int = 0,
    ) -> Any:
        as_distance(distance, "distance")
        as_speed(speed, "speed")
        made = self.drive_straight_factory(distance, speed, should_play_anim, dispatch_parent=self)
        return self._start(made, in_parallel, num_retries)

    def turn_in_place(
        self,
        angle: Any,
        in_parallel: bool = False,
        num_retries: int = 0,
        speed: Any = None,
        accel: Any = None,
        angle_tolerance: Any = None,
        is_absolute: bool = False,
    ) -> Any:
        as_angle(angle, "angle")
        made = self.turn_in_place_factory(
            angle,
            speed,
            accel,
            angle_tolerance,
            is_absolute,
            to_odometry=lambda: self._base.yaw if self._base else 0.0,
            dispatch_parent=self,
        )
        return self._start(made, in_parallel, num_retries)

    def set_head_angle(
        self,
        angle: Any,
        accel: float = 10.0,
        max_speed: float = 10.0,
        duration: float = 0.0,
        warn_on_clamp: bool = True,
        in_parallel: bool = False,
        num_retries: int = 0,
    ) -> Any:
        as_angle(angle, "angle")
        made = self.set_head_angle_factory(
            angle, warn_on_clamp, accel=accel, max_speed=max_speed, duration=duration,
            dispatch_parent=self,
        )  # fmt: skip
        return self._start(made, in_parallel, num_retries)

    def set_lift_height(
        self,
        height: float,
        accel: float = 10.0,
        max_speed: float = 10.0,
        duration: float = 0.0,
        in_parallel: bool = False,
        num_retries: int = 0,
    ) -> Any:
        made = self.set_lift_height_factory(
            height, accel=accel, max_speed=max_speed, duration=duration, dispatch_parent=self
        )
        return self._start(made, in_parallel, num_retries)

    def say_text(
        self,
        text: Any,
        play_excited_animation: bool = False,
        use_cozmo_voice: bool = True,
        duration_scalar: float = 1.0,
        voice_pitch: float = 0.0,
        in_parallel: bool = False,
        num_retries: int = 0,
    ) -> Any:
        made = self.say_text_factory(
            text, play_excited_animation, use_cozmo_voice, duration_scalar, voice_pitch,
            dispatch_parent=self,
        )  # fmt: skip
        return self._start(made, in_parallel, num_retries)

    def play_song(
        self,
        song_notes: Any,
        loop_count: int = 1,
        in_parallel: bool = False,
        num_retries: int = 0,
    ) -> Any:
        made = self.play_song_factory(song_notes, loop_count, dispatch_parent=self)
        return self._start(made, in_parallel, num_retries)

    def play_anim(
        self,
        name: str,
        loop_count: int = 1,
        in_parallel: bool = False,
        num_retries: int = 0,
        use_lift_safe: bool = False,
        ignore_body_track: bool = False,
        ignore_head_track: bool = False,
        ignore_lift_track: bool = False,
    ) -> Any:
        """Play a clip. Raises ``ValueError`` for a name that nobody knows."""
        if name not in self.conn.anim_names and not anim.is_of_app(name):
            raise ValueError(f"there is no animation named {name!r}")
        made = self.animation_factory(
            name, loop_count, ignore_body_track, ignore_head_track, ignore_lift_track,
            dispatch_parent=self,
        )  # fmt: skip
        return self._start(made, in_parallel, num_retries)

    def play_anim_trigger(
        self,
        trigger: Any,
        loop_count: int = 1,
        in_parallel: bool = False,
        num_retries: int = 0,
        use_lift_safe: bool = False,
        ignore_body_track: bool = False,
        ignore_head_track: bool = False,
        ignore_lift_track: bool = False,
    ) -> Any:
        """Play a clip of a trigger. Raises ``TypeError`` unless it is one of ``Triggers``."""
        if not isinstance(trigger, anim._AnimTrigger):
            raise TypeError(f"a trigger is one of cozmo.anim.Triggers, not {trigger!r}")
        made = self.animation_trigger_factory(
            trigger,
            loop_count,
            use_lift_safe=use_lift_safe,
            ignore_body_track=ignore_body_track,
            ignore_head_track=ignore_head_track,
            ignore_lift_track=ignore_lift_track,
            dispatch_parent=self,
        )
        return self._start(made, in_parallel, num_retries)

    def display_oled_face_image(
        self,
        screen_data: Any,
        duration_ms: float,
        in_parallel: bool = True,
        num_retries: int = 0,
    ) -> Any:
        made = self.display_oled_face_image_factory(screen_data, duration_ms, dispatch_parent=self)
        former, self._face_action = self._face_action, made
        if former is None or not former.is_running:
            return self._start(made, in_parallel, num_retries)
        self._action_dispatcher.forget(former)
        try:
            return self._start(made, in_parallel, num_retries)
        finally:
            # Only now: without a newer picture its end shows the eyes.
            former.abort()

    def drive_off_charger_contacts(self, in_parallel: bool = False, num_retries: int = 0) -> Any:
        made = self.drive_off_charger_contacts_factory(dispatch_parent=self)
        return self._start(made, in_parallel, num_retries)
