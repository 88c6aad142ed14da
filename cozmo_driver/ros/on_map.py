"""Goals on the map of landmarks: the robot looks around first where it knows too little."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable

from geometry_msgs.msg import PoseStamped
from std_msgs.msg import Header

from cozmo_interfaces.action import Localize
from cozmo_interfaces.msg import LocalizationState

from ..robot import Pose2D, Reason, Refused, RobotError
from .clients import GoalClient, OwnGoals
from .context import NodeContext
from .geometry import plane_pose
from .topics import LATCHED
from .transforms import FrameLookup

_LONGEST_LOOK = 180.0
"""s; three turns take 60 s where nothing else keeps the computer busy."""
_SILENCE = 3.0
"""s without a state, which comes each second, after which nothing is known."""
_SIGHT, _POLL = 2.0, 0.05
"""s in which a robot that has come to rest sees what it can from there: its states come each
second, images fourteen times."""
_NOBODY_LOCALIZES = (
    "nothing localizes the robot any more: start the vision node with localization "
    "(localization:=true), or give the goal in the frame of the odometry or of the robot"
)


class PlaceOnMap:
    """What localization says, and looking around until it says enough. In the loop."""

    def __init__(self, context: NodeContext) -> None:
        self.state = LocalizationState(position_deviation=math.inf, yaw_deviation=math.inf)
        self.on_state: Callable[[LocalizationState], object] = lambda _: None
        self._heard_at = -math.inf
        self._looking = GoalClient(context, Localize, "localize", OwnGoals())
        context.listen(LocalizationState, "localization_state", self._on_state, LATCHED)

    def _on_state(self, state: LocalizationState) -> None:
        self.state, self._heard_at = state, time.monotonic()
        self.on_state(state)

    @property
    def is_offered(self) -> bool:
        """Whether something localizes."""
        return self._looking.is_there

    def is_map(self, frame: str) -> bool:
        """Whether a frame is that of the map that the robot is localized on."""
        map_frame: str = self.state.header.frame_id
        return bool(map_frame) and frame.removeprefix("/") == map_frame

    @property
    def is_known(self) -> bool:
        return math.isfinite(self.state.position_deviation) and self._is_fresh

    @property
    def _is_fresh(self) -> bool:
        return time.monotonic() - self._heard_at < _SILENCE

    def is_within(self, position: float, yaw: float) -> bool:
        """Whether the standard deviations are no more than these, m and rad."""
        state = self.state
        is_exact = state.position_deviation <= position and state.yaw_deviation <= yaw
        return is_exact and self._is_fresh

    async def find(self, position: float = 0.0, yaw: float = 0.0) -> None:
        """Look around unless the pose is known within m and rad, 0 for ``localize``'s defaults.

        Raises ``RobotError``; not where it is known, but no better from here.
        """
        if position and yaw and self.is_within(position, yaw):
            return
        if not (self._is_fresh or self.is_offered):
            raise Refused(Reason.UNSUPPORTED, _NOBODY_LOCALIZES)
        try:
            fields = {"position_deviation": position, "yaw_deviation": yaw}
            await self._looking.do(timeout=_LONGEST_LOOK, **fields)
        except RobotError as error:
            if error.reason is not Reason.NOT_SEEN or not self.is_known:
                raise

    async def settle(self, position: float, yaw: float) -> None:
        """Let a robot that has come to rest see, for up to 2 s, until it knows that well."""
        end = time.monotonic() + _SIGHT
        while not self.is_within(position, yaw) and time.monotonic() < end:
            await asyncio.sleep(_POLL)

    async def in_odom(
        self, goal: PoseStamped, frames: FrameLookup, position: float, yaw: float
    ) -> Pose2D:
        """Return a goal of any frame in odom; of the map as it is placed now, not at its stamp.

        For that the pose is to be known within m and rad. Raises ``ValueError``, ``RobotError``.
        """
        plane_pose(goal.pose)  # Bad values are refused before anything waits.
        if not self.is_map(goal.header.frame_id):
            return plane_pose(goal.pose, await frames.pose_of(goal.header))
        await self.find(position, yaw)
        # What tf knew before the pose was lost is older than the state.
        known = Header(stamp=self.state.header.stamp, frame_id=goal.header.frame_id)
        return plane_pose(goal.pose, await frames.pose_of(known, is_newest=True))
