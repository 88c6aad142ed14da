"""The corpus: made by our own encoders and of our own assets when it is needed; no file is kept."""

from __future__ import annotations

import io
import json
import re
import struct
import wave
import zipfile
import zlib
from pathlib import Path
from typing import Any

import mido
import numpy as np
from PIL import Image

from cozmo_driver.behavior.needs import NeedsSnapshot
from cozmo_driver.behavior.needs_config import Need
from cozmo_driver.behavior.needs_store import encode_blob
from cozmo_driver.media import display_codec, mini_jpeg
from cozmo_driver.media.audio_files import soundfile
from cozmo_driver.perception.detection.face_album import FaceAlbum
from cozmo_driver.perception.detection.face_models import FEATURES
from cozmo_driver.protocol import encode_message
from cozmo_driver.protocol.messages import ImageChunk
from cozmo_driver.resources import binary_clips, json_clips
from cozmo_driver.resources.keyframes import RobotAudio
from cozmo_driver.robot import USER_ENTRIES, Identity
from cozmo_driver.robot.camera.calibration import RECORD_SIZE, CalibrationCache
from cozmo_driver.robot.storage.backup import save_backup

from ..protocol.recordings import SESSION, Recorded, recording
from ..resources import app_tree
from ..resources.clips import GOLDEN, GOLDEN_JSON
from ..resources.sound import bank_writer
from ..robot import firmware_files
from ..traffic import capture_files
from .target import join, scratch
from .wire import frame_seeds

ROOT = Path(__file__).parents[2]
_RATE = 22320
_SMALL = 16 << 10


