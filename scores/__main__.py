"""``python -m scores``: make the built-in sounds, and the clips, groups and triggers of scores."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from cozmo_driver.resources.sound.builtin_sounds import FILE

from . import ScoreError, read_scores, write_tree
from .sounds import write_sounds


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m scores")
    parser.add_argument("scores", type=Path, help="folder with score files")
    parser.add_argument("assets", type=Path, help="its animation folders are rewritten")
    arguments = parser.parse_args()
    try:
        write_sounds(FILE)
        scores = read_scores(arguments.scores)
        write_tree(scores, arguments.assets)
    except (ScoreError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    clips = sum(len(score.clips) for score in scores.values())
    groups = sum(len(score.groups) for score in scores.values())
    print(f"{clips} clips in {groups} groups")
    return 0


if __name__ == "__main__":
    sys.exit(main())
