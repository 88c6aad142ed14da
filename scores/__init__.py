"""Scores, of which the built-in clips are made: ``python -m scores``; see docs/clips.md."""

from __future__ import annotations

from .compiler import Score, read_score, read_scores, write_tree
from .phrases import ScoreError

__all__ = ["Score", "ScoreError", "read_score", "read_scores", "write_tree"]
