"""Targets of everything that is read from files and of URLs; what is declared is caught."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
from pathlib import Path

from cozmo_driver.animation.face_track import read_sequence
from cozmo_driver.behavior.config import read_activities, read_behavior
from cozmo_driver.behavior.mood_config import load_mood_config
from cozmo_driver.behavior.needs_config import load_needs_config
from cozmo_driver.behavior.needs_store import BlobError, NeedsStore, decode_blob, encode_blob
from cozmo_driver.behavior.reaction_map import load_reaction_map
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import WorldFileError, load_layout
from cozmo_driver.media.audio_files import AudioFile, AudioFileError
from cozmo_driver.music import SongError, read_song, song_from_midi, song_of, text_of
from cozmo_driver.perception.detection.face_album import FaceAlbum, FaceAlbumError
from cozmo_driver.plain_yaml import load_texts
from cozmo_driver.resources import binary_clips, json_clips
from cozmo_driver.resources.errors import DamagedFile, ImportRefused, ResourceError
from cozmo_driver.resources.files import parse_bytes
from cozmo_driver.resources.groups import read_group, read_trigger_map
from cozmo_driver.resources.importer import import_resources
from cozmo_driver.resources.light_patterns import read_backpack_patterns, read_cube_lights
from cozmo_driver.resources.sound.bank_sounds import BankSounds
from cozmo_driver.resources.sound.wem import decode_wem
from cozmo_driver.resources.views import ENGINE, ConfigError, View
from cozmo_driver.robot import (
    RobotError,
    TraceTablesError,
    load_backup,
    load_image,
    load_trace_tables,
)
from cozmo_driver.robot.camera.calibration import CalibrationCache
from cozmo_driver.robot.firmware.traces import format_trace
from cozmo_driver.traffic import TrafficError
from cozmo_driver.traffic.describe import Summary, frame_as_json, frame_as_text
from cozmo_driver.traffic.dissect import STREAMS, Dissector, Selection
from cozmo_driver.traffic.live import timeline
from cozmo_driver.traffic.sources import open_file
from cozmo_driver.traffic.trace import SessionSeries, Tracer
from scores import read_score
from scores.phrases import ScoreError

from .target import file_with, scratch

_SERIAL = 0x1234
_MOST_SOUND = 1 << 20
"""Samples of a file that are decoded."""


# -- clips


def binary_clip(data: bytes) -> None:
    """A clip file in FlatBuffers; what is read can be written and is the same again."""
    with contextlib.suppress(DamagedFile):
        for entry in binary_clips.index_of(data, "x"):
            binary_clips.duration_of(data, "x", entry)
        clips = [loaded.clip for loaded in binary_clips.read_clips(data, "x")]
        again = binary_clips.read_clips(binary_clips.write_binary_clips(clips), "x")
        assert [loaded.clip for loaded in again] == clips


def json_clip(data: bytes) -> None:
    """A clip file in JSON; what is read can be written in both formats."""
    try:
        loaded, _ = json_clips.read_clips(data, "x")
    except DamagedFile:
        return
    clips = [one.clip for one in loaded]
    json_clips.read_clips(json_clips.write_json_clips(clips).encode(), "x")
    binary_clips.read_clips(binary_clips.write_binary_clips(clips), "x")


# -- sounds


def bank(data: bytes) -> None:
    """A sound bank, with every event of it planned and played."""
    folder = _fresh("bank")
    (folder / "x.bnk").write_bytes(data)
    sounds = BankSounds(folder)
    rng = random.Random(0)
    for one in sounds.banks:
        for id_ in one.entries:
            with contextlib.suppress(DamagedFile):
                one.object(id_)
    for event in sorted(sounds.event_ids)[:8]:
        sounds.plan(event, rng)
        sounds.stopped_by(event)
        sounds.sound_for(event, rng)


def wem(data: bytes) -> None:
    """A WEM file."""
    with contextlib.suppress(DamagedFile):
        decode_wem(data, "x")


def sound_file(data: bytes) -> None:
    """A WAV, FLAC or OGG file of the user."""
    try:
        file = AudioFile(file_with("x.wav", data))
    except AudioFileError:
        return
    try:
        heard = 0
        while heard < _MOST_SOUND and len(samples := file.read(1.0)):
            heard += len(samples)
    except AudioFileError:
        pass
    finally:
        file.close()


# -- resources in JSON


def groups_and_lights(data: bytes) -> None:
    """Groups, triggers and light patterns."""
    try:
        content = parse_bytes(data, "x")
    except ResourceError:
        return
    for read in (read_trigger_map, read_cube_lights, read_backpack_patterns, read_group):
        with contextlib.suppress(ResourceError):
            read(View(content, "x"), [])


def behavior_tree(data: bytes) -> None:
    """Behaviours and activities, with every number that a behaviour would ask for."""
    try:
        content = parse_bytes(data, "x")
    except ResourceError:
        return
    with contextlib.suppress(ConfigError):
        read_activities(View(content, "x"))
    with contextlib.suppress(ConfigError):
        found = read_behavior(View(content, "x"))
        for key in found.values:
            for read in (found.texts, found.text, found.flag, found.graph):
                with contextlib.suppress(ConfigError):
                    read(key)
            with contextlib.suppress(ConfigError):
                number = found.number(key, 0.0)
                assert abs(number) < float("inf")


def feelings(data: bytes) -> None:
    """Configurations of mood, needs and reactions; what is wrong is left out."""
    tree = _fresh("tree")
    names = (
        "mood_config.json",
        "emotionevents/x.json",
        "needs_config.json",
        "needs_decay_config.json",
        "needs_action_config.json",
        "behaviorSystem/reactionTrigger_behavior_map.json",
    )
    for name in names:
        path = tree / ENGINE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    load_mood_config([tree])
    load_needs_config([tree])
    load_reaction_map([tree])


def needs_file(data: bytes) -> None:
    """The file in which needs are kept; a damaged one is put aside."""
    store = NeedsStore(scratch(), _SERIAL)
    store.path.write_bytes(data)
    loaded = store.load(1e9)
    if loaded.saved is not None:
        assert encode_blob(loaded.saved, 1.0)


def needs_blob(data: bytes) -> None:
    """Needs as they are in the robot's storage."""
    with contextlib.suppress(BlobError):
        saved, saved_at = decode_blob(data)
        assert encode_blob(saved, saved_at) == data[: len(encode_blob(saved, saved_at))]


