"""Rules that every built-in clip keeps, so that it is safe and is seen."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from cozmo_driver.animation.clip_source import ClipSource, prepare
from cozmo_driver.animation.face_track import face_of_keyframe
from cozmo_driver.animation.filmstrip import moments_of
from cozmo_driver.face.parameters import Eye, Face
from cozmo_driver.face.renderer import clamped_center, render
from cozmo_driver.protocol.enums import AnimTrackFlag as Track
from cozmo_driver.resources import FRAME_MS, AnimationClip, ClipLibrary
from cozmo_driver.resources.keyframes import MAX_POINT_TURN_SPEED, MAX_SPEED, STRAIGHT, BodyMotion
from cozmo_driver.resources.locations import ANIMATIONS, find_own_tree
from cozmo_driver.resources.sound.builtin_sounds import BuiltinSounds

from ..each import for_each

HEAD_LIMITS = (-25, 44)
LIFT_LIMITS = (32, 92)
FARTHEST_AHEAD, FARTHEST_BACK = 60.0, -40.0
HIGHEST_LIFT = 76
"""Of clips for a robot that stands."""

LYING = ("anim_on_back", "anim_on_face", "anim_hiccup_on_back")
OFF_THE_GROUND = (
    *LYING,
    "anim_on_left",
    "anim_on_right",
    "anim_ask_righted",
    "anim_wait_on_side",
    "anim_pick_up",
    "anim_shake_loop",
    "anim_shake_stop",
    "anim_dizzy_still",
    "anim_hiccup_held",
    "anim_fall",
)
ON_THE_CHARGER = ("anim_charger", "anim_charged")
ENDS_ELSEWHERE = ("anim_cliff_01", "anim_cliff_02", "anim_poke_01")
"""They back away from something."""
TURNS_AROUND = ("anim_success_spin_01",)
SLEEPS = ("anim_sleep", "anim_disconnect")
"""They end with the head down."""
FRAGMENTS = ("anim_cliff_stop_01", "anim_neutral_face_01")
"""They are shorter than others: what follows them must not wait."""


GAME = "anim_game_"
"""Moves of a game, one after the other: they begin and end with the lift up, looking down at a
cube, turned to it or ahead at it; a tap or pounce is as fast as the lift can."""


@cache
def library() -> ClipLibrary:
    tree = find_own_tree()
    assert tree is not None
    return ClipLibrary([tree / ANIMATIONS], cache_size=1000)


NAMES = library().names


def clip(name: str) -> AnimationClip:
    loaded = library().load(name)
    assert loaded.warnings == ()
    return loaded.clip


class Pose(NamedTuple):
    """Seen from where the clip began: mm ahead, mm to the left, degrees."""

    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0


def after(pose: Pose, motion: BodyMotion) -> Pose:
    """Where one frame of a motion leads to."""
    radius, way = motion.radius_mm, motion.limited_speed * FRAME_MS / 1000
    if radius == 0:
        return pose._replace(heading=pose.heading + way)
    turn = 0.0 if radius == STRAIGHT else way / radius
    middle = math.radians(pose.heading) + turn / 2.0
    x, y = pose.x + way * math.cos(middle), pose.y + way * math.sin(middle)
    return Pose(x, y, pose.heading + math.degrees(turn))


def path_of(one: AnimationClip) -> list[Pose]:
    path = [Pose()]
    for moment in moments_of(one):
        path.append(path[-1] if moment.motion is None else after(path[-1], moment.motion))
    return path


def faces_of(name: str) -> Iterator[tuple[int, Face]]:
    for keyframe in clip(name).procedural_face:
        yield keyframe.trigger_ms, face_of_keyframe(keyframe)


def corners_of(face: Face) -> Iterator[tuple[float, float]]:
    """Where the corners of both eyes' boxes are on the screen (spec 04 §5)."""
    center_x, center_y = clamped_center(face)
    cosine, sine = math.cos(face.angle), math.sin(face.angle)
    for base, mirror, eye in ((32.0, 1, face.left_eye), (96.0, -1, face.right_eye)):
        for corner_x, corner_y in box_of(eye):
            x, y = base + mirror * corner_x + eye.center_x - 64.0, corner_y + eye.center_y
            x, y = x * face.scale_x, y * face.scale_y
            yield 64.0 + cosine * x + sine * y + center_x, 32.0 - sine * x + cosine * y + center_y


def box_of(eye: Eye) -> Iterator[tuple[float, float]]:
    cosine, sine = math.cos(eye.angle), math.sin(eye.angle)
    # Rounded corners do not reach into those of the box.
    for x, y in ((15, 0), (-15, 0), (0, 20), (0, -20), (10, 14), (-10, 14), (10, -14), (-10, -14)):
        x, y = x * eye.scale_x, y * eye.scale_y
        yield cosine * x + sine * y, -sine * x + cosine * y


@for_each("name", NAMES)
def test_a_clip_takes_one_to_four_seconds(name: str) -> None:
    shortest = 200 if name in FRAGMENTS or name.startswith(GAME) else 900

    assert shortest <= clip(name).duration_ms <= 4000


