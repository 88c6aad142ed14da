"""Sound on the graph: what is sent is what the emulated loudspeaker plays."""

from __future__ import annotations

import math
from array import array
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry

from cozmo_driver.media.audio_codec import SAMPLE_RATE
from cozmo_interfaces.action import PlayAudio
from cozmo_interfaces.msg import Audio, Reason
from cozmo_interfaces.srv import SetVolume

from .conftest import World
from .goals import Action
from .graph import Graph, Inbox
from .sounds import (
    assert_is_melody,
    audible,
    pieces_of,
    played,
    sampled,
    wait_for_silence,
    wait_for_sound,
)

AUDIO_MESSAGES = ("AudioSample", "AudioSilence", "EndOfAnimation")


# -- the graph


@pytest.fixture(scope="module", autouse=True)
def steady_audio(world: World) -> None:
    """Let no stream have gaps or end because this computer is busy."""
    assert world.graph.set(audio_latency=1.0) == ""
    assert world.graph.set(audio_end_after=60.0) == ""


@pytest.fixture
def sound(world: World) -> World:
    """Return the world when nothing is played and nothing was."""
    wait_for_silence(world)
    world.emulator.call(lambda firmware: firmware.animation.recording.clear())
    return world


@pytest.fixture
def player(world: World) -> Action:
    return Action(world.graph, PlayAudio, "play_audio")


def publisher_of(graph: Graph) -> Any:
    """Return a publisher that keeps a whole burst of pieces."""
    return graph.publisher(Audio, "audio", 1000)


def health(graph: Graph) -> Inbox[DiagnosticArray]:
    return graph.listen(DiagnosticArray, "/diagnostics")


def values_of(message: DiagnosticArray) -> dict[str, str]:
    """Return the values of the status of the sound."""
    [found] = [status for status in message.status if status.name.endswith(": audio")]
    return {pair.key: pair.value for pair in found.values}


@pytest.mark.covers("audio")
def test_what_is_streamed_is_what_the_robot_plays(sound: World) -> None:
    publisher = publisher_of(sound.graph)
    for piece in pieces_of(sampled(48000, 1.3), 48000, 4801):
        publisher.publish(piece)
    wait_for_sound(sound)
    wait_for_silence(sound)
    assert_is_melody(audible(sound), 1.3)
    animation = sound.emulator.state().animation
    assert (animation.overflows, animation.dropped) == (0, 0)


@pytest.mark.covers("audio", "audio_end_after")
def test_silence_costs_nothing(sound: World) -> None:
    assert sound.graph.set(audio_end_after=0.5) == ""

    def sent() -> int:
        return sum(sound.emulator.state().received.get(name, 0) for name in AUDIO_MESSAGES)

    before = sent()
    publisher = publisher_of(sound.graph)
    [piece] = pieces_of(sampled(16000, 0.2), 16000, 3200)
    piece.is_last = False
    publisher.publish(piece)
    wait_for_sound(sound)
    wait_for_silence(sound)
    after = sent()
    # Its six frames, and the end.
    assert 7 <= after - before <= 8
    sound.graph.listen(Odometry, "odom").collect(35)
    assert sent() == after
    assert sound.graph.set(audio_end_after=60.0) == ""


@pytest.mark.covers("audio_latency")
def test_the_latency_is_collected_before_the_sound_begins(sound: World) -> None:
    publisher = publisher_of(sound.graph)
    first, second = pieces_of(sampled(16000, 1.2), 16000, 9600)
    publisher.publish(first)
    # 0.6 s wait for more, although the robot could begin with a quarter of a second.
    health(sound.graph).wait_for(lambda message: float(values_of(message)["waiting [s]"]) > 0.5)
    assert played(sound) == []
    publisher.publish(second)
    wait_for_sound(sound)
    wait_for_silence(sound)
    assert_is_melody(audible(sound), 1.2)


@pytest.mark.covers("audio", "audio_capacity", "/diagnostics")
def test_a_senseless_piece_is_rejected_with_its_reason_and_counted(sound: World) -> None:
    publisher = publisher_of(sound.graph)
    assert sound.graph.set(audio_capacity=1.5) == ""
    diagnostics = health(sound.graph)

    def counters() -> dict[str, str]:
        diagnostics.clear()
        return values_of(diagnostics.wait_for(lambda _: True))

    before = int(counters()["rejected pieces"])
    silence = array("h", bytes(3200))
    for bad in (
        Audio(sample_rate=0, samples=silence),
        Audio(sample_rate=48000),
        Audio(sample_rate=8000, samples=array("h", bytes(2 * 12001))),
    ):
        publisher.publish(bad)
    diagnostics.wait_for(lambda message: int(values_of(message)["rejected pieces"]) == before + 3)
    sound.driver.wait_for_log("audio is rejected: the piece holds no samples")
    assert played(sound) == []
    for piece in pieces_of(sampled(8000, 4.5), 8000, 12000):
        publisher.publish(piece)
    diagnostics.wait_for(lambda message: float(values_of(message)["dropped [s]"]) > 1.0)
    sound.driver.wait_for_log("the oldest of more than 1.5 s is dropped (audio_capacity)")
    assert sound.graph.set(audio_capacity=10.0) == ""


# -- files


def file_of(folder: Path, seconds: float, rate: int = 44100) -> Path:
    path = folder / "melody.wav"
    soundfile.write(path, sampled(rate, seconds), rate, subtype="PCM_16")
    return path


