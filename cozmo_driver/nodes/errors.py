"""Why a program of this layer cannot start."""

from __future__ import annotations


class StartError(RuntimeError):
    """Something to be mended by who started the program; the text says what and how."""
