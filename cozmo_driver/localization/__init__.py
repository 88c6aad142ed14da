"""Where the robot is on a map of landmarks: tags, the charger, cubes. Pure; time is an argument.

``Localizer`` is the core; ``TagMap`` what it knows from a file and gives back with what it learnt.
"""

from __future__ import annotations

from .estimate import Doubt, Estimate, Rejection, Report, Settings, Status
from .landmark_feed import TAG_FAMILY, TAG_SIZE, LandmarkFeed
from .localizer import Localizer
from .looking import (
    LONGEST_STEP,
    MOST_SPOTS,
    SPOTS,
    STEP,
    TURN_TOLERANCE,
    WANTED,
    WANTED_ANGLE,
    Images,
    describe,
    learn_map,
    learnt,
    localize,
    worst_deviation,
)
from .motion import Priors
from .robot_localization import RobotLocalization
from .sightings import Sighting, sightings_of, tag_corners
from .tag_map import (
    CHARGER,
    MAPS,
    SIZES,
    MapError,
    MapTag,
    TagMap,
    angles_of,
    landmark_name,
    load_map,
    map_of,
    pose_of,
    save_map,
)
