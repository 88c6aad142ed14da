"""``cozmo.annotate``: drawing on images (spec 21 §5)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import logs
from .util import ImageBox

if TYPE_CHECKING:
    from .world import World

TOP, BOTTOM, LEFT, RIGHT = 0b0000, 0b0001, 0b0000, 0b0010
TOP_LEFT, TOP_RIGHT = TOP | LEFT, TOP | RIGHT
BOTTOM_LEFT, BOTTOM_RIGHT = BOTTOM | LEFT, BOTTOM | RIGHT
RESAMPLE_MODE_NEAREST, RESAMPLE_MODE_BILINEAR = 0, 2
DEFAULT_OBJECT_COLORS: dict[Any, str] = {"default": "red"}
_MARGIN = 2


class ImageText:
    """A text to be drawn into a corner of a box."""

    def __init__(
        self,
        text: str,
        position: int = BOTTOM_RIGHT,
        align: str = "left",
        color: Any = "white",
        font: Any = None,
        line_spacing: int = 3,
        outline_color: Any = None,
        full_outline: bool = True,
    ) -> None:
        self.text, self.position, self.align, self.color = text, position, align, color
        self.font, self.line_spacing = font, line_spacing
        self.outline_color, self.full_outline = outline_color, full_outline

    def render(self, draw: Any, bounds: Sequence[float]) -> Any:
        """Draw within left, top, right and bottom."""
        left, top, right, bottom = bounds
        named = {"font": self.font, "spacing": self.line_spacing, "align": self.align}
        x0, y0, x1, y1 = draw.multiline_textbbox((0, 0), self.text, **named)
        x = right - (x1 - x0) - _MARGIN if self.position & RIGHT else left + _MARGIN
        y = bottom - y1 - _MARGIN if self.position & BOTTOM else top + _MARGIN
        stroke = (
            {}
            if self.outline_color is None
            else {"stroke_width": 1, "stroke_fill": self.outline_color}
        )
        draw.multiline_text((x - x0, y - y0), self.text, fill=self.color, **named, **stroke)
        return draw


def add_img_box_to_image(image: Any, box: ImageBox, color: Any, text: Any = None) -> None:
    """Draw a box and its texts on a PIL image."""
    from PIL import ImageDraw

    draw = ImageDraw.Draw(image)
    corners = box.left_x, box.top_y, box.right_x, box.bottom_y
    draw.rectangle(corners, outline=color)
    for one in (text if isinstance(text, list | tuple) else [text]) if text is not None else []:
        one.render(draw, corners)


def add_polygon_to_image(
    image: Any, poly_points: Sequence[Any], scale: float, line_color: Any, fill_color: Any = None
) -> None:
    """Draw a polygon of points with x and y on a PIL image."""
    from PIL import ImageDraw

    points = [(point.x * scale, point.y * scale) for point in poly_points]
    if len(points) > 1:
        ImageDraw.Draw(image).polygon(points, outline=line_color, fill=fill_color)


class Annotator:
    """Draws on images; derive from it and give it ``apply``."""

    priority = 100

    def __init__(self, img_annotator: Any, priority: int | None = None) -> None:
        self.img_annotator = img_annotator
        if priority is not None:
            self.priority = priority
        self.enabled = True

    @property
    def world(self) -> Any:
        return self.img_annotator.world

    def apply(self, image: Any, scale: float) -> None:
        """Draw on an image that is ``scale`` times as large as the camera's."""
        raise NotImplementedError

    def __hash__(self) -> int:
        return id(self)


class ObjectAnnotator(Annotator):
    """Boxes around objects."""

    object_colors = DEFAULT_OBJECT_COLORS

    def apply(self, image: Any, scale: float) -> None:
        for thing in self.world.visible_objects:
            box = thing.last_observed_image_box
            if box is not None:
                text = self.label_for_obj(thing)
                color = self.object_colors.get(type(thing), self.object_colors["default"])
                add_img_box_to_image(image, box * scale, color, text)

    def label_for_obj(self, obj: Any) -> Any:
        return ImageText(str(obj.descriptive_name), position=TOP_LEFT, color="white")


