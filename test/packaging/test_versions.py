"""The packages agree about their version, their people and their licence."""

from __future__ import annotations

import pytest

import cozmo_driver

from .declared import PACKAGES, manifest, setup_argument

# The title of what is not released is no version; a lone version would be taken for a subtitle.
FORTHCOMING = "Forthcoming\n-----------\n"
NEXT = "9.9.9 (2099-01-01)\n------------------\n"
OLDEST = "\n0.0.0 (2000-01-01)\n------------------\n* Nothing.\n"


@pytest.mark.parametrize("package", PACKAGES)
def test_there_is_one_version(package: str) -> None:
    assert manifest(package).findtext("version") == cozmo_driver.__version__
    assert setup_argument("version") == cozmo_driver.__version__


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("package", PACKAGES)
def test_release_tools_read_the_changelog_and_find_no_other_version_last(package: str) -> None:
    changelogs = pytest.importorskip("catkin_pkg.changelog", reason="needs catkin_pkg")

    text = (PACKAGES[package] / "CHANGELOG.rst").read_text(encoding="utf-8")
    changelog = changelogs.Changelog(package)
    changelogs.populate_changelog_from_rst(changelog, text.replace(FORTHCOMING, NEXT) + OLDEST)
    found = {version: content for version, _, content in changelog.foreach_version()}
    releases = set(found) - {"9.9.9", "0.0.0"}

    assert len(found) > 1
    assert all(found.values())
    assert max(releases, default=cozmo_driver.__version__, key=numbers) == cozmo_driver.__version__


def numbers(version: str) -> tuple[int, ...]:
    """What versions are ordered by."""
    return tuple(int(part) for part in version.split("."))


def test_people_and_licence_are_the_same_everywhere() -> None:
    said = {
        (
            root.findtext("license"),
            *((entry.text, entry.get("email")) for entry in root.iter("maintainer")),
        )
        for root in map(manifest, PACKAGES)
    }
    maintainer = (setup_argument("maintainer"), setup_argument("maintainer_email"))

    assert said == {(setup_argument("license"), maintainer)}
