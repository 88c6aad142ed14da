"""Play a sound file: WAV, FLAC or OGG, at any usual rate.

python3 examples/python/play_sound.py --robot 127.0.0.1 hello.wav
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from cozmo_driver.robot import Robot, run_program


async def main(robot: Robot, file: Path, volume: float) -> None:
    """Play a sound file."""
    robot.audio.set_volume(volume)
    played = await robot.audio.play_file(file)
    print(f"{played.position:.1f} s played")


if __name__ == "__main__":
    parser = ArgumentParser(description="Play a sound file.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--volume", type=float, default=0.75, help="0 to 1 (default %(default)s)")
    run_program(main, parser)
