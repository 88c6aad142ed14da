"""What light, sensor and lens do to a picture: pools and gradients of light, flicker, noise, blur.

Each strength is what the floor's edge is tried with, more than the emulator's own camera has.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from cozmo_driver.media import mini_jpeg

Gray = npt.NDArray[np.uint8]
_NOISE = 7.5
"""Gray levels at the usual gain; some 5 are left of it by the JPEG (spec 19)."""
_FIRST_COLUMN = 25.0
_SHOT = 150.0
"""Gray level of a wall at which the noise is that."""


@dataclass(frozen=True, slots=True)
class Light:
    """How a picture is lit and taken."""

    level: float = 1.0
    gradient: float = 0.0
    """Share that is lost from one corner or side of the picture to the other."""
    pools: float = 0.0
    """Share by which soft pools of light are lighter or darker."""
    bands: float = 0.0
    """Share by which rows are lighter and darker under flickering light."""
    blur: float = 0.0
    """Standard deviation in pixels."""
    motion: tuple[float, float] = (0.0, 0.0)
    """Pixels to the right and down that it moves while it is exposed."""
    noise: float = 1.0


LIGHTS = {
    "as usual": Light(),
    "noise x2": Light(noise=2.0),
    "noise x3": Light(noise=3.0),
    "half the light": Light(level=0.5),
    "a quarter of it": Light(level=0.25),
    "half of it, noise x2": Light(level=0.5, noise=2.0),
    "gradient of 40 %": Light(gradient=0.4),
    "pools of 20 %": Light(pools=0.2),
    "flicker of 10 %": Light(bands=0.1),
    "flicker of 30 %": Light(bands=0.3),
    "blur of 2 px": Light(blur=2.0),
    "moved by 6 px": Light(motion=(5.0, 3.0)),
    "all of it": Light(0.7, 0.3, 0.2, 0.05, 1.0, (2.0, 1.0), 1.5),
}


def lit(picture: Gray, light: Light, random: np.random.Generator) -> Gray:
    """Return a noiseless picture, gray, as a camera would send it in such a light."""
    height, width = picture.shape
    level = picture.astype(np.float32)
    x, y = np.meshgrid(np.linspace(-1, 1, width), np.linspace(-1, 1, height))
    if light.gradient:
        way = random.uniform(0, 2 * np.pi)
        along = x * np.cos(way) + y * np.sin(way)
        level *= 1.0 - light.gradient * (along - along.min()) / np.ptp(along)
    for _ in range(3 if light.pools else 0):
        size = random.uniform(0.25, 0.7, 2)
        far = ((x - random.uniform(-1, 1)) / size[0]) ** 2
        far += ((y - random.uniform(0, 1)) / size[1]) ** 2
        level *= 1.0 + light.pools * random.choice((-1.0, 1.0)) * np.exp(-far / 2)
    if light.bands:
        rows = np.arange(height)[:, None]
        # 100 Hz, 45 ms for a picture.
        level *= 1.0 + light.bands * np.sin(2 * np.pi * 4.5 * rows / height + random.uniform(0, 6))
    level = _blurred(level, light) * light.level
    # The light's own noise, and that of the amplifier; darker, a camera amplifies more.
    share = 0.5 + 0.5 * np.minimum(level / _SHOT, 2.0)
    level += light.noise * _NOISE * np.sqrt(share) * random.normal(0, 1, level.shape)
    level[:, 0] += random.normal(0, _FIRST_COLUMN, height)
    taken = np.clip(level, 0, 255).astype(np.uint8)
    return mini_jpeg.picture(mini_jpeg.to_jpeg(mini_jpeg.from_gray(taken)))


def _blurred(level: npt.NDArray[np.float32], light: Light) -> npt.NDArray[np.float32]:
    if light.blur:
        level = cv2.GaussianBlur(level, (0, 0), light.blur)
    across, down = light.motion
    if not (across or down):
        return level
    steps = 2 * int(max(across, down)) + 1
    moved = np.zeros_like(level)
    for share in np.linspace(-0.5, 0.5, steps):
        matrix = np.array([[1, 0, across * share], [0, 1, down * share]])
        size = level.shape[::-1]
        moved += cv2.warpAffine(level, matrix, size, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved / steps, np.float32)
