"""How often the robot wins each game by level, against simulated people; every point is checked.

``python -m benchmarks.games [--games 102] [GAME ...]`` prints the table of docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable

from cozmo_driver.behavior.games import Side
from test.behavior.games import test_guard_dog, test_keepaway, test_memory_match, test_quick_tap

GAMES: dict[str, tuple[str, Callable[[int], tuple[int, Side]]]] = {
    "quick_tap": ("reaction 0.55 ± 0.12 s, 6 % mistakes", test_quick_tap.play_fairly),
    "memory_match": ("forgets 13 % of the taps", test_memory_match.play_fairly),
    "keepaway": ("reaction 0.30 to 0.38 s, 30 % flinch", test_keepaway.play_fairly),
    "guard_dog": ("more and less careful hands", test_guard_dog.play_fairly),
}


def row(name: str, games: int) -> tuple[str, bool]:
    """Return the row of a game, and whether the robot wins the more the higher the level.

    ``AssertionError`` for a game in which somebody was cheated.
    """
    about, play_fairly = GAMES[name]
    played, won, begun = Counter[int](), Counter[int](), time.process_time()
    for seed in range(games):
        level, winner = play_fairly(seed)
        played[level] += 1
        won[level] += winner is Side.ROBOT
    rates = [won[level] / played[level] for level in sorted(played)]
    cpu = (time.process_time() - begun) / games
    shown = ", ".join(f"{rate:.2f}" for rate in rates)
    is_met = rates == sorted(rates) and rates[-1] - rates[0] > 0.1
    return f"| {name} | {about} | {games} | {shown} | {cpu:.2f} |", is_met


def main() -> int:
    """Print the table; 0 where every level is harder than the one before."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.games", description=__doc__)
    parser.add_argument("game", nargs="*", choices=[*GAMES, []], help="default: all")
    parser.add_argument("--games", type=int, default=102, help="of each")
    given = parser.parse_args()
    print("| game | people | games | how often the robot wins, by level | CPU a game, s |")
    print("|---|---|--:|---|--:|")
    are_met = True
    for name in given.game or GAMES:
        text, is_met = row(name, given.games)
        are_met &= is_met
        print(text, flush=True)
    return int(not are_met)


if __name__ == "__main__":
    sys.exit(main())
