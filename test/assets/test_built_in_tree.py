"""The built-in assets as a whole: made from their scores, complete, found by name."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

from cozmo_driver.animation.assets import Kind, Selection, backpack_lights_of, cube_lights_of
from cozmo_driver.resources import BuiltinSounds, Library, library_of
from cozmo_driver.resources.locations import find_own_tree
from scores import read_scores, write_tree

from ..each import for_each

ROOT = Path(__file__).parents[2]
MADE = ("animations", "animationGroups", "animationGroupMaps")

# Every trigger that the behaviours of spec 12 §6 play, and the face at rest (spec 06 §2).
NAMED_BY_BEHAVIORS = [
    "NeutralFace",
    "ReactToCliffDetectorStop",
    "ReactToCliff",
    "ReactToPickup",
    "HiccupRobotPickedUp",
    "ReactToImpact",
    "FlipDownFromBack",
    "HiccupRobotOnBack",
    "FacePlantRoll",
    "FacePlantRollArmUp",
    "FailedToRightFromFace",
    "ReactToOnLeftSide",
    "ReactToOnRightSide",
    "AskToBeRightedLeft",
    "AskToBeRightedRight",
    "WaitOnSideLoop",
    "ReactToPerchedOnBlock",
    "DizzyShakeLoop",
    "DizzyShakeStop",
    "DizzyStillPickedUp",
    "DizzyReactionHard",
    "DizzyReactionMedium",
    "DizzyReactionSoft",
    "ReactToUnexpectedMovement",
    "FrustratedByFailure",
    "PlacedOnCharger",
    "GoToSleepGetIn",
    "GoToSleepSleeping",
    "GoToSleepOff",
    "HiccupGetIn",
    "Hiccup",
    "HiccupGetOut",
]
OCCASIONS = [
    "Greeting",
    "Joy",
    "Sadness",
    "Surprise",
    "Curiosity",
    "GoToSleepSleeping",
    "WakeUp",
    "ReactToCliff",
    "ReactToPickup",
    "PutDown",
    "ReactToImpact",
    "DizzyReactionMedium",
    "PlacedOnCharger",
    "Success",
    "Failure",
    "Idle",
    "Anger",
    "Boredom",
    "Sneeze",
    "Dance",
    "Sing",
    "LookAround",
    "Yes",
    "No",
    "Poke",
    "BatteryLow",
    "Connect",
    "Disconnect",
]


def own_tree() -> Path:
    tree = find_own_tree()
    assert tree is not None
    return tree


@cache
def library() -> Library:
    return library_of([own_tree()])


def test_the_documents_tell_how_much_there_is() -> None:
    one = library()
    clips, groups, triggers = len(one.clips), len(one.groups), len(one.triggers)
    text = f"{clips} clips in {groups} groups for {triggers} triggers"
    assert text in (ROOT / "docs" / "clips.md").read_text(encoding="utf-8")
    text = f"{clips} built-in clips and {len(BuiltinSounds().names())} sounds"
    assert text in (ROOT / "README.md").read_text(encoding="utf-8")


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for made in MADE
        for path in sorted((folder / made).rglob("*"))
        if path.is_file()
    }


def test_the_shipped_files_are_made_from_the_scores(tmp_path: Path) -> None:
    """What to do where this fails: make assets."""
    scores = read_scores(own_tree() / "assets" / "scores")
    write_tree(scores, tmp_path)
    shipped, made = files_of(own_tree() / "assets"), files_of(tmp_path)
    for name in [name for name in made if name.endswith(".bin")]:
        del made[name], shipped[name]

    assert shipped == made
    clips = [clip for score in scores.values() for clip in score.clips]
    again = library_of([_tree_around(tmp_path)])
    for clip in clips:
        assert library().clips.load(clip.name).clip == again.clips.load(clip.name).clip
    assert library().clips.names == tuple(sorted(clip.name for clip in clips))


def _tree_around(assets: Path) -> Path:
    tree = assets / "tree"
    tree.mkdir()
    (tree / "assets").symlink_to(assets)
    return tree


def test_everything_loads_without_a_warning() -> None:
    assert library().warnings == ()
    assert all(library().clips.load(name).warnings == () for name in library().clips.names)


def test_there_are_at_least_forty_clips_in_twenty_groups() -> None:
    assert len(library().clips) >= 40
    assert len(library().groups) >= 20


def test_every_member_of_a_group_is_a_clip_and_every_clip_is_in_a_group() -> None:
    members = {one.clip for group in library().groups.values() for one in group.members}

    assert members == set(library().clips.names)


def test_every_trigger_leads_to_a_group_and_every_group_has_a_trigger() -> None:
    assert set(library().triggers.values()) == set(library().groups)


@for_each("trigger", sorted({*NAMED_BY_BEHAVIORS, *OCCASIONS}))
def test_a_clip_is_found_for_every_occasion(trigger: str) -> None:
    selection = Selection(library(), random.Random(1))

    name = selection.clip_of(selection.find(trigger, Kind.TRIGGER), 0.0, 0.0)

    assert library().clips.load(name).clip.procedural_face


def test_every_trigger_of_the_cubes_leads_to_lights() -> None:
    assert set(library().cube_triggers.values()) == set(library().cube_lights)


def test_lights_of_cubes_and_backpack_can_be_shown() -> None:
    for name, animation in library().cube_lights.items():
        for step in animation:
            lights = cube_lights_of(step)
            for light, given in zip(lights.lights, step.lights, strict=True):
                assert light.on_duration == given.on_ms / 1000, name
                assert light.off_duration == given.off_ms / 1000, name
    for pattern in library().backpack_patterns.values():
        assert backpack_lights_of(pattern)


def test_only_the_last_step_of_a_cube_goes_on_for_ever() -> None:
    for name, animation in library().cube_lights.items():
        *steps, _ = animation
        assert all(step.duration_ms > 0 for step in steps), name
