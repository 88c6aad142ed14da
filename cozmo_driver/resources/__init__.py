"""Files with what the robot can express: clips, groups, triggers, light patterns."""

from .clip_library import ClipInfo, ClipLibrary, read_clip_file
from .clips import FRAME_MS, TRACKS, AnimationClip
from .errors import ClipNotFound, LoadWarning, ResourceError
from .groups import AnimationGroup
from .library import Library, library_of
from .light_patterns import BackpackPattern, CubeLightAnimation, CubeLightStep, PatternLight
