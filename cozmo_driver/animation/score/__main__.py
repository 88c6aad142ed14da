"""``python -m cozmo_driver.animation.score FOLDER TARGET``: make the app's files of scores."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .errors import ScoreError
from .tree import read_scores, write_tree


def main() -> int:
    """Write the files; return 1 for a score that is wrong."""
    parser = argparse.ArgumentParser(prog="python -m cozmo_driver.animation.score")
    parser.add_argument("scores", type=Path, help="folder with score files")
    parser.add_argument("assets", type=Path, help="its animation folders are written anew")
    arguments = parser.parse_args()
    try:
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
