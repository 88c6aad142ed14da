"""Clips on the robot: when what of a clip is sent, and who may interrupt it (spec 06)."""

from __future__ import annotations

from .assets import NO_ASSETS, Assets, Kind, Names, Selection, load_assets
from .clip_playback import ClipProgress
from .clip_source import ClipSource, PreparedClip, prepare
from .player import PlayedClip, Player
