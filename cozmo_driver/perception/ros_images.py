"""Images of both transports as they are looked at."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import numpy.typing as npt
from PIL import Image, UnidentifiedImageError
from sensor_msgs.msg import CompressedImage
from sensor_msgs.msg import Image as ImageMessage

from ..ros.media_messages import pixels_of
from .detection.markers import ImageError, as_gray

_LARGEST = 1280 * 960


def gray_of(message: CompressedImage | ImageMessage) -> npt.NDArray[np.uint8]:
    """Return an image in gray, of square pixels. Raises ``ImageError``."""
    if isinstance(message, CompressedImage):
        return as_gray(_decoded(bytes(message.data)))
    try:
        pixels = pixels_of(message)
    except ValueError as error:
        raise ImageError(str(error)) from error
    if message.encoding == "bgr8":
        pixels = np.ascontiguousarray(pixels[..., ::-1])
    return as_gray(pixels)


def _decoded(data: bytes) -> npt.NDArray[np.uint8]:
    try:
        image = Image.open(BytesIO(data), formats=("JPEG", "PNG"))
        is_too_large = image.width * image.height > _LARGEST
        pixels = None if is_too_large else np.asarray(image.convert("L"))
    except (UnidentifiedImageError, Image.DecompressionBombError):
        raise ImageError("it is neither JPEG nor PNG of any size a camera has") from None
    except (OSError, SyntaxError, ValueError) as error:
        raise ImageError(f"it cannot be decoded: {error}") from error
    if pixels is None:
        raise ImageError(f"it has {image.width} x {image.height} pixels, which is too many")
    return pixels
