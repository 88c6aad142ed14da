"""What our own files name is what the code and the other files use."""

from __future__ import annotations

import re
from pathlib import Path

from cozmo_driver.behavior.inner_state import NAMES
from cozmo_driver.behavior.mood_config import load_mood_config
from cozmo_driver.behavior.needs_config import load_needs_config
from cozmo_driver.behavior.system import load_behavior_system

from .trees import OWN

ROOT = Path(__file__).parents[2]
SOURCE = "\n".join(
    path.read_text(encoding="utf-8") for path in (ROOT / "cozmo_driver" / "behavior").rglob("*.py")
)


def named_in_files(*keys: str) -> set[str]:
    behaviors = load_behavior_system([OWN]).behaviors.values()
    return {one.text(key) for one in behaviors for key in keys} - {""}


def test_every_emotion_event_of_our_own_can_happen():
    config = load_mood_config([OWN])
    called = set(re.findall(r'(?:feel|event)\("(\w+)"', SOURCE))
    results = {name for names in config.action_results.values() for name in names.values()}
    fired = called | NAMES | results | named_in_files("emotionEvent", "finalEmotionEvent")
    assert fired == set(config.events)


def test_every_need_action_that_is_used_is_there():
    actions = set(load_needs_config([OWN]).actions)
    called = set(re.findall(r'\.act\("(\w+)"', SOURCE)) | named_in_files("needsActionID")
    assert called <= actions
