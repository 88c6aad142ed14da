"""Scores as the app's files: clips, groups and the map of triggers (spec 11 §2)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...resources.binary_clips import write_clips
from ...resources.groups import AnimationGroup, GroupMember
from ...resources.sound.builtin_sounds import BuiltinSounds
from .errors import ScoreError
from .score import Score, read_score

ANIMATIONS, GROUPS, MAPS = "animations", "animationGroups", "animationGroupMaps"
TRIGGER_MAP = "AnimationTriggerMap.json"


def read_scores(folder: Path) -> dict[str, Score]:
    """Return the score files of a folder by their names, with the built-in sounds.

    Raises ``ScoreError``, ``OSError``; also for a name that two of them have.
    """
    sounds = BuiltinSounds()
    scores = {
        path.stem: read_score(path, sounds.event_id) for path in sorted(folder.glob("*.yaml"))
    }
    for what, names in (
        ("clip", [clip.name for score in scores.values() for clip in score.clips]),
        ("group", [group.name for score in scores.values() for group in score.groups]),
        ("trigger", [trigger for score in scores.values() for trigger in score.triggers]),
    ):
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise ScoreError(f"{folder}: there are several {what}s {', '.join(sorted(twice))}")
    return scores


def write_tree(scores: Mapping[str, Score], assets: Path) -> None:
    """Write the files anew into the three folders of ``assets``. Raises ``OSError``."""
    for folder in (ANIMATIONS, GROUPS, MAPS):
        shutil.rmtree(assets / folder, ignore_errors=True)
        (assets / folder).mkdir(parents=True)
    triggers: dict[str, str] = {}
    for name, score in scores.items():
        (assets / ANIMATIONS / f"{name}.bin").write_bytes(write_clips(score.clips))
        groups = assets / GROUPS / name
        groups.mkdir()
        for group in score.groups:
            _write_json(groups / f"{group.name}.json", _group_as_json(group))
        triggers.update(score.triggers)
    pairs = [{"CladEvent": name, "AnimName": group} for name, group in sorted(triggers.items())]
    _write_json(assets / MAPS / TRIGGER_MAP, {"Pairs": pairs})


def _group_as_json(group: AnimationGroup) -> dict[str, Any]:
    return {"Animations": [_member_as_json(member) for member in group.members]}


def _member_as_json(member: GroupMember) -> dict[str, Any]:
    content: dict[str, Any] = {
        "Name": member.clip,
        "Weight": member.weight,
        "CooldownTime_Sec": member.cooldown_s,
        "Mood": member.mood,
    }
    if member.head_window_deg is not None:
        low, high = member.head_window_deg
        content |= {"UseHeadAngle": True, "HeadAngleMin_Deg": low, "HeadAngleMax_Deg": high}
    return content


def _write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
