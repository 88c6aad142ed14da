"""``cozmo anim play``: an animation on a robot."""

from __future__ import annotations

import argparse
import sys
from random import Random

from ..animation import ClipProgress, Player, Selection
from ..animation.assets import Assets
from ..protocol.enums import AnimTrackFlag as Track
from ..robot import PlaybackEnded, Robot
from .anim_lists import assets_of, kind_of, name_of, plain
from .errors import CommandError
from .one_robot import run_with_robot
from .progress import progress_bar

TRACKS = {
    "head": Track.HEAD,
    "lift": Track.LIFT,
    "body": Track.BODY,
    "face": Track.FACE_IMAGE,
    "event": Track.EVENT,
    "backpack": Track.BACKPACK_LIGHTS,
    "audio": Track.AUDIO,
}
"""Names as in ``PlayAnimation``."""


def play(arguments: argparse.Namespace) -> int:
    """Play; return 1 where something of a clip was not played."""
    if arguments.loops < 0:
        raise CommandError(f"--loops {arguments.loops}: it is 0 or more", 2)
    without = _tracks_of(arguments.without)
    assets = assets_of(arguments)
    name = name_of(arguments, assets.library)
    # An unknown name needs no robot.
    Selection(assets.library, Random()).find(name, kind_of(arguments))
    return run_with_robot(arguments, lambda robot: _play(robot, assets, name, arguments, without))


async def _play(
    robot: Robot, assets: Assets, name: str, arguments: argparse.Namespace, without: Track
) -> int:
    player = Player(robot, assets.library, assets.sounds)
    try:
        with progress_bar(name) as show:

            def tell(progress: ClipProgress) -> None:
                show.say(progress.clip)
                show(progress.position, progress.duration)

            played = await player.play(
                name,
                kind_of(arguments),
                excluded_tracks=without,
                loops=arguments.loops,
                on_progress=tell,
            )
            await player.at_rest()
    except PlaybackEnded as error:
        raise CommandError(plain(str(error))) from error
    times = "" if played.loops_completed == 1 else f", {played.loops_completed} times"
    print(f"played {played.clip}{times}")
    for track, reason in played.left_out.items():
        print(f"{track} not moved: {reason}", file=sys.stderr)
    return 1 if played.left_out else 0


def _tracks_of(names: str) -> Track:
    tracks = Track(0)
    for name in filter(None, names.split(",")):
        if name not in TRACKS:
            raise CommandError(f"--without {name}: there are {', '.join(TRACKS)}", 2)
        tracks |= TRACKS[name]
    return tracks
