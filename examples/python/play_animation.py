"""Play an animation: a clip, or one of a group or of a trigger's group; or list their names.

    python3 examples/python/play_animation.py --robot 127.0.0.1 Greeting
    python3 examples/python/play_animation.py --robot 127.0.0.1 --list

Names of the app work, too, once its files are imported: docs/assets.md.
"""

from __future__ import annotations

from argparse import ArgumentParser

from cozmo_driver.animation import Player, load_assets
from cozmo_driver.robot import Robot, run_program


async def main(robot: Robot, name: str, list: bool) -> None:
    """Play an animation."""
    assets = load_assets()
    player = Player(robot, assets.library, assets.sounds)
    if list:
        names = player.selection.names()
        print("\n".join((*names.triggers, *names.groups, *names.clips)))
        return
    played = await player.play(name)
    print(f"played {played.clip}")


if __name__ == "__main__":
    parser = ArgumentParser(description="Play an animation.")
    parser.add_argument("name", nargs="?", default="Greeting", help="default %(default)s")
    parser.add_argument("--list", action="store_true", help="print the names there are")
    run_program(main, parser)
