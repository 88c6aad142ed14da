"""Sound on the graph to samples and options of the robot layer."""

from __future__ import annotations

import numpy as np

from cozmo_interfaces.msg import Audio

from ...media.audio_codec import Samples
from ...media.resample import check_rate


def samples_of(message: Audio, longest: float) -> Samples:
    """Return the samples of a piece, which share its memory.

    Raises ``ValueError`` for a rate that is not accepted, for a piece longer than ``longest`` s and
    for an empty one, unless it ends the stream.
    """
    samples: Samples = np.frombuffer(message.samples, dtype=np.int16)
    rate = int(message.sample_rate)
    if not len(samples):
        if message.is_last:
            return samples
        raise ValueError("the piece holds no samples")
    check_rate(rate)
    length = len(samples) / rate
    if length > longest:
        raise ValueError(
            f"a piece of {length:.1f} s is longer than audio_capacity, {longest:g} s: "
            "publish shorter pieces, or play a file with play_audio"
        )
    return samples
