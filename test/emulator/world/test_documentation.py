"""docs/simulation.md says what there is, and its pictures are of the worlds there are."""

from __future__ import annotations

import argparse
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import yaml
from PIL import Image

from cozmo_driver.cli import emulator
from cozmo_driver.emulator.commands import COMMANDS
from cozmo_driver.emulator.ground_truth import GroundTruth
from cozmo_driver.emulator.view.folder import KEPT_SOUNDS
from cozmo_driver.emulator.world import layout_file
from cozmo_driver.emulator.world.layout import Pattern, Tint
from cozmo_driver.emulator.world.layout_file import known_worlds
from cozmo_driver.emulator.world.things import Form
from docs.render_worlds import IMAGES, TRIPS, Trip, gallery, render

TEXT = (Path(__file__).parents[3] / "docs" / "simulation.md").read_text()
CODE = "\n".join(re.findall(r"`([^`\n]+)`", TEXT))


def is_named(word: str) -> bool:
    """Return whether a word stands in something that the document shows as code."""
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", CODE) is not None


def test_every_option_of_the_command_is_explained() -> None:
    parser = argparse.ArgumentParser()
    emulator.configure(parser)
    options = [a.option_strings[-1] for a in parser._actions if a.option_strings]
    assert len(options) > 10
    assert [o for o in options if o != "--help" and not is_named(o)] == []


def test_every_command_of_ctl_is_explained() -> None:
    assert [name for name in COMMANDS if not is_named(name)] == []


def test_every_key_of_the_truth_is_explained() -> None:
    keys = [*(field.name for field in fields(GroundTruth)), "time", "port"]
    assert [key for key in keys if not is_named(key)] == []


def test_every_key_and_choice_of_a_world_file_is_explained() -> None:
    source = Path(layout_file.__file__).read_text()
    calls = r"\.(?:text|entries|entry|numbers?|points|lists|integer|choice|flag)\(\s*\"(\w+)\""
    keys = set(re.findall(calls, source))
    assert {"floor", "reflectance", "on_charger", "thickness"} <= keys
    choices = {choice.value for kind in (Pattern, Tint, Form) for choice in kind}
    assert [word for word in keys | choices if not is_named(word)] == []


def test_the_examples_of_a_world_are_some() -> None:
    examples = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    layouts = [layout_file.layout_of(yaml.safe_load(text), "example") for text in examples]
    assert [(layout.name, len(layout.cubes)) for layout in layouts] == [
        ("corner", 1),
        ("gallery", 2),
    ]


def test_numbers_of_files_are_right() -> None:
    assert f"{KEPT_SOUNDS} files are used in rotation" in TEXT


def test_every_world_has_its_pictures() -> None:
    assert {trip.world for trip in TRIPS} == set(known_worlds())
    for name in known_worlds():
        for kind in ("top", "camera"):
            assert f"images/world_{name}_{kind}.png" in TEXT


@pytest.mark.parametrize("trip", TRIPS, ids=lambda trip: trip.world)
def test_the_pictures_are_those_of_today(trip: Trip) -> None:
    for picture, kind in zip(render(trip), ("top", "camera"), strict=True):
        check_picture(picture, f"world_{trip.world}_{kind}.png")


def test_the_picture_of_the_example_is_that_of_today() -> None:
    check_picture(gallery(), "world_gallery_camera.png")


def check_picture(picture: Image.Image, name: str) -> None:
    with Image.open(IMAGES / name) as file:
        shown = np.asarray(file.convert("RGB")).astype(int)
    drawn = np.asarray(picture.convert("RGB")).astype(int)
    assert shown.shape == drawn.shape
    # Fonts and roundings may differ a little; python -m docs.render_worlds draws them anew.
    assert np.abs(shown - drawn).mean() < 2.0