class FaceAnnotator(Annotator):
    """Boxes around faces."""

    box_color = "green"

    def apply(self, image: Any, scale: float) -> None:
        # Drawing alone is no reason to look for faces.
        for face in list(self.world._faces.values()):
            if face.is_visible and face.last_observed_image_box is not None:
                text = self.label_for_face(face)
                add_img_box_to_image(
                    image, face.last_observed_image_box * scale, self.box_color, text
                )

    def label_for_face(self, obj: Any) -> Any:
        return ImageText(f"Face {obj.name or obj.face_id}", position=TOP_LEFT)


class PetAnnotator(Annotator):
    """Boxes around pets, of which none is ever seen."""

    def apply(self, image: Any, scale: float) -> None:
        pass


class TextAnnotator(Annotator):
    """A text that stays."""

    priority = 50

    def __init__(self, img_annotator: Any, text: ImageText) -> None:
        super().__init__(img_annotator)
        self.text = text

    def apply(self, image: Any, scale: float) -> None:
        from PIL import ImageDraw

        self.text.render(ImageDraw.Draw(image), (0, 0, image.width, image.height))


class _AnnotatorHelper(Annotator):
    _function: Callable[..., None]

    def apply(self, image: Any, scale: float) -> None:
        type(self)._function(image, scale, world=self.world, annotator=self)


def annotator(function: Callable[..., None]) -> type[Annotator]:
    """Make an annotator of ``function(image, scale, annotator, world)``."""
    made = type(function.__name__, (_AnnotatorHelper,), {"_function": staticmethod(function)})
    functools.update_wrapper(made, function, updated=())
    return made


class ImageAnnotator:
    """The annotators of the images of a world."""

    def __init__(self, world: World, **named: Any) -> None:
        self.world = world
        self.annotation_enabled = True
        self._named: dict[str, Annotator] = {}
        for name, kind in (
            ("objects", ObjectAnnotator),
            ("faces", FaceAnnotator),
            ("pets", PetAnnotator),
        ):
            self.add_annotator(name, kind)

    def add_annotator(self, name: str, annotator: Any, *args: Any, **kw: Any) -> None:
        """Add an instance, a class or a decorated function under a name."""
        one = annotator
        if not isinstance(one, Annotator):
            one = one(self, *args, **kw)
        if not isinstance(one, Annotator):
            raise TypeError(f"{annotator!r} is no annotator: derive one from annotate.Annotator")
        self._named[name] = one

    def add_static_text(
        self, name: str, text: str, color: Any = "white", position: int = TOP_LEFT
    ) -> None:
        self.add_annotator(name, TextAnnotator, ImageText(text, position, color=color))

    def remove_annotator(self, name: str) -> None:
        """Raises ``KeyError`` for a name that is not there."""
        del self._named[name]

    def get_annotator(self, name: str) -> Annotator:
        return self._named[name]

    def enable_annotator(self, name: str) -> None:
        self._named[name].enabled = True

    def disable_annotator(self, name: str) -> None:
        self._named[name].enabled = False

    def annotate_image(
        self,
        image: Any,
        scale: float | None = None,
        fit_size: tuple[int, int] | None = None,
        resample_mode: int = RESAMPLE_MODE_NEAREST,
    ) -> Any:
        """Return a copy, ``scale`` times as large or to fit a size, with what is drawn on it."""
        if fit_size is not None:
            scale = min(fit_size[0] / image.width, fit_size[1] / image.height)
        scale = scale or 1.0
        size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
        copy = image.resize(size, resample_mode) if size != image.size else image.copy()
        if not self.annotation_enabled:
            return copy
        for one in sorted(self._named.values(), key=lambda one: -one.priority):
            if one.enabled:
                try:
                    one.apply(copy, scale)
                except Exception:
                    logs.logger.exception("The annotator %s failed", type(one).__name__)
        return copy