@for_each("name", NAMES)
def test_head_and_lift_stay_within_their_limits(name: str) -> None:
    heads = [(one.angle_deg, one.angle_variability_deg) for one in clip(name).head_angle]
    lifts = [(one.height_mm, one.height_variability_mm) for one in clip(name).lift_height]

    for moves, (low, high) in ((heads, HEAD_LIMITS), (lifts, LIFT_LIMITS)):
        assert all(low <= to - vary <= to + vary <= high for to, vary in moves)


@for_each("name", [name for name in NAMES if not name.startswith(GAME)])
def test_joints_get_enough_time_for_every_move(name: str) -> None:
    for moves, rest, fastest in (
        ([(one.duration_ms, one.angle_deg) for one in clip(name).head_angle], 0, 300),
        ([(one.duration_ms, one.height_mm) for one in clip(name).lift_height], 32, 360),
    ):
        place = rest
        for duration, to in moves:
            assert abs(to - place) * 1000 / duration <= fastest, f"from {place} to {to}"
            place = to


@for_each("name", [name for name in NAMES if not name.startswith((*LYING, GAME))])
def test_the_lift_is_not_raised_needlessly_and_is_low_at_the_end(name: str) -> None:
    heights = [one.height_mm for one in clip(name).lift_height]

    assert max(heights, default=32) <= HIGHEST_LIFT + 8
    assert heights[-1:] in ([], [32])


@for_each("name", [name for name in NAMES if not name.startswith((*SLEEPS, GAME))])
def test_the_head_comes_back_to_about_level(name: str) -> None:
    angles = [one.angle_deg for one in clip(name).head_angle]

    if name not in ("anim_cliff_stop_01", "anim_sleeping_01", "anim_sleeping_dream_01"):
        assert -8 <= (angles[-1] if angles else 0) <= 16


@for_each("name", NAMES)
def test_the_body_goes_not_far_and_ends_about_where_it_began(name: str) -> None:
    path = path_of(clip(name))

    assert min(pose.x for pose in path) >= FARTHEST_BACK
    assert max(pose.x for pose in path) <= FARTHEST_AHEAD
    assert max(abs(pose.y) for pose in path) <= 20.0
    if name.startswith(GAME):
        return
    farthest = 40.0 if name in ENDS_ELSEWHERE else 5.0
    assert math.hypot(path[-1].x, path[-1].y) <= farthest
    turned = path[-1].heading - (360.0 if name in TURNS_AROUND else 0.0)
    assert abs(turned) <= 4.0


@for_each("name", NAMES)
def test_every_motion_ends_and_is_within_the_limits_of_speed(name: str) -> None:
    for motion in clip(name).body_motion:
        limit = MAX_POINT_TURN_SPEED if motion.radius_mm == 0 else MAX_SPEED
        assert motion.duration_ms > 0
        assert 0 < abs(motion.speed) < limit


@for_each("name", [name for name in NAMES if name.startswith((*OFF_THE_GROUND, *ON_THE_CHARGER))])
def test_off_the_ground_and_on_the_charger_nothing_drives(name: str) -> None:
    assert clip(name).body_motion == ()


@for_each("name", NAMES)
def test_the_eyes_stay_on_the_screen(name: str) -> None:
    for time, face in faces_of(name):
        for x, y in corners_of(face):
            assert -2.0 <= x <= 129.0, f"at {time} ms"
            assert -2.0 <= y <= 65.0, f"at {time} ms"


@for_each("name", NAMES)
def test_there_is_a_face_from_the_beginning_and_it_is_seen(name: str) -> None:
    faces = list(faces_of(name))

    assert faces[0][0] == 0
    # The last ones may close the eyes for good.
    for time, face in faces if not name.startswith(SLEEPS) else faces[:-2]:
        assert render(face).any(), f"nothing is lit at {time} ms"


@for_each("name", NAMES)
def test_every_sound_is_a_built_in_one_and_ends_soon_after_the_movements(name: str) -> None:
    sounds = BuiltinSounds()
    names = {sounds.event_id(one): one for one in sounds.names()}

    for audio in clip(name).robot_audio:
        for event_id in audio.audio_event_ids:
            length = sounds.sound(names[event_id]).duration * 1000
            assert audio.trigger_ms + length <= clip(name).duration_ms + 800
        assert 0.0 < audio.volume <= 1.0


@for_each("name", NAMES)
def test_a_clip_is_played_to_its_end(name: str) -> None:
    prepared = prepare(clip(name), Track(0), lambda name: (), BuiltinSounds(), random.Random(1))
    source = ClipSource(prepared, tag=1)
    source.finish()

    frames = [source.next_frame(0.0) for _ in range(prepared.length)]

    assert [frame.is_last for frame in frames].index(True) == prepared.length - 1


@for_each("name", NAMES)
def test_lights_have_colours_and_end_with_the_clip(name: str) -> None:
    for lights in clip(name).backpack_lights:
        for color in (lights.left, lights.front, lights.middle, lights.back, lights.right):
            assert len(color) == 4
            assert all(0.0 <= part <= 1.0 for part in color)
        assert lights.duration_ms > 0
