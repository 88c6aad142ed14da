"""Frame by frame, what a clip gives to the stream."""

from __future__ import annotations

import math
import random
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from cozmo_driver.animation import ClipSource, prepare
from cozmo_driver.animation.clip_source import REFRESH
from cozmo_driver.animation.face_track import face_of_keyframe, read_sequence
from cozmo_driver.face.parameters import interpolate
from cozmo_driver.face.renderer import render
from cozmo_driver.media import display_codec
from cozmo_driver.media.audio_codec import FRAME_SAMPLES
from cozmo_driver.protocol import messages
from cozmo_driver.protocol.enums import AnimTrackFlag as Track
from cozmo_driver.resources.clips import AnimationClip
from cozmo_driver.resources.keyframes import FaceAnimation, RobotAudio

from .clips import BEEP, HUM, Tones, eye, face, face_clip, whole_clip

NOTHING = Track(0)


def prepared(clip, excluded=NOTHING, seed=1, pictures=lambda name: (), frames=4):
    return prepare(clip, excluded, pictures, Tones(frames), random.Random(seed))


def source_of(clip, tag=7, parity=0, **options):
    source = ClipSource(prepared(clip, **options), tag, parity)
    source.finish()
    return source


def frames_of(source, most=2000):
    frames = []
    while not (frames and frames[-1].is_last):
        frames.append(source.next_frame(0.0))
        assert len(frames) < most
    return frames


def pictures_of(frames):
    """Pictures by frame."""
    return {
        index: display_codec.decode(message.image)
        for index, frame in enumerate(frames)
        for message in frame.keyframes
        if isinstance(message, messages.FaceImage)
    }


def samples_of(frames):
    silence = np.zeros(FRAME_SAMPLES, np.int16)
    return np.concatenate([silence if f.sound is None else f.sound for f in frames])


def test_the_first_frame_starts_the_animation_and_no_other_does():
    frames = frames_of(source_of(whole_clip(), tag=7))
    starts = [
        (index, message.tag)
        for index, frame in enumerate(frames)
        for message in frame.keyframes
        if isinstance(message, messages.StartOfAnimation)
    ]
    assert starts == [(0, 7)]
    assert len(frames) == 30


def test_faces_between_keyframes_are_interpolated_and_drawn_at_the_parity():
    start, end = face(33), face(363, 12.0, face_angle_deg=40.0)
    frames = frames_of(source_of(face_clip("c", start, end), parity=1))
    shown = pictures_of(frames)
    assert sorted(shown) == list(range(1, 12))
    for index, picture in shown.items():
        expected = interpolate(
            face_of_keyframe(start), face_of_keyframe(end), (33 * index - 33) / 330
        )
        assert np.array_equal(picture, render(expected, 1))
        assert not picture[1::2].any()


def test_angles_of_a_face_are_degrees_in_the_file():
    keyframe = face(0, face_angle_deg=90.0)
    drawn = face_of_keyframe(keyframe)
    assert drawn.angle == pytest.approx(math.pi / 2)
    slanted = face_of_keyframe(
        keyframe.__class__(0, left_eye=eye(_4=45.0), right_eye=eye(_14=30.0))
    )
    assert slanted.left_eye.angle == pytest.approx(math.pi / 4)
    assert slanted.right_eye.upper_lid_angle == pytest.approx(math.pi / 6)


def test_a_face_that_does_not_change_is_sent_once_and_again_before_the_robot_goes_dark():
    clip = face_clip("c", face(0, 3.0), face(33 * 700, 3.0))
    shown = pictures_of(frames_of(source_of(clip)))
    assert sorted(shown) == [0, REFRESH, 2 * REFRESH]


def test_only_a_clip_that_draws_owns_the_face():
    assert source_of(face_clip("c")).owned == Track.FACE_IMAGE
    blind = source_of(whole_clip(), excluded=Track.FACE_IMAGE)
    assert not blind.owned & Track.FACE_IMAGE
    assert pictures_of(frames_of(blind)) == {}


def sprites(folder, count=3, size=(128, 64)):
    """Pictures of one lit column each, in gray around the threshold."""
    folder.mkdir(parents=True)
    for index in range(count):
        gray = np.full(size[::-1], 0x80, np.uint8)
        gray[:, 3 * index + 5] = 0x81
        Image.fromarray(gray).save(folder / f"p_{index:03}.png")
    return sorted(folder.glob("*.png"))


def test_a_sequence_of_pictures_goes_before_the_drawn_face_one_in_a_frame(tmp_path):
    files = sprites(tmp_path / "wink")
    clip = AnimationClip(
        "c",
        procedural_face=(face(0), face(330, 12.0)),
        face_animation=(FaceAnimation(66, "wink"),),
    )
    shown = pictures_of(frames_of(source_of(clip, pictures=lambda name: files, parity=1)))
    for index in range(3):
        expected = np.zeros((64, 128), np.uint8)
        expected[0::2, 3 * index + 5] = 1
        assert np.array_equal(shown[2 + index], expected)
    drawn = interpolate(face_of_keyframe(face(0)), face_of_keyframe(face(330, 12.0)), 0.5)
    assert np.array_equal(shown[5], render(drawn, 1))


def test_pictures_of_32_rows_show_each_row_as_a_pair(tmp_path):
    files = sprites(tmp_path / "low", 1, (128, 32))
    clip = AnimationClip("c", face_animation=(FaceAnimation(0, "low"),))
    [picture] = pictures_of(frames_of(source_of(clip, pictures=lambda name: files))).values()
    assert picture[1::2, 5].all()
    assert picture.sum() == 32


