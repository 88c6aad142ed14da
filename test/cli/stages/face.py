from __future__ import annotations

import json
from pathlib import Path

from cozmo_driver.face.expressions import find
from cozmo_driver.face.parameters import eye_to_app

# Nobody wants to look for 5 s.
WORDS = {"cozmo face show": "--seconds 0.5"}


def prepare(folder: Path) -> None:
    fear = find("Fear").face
    content = {"leftEye": eye_to_app(fear.left_eye), "rightEye": eye_to_app(fear.right_eye)}
    (folder / "face.json").write_text(json.dumps(content))
