"""Pictures for the face."""

from __future__ import annotations

import numpy as np
from sensor_msgs.msg import Image

from ...media.display_codec import HEIGHT, PAIRS, WIDTH
from ...media.dithering import Gray

_ENCODING = "mono8"


def picture_of(message: Image) -> Gray:
    """Return the 64 or 32 rows of 128 pixels of a mono8 image; they share its memory.

    Raises ``ValueError`` for another encoding or size, and for data that does not fit them.
    """
    width, height, step = int(message.width), int(message.height), int(message.step)
    if message.encoding != _ENCODING:
        raise ValueError(f"its encoding is '{message.encoding}'; it must be {_ENCODING}")
    if width != WIDTH or height not in (HEIGHT, PAIRS):
        raise ValueError(
            f"it has {width}x{height} pixels; it must have {WIDTH}x{HEIGHT} or {WIDTH}x{PAIRS}"
        )
    if step < width:
        raise ValueError(f"its step is {step}; a row of {width} pixels needs {width}")
    if len(message.data) != step * height:
        raise ValueError(
            f"it has {len(message.data)} bytes of data; "
            f"{height} rows with a step of {step} are {step * height}"
        )
    return np.frombuffer(message.data, np.uint8).reshape(height, step)[:, :width]
