"""Every name that programs use is there, and every trigger has a clip."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from cozmo_driver.animation import load_assets
from cozmo_driver.compat import check_program, differences, offered, sdk
from cozmo_driver.compat.check import names_used
from cozmo_driver.compat.modules import FACADES
from cozmo_driver.compat.sdk.anim import Triggers
from cozmo_driver.compat.sdk.faces import Face
from cozmo_driver.compat.sdk.nearest_clip import nearest_trigger
from cozmo_driver.compat.sdk.objects import ObservableObject
from docs.old_programs_table import PAGE, table, used_names

MISTAKES = {
    # Of the programs themselves: the SDK never had them.
    "anim.Triggers.Dance",
    "anim.Triggers.DogBark",
    "lights.off_lights",
    "lights.rainbow_light",
    "robot.say_text",
    "robot.stop_all_motors",
    "util.DEGREEs",
    "worl.EvtNewCameraImage",
}
IMPOSSIBLE = {"CLADProtocol.send_msg", "_clad._clad_to_engine_cozmo", "_clad._clad_to_engine_iface"}


def test_names_that_programs_use_are_there() -> None:
    missing = {name for name, _ in used_names() if not offered(name)}

    assert missing == MISTAKES | IMPOSSIBLE


def test_a_name_that_nobody_has_is_missing() -> None:
    assert not offered("Robot.fly")
    assert not offered("nothing.at_all")


def test_every_trigger_has_one_of_our_clips() -> None:
    triggers = load_assets().library.triggers
    assert len(Triggers.trigger_list) == 576
    assert {nearest_trigger(one.name, triggers) for one in Triggers.trigger_list} <= set(triggers)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("MajorWin", "Success"),
        ("CodeLabHappy", "Joy"),
        ("CodeLabUnhappy", "Sadness"),
        ("MajorFail", "Failure"),
        ("FrustratedByFailure", "Anger"),
        ("CubePounceLoseSession", "Sadness"),
        ("CodeLabDizzy", "DizzyReactionMedium"),
        ("CodeLabSneeze", "Sneeze"),
        ("anim_bored_event_01", "Boredom"),
        ("NamedFaceInitialGreeting", "Greeting"),
        ("SomethingNobodyKnows", "LookAround"),
    ],
)
def test_the_nearest_clip_is_of_the_same_mood(theirs: str, ours: str) -> None:
    assert nearest_trigger(theirs, load_assets().library.triggers) == ours


def test_the_page_has_the_table_of_names() -> None:
    assert table() in PAGE.read_text(encoding="utf-8"), "run python -m docs.old_programs_table"


def test_modules_of_the_facades_shadow_nothing_here() -> None:
    assert not [name for name in FACADES if name in sys.modules and name == "cozmo"]


def test_a_check_tells_what_is_missing_and_what_is_different(tmp_path: Path) -> None:
    program = tmp_path / "old.py"
    program.write_text(
        "import cozmo\n"
        "from cozmo.util import degrees, miles\n"
        "def main(robot: cozmo.robot.Robot):\n"
        "    robot.fly()\n"
        "    robot.turn_in_place(degrees(90)).wait_for_completed()\n"
        "    robot.play_audio(cozmo.audio.AudioEvents.SfxGameWin)\n"
        "    cozmo.objects.LightCube9Id\n"
        "cozmo.run_program(main, use_viewer=True)\n"
    )
    found = check_program(program)

    assert [(one.line, one.name) for one in found if one.is_missing] == [
        (2, "cozmo.util.miles"),
        (4, "Robot.fly"),
        (7, "cozmo.objects.LightCube9Id"),
    ]
    assert {one.name for one in found if not one.is_missing} == {"play_audio", "use_viewer"}


def test_a_program_from_before_async_was_a_keyword_is_checked(tmp_path: Path) -> None:
    program = tmp_path / "old.py"
    program.write_text("import asyncio, cozmo\nasyncio.async(cozmo.robot.fly())\n")

    assert [one.name for one in check_program(program)] == ["cozmo.robot.fly"]
    assert "fly" in names_used(program)


def test_a_check_tells_what_is_different_of_what_is_imported_by_its_name(tmp_path: Path) -> None:
    program = tmp_path / "old.py"
    program.write_text(
        "import cozmo\nfrom cozmo.objects import EvtObjectLocated, EvtObjectTapped\n"
        "from elsewhere import EvtObjectAvailable\n"
    )
    assert [(one.line, one.name) for one in check_program(program)] == [(2, "EvtObjectLocated")]


def test_names_that_a_program_uses_are_also_those_of_its_own_files(tmp_path: Path) -> None:
    files = {
        "own/main.py": "import cozmo, game, json\nfrom parts.lamps import lamp\n",
        "own/game.py": "import main, broken\ncube = robot.world.get_light_cube(1)\n",
        "own/broken.py": "def\n",
        "own/parts/__init__.py": "from . import helper\nfrom ... import outside\n",
        "own/parts/helper.py": "robot.world.visible_faces\n",
        "own/parts/lamps/lamp.py": "cube.set_light_corners()\n",
        "own/cozmo.py": "hidden\n",
        "outside.py": "foreign\n",
    }
    for name, text in files.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    used = names_used(tmp_path / "own/main.py")

    assert {"get_light_cube", "visible_faces", "set_light_corners"} <= used
    assert not {"hidden", "foreign"} & used


def test_an_event_that_never_comes_is_told_to_be_different() -> None:
    files = Path(sdk.__file__).parent.glob("*.py")
    source = "\n".join(file.read_text(encoding="utf-8") for file in files)
    events = set(re.findall(r"^class (Evt\w+)", source, re.MULTILINE))
    made = set(re.findall(r"(?<!class )\b(Evt\w+)\(", source))
    of_sightings = {one.__name__ for kind in (Face, ObservableObject) for one in kind._events}

    assert len(events) > 30
    assert events - made - of_sightings <= set(differences())


def test_what_is_different_is_told_in_words() -> None:
    assert all(len(text) > 10 for text in differences().values())
