"""Files with what the robot can express: clips, groups, triggers, light patterns."""

from __future__ import annotations

from . import keyframes
from .binary_clips import write_binary_clips
from .clip_library import BINARY, JSON, ClipInfo, ClipLibrary, read_clip_file
from .clips import FRAME_MS, TRACKS, AnimationClip, end_of, problem_with_clip
from .errors import ClipNotFound, LoadWarning, ResourceError, quoted
from .files import parse_bytes, read_bytes, read_json
from .groups import DEFAULT_MOOD, AnimationGroup, Cooldowns, GroupMember, choose
from .importer import import_resources, missing_files, remove_resources
from .json_clips import write_json_clips
from .keyframes import (
    STRAIGHT,
    BackpackLights,
    BodyMotion,
    Event,
    HeadAngle,
    Keyframe,
    LiftHeight,
    LightChannel,
    ProceduralFace,
    RecordHeading,
    RobotAudio,
    TurnToRecordedHeading,
)
from .library import Library, library_of, load_library
from .light_patterns import BackpackPattern, CubeLightAnimation, CubeLightStep, PatternLight
from .locations import find_own_tree, find_user_tree, user_directory
from .sound.bank_sounds import BankSounds
from .sound.builtin_sounds import BuiltinSounds, sound_name
from .sound.sounds import (
    Mixer,
    Sound,
    SoundSource,
    SoundSources,
    choose_event,
    gain_of_volume,
)
from .views import (
    ENGINE,
    BadEntry,
    ConfigError,
    Graph,
    View,
    each,
    files_in,
    key,
    merge,
    number,
    read_view,
    record,
    usable,
    usable_at,
    views_in,
)
