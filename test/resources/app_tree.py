"""A small invented tree of files in the layout of the app's assets."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cozmo_driver.resources.binary_clips import write_binary_clips
from cozmo_driver.resources.clips import AnimationClip
from cozmo_driver.resources.keyframes import HeadAngle

TREE = "cozmo_resources"


def clip(name: str, angle: int = 5) -> AnimationClip:
    return AnimationClip(name, head_angle=(HeadAngle(0, 100, angle),))


def light_pattern(count: int, color: Any = (0, 255, 0, 255)) -> dict[str, Any]:
    times = ("onPeriod_ms", "offPeriod_ms", "transitionOnPeriod_ms", "transitionOffPeriod_ms")
    return {
        "onColors": [list(color)] * count,
        "offColors": [[0, 0, 0, 0]] * count,
        **{key: [300 + index for index in range(count)] for key in times},
        "offset": [0, -300] + [0] * (count - 2),
    }


def sound_archive() -> bytes:
    return archive({"Init.bnk": b"BKHD", "English(US)/Test.bnk": b"BKHD again"})


def app_files() -> dict[str, bytes]:
    """Return the files below ``cozmo_resources``."""
    lights = {"testBlink": [{"pattern": light_pattern(4), "duration_ms": 1200}]}
    backpack = {"charging": light_pattern(5, (0.0, 0.5, 0.0, 1.0))}
    group = {
        "Animations": [
            {"Name": "anim_test_nod_01", "Weight": 0.7, "CooldownTime_Sec": 5, "Mood": "Default"},
            {"Name": "anim_test_nod_02", "Weight": 0.3, "CooldownTime_Sec": 5, "Mood": "Default"},
        ]
    }
    return {
        "assets/animations/anim_test_nod.bin": write_binary_clips(
            [clip("anim_test_nod_01"), clip("anim_test_nod_02", -5)]
        ),
        "assets/animationGroups/test/ag_test_nod.json": _json(group),
        "assets/animationGroupMaps/AnimationTriggerMap.json": _json(
            {"Pairs": [{"CladEvent": "ReactToTest", "AnimName": "ag_test_nod"}]}
        ),
        "assets/cubeAnimationGroupMaps/CubeAnimationTriggerMap.json": _json(
            {"Pairs": [{"CladEvent": "TestTapped", "AnimName": "testBlink"}]}
        ),
        "assets/faceAnimations/face_test/face_test_0001.png": b"second",
        "assets/faceAnimations/face_test/face_test_0000.png": b"first",
        "config/engine/lights/cubeLights/testBlink.json": _json(lights),
        "config/engine/lights/backpackLights/backpackLightPatterns.json": _json(backpack),
        "sound/AudioAssets.zip": sound_archive(),
    }


def listing(files: Mapping[str, bytes]) -> bytes:
    names = ["bin/Data/level0", *(f"{TREE}/{name}" for name in files), TREE]
    return "\n".join(names).encode()


def expansion() -> bytes:
    """Return an archive as the app's expansion file is one."""
    files = app_files()
    return archive(
        {
            "assets/bin/Data/level0": b"something else of the app",
            "assets/resources.txt": listing(files),
            **{f"assets/{TREE}/{name}": data for name, data in files.items()},
        }
    )


def archive(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files.items():
            # Without the time of now: two archives of the same files are the same.
            info = zipfile.ZipInfo(name)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
            file.writestr(info, data)
    return buffer.getvalue()


def write_tree(tree: Path, files: Mapping[str, bytes] | None = None) -> Path:
    for name, data in (app_files() if files is None else files).items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tree


def _json(content: Any) -> bytes:
    return json.dumps(content).encode()
