"""Clips on the robot: when what of a clip is sent, and who may interrupt it (spec 06)."""

from __future__ import annotations

from .assets import NO_ASSETS, Assets, load_assets
from .clip_source import ClipSource, PreparedClip, prepare
from .performance import ClipProgress
from .player import PlayedClip, Player
from .selection import Kind, Names, Selection

__all__ = [
    "NO_ASSETS",
    "Assets",
    "ClipProgress",
    "ClipSource",
    "Kind",
    "Names",
    "PlayedClip",
    "Player",
    "PreparedClip",
    "Selection",
    "load_assets",
    "prepare",
]
