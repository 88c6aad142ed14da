"""Whoever stands beside the robot during the checkup."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Protocol

from .step import Step


class Choice(Enum):
    GO = "go"
    SKIP = "skip"
    REPEAT = "repeat"
    """The step before."""
    STOP = "stop"


class Person(Protocol):
    """Is told what happens, and answers."""

    tell: Callable[[str], object]
    """Shows a line."""

    async def choose(self, step: Step, *, can_repeat: bool) -> Choice:
        """Return what to do about a step that is about to begin."""

    async def agrees(self, request: str) -> bool:
        """Ask for something to be done; return whether it was."""

    async def notices(self, question: str) -> bool | None:
        """Ask what is seen or heard; None where nobody can tell."""

    async def again(self, step: Step) -> bool:
        """Return whether to repeat the last step, which did not work."""


class Nobody:
    """Agrees to everything, and sees and hears nothing: for the emulator."""

    def __init__(self, tell: Callable[[str], object] = lambda _: None) -> None:
        self.tell = tell

    async def choose(self, step: Step, *, can_repeat: bool) -> Choice:
        return Choice.SKIP if step.is_optional else Choice.GO

    async def agrees(self, request: str) -> bool:
        return True

    async def notices(self, question: str) -> bool | None:
        return None

    async def again(self, step: Step) -> bool:
        return False
