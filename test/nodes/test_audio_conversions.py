"""Sound without a graph: messages to samples, names to files, counters to health."""

from __future__ import annotations

from array import array

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")


from cozmo_driver.driver.health import audio_health
from cozmo_driver.media.audio_files import LibraryMissing
from cozmo_driver.robot import AudioStreamStatistics, Reason, RobotError
from cozmo_driver.ros.diagnostics import OK, WARN
from cozmo_driver.ros.errors import explain
from cozmo_driver.ros.media_messages import samples_of
from cozmo_driver.ros.topics import CommandCounters
from cozmo_interfaces.msg import Audio


def test_the_samples_are_those_of_the_message_and_not_copied() -> None:
    message = Audio(sample_rate=16000, samples=array("h", [-32768, -1, 0, 1, 32767]))
    samples = samples_of(message, 10.0)
    assert samples.dtype == np.int16
    assert samples.tolist() == [-32768, -1, 0, 1, 32767]
    message.samples[2] = 77
    assert samples[2] == 77


@pytest.mark.parametrize(
    ("rate", "count", "words"),
    [
        (7999, 10, "7999 Hz is no sample rate of 8000 to 192000 Hz"),
        (48000, 0, "holds no samples"),
        (8000, 16001, "a piece of 2.0 s is longer than audio_capacity, 2 s"),
    ],
)
def test_senseless_pieces_are_refused(rate: int, count: int, words: str) -> None:
    message = Audio(sample_rate=rate, samples=array("h", bytes(2 * count)))
    with pytest.raises(ValueError, match=words):
        samples_of(message, 2.0)


def test_an_empty_piece_may_end_the_stream_whatever_its_rate() -> None:
    assert len(samples_of(Audio(is_last=True), 2.0)) == 0


def test_why_a_sound_is_not_played_is_known() -> None:
    ended = RobotError(Reason.LINK_LOST, "the link to the robot ended")
    assert explain(ended) == (Reason.LINK_LOST, "the link to the robot ended")
    assert explain(LibraryMissing("install soxr")) == (Reason.UNSUPPORTED, "install soxr")


def test_gaps_and_dropped_sound_are_a_warning_while_they_grow() -> None:
    statistics = AudioStreamStatistics(underruns=3, silent_frames=30, dropped=1.5, streams=2)
    pieces = CommandCounters(accepted=7, rejected=1, refused=2)

    def health(losses: float, is_playing: bool = True) -> tuple[bytes, str]:
        judged = audio_health(
            statistics, pieces, waiting=0.25, is_playing=is_playing, losses=losses
        )
        assert judged.values == {
            "waiting [s]": 0.25,
            "accepted pieces": 7,
            "rejected pieces": 1,
            "refused pieces": 2,
            "streams": 2,
            "gaps": 3,
            "silence in gaps [s]": pytest.approx(1.0),
            "dropped [s]": 1.5,
        }
        return judged.level, judged.message

    assert health(1.0) == (WARN, "gaps: sound comes too late or too fast; see audio_latency")
    assert health(0.0) == (OK, "playing")
    assert health(0.0, is_playing=False) == (OK, "silent")
