"""Which games there are, and what each of them needs (spec 17 §3)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GameRules:
    """``behavior`` is the id of what plays it when asked, ``class_name`` the class of all that do;
    ``cubes`` the connected ones that it needs with one player, and one more for each further one.
    """

    name: str
    behavior: str
    class_name: str
    about: str
    cubes: int
    levels: int = 4
    can_be_solo: bool = False
    most_players: int = 1
    has_rounds: bool = True
    drives: bool = False
    needs_sight: bool = False
    """It has to know where the cube is."""


GAMES = {
    one.name: one
    for one in (
        GameRules(
            "quick_tap",
            "Game_QuickTap",
            "QuickTap",
            "tap your cube before the robot taps its own when all shine alike, else never",
            cubes=2,
            most_players=2,
        ),
        GameRules(
            "memory_match",
            "Game_MemoryMatch",
            "MemoryMatch",
            "repeat the pattern that the cubes show; it grows with every turn",
            cubes=2,
            levels=3,
            can_be_solo=True,
            has_rounds=False,
        ),
        GameRules(
            "keepaway",
            "Game_Keepaway",
            "Keepaway",
            "hold your cube out to the robot, and pull it away when it pounces",
            cubes=1,
            levels=3,
            drives=True,
            needs_sight=True,
        ),
        GameRules(
            "guard_dog",
            "Game_GuardDog",
            "GuardDog",
            "turn all three cubes upside down without waking the robot",
            cubes=3,
            levels=3,
            has_rounds=False,
        ),
    )
}
"""By name."""
