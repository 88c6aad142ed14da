"""Why a program of this layer cannot start, or must end."""

from __future__ import annotations


class StartError(RuntimeError):
    """Something to be mended by who started the program; the text says what and how."""


class SafetyError(RuntimeError):
    """What keeps the robot safe has failed in a callback of the node: the node ends."""
