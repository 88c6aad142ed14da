"""What is wrong with a score, told for people."""

from __future__ import annotations


class ScoreError(ValueError):
    """A score cannot be used; the text says where and why."""
