"""What passes between robot and computer: animations and sound, pictures, the first answers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise
from statistics import fmean

from cozmo_driver.protocol import Message
from cozmo_driver.protocol.enums import NVEntryTag, NVOperation
from cozmo_driver.protocol.enums import RobotStatusFlag as Flag
from cozmo_driver.protocol.frames import FrameType, parse_frame
from cozmo_driver.protocol.messages import (
    AbortAnimation,
    AbsoluteLocalizationUpdate,
    AnimationEnded,
    AnimationState,
    AudioSample,
    AudioSilence,
    CrashReport,
    DefaultCameraParams,
    FaceImage,
    GetManufacturingInfo,
    ImageChunk,
    ImageImuData,
    ImageRequest,
    IMURequest,
    InitController,
    MotorCalibration,
    NVCommand,
    NVOpResult,
    PrintTrace,
    RequestCrashReports,
    RobotAvailable,
    SetCameraParams,
    StartOfAnimation,
    SyncTime,
    SyncTimeAck,
)
from test.emulator.bench import Bench

from .recording import Recording, Row, after, bench_of

_SOUND = AudioSample(bytes(744))
_FACE = FaceImage(bytes(2))


def _traces(bench: Bench, format_id: int, name_id: int) -> list[tuple[int, ...]]:
    return [
        m.args for m in bench.got(PrintTrace) if (m.format_id, m.name_id) == (format_id, name_id)
    ]


def _jump(bench: Bench) -> tuple[int, int]:
    """Return how many frames and bytes were counted at once at the most."""
    counts = [
        (m.num_audio_frames_played, m.num_anim_bytes_played) for m in bench.got(AnimationState)
    ]
    return max((b[0] - a[0], b[1] - a[1]) for a, b in pairwise(counts))


def _stream(robot: Recording, frames: int) -> None:
    """Send frames of sound as fast as they play, five ahead."""
    for _ in range(frames):
        robot.bench.send(_SOUND, _FACE)
        robot.bench.run(1 / 29.8)


def animation(phase: int) -> Iterator[Row]:
    """Streams that are played, do not fit, begin without sound, and run dry."""
    robot = Recording("B", phase)
    bench = robot.bench
    bench.send(InitController())
    bench.run(0.5)
    bench.forget()
    bench.send(*[_SOUND, _FACE] * 5, StartOfAnimation(1), *[_SOUND, _FACE] * 3)
    _stream(robot, 300)
    states = bench.got(AnimationState)
    period = fmean(b.timestamp - a.timestamp for a, b in pairwise(states)) / 1e3
    yield Row("AnimationState: period", "A", 30.03, period, 0.02, "ms")
    playing = [s for s in states if 0 < s.num_audio_frames_played < 280]
    first, last = playing[0], playing[-1]
    played = last.num_audio_frames_played - first.num_audio_frames_played
    rate = played / (last.timestamp - first.timestamp) * 1e6
    yield Row("frames played in a second", "A", 29.8, rate, 0.05)
    same = [a.num_audio_frames_played == b.num_audio_frames_played for a, b in pairwise(playing)]
    repeats = [i for i, repeated in enumerate(same) if repeated]
    every = fmean(b - a for a, b in pairwise(repeats))
    yield Row("AnimationStates from one that repeats the count to the next", "A", 9, every, 1)
    animating = sum(
        bool(s.status & (Flag.IS_ANIMATING | Flag.IS_ANIMATING_IDLE)) for _, s in robot.states(0.1)
    )
    yield Row("states with IS_ANIMATING while tag 1 plays", "A", 0, animating, 0)
    yield from _early(bench)
    yield from _aborted(phase)
    yield from _starved(phase)
    yield from _refused(phase)


def _early(bench: Bench) -> Iterator[Row]:
    bench.frames.clear()
    begin = bench.time
    bench.send(_SOUND, _FACE)
    bench.run(0.005)
    acks = [t for t, data in bench.frames if _has(data, FrameType.ACK)]
    sent = (acks[0] - begin) * 1e3 if acks else 1e3
    yield Row("sound to the frame that only acknowledges", "A", 1, sent, 1, "ms")


def _aborted(phase: int) -> Iterator[Row]:
    """A clip without sound whose last twelve frames are aborted."""
    bench = Recording("B", phase).bench
    bench.send(InitController())
    bench.run(0.5)
    frames = [(AudioSilence(), FaceImage(bytes(29 - (i < 5)))) for i in range(11)]
    for message in (AudioSilence(), StartOfAnimation(1), *[AudioSilence()] * 7):
        bench.firmware.core._dispatch(message)
    bench.run(0.5)
    for message in chain(*frames, (AbortAnimation(),)):
        bench.firmware.core._dispatch(message)
    bench.run(0.5)
    count = _jump(bench)
    yield Row("AbortAnimation: frames counted at once", "B", 12, count[0], 0)
    yield Row("AbortAnimation: bytes counted at once", "B", 359, count[1], 0)
    ended = len(bench.got(AnimationEnded))
    yield Row("AbortAnimation: AnimationEnded", "B", 1, ended, 0)
    tag = bench.got(AnimationState)[-1].tag
    yield Row("AbortAnimation: tag afterwards", "B", 0, tag, 0)


def _starved(phase: int) -> Iterator[Row]:
    """A clip of which the next frame but one is sent when the counter says that one was played."""
    bench = Recording("A", phase).bench
    bench.send(InitController())
    bench.run(0.5)
    bench.forget()
    sent = 8
    bench.send(*[_SOUND, _FACE] * sent, StartOfAnimation(3))
    while sent < 100:
        bench.run(0.001)
        states = bench.got(AnimationState)
        if states and sent - states[-1].num_audio_frames_played < 2:
            bench.send(_SOUND, _FACE)
            sent += 1
    late = len(_traces(bench, 305, 169)) / (sent - 8)
    yield Row("one frame ahead: traces 305/169 for each frame", "A", 1, late, 0.2)


def _has(datagram: bytes, kind: FrameType) -> bool:
    return any(sub.type == kind for sub in parse_frame(datagram).sub_messages())


def _refused(phase: int) -> Iterator[Row]:
    for name, messages, traces, jump in (
        (
            "what does not fit",
            [_SOUND, _FACE] * 10 + [_SOUND],
            ((6, 379), (258, 137)),
            (10, 7500),
        ),
        (
            "a frame without sound",
            [_FACE] + [_SOUND, _FACE] * 7,
            ((620, 404), (455, 177)),
            (7, 5255),
        ),
    ):
        bench = Recording("B", phase).bench
        bench.send(InitController())
        bench.run(0.5)
        # At once: over the link the first ones would play before the last ones come.
        for message in messages:
            bench.firmware.core._dispatch(message)
        bench.run(0.5)
        frames, count = _jump(bench)
        yield Row(f"{name}: frames counted at once", "B", jump[0], frames, 0)
        yield Row(f"{name}: bytes counted at once", "B", jump[1], count, 0)
        for trace in traces:
            number = len(_traces(bench, *trace))
            yield Row(f"{name}: traces {trace[0]}/{trace[1]}", "B", 1, number, 0)
        ended = len(bench.got(AnimationEnded))
        yield Row(f"{name}: AnimationEnded without a tag", "B", 0, ended, 0)
        if jump[0] == 10:
            free, needed = _traces(bench, 6, 379)[0]
            yield Row(f"{name}: bytes free", "B", 652, free, 0)
            yield Row(f"{name}: bytes needed", "B", 747, needed, 0)


def camera(phase: int) -> Iterator[Row]:
    """Five seconds of pictures, in two sessions."""
    robot = Recording("B", phase)
    bench = robot.bench
    bench.send(ImageRequest())
    bench.run(5.0)
    chunks, rates = bench.got(ImageChunk), bench.got(ImageImuData)
    pictures = [c for c in chunks if c.image_chunk_count]
    yield Row("camera: ImageImuData for each image", "B", 2.5, len(rates) / len(pictures), 0.1)
    lines = [m.line2_number for m in rates]
    yield Row("camera: least line of an ImageImuData", "B", 15, min(lines), 15)
    yield Row("camera: largest line of an ImageImuData", "B", 239, max(lines), 15)
    steps = {(b - a) % 240 for a, b in pairwise(lines)}
    yield Row("camera: least step of the lines", "B", 75, min(steps), 0)
    yield Row("camera: largest step of the lines", "B", 113, max(steps), 2)
    sizes = [len(c.data) for c in chunks if not c.image_chunk_count]
    yield Row("camera: least chunk but for last ones", "B", 1076, min(sizes), 4, "bytes")
    yield Row("camera: largest chunk", "B", 1104, max(sizes), 4, "bytes")
    odd = sum(size % 4 for size in sizes)
    yield Row("camera: chunks that are no multiple of 4", "B", 0, odd, 0)
    last = chunks[-1].image_id
    bench.engine.disconnect(bench.now)
    bench.run(0.1)
    bench.start()
    bench.send(ImageRequest())
    bench.run(0.5)
    later = bench.got(ImageChunk)[0].image_id > last
    yield Row("camera: image ids go on in the next session", "B", 1, later, 0)


_ASKED: tuple[Message, ...] = (
    SyncTime(),
    InitController(),
    ImageRequest(),
    AbsoluteLocalizationUpdate(),
    SetCameraParams(request_default_params=True),
    NVCommand(NVEntryTag.CAMERA_CALIB, 1, NVOperation.READ, 0, b""),
    RequestCrashReports(0),
)


def connection(phase: int) -> Iterator[Row]:
    """What the robot answers first, and when."""
    bench = bench_of("B", phase)
    for session in (1, 2):
        begin = bench.time
        bench.connect()
        mac, count = len(_traces(bench, 624, 409)), _traces(bench, 347, 413)[0][0]
        yield Row(f"session {session} after power on: traces of the MAC", "B", session - 1, mac, 0)
        yield Row(f"session {session} after power on: in trace 413", "B", session, count, 0)
        if session == 1:
            revision = bench.got(RobotAvailable)[0].hw_revision
            yield Row("revision of the head", "B", 0, revision, 0)
            ((revision,),) = _traces(bench, 632, 1203)
            yield Row("revision of the head in trace 1203", "B", 0, revision, 0)
            ((number,),) = _traces(bench, 626, 411)
            others = float(number not in (56, 64, 132, 244))
            yield Row("traces 411 with a number never recorded", "B", 0, others, 0)
            bench.run(0.03 + 0.005 * phase)
            bench.send(IMURequest(0), IMURequest(0))
            bench.run(0.001)
            yield from _answers(bench)
            bench.run(3.0)
            yield Row(
                "ImuRequest before SyncTime: traces 585/337",
                "B",
                2,
                len(_traces(bench, 585, 337)),
                0,
            )
            bias = next(
                t for t, m in bench.received if isinstance(m, PrintTrace) and m.name_id == 391
            )
            yield Row("connection to trace 579/391", "B", 2.5, bias - begin, 0.04, "s")
        bench.engine.disconnect(bench.now)
        bench.run(0.1)
        bench.forget()


def _answers(bench: Bench) -> Iterator[Row]:
    begin = bench.time
    bench.send(GetManufacturingInfo(), *_ASKED)
    bench.run(0.3)
    for kind, real in (
        (AnimationState, 20),
        (CrashReport, 20),
        (NVOpResult, 20),
        (DefaultCameraParams, 20),
        (MotorCalibration, 40),
        (SyncTimeAck, 40),
    ):
        got = after(bench, begin, kind)
        yield Row(f"the first requests to {kind.__name__}", "B", real, got, 17, "ms")
    traces = {m.name_id: t for t, m in bench.received if isinstance(m, PrintTrace)}
    for name, real in ((100, 20), (414, 20), (110, 20), (57, 20), (394, 40)):
        got = (traces[name] - begin) * 1e3
        yield Row(f"the first requests to trace {name}", "B", real, got, 17, "ms")
    size = len(bench.got(NVOpResult)[0].data)
    yield Row("NVOpResult", "B", 56, size, 0, "bytes")
    order = [type(m) for _, m in bench.received]
    first = order.index(MotorCalibration) < order.index(SyncTimeAck)
    yield Row("MotorCalibration comes before SyncTimeAck", "B", 1, first, 0)
