"""The actions ``sing`` and ``dance`` and the service ``list_songs``."""

from __future__ import annotations

import asyncio
import fnmatch
import logging
import random

from cozmo_interfaces.action import Dance, Sing
from cozmo_interfaces.srv import ListSongs

from ..animation import Player
from ..media import LibraryMissing
from ..music import (
    MusicProgress,
    Performer,
    Song,
    SongError,
    SongNotFound,
    find_song,
    open_song,
    songs_by_name,
)
from ..protocol import AnimTrackFlag as Track
from ..robot import Reason, RobotError
from ..ros.action_bridge import ActionBridge, Goal, throttled
from ..ros.context import Context
from ..ros.file_urls import file_of
from ..ros.geometry import filled

_log = logging.getLogger(__name__)

_TRACKS = Track.HEAD | Track.LIFT | Track.BODY | Track.FACE_IMAGE | Track.BACKPACK_LIGHTS


class MusicPart:
    """Sings songs and dances, through the player of the clips."""

    def __init__(self, context: Context, player: Player) -> None:
        self._performer = Performer(context.robot, player)
        self._rng = random.Random(context.parameters["animation_seed"] or None)
        ActionBridge(context, Sing, "sing", self._sing)
        ActionBridge(context, Dance, "dance", self._dance)
        context.jobs.serve(ListSongs, "list_songs", self._list)

    # -- in the robot's thread

    async def _list(self, request: ListSongs.Request, response: ListSongs.Response) -> str:
        songs = await asyncio.to_thread(_songs, str(request.filter))
        response.names = [name for name, _ in songs]
        response.titles = [song.title for _, song in songs]
        response.durations = [song.duration for _, song in songs]
        return f"{len(songs)} songs"

    async def _sing(self, goal: Goal) -> str:
        request, result = goal.request, goal.result
        excluded = _tracks(request.excluded_tracks)
        song = await asyncio.to_thread(self._song, str(request.song))
        result.song = song.title
        publish = throttled(goal)

        def on_progress(progress: MusicProgress) -> None:
            result.position = progress.position
            publish(filled(Sing.Feedback, progress))

        sung = await self._performer.sing(
            song,
            bpm=float(request.bpm),
            transpose=int(request.transpose),
            excluded=excluded,
            on_progress=on_progress,
        )
        return f"{sung.name} was sung, {sung.position:.2f} s"

    async def _dance(self, goal: Goal) -> str:
        request, result = goal.request, goal.result
        excluded = _tracks(request.excluded_tracks)
        file = await asyncio.to_thread(file_of, request.file) if request.file else None
        publish = throttled(goal)

        def on_progress(progress: MusicProgress) -> None:
            result.position = progress.position
            publish(
                Dance.Feedback(
                    position=progress.position, duration=progress.duration, beat=progress.beat
                )
            )

        danced = await self._performer.dance(
            file,
            bpm=float(request.bpm),
            duration=float(request.duration),
            excluded=excluded,
            on_progress=on_progress,
        )
        result.bpm = danced.bpm
        return f"it danced at {danced.bpm:.0f} beats per minute, {danced.position:.2f} s"

    # -- in a thread

    def _song(self, name: str) -> Song:
        """Return a song by name or file, any for an empty name. Raises ``RobotError``."""
        try:
            if not name:
                _, song = self._rng.choice(_songs("*"))
                return song
            if "/" in name:
                path = file_of(name)
                if not path.exists():
                    raise SongNotFound(f"there is no song file {path}")
                return open_song(path)
            return find_song(name)
        except SongNotFound as error:
            raise RobotError(Reason.NOT_FOUND, str(error)) from error
        except LibraryMissing as error:
            raise RobotError(Reason.UNSUPPORTED, str(error)) from error
        except SongError as error:
            raise RobotError(Reason.INVALID, str(error)) from error
        except IndexError:
            raise RobotError(
                Reason.NOT_FOUND, "there are no songs: assets/songs is not installed"
            ) from None
        except OSError as error:
            text = f"{error.filename or name}: {error.strerror or error}"
            raise RobotError(Reason.INVALID, text) from error


def _songs(pattern: str) -> list[tuple[str, Song]]:
    """Return the songs whose names match; those that cannot be sung are left out and logged."""
    found = []
    for name, path in songs_by_name().items():
        if fnmatch.fnmatchcase(name, pattern or "*"):
            try:
                found.append((name, open_song(path)))
            except (SongError, OSError) as error:
                _log.warning("%s", error)
    return found


def _tracks(bits: int) -> Track:
    if bits & ~_TRACKS:
        raise ValueError(f"excluded_tracks has bits of {int(_TRACKS)}, not {bits}")
    return Track(bits)
