"""What the robot reacts to, and when it may (spec 12 §4)."""

from __future__ import annotations

from .locks import DISABLED_BY, Locks
from .reaction_map import MappedReaction, ReactionMap, load_reaction_map
from .reactions import Decision, Fired, Note, Reactions, Running, Verdict
from .strategies import Facts
from .triggers import RULES, RaisedBy, Trigger, TriggerRule, UnknownTrigger, trigger_named

__all__ = [
    "DISABLED_BY",
    "RULES",
    "Decision",
    "Facts",
    "Fired",
    "Locks",
    "MappedReaction",
    "Note",
    "RaisedBy",
    "ReactionMap",
    "Reactions",
    "Running",
    "Trigger",
    "TriggerRule",
    "UnknownTrigger",
    "Verdict",
    "load_reaction_map",
    "trigger_named",
]
