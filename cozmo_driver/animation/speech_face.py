"""Eyes that speak: a robot without a mouth opens them with its voice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..face.parameters import Eye, Face, combine
from ..face.shapes import HEIGHT as EYE_HEIGHT
from ..media.audio_codec import FRAME_SAMPLES, Samples

STEPS = 6
"""Heights of the eyes besides that at rest; so few that their pictures are drawn only once."""
_RANGE_DB = 24.0
"""Frames so much softer than the loudest one, and all below, leave the eyes at rest."""
_RELEASE = 0.35
"""How far the eyes close in one frame at the most: they snap open and fall shut, as a jaw does."""
_TALLER, _NARROWER = 0.36, 0.06
"""Change of the eyes at the loudest, as fractions."""


def openness_of(samples: Samples) -> tuple[float, ...]:
    """Return how far the eyes are opened in each frame of the sound, 0 to 1 in ``STEPS``.

    The last one, after the sound, is 0.
    """
    frames = -(-len(samples) // FRAME_SAMPLES)
    padded = np.zeros(frames * FRAME_SAMPLES)
    padded[: len(samples)] = samples
    loudness = np.sqrt((padded.reshape(frames, FRAME_SAMPLES) ** 2).mean(axis=1))
    loudest = loudness.max(initial=0.0)
    if loudest == 0.0:
        return (0.0,) * (frames + 1)
    decibels = 20.0 * np.log10(np.maximum(loudness / loudest, 1e-6))
    shares, share = [], 0.0
    for target in np.clip(1.0 + decibels / _RANGE_DB, 0.0, 1.0).tolist():
        share = max(target, share - _RELEASE)
        shares.append(round(share * STEPS) / STEPS)
    return (*shares, 0.0)


def speaking(face: Face, openness: float) -> Face:
    """Return the face with the lower edge of its eyes dropped like a jaw."""
    taller = 1.0 + _TALLER * openness
    layer = Face(
        left_eye=_layer(face.left_eye, taller, openness),
        right_eye=_layer(face.right_eye, taller, openness),
    )
    return combine(face, layer)


def _layer(eye: Eye, taller: float, openness: float) -> Eye:
    # An eye grows from its middle; moved by half of that its upper edge stays.
    down = 0.5 * EYE_HEIGHT * eye.scale_y * (taller - 1.0)
    return replace(Eye(), center_y=down, scale_x=1.0 - _NARROWER * openness, scale_y=taller)
