from __future__ import annotations

WORDS = {"cozmo linktest": "--count 20"}
