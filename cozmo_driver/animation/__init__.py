"""Clips on the robot: when what of a clip is sent, and who may interrupt it (spec 06)."""

from __future__ import annotations

from .assets import (
    NO_ASSETS,
    Assets,
    Kind,
    Selection,
    backpack_lights_of,
    cube_lights_of,
    load_assets,
)
from .choreography import DANCING, SINGING, Choreography, Manner
from .clip_playback import ClipProgress
from .clip_source import ClipSource, LiveSound, PreparedClip, prepare
from .face_track import Pictures
from .filmstrip import animated, film_strip, save_gif
from .player import PlayedClip, Player
from .speech import Speech, openness_of