def files(*patterns: str, most: int = 24, largest: int = _SMALL) -> list[bytes]:
    """Return the content of some of the checkout's own files, from the smallest to the largest."""
    found = {path for pattern in patterns for path in ROOT.glob(pattern) if path.is_file()}
    contents = [path.read_bytes() for path in sorted(found)]
    fitting = sorted((one for one in contents if len(one) <= largest), key=len)
    return fitting[:: -(-len(fitting) // most)] if fitting else []


def binary_clips_() -> list[bytes]:
    """Return clips of every track."""
    sounds = app_tree.clip("x").__class__(
        "y", robot_audio=(RobotAudio(0, (1, 2), 0.5, (0.5, 0.5)),)
    )
    return [
        GOLDEN.read_bytes(),
        binary_clips.write_binary_clips([app_tree.clip("a"), app_tree.clip("b", -3)]),
        binary_clips.write_binary_clips([sounds]),
    ]


def json_clips_() -> list[bytes]:
    """Return the same clips in both forms of JSON."""
    steps = [{"Name": "HeadAngleKeyFrame", "triggerTime_ms": 33, "angle_deg": 5}]
    return [
        GOLDEN_JSON.read_bytes(),
        json_clips.write_json_clips([app_tree.clip("a")]).encode(),
        json.dumps({"anim_x": steps}).encode(),
    ]


def banks() -> list[bytes]:
    """Return banks with each kind of object and every part of one, and one that goes in circles."""
    kinds = bank_writer.BankWriter()
    tone = (3000 * np.sin(np.arange(600) / 9)).astype(np.int16)
    kinds.media = {7: bank_writer.pcm_wem(tone), 8: bank_writer.adpcm_wem(bytes(72))}
    kinds.event(100, 1, 5, 6, 9)
    kinds.sound(1, 7)
    kinds.sound(2, 8, base=bank_writer.node_base(parent=4, volume=-3.0, effects=2))
    kinds.add(7, 4, bank_writer.mixer(1, 2, base=bank_writer.node_base(state_groups=1, curves=1)))
    kinds.add(5, 5, bank_writer.container(1, (2, 30000), shuffle=True, avoid_repeat=1))
    kinds.add(6, 6, bank_writer.switch(11, 12, {12: [1], 13: [2]}))
    kinds.add(9, 9, bank_writer.layer(1, 2))
    circle = bank_writer.BankWriter()
    circle.event(100, 5)
    circle.add(5, 5, bank_writer.container(5, 6, continuous=True))
    circle.add(9, 6, bank_writer.layer(5, 6))
    rich, base = bank_writer.BankWriter(), bank_writer.node_base
    rich.media = {1: kinds.media[7], 2: kinds.media[8], 3: bank_writer.vorbis_wem()}
    rich.event(100, 20, 22)
    rich.event(101, 21, 23)
    rich.add(5, 20, bank_writer.container(10, (11, 7), avoid_repeat=1, base=base(25)))
    rich.add(5, 21, bank_writer.container(10, 12, sequence=True, continuous=True))
    rich.add(6, 22, bank_writer.switch(50, 51, {51: (10, 11), 52: (20,)}))
    rich.add(9, 23, bank_writer.layer(11, 12, 20))
    rich.add(7, 25, bank_writer.mixer(20, base=base(0, -3.0, (-1, 1), effects=2, curves=1)))
    for media in (1, 2, 3):
        rich.sound(9 + media, media, base=base(20, auxiliary=True, state_groups=1))
    return [kinds.bytes(), circle.bytes(), rich.bytes()]


def wems() -> list[bytes]:
    """Return a WEM file of each codec."""
    tone = (3000 * np.sin(np.arange(400) / 9)).astype(np.int16)
    return [
        bank_writer.pcm_wem(tone),
        bank_writer.pcm_wem(np.stack([tone, tone], axis=1), 48000),
        bank_writer.adpcm_wem(bytes(range(144)), 2),
        bank_writer.wem(1, 1, 22320, 1, 8, bytes(100)),
        bank_writer.wem(1, 1, 22320, 3, 24, bytes(300)),
        bank_writer.vorbis_wem(),
    ]


def sound_files() -> list[bytes]:
    """Return a short tone in every format that is played."""
    tone = (3000 * np.sin(np.arange(1200) / 9)).astype(np.int16)
    made = []
    plain = io.BytesIO()
    with wave.open(plain, "wb") as file:
        file.setparams((1, 2, _RATE, 0, "NONE", ""))
        file.writeframes(tone.tobytes())
    made.append(plain.getvalue())
    for format_, subtype in (
        ("WAV", "FLOAT"),
        ("WAVEX", "PCM_24"),
        ("RF64", "PCM_16"),
        ("WAV", "IMA_ADPCM"),
        ("FLAC", "PCM_16"),
        ("OGG", "VORBIS"),
    ):
        buffer = io.BytesIO()
        soundfile().write(buffer, tone, 48000, format=format_, subtype=subtype)
        made.append(buffer.getvalue())
    made[1] = _without_peak_time(made[1])
    made[-1] = _renumbered(made[-1])
    return made


def _without_peak_time(wav: bytes) -> bytes:
    """Return a WAV file whose PEAK chunk does not say when it was written."""
    time = wav.index(b"PEAK") + 12
    return wav[:time] + bytes(4) + wav[time + 4 :]


def _renumbered(ogg: bytes) -> bytes:
    """Return an OGG file whose stream has the number 1 instead of one by chance."""
    pages = []
    for page in ogg.split(b"OggS")[1:]:
        data = b"OggS" + page[:10] + struct.pack("<II", 1, struct.unpack_from("<I", page, 14)[0])
        data += bytes(4) + page[22:]
        pages.append(data[:22] + struct.pack("<I", _ogg_checksum(data)) + data[26:])
    return b"".join(pages)


def _ogg_checksum(data: bytes) -> int:
    value = 0
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ (0x04C11DB7 if value >> 31 else 0)) & 0xFFFFFFFF
    return value


def app_json() -> list[bytes]:
    """Return groups, triggers and light patterns."""
    found = [data for name, data in app_tree.app_files().items() if name.endswith(".json")]
    return found + files("assets/animationGroups/idle/*.json", "config/engine/lights/**/*.json")


def behaviors() -> list[bytes]:
    """Return behaviours and activities of this package."""
    return files("config/engine/behaviorSystem/**/*.json")


def feelings() -> list[bytes]:
    """Return the files of mood, needs and reactions of this package."""
    return files(
        "config/engine/*.json",
        "config/engine/emotionevents/*.json",
        "config/engine/behaviorSystem/reactionTrigger_behavior_map.json",
        largest=64 << 10,
    )


def _snapshot() -> NeedsSnapshot:
    return NeedsSnapshot(dict.fromkeys(Need, 0.5), dict.fromkeys(Need, 3.0))


def needs_files() -> list[bytes]:
    """Return needs as a file keeps them."""
    from cozmo_driver.behavior.needs_store import NeedsStore

    store = NeedsStore(scratch() / "seeds", 1)
    store.save(_snapshot(), 1e8)
    return [store.path.read_bytes()]


def needs_blobs() -> list[bytes]:
    """Return needs as the storage keeps them, and the size of the app's own record."""
    return [encode_blob(_snapshot(), 1e8), bytes(0x74)]


def archives() -> list[bytes]:
    """Return the app's assets as an archive, and one inside of another."""
    expansion = _undated(app_tree.expansion())
    return [expansion, _undated(app_tree.archive({"main.obb": expansion}))]


def _undated(data: bytes) -> bytes:
    """Return an archive, and those in it, that do not tell when they were made."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            content = _undated(content) if name.endswith(".zip") else content
            new.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def scores() -> list[bytes]:
    """Return a short score and this package's smallest ones."""
    short = (
        "clips:\n  anim_a:\n    about: a nod\n    score:\n"
        "      0: {face: Happiness, head: 10 in 330 bounce, lights: pulse red for 660 every 330}\n"
        "      660: {drive: 30 in 330 radius 100, sound: a b volume 0.5, look: left 4 in 99}\n"
        "      1320: {heading: record, event: TAPPED_BLOCK, tremble: 2 for 330, lift: 50 in 99}\n"
        "groups:\n  ag_a: {triggers: [A], members: {anim_a: 1 cooldown 5 from -10 to 20}}\n"
    )
    return [short.encode(), *files("assets/scores/*.yaml", most=3, largest=8 << 10)]


def songs() -> list[bytes]:
    """Return this package's smallest songs."""
    return files("assets/songs/*.yaml", most=6)


def midis() -> list[bytes]:
    """Return a few notes with a tempo and a bar, in one track and in two."""
    found = []
    for tracks in (1, 2):
        file = mido.MidiFile(ticks_per_beat=96)
        for number in range(tracks):
            track = mido.MidiTrack([mido.MetaMessage("set_tempo", tempo=600_000)])
            for pitch in (60, 64, 67):
                track.append(mido.Message("note_on", channel=number, note=pitch, time=10))
                track.append(mido.Message("note_off", channel=number, note=pitch, time=96))
            file.tracks.append(track)
        content = io.BytesIO()
        file.save(file=content)
        found.append(content.getvalue())
    return found


def worlds() -> list[bytes]:
    """Return the worlds of this package and one with everything that there is."""
    tag = {"tag": "36h11:5", "side": "left", "size": 0.02, "right": 0.01, "up": 0.01}
    whole = {
        "name": "all",
        "floor": [{"rectangle": [-1, -1, 1, 1], "pattern": "wood", "tint": "white", "gray": 9}],
        "holes": [{"polygon": [[0.8, 0.8], [0.9, 0.8], [0.9, 0.9]]}],
        "walls": [{"points": [[-1, -1], [1, -1], [1, 1]], "height": 0.1, "thickness": 0.01}],
        "boxes": [{"x": 0.5, "y": 0.5, "yaw": 30, "size": [0.1, 0.1, 0.1], "tags": [tag]}],
        "cubes": [{"number": 1, "x": 0.3, "y": 0.0, "roll": 90}, {"number": 2, "on_cube": 1}],
        "moving": [{"form": "hand", "path": [[0, 0, 0], [1, 0, 0]], "size": 0.1, "speed": 0.2}],
        "pictures": [{"file": "none.png", "x": 0.4, "y": -0.4, "width": 0.1, "z": 0.1}],
        "light": 0.5,
        "charger": {"x": -0.6, "y": 0.0, "yaw": 0},
        "robots": [{"on_charger": True}],
    }
    return [json.dumps(whole).encode(), *files("config/worlds/*.yaml")]


def backups() -> list[bytes]:
    """Return a backup with a whole, an odd and an empty entry."""
    tags = list(USER_ENTRIES)[:3]
    images: dict[int, Any] = {tags[0]: None}
    for tag in tags[1:]:
        images[tag] = bytes(range(1, 5)) * (USER_ENTRIES[tag] // 4)
    identity = Identity("127.0.0.1", 5551, head_serial=0x45A1, firmware_version=2457)
    target = scratch() / "seeds" / "backup.json"
    target.unlink(missing_ok=True)
    data = save_backup(target, identity, images).path.read_bytes()
    return [re.sub(rb'("created": )"[^"]*"', rb'\1"2026-01-31T12:00:00+00:00"', data)]


def firmware_images() -> list[bytes]:
    """Return a file with a short body."""
    return [firmware_files.content(3000)]


def trace_tables() -> list[bytes]:
    """Return names and formats of every kind."""
    formats = {"1": ["%d of %5.2f, %s %c %08x %%", 5], "2": ["plain", 0], "3": ["%-10.3e%lu", 2]}
    return [json.dumps({"nameTable": {"7": "Head"}, "formatTable": formats}).encode()]


def calibrations() -> list[bytes]:
    """Return a calibration that was kept."""
    cache = CalibrationCache(scratch() / "seeds")
    cache.store(0x1234, bytes(range(RECORD_SIZE % 256)).ljust(RECORD_SIZE, b"x"))
    return [cache.path(0x1234).read_bytes()]


def face_albums() -> list[bytes]:
    """Return a file of two people."""
    path = scratch() / "seeds" / "faces.json"
    path.unlink(missing_ok=True)
    album = FaceAlbum(path)
    views = np.eye(2, FEATURES, dtype=np.float32)
    for name in ("Ann", "B\u00e9la"):
        album.add(name, views)
    return [path.read_bytes()]


def face_pictures() -> list[bytes]:
    """Return small pictures of each kind, and one that is too large."""
    made = []
    for mode, size in (("L", (128, 64)), ("1", (128, 32)), ("P", (128, 64)), ("RGBA", (128, 64))):
        buffer = io.BytesIO()
        Image.new(mode, size).save(buffer, "PNG")
        made.append(buffer.getvalue())
    header = b"IHDR" + struct.pack(">II", 20_000, 20_000) + made[0][24:29]
    huge = made[0][:12] + header + struct.pack(">I", zlib.crc32(header)) + made[0][33:]
    return [*made, huge]


def jpegs() -> list[bytes]:
    """Return camera pictures, gray and in colour."""
    gray = np.add.outer(np.arange(240), np.arange(320)).astype(np.uint8)
    color = np.repeat(gray[:, :160, None], 3, axis=2)
    return [mini_jpeg.from_gray(gray), mini_jpeg.from_color(color), b"\0" + bytes(40)]


def camera_chunks() -> list[bytes]:
    """Return whole pictures in chunks, as the robot sends them."""
    return [join(_chunks(number, data)) for number, data in enumerate(jpegs(), start=1)]


def _chunks(number: int, data: bytes) -> list[bytes]:
    parts = [data[at : at + 1100] for at in range(0, len(data), 1100)]
    return [
        encode_message(
            ImageChunk(
                frame_time_stamp=1000 + number,
                image_id=number,
                chunk_debug=0,
                image_encoding=7,
                resolution=4,
                image_chunk_count=len(parts),
                chunk_id=at,
                status=0,
                data=part,
            )
        )
        for at, part in enumerate(parts)
    ]


def display_codes() -> list[bytes]:
    """Return codes of pictures from dark to noise."""
    rng = np.random.default_rng(1)
    dark = np.zeros((64, 128), np.uint8)
    eye = dark.copy()
    eye[20:40, 30:60] = 1
    return [display_codec.encode(one) for one in (dark, eye, rng.integers(0, 2, dark.shape))]


def descriptions() -> list[bytes]:
    """Return what firmwares say of themselves."""
    text = {"version": 2457, "build": "RELEASE", "date": "today", "time": 1}
    return [json.dumps(text).encode(), b'{"version": 1, "build": "FACTORY"}']


def urls() -> list[bytes]:
    """Return a file by every kind of name."""
    return [
        b"file:///usr/share/a%20b.wav",
        b"package://cozmo_driver/config/cozmo.yaml",
        b"package://nothing/x",
        b"/absolute/path.wav",
        b"relative.wav",
        b"~/x.wav",
        b"http://[::1]/x",
    ]


def captures() -> list[bytes]:
    """Return a short session as pcap, pcapng and text, over several kinds of links."""
    sent = [
        Recorded(0.01 * number, number % 2 == 0, data)
        for number, data in enumerate(frame_seeds()[:12])
    ]
    text = "".join(
        f"{one.seconds:.6f} {'TX' if one.to_robot else 'RX'} {one.data.hex(' ')}\n" for one in sent
    )
    links = ("ethernet", "vlan", "ethernet, IPv6", "Linux cooked 2", "loopback", "raw IP")
    made = [capture_files.as_pcap(sent, link) for link in links]
    made.append(capture_files.as_pcap(recording(SESSION)))
    return [*made, capture_files.as_pcapng(sent), text.encode()]
