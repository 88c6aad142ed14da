"""Clip files go to and fro between this package and a reader that others wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cozmo_driver.resources import AnimationClip, read_clip_file
from cozmo_driver.resources.binary_clips import write_binary_clips
from cozmo_driver.resources.json_clips import write_json_clips as write_json

from ..resources.clips import GOLDEN
from .test_pycozmo_client import pycozmo

pytestmark = pytest.mark.filterwarnings("ignore:numElems is deprecated:DeprecationWarning")


def golden() -> list[AnimationClip]:
    return [loaded.clip for loaded in read_clip_file(GOLDEN)[0] if loaded.clip.head_angle]


def as_they_say(path: Path) -> Any:
    from pycozmo.anim_encoder import AnimClips

    return AnimClips.from_fb_file(str(path)).to_dict()


def test_they_read_what_is_written_here(tmp_path: Path) -> None:
    path = tmp_path / "ours.bin"
    path.write_bytes(write_binary_clips(golden()))
    theirs = as_they_say(path)
    ours = json.loads(write_json(golden()))
    motions = theirs["clips"][0]["keyframes"]["BodyMotionKeyFrame"]
    assert [motion["radius_mm"] for motion in motions] == ["STRAIGHT", "TURN_IN_PLACE", "-150.0"]
    for motion in motions:
        motion["radius_mm"] = motion["radius_mm"].removesuffix(".0")
    # They cut the parts of colours off to whole numbers.
    back = [
        content["clips"][0]["keyframes"]["BackpackLightsKeyFrame"][0].pop("Back")
        for content in (ours, theirs)
    ]
    assert back == [[0.5, 0.25, 0.125, 0.0], [0, 0, 0, 0]]
    assert _in_single_precision(theirs) == _in_single_precision(ours)


def test_what_they_write_is_read_here(tmp_path: Path) -> None:
    from pycozmo.anim_encoder import AnimClips

    (tmp_path / "ours.bin").write_bytes(write_binary_clips(golden()))
    theirs = tmp_path / "theirs.bin"
    AnimClips.from_fb_file(str(tmp_path / "ours.bin")).to_fb_file(str(theirs))
    (loaded,), warnings = read_clip_file(theirs)
    (clip,) = golden()
    assert (loaded.warnings, warnings) == ((), ())
    assert loaded.clip.procedural_face == clip.procedural_face
    assert loaded.clip.robot_audio == clip.robot_audio
    assert [one.radius_mm for one in loaded.clip.body_motion] == [32767, 0, -150]
    assert loaded.clip.duration_ms == clip.duration_ms


def test_the_reader_is_the_one_that_was_meant() -> None:
    assert pycozmo.__version__ == "0.8.0"


def _in_single_precision(content: Any) -> Any:
    """Return the same with numbers that differ beyond six digits made equal."""
    if isinstance(content, dict):
        return {key: _in_single_precision(value) for key, value in content.items()}
    if isinstance(content, list):
        return [_in_single_precision(value) for value in content]
    return float(f"{content:.6g}") if isinstance(content, float) else content
