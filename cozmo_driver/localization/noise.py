"""By how much odometry and sightings err beside what is assumed, as innovations show it."""

from __future__ import annotations

import numpy as np

from ..perception import Matrix

_PRIOR = 4.0
"""Information about each factor's logarithm without any image: a standard deviation of a half."""
_KEPT = 0.999
"""Share of what was learnt that counts after the next image: minutes in a room with tags."""
_STEP = 0.5
"""By which a logarithm changes with one image at most: an outlier that passes the gate is one."""
_LEAST, _MOST = 0.25, 16.0
"""Floors change, and so does light: what erred by less than half of what is assumed may soon err
by more, and by more than four times it errs for another reason."""


class NoiseFactors:
    """Factors of the variances of odometry and of sightings, by recursive maximum likelihood.

    Fisher scoring of their logarithms: an innovation tells of sightings if the last one was just
    before, and of odometry after a drive. Both are 1 at first.
    """

    def __init__(self) -> None:
        self.odometry = self.sightings = 1.0
        self._information = np.zeros((2, 2))

    def learn(
        self, residual: Matrix, parts: tuple[Matrix, Matrix], covariance: Matrix, is_bound: bool
    ) -> None:
        """Take an innovation (n,), with its covariance and what each factor adds to that, (n, n).

        ``is_bound``: what is assumed of this sighting is the most that such ones err by.
        """
        odometry, sightings = parts
        solved = np.linalg.solve(covariance, np.column_stack((residual, odometry, sightings)))
        weighted, first, second = solved[:, 0], *np.hsplit(solved[:, 1:], 2)
        slopes = [
            (weighted @ odometry @ weighted - np.trace(first)) / 2,
            (weighted @ sightings @ weighted - np.trace(second)) / 2,
        ]
        both = np.stack((first.ravel(), second.ravel()))
        turned = np.stack((first.T.ravel(), second.T.ravel()))
        crossed = both @ turned.T / 2
        self._information = _KEPT * self._information + crossed
        known = _PRIOR * np.eye(2) + self._information
        step = np.clip(np.linalg.solve(known, slopes), -_STEP, _STEP)
        if is_bound:
            step[1] = max(step[1], 0.0)
        factors = np.array([self.odometry, self.sightings]) * np.exp(step)
        self.odometry, self.sightings = np.clip(factors, _LEAST, _MOST).tolist()