def test_a_damaged_picture_ends_its_sequence_and_the_log_says_where(tmp_path, caplog):
    files = sprites(tmp_path / "torn", 3)
    files[1].write_bytes(files[1].read_bytes()[:40])
    clip = AnimationClip("c", face_animation=(FaceAnimation(0, "torn"),))
    frames = frames_of(source_of(clip, pictures=lambda name: files))
    assert sorted(pictures_of(frames)) == [0]
    assert "p_001.png: the face animation ends here" in caplog.text


@pytest.mark.parametrize("kind", [b"gAMA", b"cHRM", b"iCCP", b"tRNS", b"pHYs", b"sRGB", b"zTXt"])
def test_a_picture_with_a_short_chunk_never_fails_otherwise(tmp_path, kind):
    (file,) = sprites(tmp_path / "short", 1)
    data = file.read_bytes()
    for body in (b"", b"\0", b"a\0"):
        chunk = struct.pack(">I", len(body)) + kind + body
        chunk += struct.pack(">I", zlib.crc32(kind + body))
        for at in (33, data.rindex(b"IEND") - 4):
            file.write_bytes(data[:at] + chunk + data[at:])
            assert len(read_sequence("short", lambda name: [file])) <= 1


@pytest.mark.parametrize("size", [(64, 128), (4000, 4000)])
def test_a_picture_of_another_size_is_refused(tmp_path, caplog, size):
    folder = tmp_path / "odd"
    folder.mkdir()
    Image.new("L", size, 255).save(folder / "a.png")
    clip = AnimationClip("c", face_animation=(FaceAnimation(0, "odd"),))
    files = list(folder.glob("*.png"))
    assert pictures_of(frames_of(source_of(clip, pictures=lambda name: files))) == {}
    assert f"{size[0]}x{size[1]} pixels" in caplog.text


def test_an_unknown_sequence_is_left_out_and_the_log_says_so(caplog):
    clip = AnimationClip("c", face_animation=(FaceAnimation(0, "nowhere"),))
    assert len(frames_of(source_of(clip))) == 1
    assert "no face animation 'nowhere'" in caplog.text


def test_sounds_begin_with_the_frame_of_their_trigger_and_are_mixed():
    tones = Tones().by_event
    clip = AnimationClip(
        "c", robot_audio=(RobotAudio(66, (BEEP,)), RobotAudio(132, (HUM,), volume=0.5))
    )
    frames = frames_of(source_of(clip))
    heard = samples_of(frames).astype(int)
    expected = np.zeros(len(heard), int)
    beep, hum = tones[BEEP].samples, tones[HUM].samples
    expected[2 * FRAME_SAMPLES :][: len(beep)] += beep
    expected[4 * FRAME_SAMPLES :][: len(hum)] += np.rint(hum * math.sin(0.5 * math.pi / 2)).astype(
        int
    )
    assert np.array_equal(heard, expected)
    assert len(frames) == 4 + 5


def test_a_sound_that_goes_on_keeps_the_clip_from_ending():
    clip = AnimationClip("c", robot_audio=(RobotAudio(0, (BEEP,)),))
    assert len(frames_of(source_of(clip, frames=50))) == 51
    assert prepared(clip, frames=50).length == 51
    assert len(frames_of(source_of(clip, frames=50, excluded=Track.AUDIO))) == 1


def test_alternatives_are_drawn_by_their_chances_and_the_rest_is_no_sound():
    audio = RobotAudio(0, (BEEP, HUM), probability=(0.5, 0.25))
    clip = AnimationClip("c", robot_audio=(audio,))
    drawn = [prepared(clip, seed=seed).cues.get(0) for seed in range(400)]
    events = [None if cue is None else cue.sound.event_id for cue in drawn]
    assert events.count(BEEP) == pytest.approx(200, abs=40)
    assert events.count(HUM) == pytest.approx(100, abs=40)
    assert events.count(None) == pytest.approx(100, abs=40)


def test_a_sound_that_nobody_knows_is_silence():
    clip = AnimationClip("c", robot_audio=(RobotAudio(0, (999,)),))
    frames = frames_of(source_of(clip))
    assert [frame.sound for frame in frames] == [None]


def test_rounds_follow_one_another_without_a_new_start():
    source = ClipSource(prepared(whole_clip()), 9)
    frames = []
    for _ in range(2):
        source.extend(prepared(whole_clip()))
        while not source.needs_next:
            frames.append(source.next_frame(0.0))
    source.finish()
    frames += frames_of(source)
    assert len(frames) == 90
    starts = sum(
        isinstance(m, messages.StartOfAnimation) for frame in frames for m in frame.keyframes
    )
    assert starts == 1
    rounds = [source.round_of(played).number for played in (0, 1, 30, 31, 60, 61, 90)]
    assert rounds == [0, 0, 0, 1, 1, 2, 2]
    completed = [source.completed_rounds(played) for played in (0, 29, 30, 59, 60, 90)]
    assert completed == [0, 0, 1, 1, 2, 2]


def test_a_source_that_does_not_know_what_follows_is_not_ready_and_silent_when_pressed():
    source = ClipSource(prepared(face_clip("c", face(0), face(99, 9.0))), 9)
    given = [source.next_frame(0.0) for _ in range(3)]
    assert not any(frame.is_last for frame in given)
    assert not source.is_ready(0.0)
    pressed = source.next_frame(0.0)
    assert not pressed.keyframes
    assert pressed.sound is None
    assert pressed.owned & Track.FACE_IMAGE
    source.finish()
    assert source.is_ready(0.0)
    last = source.next_frame(0.0)
    assert last.is_last
    assert last.keyframes
