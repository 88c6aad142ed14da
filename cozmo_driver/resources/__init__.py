"""Files with what the robot can express: clips, groups, triggers, light patterns."""

from .clip_library import ClipInfo, ClipLibrary, read_clip_file
from .clips import FRAME_MS, TRACKS, AnimationClip, LoadedClip, Track
from .errors import ClipNotFound, DamagedFile, ImportRefused, LoadWarning, ResourceError
from .groups import AnimationGroup, GroupMember
from .library import Library, library_of, load_library
from .light_patterns import BackpackPattern, CubeLightAnimation, CubeLightStep, PatternLight

__all__ = [
    "FRAME_MS",
    "TRACKS",
    "AnimationClip",
    "AnimationGroup",
    "BackpackPattern",
    "ClipInfo",
    "ClipLibrary",
    "ClipNotFound",
    "CubeLightAnimation",
    "CubeLightStep",
    "DamagedFile",
    "GroupMember",
    "ImportRefused",
    "Library",
    "LoadWarning",
    "LoadedClip",
    "PatternLight",
    "ResourceError",
    "Track",
    "library_of",
    "load_library",
    "read_clip_file",
]
