"""Writes the camera's pictures of a recording as PNG files."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from ..media import ImageAssembler, picture, stretched, to_jpeg
from ..protocol.messages import ImageChunk
from ..traffic import DissectedFrame


class PictureWriter:
    """Puts pictures together from dissected frames and writes each as soon as it is whole."""

    def __init__(self, folder: Path) -> None:
        """Write to ``folder``, which is made if it is not there. Raises ``OSError``."""
        folder.mkdir(parents=True, exist_ok=True)
        self.written = 0
        self.damaged = 0
        """Whole images that hold no picture."""
        self._folder = folder
        self._assembler = ImageAssembler()
        self._names: set[str] = set()

    @property
    def incomplete(self) -> int:
        return self._assembler.incomplete + self._assembler.stale + self.damaged

    def write(self, dissected: DissectedFrame) -> list[str]:
        """Return a line for each image that a frame completes."""
        chunks = [item.message for item in dissected.items if isinstance(item.message, ImageChunk)]
        whole = [(chunk.image_id, self._assembler.add(chunk)) for chunk in chunks]
        return [self._write(image_id, data) for image_id, data in whole if data is not None]

    def _write(self, image_id: int, data: bytes) -> str:
        what = f"picture {image_id}, {len(data)} bytes"
        try:
            pixels = stretched(picture(to_jpeg(data)))
        except ValueError as error:
            self.damaged += 1
            return f"{what}: {error}"
        path = self._folder / f"{self._free_name(image_id)}.png"
        Image.fromarray(pixels).save(path)
        self.written += 1
        return f"{what}: {path}"

    def _free_name(self, image_id: int) -> str:
        """Ids restart with every session of the robot, and a recording may hold several."""
        base = name = f"image_{image_id:06d}"
        count = 1
        while name in self._names:
            count += 1
            name = f"{base}_{count}"
        self._names.add(name)
        return name
