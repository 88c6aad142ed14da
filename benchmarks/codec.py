"""Codecs: the same bytes through both, alternating, the best of several rounds."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from pathlib import Path

from cozmo_driver.media import audio_codec, display_codec
from cozmo_driver.media.mini_jpeg import to_jpeg
from cozmo_driver.protocol import decode_message, encode_message, messages
from cozmo_driver.protocol.frames import Frame, FrameType, build_frame, parse_frame

from .rows import Row, ratio_row

_ROUNDS = 7
_CAPTURES = Path(__file__).parent.parent / "test" / "data" / "captures"


def measure(theirs: Callable[[], object], ours: Callable[[], object], count: int) -> list[float]:
    """Return the best time of each in us, rounds taken in turn."""
    best = [float("inf"), float("inf")]
    for _ in range(_ROUNDS):
        for side, function in enumerate((theirs, ours)):
            number = max(1, count // (20 if side == 0 else 1))
            best[side] = min(best[side], timeit.timeit(function, number=number) / number)
    return [seconds * 1e6 for seconds in best]


def rows() -> list[Row]:
    """Measure and return the rows of this section."""
    return [
        _decode_state(),
        _encode_drive(),
        _rebuild_picture(),
        _encode_sound(),
        *_code_face(),
    ]


def _recorded(name: str) -> list[bytes]:
    lines = (_CAPTURES / name).read_text().splitlines()
    return [bytes.fromhex(line.split(maxsplit=2)[2]) for line in lines if " RX " in line]


def _decode_state() -> Row:
    import pycozmo

    frames = [
        d
        for d in _recorded("session_fw2457_start.log")
        if [s.payload[:1] for s in parse_frame(d).sub_messages()] == [b"\xf0"]
    ]
    datagram = frames[0]

    def ours() -> object:
        return [decode_message(sub.payload) for sub in parse_frame(datagram).sub_messages()]

    theirs = pycozmo.frame.Frame.from_bytes
    (state,) = ours()  # type: ignore[misc]
    assert abs(theirs(datagram).pkts[0].head_angle_rad - state.head_angle) < 1e-6
    return ratio_row(
        "decode a RobotState frame", *measure(lambda: theirs(datagram), ours, 50000), 5
    )


def _encode_drive() -> Row:
    import pycozmo
    from pycozmo.protocol_declaration import FrameType as TheirType

    packet = pycozmo.protocol_encoder.DriveWheels(lwheel_speed_mmps=50.0, rwheel_speed_mmps=60.0)
    drive = messages.DriveWheels(50.0, 60.0)

    def theirs() -> bytes:
        return bytes(pycozmo.frame.Frame(TheirType.ENGINE, 6, 6, 16, [packet]).to_bytes())

    def ours() -> bytes:
        return build_frame(Frame(FrameType.SINGLE_RELIABLE, 7, 7, 17, encode_message(drive)))

    assert encode_message(drive) in theirs()
    assert encode_message(drive) in ours()
    return ratio_row("encode a DriveWheels frame", *measure(theirs, ours, 50000), 2)


def _rebuild_picture() -> Row:
    import numpy as np
    import pycozmo

    chunks = [
        decode_message(sub.payload)
        for datagram in _recorded("image_gray_1.log")
        for sub in parse_frame(datagram).sub_messages()
        if sub.payload[:1] == b"\xf2"
    ]
    payload = b"".join(chunk.data for chunk in chunks)  # type: ignore[attr-defined]
    array = np.frombuffer(payload, np.uint8)

    def theirs() -> object:
        return pycozmo.camera.minigray_to_jpeg(array, 320, 240)

    assert to_jpeg(payload)[:2] == b"\xff\xd8"
    return ratio_row(
        f"rebuild a camera JPEG from {len(payload) / 1000:.1f} kB",
        *measure(theirs, lambda: to_jpeg(payload), 20000),
        100,
    )


def _encode_sound() -> Row:
    import numpy as np
    import pycozmo

    time = np.arange(audio_codec.FRAME_SAMPLES) / audio_codec.SAMPLE_RATE
    samples = (16000 * np.sin(2 * np.pi * 440 * time)).astype(np.int16)
    data = samples.tobytes()

    def theirs() -> bytes:
        return bytes(pycozmo.audio.bytes_to_cozmo(data, 1, 1))

    def ours() -> bytes:
        return audio_codec.encode(samples)

    # Their code is another one (spec 05 §2), of the same length.
    assert len(theirs()) == len(ours()) == audio_codec.FRAME_SAMPLES
    return ratio_row("encode 744 samples of sound", *measure(theirs, ours, 20000), 20)


def _code_face() -> list[Row]:
    import numpy as np
    import pycozmo
    from PIL import Image, ImageDraw

    picture = Image.new("1", (128, 32))
    draw = ImageDraw.Draw(picture)
    for left in (24, 76):
        draw.ellipse((left, 4, left + 28, 28), fill=1)
    code = bytes(pycozmo.image_encoder.ImageEncoder(picture).encode())

    def theirs() -> bytes:
        decoder = pycozmo.image_encoder.ImageDecoder(code)
        decoder.decode()
        return bytes(decoder.image)

    shown = display_codec.decode(code)
    assert ((shown[0::2] | shown[1::2]) == np.asarray(picture)).all()
    assert np.frombuffer(theirs(), np.uint8).any()
    return [
        ratio_row(
            "encode a face for the display",
            *measure(
                lambda: pycozmo.image_encoder.ImageEncoder(picture).encode(),
                lambda: display_codec.encode(shown),
                20000,
            ),
            5,
        ),
        ratio_row(
            "decode the code of a face",
            *measure(theirs, lambda: display_codec.decode(code), 20000),
            3,
        ),
    ]
