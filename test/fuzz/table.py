"""Every target by its name."""

from __future__ import annotations

from cozmo_driver.protocol import Direction

from . import files as f
from . import pages as p
from . import seeds as s
from . import wire as w
from .target import Target, join, number_of_pieces

_JSON = (
    *b'{ } [ ] " : , // /* */ null 1e999 \\u0000 -0.0 NaN "x":{}'.split(),
    *(b"[" * 200, b'{"a":' * 200, b"9" * 350, b"\xff"),
)
_YAML = (
    *b"&a *a <<: !!int !!timestamp ? | { } [ ] .nan .inf 1:59:59 ' \" # ---".split(),
    *(b"\n", b"- ", b": ", b"&a [*a]", b"[" * 80, b"0x" + b"f" * 300, b"\t", b"\xc2\x85"),
)
_ZIP = (b"PK\1\2", b"PK\3\4", b"PK\5\6", b"PK\6\6", b"../", b"/", b"cozmo_resources")
_SOUND = (b"RIFF", b"WAVE", b"fmt ", b"data", b"OggS", b"fLaC", b"\xff\xff\xff\xff")
_MIDI = (b"MThd", b"MTrk", b"\xff\x51\x03", b"\xff\x2f\x00", b"\xf0", b"\x90", b"\xff\xff\xff\x7f")
_BANK = (b"BKHD", b"HIRC", b"DIDX", b"DATA", b"\xff\xff\xff\xff", b"\0\0\0\0")
_FRAME = (b"COZ\x03RE\x01", *(bytes([kind]) for kind in range(12)), b"\xff\xff")
_FRAME += (b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\xff\xff\x7f\x7f")
_PRINTF = (*_JSON, *b"% %99999d %.999f %s %n %*d".split())
_PCAP = (b"\x0a\x0d\x0d\x0a", b"\xd4\xc3\xb2\xa1", b"COZ\x03RE\x01", b" TX ", b" RX ", b"\n")
_URL = (*b"file:// package:// ~ %00 /../ [ //".split(), b"\0")


def _conversations() -> list[bytes]:
    frames = w.frame_seeds()
    return [join(frames[at : at + 16]) for at in range(0, len(frames), 16)]


def _of(direction: Direction):
    return lambda: w.talk_seeds(direction)


TARGETS = {
    target.name: target
    for target in (
        Target("frames", w.frames, w.frame_seeds, 60_000, _FRAME, 1500,
               is_datagrams=True, quick=1500),
        Target("conversation", w.conversation, _conversations, 60_000, _FRAME,
               count=number_of_pieces, is_datagrams=True, quick=300),
        Target("messages", w.decoding, w.message_seeds, 120_000, _FRAME, 1500,
               is_datagrams=True, quick=5000),
        Target("driver", w.driver, _of(Direction.ROBOT_TO_ENGINE), 2000, _FRAME, 4096,
               count=number_of_pieces, is_datagrams=True, quick=15),
        Target("emulator", w.emulator, _of(Direction.ENGINE_TO_ROBOT), 8000, _FRAME,
               4096, count=number_of_pieces, is_datagrams=True, quick=30),
        Target("camera", w.camera, s.camera_chunks, 4000, _FRAME, 32 << 10,
               count=number_of_pieces, is_datagrams=True, quick=30),
        Target("jpeg", w.jpeg, s.jpegs, 5000, quick=50),
        Target("display", w.display, s.display_codes, 5000, longest=2048, quick=300),
        Target("description", w.starting, s.descriptions, 5000, _JSON, quick=300),
        Target("control", w.control, w.control_seeds, 2000, _JSON, quick=30),
        Target("channel", p.channel, p.channel_seeds, 8000, _JSON, 4096, quick=150),
        Target("binary_clip", f.binary_clip, s.binary_clips_, 10_000, quick=600),
        Target("json_clip", f.json_clip, s.json_clips_, 5000, _JSON, quick=150),
        Target("bank", f.bank, s.banks, 8000, _BANK, quick=500),
        Target("wem", f.wem, s.wems, 15_000, _SOUND, quick=1500),
        Target("sound_file", f.sound_file, s.sound_files, 5000, _SOUND, quick=150),
        Target("groups_lights", f.groups_and_lights, s.app_json, 8000, _JSON),
        Target("behavior_tree", f.behavior_tree, s.behaviors, 8000, _JSON, quick=150),
        Target("feelings", f.feelings, s.feelings, 3000, _JSON, 1 << 16, quick=15),
        Target("needs_file", f.needs_file, s.needs_files, 5000, _JSON, quick=150),
        Target("needs_blob", f.needs_blob, s.needs_blobs, 5000, quick=500),
        Target("archive", f.archive, s.archives, 3000, _ZIP, quick=200),
        Target("score", f.score, s.scores, 1000, _YAML, 8 << 10, quick=15),
        Target("song", f.song, s.songs, 3000, _YAML, 8 << 10, quick=60),
        Target("midi", f.midi, s.midis, 3000, _MIDI, 8 << 10, quick=100),
        Target("world", f.world, s.worlds, 2000, _YAML, 8 << 10, quick=20),
        Target("capture", f.capture, s.captures, 6000, _PCAP, quick=150),
        Target("backup", f.backup, s.backups, 4000, _JSON, 64 << 10, quick=60),
        Target("firmware", f.firmware, s.firmware_images, 4000, _JSON),
        Target("traces", f.trace_tables, s.trace_tables, 5000, _PRINTF),
        Target("calibration", f.calibration_file, s.calibrations, 8000, _JSON),
        Target("face_album", f.face_album, s.face_albums, 3000, _JSON, quick=60),
        Target("face", f.face_picture, s.face_pictures, 4000, quick=50),
        Target("file_url", f.file_url, s.urls, 5000, _URL, 512, quick=300),
    )
}  # fmt: skip
