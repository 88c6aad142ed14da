"""Large pictures are held back so that the robot can begin to play."""

from __future__ import annotations

import random

from cozmo_driver.protocol.messages import AudioSample, AudioSilence, FaceImage, HeadAngle
from cozmo_driver.robot.playback.picture_budget import PictureBudget
from cozmo_driver.robot.playback.robot_buffer import END_SIZE, MAX_BYTES, PRELOAD, FrameSize

SOUND, SILENCE = AudioSample(bytes(744)), AudioSilence()
SMALL, LARGE = FaceImage(bytes(200)), FaceImage(bytes(1024))


def test_usual_faces_go_with_their_frames():
    budget = PictureBudget()
    for _ in range(50):
        assert budget.fit((SOUND, HeadAngle(100, 0), SMALL)) == (SOUND, HeadAngle(100, 0), SMALL)
    assert budget.rest() is None


def test_of_seven_large_pictures_two_go():
    budget = PictureBudget()
    sent = [budget.fit((SOUND, LARGE)) for _ in range(700)]
    assert sum(LARGE in frame for frame in sent) == 200


def test_seven_frames_in_a_row_always_fit():
    choose = random.Random(3)
    budget = PictureBudget()
    sizes = []
    for _ in range(3000):
        frame = [choose.choice((SOUND, SILENCE))]
        if choose.random() < 0.7:
            frame.append(FaceImage(bytes(choose.choice((2, 150, 600, 1024)))))
        sizes.append(FrameSize.of(budget.fit(tuple(frame))).stored)
    for start in range(len(sizes)):
        assert sum(sizes[start : start + PRELOAD]) + END_SIZE.stored <= MAX_BYTES


def test_what_is_held_back_comes_as_soon_as_there_is_room():
    budget = PictureBudget()
    for _ in range(2):
        assert budget.fit((SOUND, LARGE))[1:] == (LARGE,)
    last = FaceImage(bytes([1] * 1024))
    assert budget.fit((SOUND, last)) == (SOUND,)
    later = [budget.fit((SOUND,)) for _ in range(10)]
    assert [frame for frame in later if len(frame) > 1] == [(SOUND, last)]
    assert budget.rest() is None


def test_a_newer_picture_takes_the_place_of_one_that_is_held_back():
    budget = PictureBudget()
    for _ in range(3):
        budget.fit((SOUND, LARGE))
    assert budget.held_back is LARGE
    assert budget.fit((SOUND, SMALL)) == (SOUND, SMALL)
    assert budget.held_back is None


def test_a_picture_that_is_left_at_the_end_gets_a_frame_of_its_own():
    budget = PictureBudget()
    for _ in range(3):
        budget.fit((SOUND, LARGE))
    frames = [budget.rest() for _ in range(7)]
    assert [frame for frame in frames if frame and LARGE in frame] == [(SILENCE, LARGE)]
