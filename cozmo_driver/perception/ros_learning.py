"""``learn_markers``: the templates of the user's own cubes, learnt from the images that come."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from pathlib import Path

from cozmo_interfaces.msg import Cube
from cozmo_interfaces.srv import LearnMarkers

from ..link import with_timeout
from ..robot import Reason, RobotError
from ..ros.context import NodeContext
from .detection.learning import CubeLearner, LearningError, learn, up_side
from .detection.template_file import CUBES, cube_of, save_templates
from .detection.templates import Template
from .perception import Perception
from .ros_parts import NodeImage

_log = logging.getLogger(__name__)

_TIMEOUTS = {LearnMarkers.Request.ONE_PICTURE: 10.0, LearnMarkers.Request.ALL_SIDES: 120.0}
"""s, where the request has none."""


class LearningPart:
    """Learns while somebody asks for it, one cube at a time. In the loop."""

    mode = "markers"

    def __init__(self, context: NodeContext, perception: Perception, file: Path) -> None:
        self._perception, self._file = perception, file
        self._learn_from: Callable[[NodeImage], bool] | None = None
        """Returns whether all is learnt."""
        self._learnt = asyncio.Event()
        self._problem = self._unwritten = ""
        """Why nothing was learnt yet, and why what was learnt is not kept."""
        self.heard: Callable[[int], Cube | None] = lambda _: None
        """Returns what the driver reports of a cube."""
        context.jobs.serve(LearnMarkers, "learn_markers", self._learn)

    def is_needed(self) -> bool:
        return self._learn_from is not None

    def on_image(self, image: NodeImage) -> None:
        if self._learn_from is not None and self._learn_from(image):
            self._learn_from = None
            self._learnt.set()

    async def _learn(self, request: LearnMarkers.Request, response: LearnMarkers.Response) -> str:
        cube = int(request.cube_id)
        response.file = str(self._file)
        if self._learn_from is not None:
            raise RobotError(Reason.BUSY, "a cube is being learnt already: wait until it is done")
        if cube not in CUBES or request.mode not in _TIMEOUTS:
            raise ValueError(f"there is no cube {cube}, or no mode {request.mode}")
        timeout = request.timeout or _TIMEOUTS[request.mode]
        if not 0.0 < timeout < math.inf:
            raise ValueError(f"the timeout is a number of seconds, not {timeout:g}")
        is_one = request.mode == LearnMarkers.Request.ONE_PICTURE
        self._problem = "no picture came; is the camera on, and the mode markers?"
        self._unwritten = ""
        self._learnt.clear()
        self._learn_from = self._one_side(cube) if is_one else self._all_sides(cube)
        try:
            await with_timeout(timeout, self._learnt.wait())
        except TimeoutError:
            text = f"cube {cube} was not learnt within {timeout:g} s: {self._problem}"
            raise RobotError(Reason.TIMEOUT, text) from None
        finally:
            self._learn_from = None
            known = [one for one in self._perception.templates if cube_of(one) == cube]
            response.sides = [template.side for template in known]
        text = f"cube {cube} is known by {len(known)} of its sides"
        if self._unwritten:
            text = f"{text} until the node ends, and not kept: {self._unwritten}"
            raise RobotError(Reason.NOT_ALLOWED, text)
        return text

    def _one_side(self, cube: int) -> Callable[[NodeImage], bool]:
        def learn_from(image: NodeImage) -> bool:
            try:
                templates, _ = learn(self._perception.templates, cube, image.frame.gray)
            except LearningError as error:
                self._problem = str(error)
                return False
            return self._save(templates)

        return learn_from

    def _all_sides(self, cube: int) -> Callable[[NodeImage], bool]:
        learner = CubeLearner(self._perception.templates, cube)

        def learn_from(image: NodeImage) -> bool:
            heard = self.heard(cube)
            if heard is None or not heard.is_connected:
                self._problem = f"connect cube {cube} by connect_cube"
                return False
            if not heard.is_moving and (side := up_side(heard.up_axis)):
                learner.on_up(side)
            if learner.on_image(image.frame.gray) is not None:
                self._save(learner.templates)
            self._problem = learner.request
            if prompt := learner.prompt(image.frame.stamp):
                _log.info(prompt)
            return learner.is_done

        return learn_from

    def _save(self, templates: list[Template]) -> bool:
        self._perception.set_templates(templates)
        self._unwritten = ""
        try:
            save_templates(self._file, templates)
        except (OSError, ValueError) as error:
            self._unwritten = f"{self._file} cannot be written: {error}"
            _log.error(f"what was learnt is lost at the end: {self._unwritten}")
        return True
