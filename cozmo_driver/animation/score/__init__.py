"""Scores: clips written by people, in YAML, one line for each beat; see docs/clips.md."""

from .errors import ScoreError
from .score import Score, read_score

__all__ = ["Score", "ScoreError", "read_score"]
