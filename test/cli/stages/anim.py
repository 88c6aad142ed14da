from __future__ import annotations

from pathlib import Path

from cozmo_driver.resources.json_clips import write_json_clips

from ...animation.clips import face, face_clip

EMULATOR = {"speed": 2.5}


def prepare(folder: Path) -> None:
    clip = face_clip("anim_mine", face(0, 10.0), face(330, -10.0))
    (folder / "clips.json").write_text(write_json_clips([clip]))
