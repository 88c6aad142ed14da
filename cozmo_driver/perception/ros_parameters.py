"""Every parameter of the vision node; ``config/vision_node.yaml`` explains them to users."""

from __future__ import annotations

from ..localization import SIZES, TAG_FAMILY, TAG_SIZE
from ..ros.file_urls import path_of
from ..ros.parameter_set import FRAME_PREFIX, checked_by, is_frame, optional
from ..ros.parameter_set import FixedSpec as F
from ..ros.parameter_set import ParameterSpec as P
from .detection.tags import FAMILIES
from .detection.template_file import load_templates
from .perception import STILL_RATE
from .world.pose_history import SETTLING

MODES = ("markers", "faces", "motion", "ground", "quality")
"""Parts that can be switched, as ``set_vision_modes`` calls them."""
_TRANSPORTS = ("compressed", "raw")


def modes_of(text: str) -> list[str]:
    """Return the modes that a text names. Raises ``ValueError``."""
    named = [word.strip() for word in text.split(",") if word.strip()]
    unknown = sorted(set(named) - set(MODES))
    if unknown:
        raise ValueError(f"there is no mode '{unknown[0]}'; there are {', '.join(MODES)}")
    return named


def _is_transport(value: str) -> str:
    if value not in _TRANSPORTS:
        return f"'{value}' is none of {', '.join(_TRANSPORTS)}"
    return ""


VISION_PARAMETERS: tuple[P, ...] = (
    F(
        "image_transport",
        "compressed",
        "which pictures to subscribe to: compressed, as the robot sends them, or raw",
        check=_is_transport,
        rule="compressed or raw",
    ),
    F(
        "modes",
        "markers,motion,ground,quality",
        "what to look for from the start, separated by commas; see set_vision_modes",
        check=checked_by(modes_of, ValueError),
        rule=f"of {', '.join(MODES)}",
    ),
    F(
        "templates_file",
        "",
        "templates learnt from your own cubes; empty: those of cozmo vision learn",
        check=optional(checked_by(lambda value: load_templates(path_of(value)), ValueError)),
        rule="a file of cozmo vision learn, or a path where one can be made",
    ),
    F(
        "objects_file",
        "package://cozmo_driver/config/vision.yaml",
        "objects with printed tags (path, file:// or package:// URL); empty: none",
    ),
    F(
        "face_detector_file",
        "",
        "YuNet of OpenCV's model zoo, which finds faces; empty: OpenCV's own cascades",
    ),
    F(
        "face_recognizer_file",
        "",
        "SFace of OpenCV's model zoo, which recognises faces; empty: nobody is recognised",
    ),
    F(
        "faces_file",
        "",
        "where enrolled faces are kept; empty: ~/.local/share/cozmo_driver/faces.json",
    ),
    F(
        "settling_time",
        SETTLING,
        "when pictures begin, and after 3.5 s without any, in which they are not looked at",
        "s",
        low=0.0,
        high=10.0,
    ),
    P(
        "still_rate",
        STILL_RATE,
        "how often a picture that does not change is searched for markers again",
        "Hz",
        # Seldomer, what stands still would not count as visible between two searches (VISIBLE_FOR).
        low=3.0,
        high=30.0,
    ),
    F(
        "localize_on_cubes",
        False,
        "publish map_frame -> odom, corrected whenever a cube is seen where it was before",
    ),
    F("localization", False, "publish map_frame -> odom and pose, by the tags of tag_map"),
    F(
        "tag_map",
        "",
        "map of tags (path, file:// or package:// URL); empty: ~/.local/share/cozmo_driver/maps/"
        "tags.yaml, if there is one",
    ),
    F(
        "map_new_tags",
        False,
        "localization: place tags that are not on the map, until the node ends",
    ),
    F(
        "tag_family",
        TAG_FAMILY,
        "family of tags that are not on the map, for map_new_tags and learn_map",
        check=lambda value: "" if value in FAMILIES else f"'{value}' is no family of tags",
        rule=f"of {', '.join(FAMILIES)}",
    ),
    F(
        "tag_size",
        TAG_SIZE,
        "of tags that are not on the map: outer edge of the black border",
        "m",
        low=SIZES[0],
        high=SIZES[1],
    ),
    F(
        "map_frame",
        "map",
        "frame that localization or localize_on_cubes places odom in; gets no prefix",
        check=is_frame,
    ),
    P("publish_tf", True, "broadcast odom -> cube_1 ... of objects whose place is known"),
    FRAME_PREFIX,
)