# -- archives, scores, worlds


def archive(data: bytes) -> None:
    """An archive of the app's assets; nothing is written outside of the target."""
    folder = _fresh("import")
    source = folder / "source.zip"
    source.write_bytes(data)
    with contextlib.suppress(ImportRefused):
        import_resources(source, folder / "target", with_sounds=True, most_bytes=4 << 20)
    assert {path.name for path in folder.iterdir()} <= {"source.zip", "target"}


def score(data: bytes) -> None:
    """A file of scores, with sounds of any name."""
    with contextlib.suppress(ScoreError):
        read_score(file_with("x.yaml", data), len)


def song(data: bytes) -> None:
    """A song file; what is read can be written, and is within the limits of a song."""
    with contextlib.suppress(SongError):
        read = read_song(file_with("song.yaml", data))
        assert 0.0 < song_of(load_texts(text_of(read))).duration <= 61.0


def midi(data: bytes) -> None:
    """A MIDI file, of each channel."""
    path = file_with("tune.mid", data)
    for channel in (None, 0, 9):
        with contextlib.suppress(SongError):
            assert 0.0 < song_from_midi(path, channel=channel).duration <= 61.0


def world(data: bytes) -> None:
    """A world file; what is read can be lived in."""
    try:
        layout = load_layout(file_with("world.yaml", data))
    except WorldFileError:
        return
    World(layout, ideal=True)


# -- recorded traffic


def capture(data: bytes) -> None:
    """A pcap, a pcapng or a recording as text: explained, chosen, traced, counted, to be played."""
    path = file_with("x.pcap", data)
    dissector, tracer, summary = Dissector(), Tracer(), Summary()
    selection, series = Selection(hidden=STREAMS), SessionSeries()
    with contextlib.suppress(TrafficError), open_file(str(path)) as traffic:
        for recorded in traffic.frames:
            dissected = dissector.dissect(recorded)
            frame_as_text(dissected, "0")
            json.dumps(frame_as_json(dissected), allow_nan=False)
            selection.apply(dissected)
            summary.update(dissected)
            for event in tracer.update(dissected):
                json.dumps(event.as_json(), allow_nan=False)
                series.update(event)
    for event in tracer.end():
        event.as_json()
    summary.as_text(traffic.sessions.ends)
    for to_robot in (True, False):
        with contextlib.suppress(TrafficError):
            assert next(m for m in timeline(str(path), to_robot=to_robot) if m.message is None)


# -- what belongs to a robot


def backup(data: bytes) -> None:
    """A backup of the robot's storage."""
    with contextlib.suppress(RobotError):
        load_backup(file_with("backup.json", data))


def firmware(data: bytes) -> None:
    """A firmware file; all of it is sent in whole chunks."""
    with contextlib.suppress(RobotError):
        image = load_image(file_with("x.safe", data))
        assert b"".join(image.chunks()).rstrip(b"\0") == image.data.rstrip(b"\0")
        assert {len(chunk) for chunk in image.chunks()} == {1024}


def trace_tables(data: bytes) -> None:
    """The texts of the firmware's traces, and every format filled in."""
    with contextlib.suppress(TraceTablesError):
        tables = load_trace_tables(file_with("tables.json", data))
        for text, count in tables.formats.values():
            format_trace(text, [0x7FC00000] * min(abs(count), 16))


def calibration_file(data: bytes) -> None:
    """A camera calibration that was kept; a damaged one counts as missing."""
    cache = CalibrationCache(scratch())
    cache.path(_SERIAL).write_bytes(data)
    cache.load(_SERIAL)


def face_album(data: bytes) -> None:
    """The file of the people who are known by their faces."""
    path = file_with("faces.json", data)
    with contextlib.suppress(FaceAlbumError):
        for name in FaceAlbum(path).names:
            assert FaceAlbum(path).forget(name) == 1


def face_picture(data: bytes) -> None:
    """A picture of a face animation."""
    path = file_with("face.png", data)
    read_sequence("x", lambda name: [path])


def file_url(data: bytes) -> None:
    """What somebody on the graph calls a file."""
    from cozmo_driver.ros.file_urls import FileUrlError, path_of

    with contextlib.suppress(FileUrlError):
        path_of(data.decode("utf-8", "surrogateescape"))


def _fresh(name: str) -> Path:
    folder = scratch() / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder
