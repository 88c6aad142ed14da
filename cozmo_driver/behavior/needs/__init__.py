"""What the robot is in want of (spec 12 §3)."""

from __future__ import annotations

from .blob import BlobError, decode_blob, encode_blob
from .config import NeedAction, NeedsConfig, load_needs_config
from .needs import ActionOutcome, BracketChange, Needs, NeedsSnapshot
from .store import LoadedNeeds, NeedsStore, StoreError
from .values import Bracket, Need

__all__ = [
    "ActionOutcome",
    "BlobError",
    "Bracket",
    "BracketChange",
    "LoadedNeeds",
    "Need",
    "NeedAction",
    "Needs",
    "NeedsConfig",
    "NeedsSnapshot",
    "NeedsStore",
    "StoreError",
    "decode_blob",
    "encode_blob",
    "load_needs_config",
]
