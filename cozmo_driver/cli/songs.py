"""``cozmo songs``: lists, sings, draws and imports songs, and dances."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..animation import Assets, Player, load_assets
from ..media import LibraryMissing
from ..music import (
    FASTEST,
    LONGEST_DANCE,
    MusicProgress,
    Performed,
    Performer,
    SongError,
    find_song,
    note_name,
    open_song,
    song_from_midi,
    songs_by_name,
    text_of,
)
from ..robot import LIGHT_CUBES, Robot
from ..whole_files import write_whole
from . import one_robot
from .common import (
    CommandError,
    action_adder,
    add_number,
    as_command_error,
    check_suffix,
    counted,
    print_result,
)
from .completion import complete_with
from .progress import progress_bar

_EXAMPLES = {
    "list": ("cozmo songs list", "cozmo songs list --json"),
    "sing": (
        "cozmo songs sing william_tell",
        "cozmo songs sing farmer_in_the_dell --bpm 140 --transpose 3",
        "cozmo songs sing tune.mid --volume 0.5",
    ),
    "dance": ("cozmo songs dance --bpm 120 --seconds 4", "cozmo songs dance music.wav"),
    "draw": ("cozmo songs draw twinkle --output twinkle.png",),
    "import": (
        "cozmo songs import tune.mid --output tune.yaml",
        "cozmo songs import tune.mid --channel 0 --start 0 --beats 16 --output tune.yaml",
    ),
}


def configure(parser: argparse.ArgumentParser) -> None:
    action = action_adder(parser, _EXAMPLES)
    listing = action("list", "list the songs", _list)
    singing = action("sing", "let a robot sing (it turns a little where it stands)", _sing)
    dancing = action("dance", "let a robot dance (it turns and drives a little)", _dance)
    drawing = action("draw", "draw how a song sounds, against its notes", _draw)
    importing = action("import", "make a song file of the melody of a MIDI file", _import)
    listing.add_argument("--json", action="store_true", help="print JSON for programs")
    for named in (singing, drawing):
        song = named.add_argument("song", help="a name, or a .yaml or .mid file")
        complete_with(song, songs_by_name)
    add_number(singing, "--bpm", 0.0, "beats per minute; 0 as in the song", low=0.0, high=FASTEST)
    add_number(singing, "--transpose", 0, "semitones higher", low=-36, high=36)
    dancing.add_argument("file", nargs="?", type=Path, help="a WAV, FLAC or OGG file to play")
    add_number(dancing, "--bpm", 0.0, "beats per minute; 0 as heard", low=0.0, high=FASTEST)
    text = "how long; 0 to the end of the file, 16 s without one"
    add_number(dancing, "--seconds", 0.0, text, low=0.0, high=LONGEST_DANCE)
    drawing.add_argument("--output", type=Path, metavar="FILE", help="a .png (default: NAME.png)")
    importing.add_argument("file", type=Path, help="a .mid file")
    importing.add_argument(
        "--output", type=Path, metavar="FILE", help="a .yaml (default: NAME.yaml)"
    )
    text = "of the notes, 0 to 15; -1 for the one with most"
    add_number(importing, "--channel", -1, text, low=-1, high=15)
    add_number(importing, "--start", 0.0, "first beat", low=0.0)
    add_number(importing, "--beats", 0.0, "how many; 0 for all", low=0.0)
    for moving in (singing, dancing):
        one_robot.add_arguments(moving)


def run(arguments: argparse.Namespace) -> int:
    with as_command_error(SongError, LibraryMissing):
        return int(arguments.action(arguments))


def _list(arguments: argparse.Namespace) -> int:
    songs = {}
    for name, path in songs_by_name().items():
        try:
            songs[name] = open_song(path)
        except SongError as error:
            print(error, file=sys.stderr)
        except OSError as error:
            print(f"{path}: {error.strerror or error}", file=sys.stderr)
    content = [
        {"name": name, "title": song.title, "seconds": round(song.duration, 1), "bpm": song.bpm}
        for name, song in songs.items()
    ]
    width = max(map(len, songs), default=0)
    lines = (
        f"{name:{width}}  {song.duration:4.0f} s  {song.title}" for name, song in songs.items()
    )
    print_result(arguments, content, lines)
    return 0 if songs else 1


def _sing(arguments: argparse.Namespace) -> int:
    # An unknown song needs no robot.
    song = find_song(arguments.song)
    assets = load_assets()

    async def sing(robot: Robot) -> int:
        with progress_bar(song.title) as show:

            def on_progress(progress: MusicProgress) -> None:
                show(progress.position, progress.duration)

            sung = await _performer(robot, assets).sing(
                song, bpm=arguments.bpm, transpose=arguments.transpose, on_progress=on_progress
            )
        return _report("sang", sung)

    return one_robot.run_with_robot(arguments, sing, cubes=LIGHT_CUBES)


def _dance(arguments: argparse.Namespace) -> int:
    assets = load_assets()

    async def dance(robot: Robot) -> int:
        with progress_bar("dancing") as show:

            def on_progress(progress: MusicProgress) -> None:
                show(progress.position, progress.duration)

            danced = await _performer(robot, assets).dance(
                arguments.file,
                bpm=arguments.bpm,
                duration=arguments.seconds,
                on_progress=on_progress,
            )
        return _report("danced", danced)

    return one_robot.run_with_robot(arguments, dance, cubes=LIGHT_CUBES)


def _performer(robot: Robot, assets: Assets) -> Performer:
    return Performer(robot, Player(robot, assets.library, assets.sounds))


def _report(what: str, performed: Performed) -> int:
    at = f"{performed.position:.1f} s at {performed.bpm:.0f} beats per minute"
    print(f"{what} {performed.name}, {at}" if what == "sang" else f"{what} {at}")
    return 0


def _draw(arguments: argparse.Namespace) -> int:
    from .song_picture import draw

    song = find_song(arguments.song)
    path = arguments.output or Path(f"{Path(arguments.song).stem}.png")
    check_suffix(path, ".png")
    draw(song, path)
    print(path)
    return 0


def _import(arguments: argparse.Namespace) -> int:
    path = arguments.output or arguments.file.with_suffix(".yaml")
    check_suffix(path, ".yaml", ".yml")
    if path.exists():
        raise CommandError(f"{path} exists: name another --output", 2)
    channel = None if arguments.channel < 0 else arguments.channel
    song = song_from_midi(
        arguments.file, channel=channel, start=arguments.start, beats=arguments.beats or None
    )
    write_whole(path, text_of(song), 0o644)
    pitches = [note.pitch + song.transpose for note in song.notes if note.pitch is not None]
    span = f"{note_name(min(pitches))} to {note_name(max(pitches))}"
    print(f"{path}: {counted(len(pitches), 'note')}, {span}, {song.duration:.1f} s")
    return 0
