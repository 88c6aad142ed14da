"""How bright a camera picture is, without decoding all of it."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from PIL import Image

_EIGHTH = (40, 30)


def mean_gray(jpeg: bytes) -> float:
    """Return the mean gray value, 0 to 255, of a JPEG file.

    It is decoded at an eighth of its size, that is from its DC coefficients only. Raises
    ``ValueError`` for a damaged file.
    """
    try:
        image = Image.open(BytesIO(jpeg), formats=("JPEG",))
        image.draft("L", _EIGHTH)
        gray = np.asarray(image.convert("L"))
    except (OSError, SyntaxError) as error:
        raise ValueError(f"a camera picture cannot be decoded: {error}") from error
    return float(gray.mean())