@pytest.mark.covers("play_audio")
def test_a_file_is_played_whole_with_its_position(
    sound: World, player: Action, tmp_path: Path
) -> None:
    path = file_of(tmp_path, 2.0)
    goal = player.send(file=f"file://{path}", gain=0.5)
    status, result = goal.wait()
    assert (status, result.success, result.reason) == ("succeeded", True, Reason.NONE)
    assert result.position == pytest.approx(2.0)
    goal.feedback.wait_for(lambda feedback: feedback.position == pytest.approx(2.0))
    positions = [feedback.position for feedback in goal.feedback.messages]
    assert np.median(np.diff(positions)) == pytest.approx(0.1, abs=0.04)
    assert 10 <= len(positions) <= 22
    assert all(f.duration == pytest.approx(2.0) for f in goal.feedback.messages)
    wait_for_silence(sound)
    assert_is_melody(2.0 * audible(sound), 2.0)


@pytest.mark.covers("play_audio")
def test_a_cancelled_sound_is_silent_and_another_one_can_be_played(
    sound: World, player: Action, tmp_path: Path
) -> None:
    path = str(file_of(tmp_path, 20.0))
    goal = player.send(file=path)
    goal.feedback.wait_for(lambda feedback: feedback.position > 0.3)
    goal.cancel()
    status, result = goal.wait()
    assert (status, result.success, result.reason) == ("canceled", False, Reason.CANCELED)
    assert 0.3 < result.position < 10.0
    wait_for_silence(sound)
    seconds = len(audible(sound)) / SAMPLE_RATE
    assert result.position - 0.1 <= seconds < 15.0
    sound.graph.listen(Odometry, "odom").collect(20)
    assert len(audible(sound)) / SAMPLE_RATE == seconds
    first = player.send(file=path)
    first.feedback.wait_for(lambda feedback: feedback.position > 0.1)
    second = player.send(file=str(file_of(tmp_path, 0.3)))
    assert second.wait()[0] == "succeeded"
    status, result = first.wait()
    assert (status, result.reason) == ("aborted", Reason.SUPERSEDED)


@pytest.mark.covers("play_audio")
def test_what_cannot_be_played_is_refused_with_the_reason(sound: World, player: Action) -> None:
    for fields, reason in (
        ({"file": "/nowhere/tone.wav"}, Reason.NOT_FOUND),
        ({"file": "package://no_such_package/tone.wav"}, Reason.NOT_FOUND),
        ({"file": "package://cozmo_driver/config/cozmo.yaml"}, Reason.INVALID),
        ({"file": ""}, Reason.INVALID),
        ({"file": "/nowhere/a.wav", "gain": math.nan}, Reason.INVALID),
    ):
        status, result = player.do(**fields)
        assert (status, result.success, result.reason) == ("aborted", False, reason)
    assert played(sound) == []


# -- loudness


def volume_of(world: World) -> int | None:
    return world.emulator.state().animation.volume


@pytest.mark.covers("set_volume", "volume")
def test_the_service_and_the_parameter_set_the_volume(world: World) -> None:
    world.emulator.wait_for(lambda state: state.animation.volume == 0xFFFF)
    response = world.graph.call(SetVolume, "set_volume", SetVolume.Request(volume=0.3))
    assert (response.success, response.reason) == (True, Reason.NONE)
    world.emulator.wait_for(lambda state: state.animation.volume == round(0.3 * 0xFFFF))
    assert world.graph.set(volume=0.0) == ""
    world.emulator.wait_for(lambda state: state.animation.volume == 0)
    for bad in (-0.1, 1.5, math.nan, math.inf):
        response = world.graph.call(SetVolume, "set_volume", SetVolume.Request(volume=bad))
        assert (response.success, response.reason) == (False, Reason.INVALID)
        assert world.graph.set(volume=bad) != ""
    assert volume_of(world) == 0


# -- the link


@pytest.mark.covers("play_audio", "audio", "volume")
def test_a_lost_robot_ends_the_sound_and_a_new_session_has_the_volume_again(
    sound: World, player: Action, tmp_path: Path
) -> None:
    graph = sound.graph
    assert graph.set(volume=0.25) == ""
    sound.emulator.wait_for(lambda state: state.animation.volume == round(0.25 * 0xFFFF))
    goal = player.send(file=str(file_of(tmp_path, 60.0)))
    goal.feedback.wait_for(lambda feedback: feedback.position > 0.1)
    sound.emulator.kill()
    status, result = goal.wait()
    assert (status, result.success, result.reason) == ("aborted", False, Reason.LINK_LOST)
    assert result.position > 0.1
    status, result = player.do(file=str(file_of(tmp_path, 0.3)))
    assert (status, result.reason) == ("aborted", Reason.NOT_CONNECTED)
    publisher, diagnostics = publisher_of(graph), health(graph)
    [piece] = pieces_of(sampled(16000, 0.2), 16000, 3200)
    publisher.publish(piece)
    diagnostics.wait_for(lambda message: values_of(message)["refused pieces"] == "1")
    sound.driver.wait_for_log("audio is refused: no robot is ready")
    response = graph.call(SetVolume, "set_volume", SetVolume.Request(volume=0.5))
    assert response.message == "the volume is 0.5; it is sent when the robot is connected"
    sound.emulator.restart()
    graph.connected()
    sound.emulator.wait_for(lambda state: state.animation.volume == round(0.5 * 0xFFFF))
    publisher.publish(piece)
    wait_for_sound(sound)
    wait_for_silence(sound)
    assert len(audible(sound)) / SAMPLE_RATE == pytest.approx(0.2, abs=0.01)
