"""The committed meshes are sound and are what the script makes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from .model import DESCRIPTION, MESHES, mesh_triangles

COMMITTED = sorted(MESHES.glob("*.stl"))


def volume(triangles: np.ndarray) -> float:
    """Volume (m^3) inside a closed surface; negative when it is inside out."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_a_mesh_is_closed_in_metres_and_small_enough_for_a_repository(path: Path) -> None:
    triangles = mesh_triangles(path)
    corners, names = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    faces = names.reshape(-1, 3)
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    edges = edges[edges[:, 0] != edges[:, 1]]
    forward, counts = np.unique(edges, axis=0, return_counts=True)
    backward, back_counts = np.unique(edges[:, ::-1], axis=0, return_counts=True)
    assert np.array_equal(forward, backward)
    assert np.array_equal(counts, back_counts)
    assert volume(triangles) > 0
    assert 0.002 < np.ptp(corners, axis=0).max() < 0.1
    assert path.stat().st_size < 250_000


def test_the_script_makes_the_committed_meshes(tmp_path: Path) -> None:
    pytest.importorskip("manifold3d", reason="manifold3d is not installed: shapes are not remade")
    script = DESCRIPTION / "scripts" / "make_meshes.py"
    subprocess.run(
        [sys.executable, str(script), str(tmp_path)],
        check=True,
        timeout=300,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in COMMITTED}
    for path in COMMITTED:
        made, kept = mesh_triangles(tmp_path / path.name), mesh_triangles(path)
        for edge in (np.min, np.max):
            assert edge(made, axis=(0, 1)) == pytest.approx(edge(kept, axis=(0, 1)), abs=2e-5)
        assert volume(made) == pytest.approx(volume(kept), rel=1e-3), path.name
