"""A short run of every fuzz target with a fixed seed, and what was found by long ones."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from . import run
from .__main__ import main
from .mutation import mutated
from .run import TooSlow, fuzz, run_once
from .table import TARGETS
from .target import Target

ROOT = Path(__file__).parents[2]
REGRESSIONS = Path(__file__).parent / "regressions"
FOUND = sorted(path for path in REGRESSIONS.iterdir() if path.suffix != ".md")
MOST_GROWTH = 200 << 20


def nothing(data: bytes) -> None:
    pass


def target(function, *seeds: bytes) -> Target:
    return Target("made_up", function, lambda: list(seeds), 10)


@pytest.mark.parametrize("name", TARGETS)
def test_no_damage_does_more_than_to_be_refused(name: str, tmp_path: Path) -> None:
    short = TARGETS[name]
    report = fuzz(short, 7, lambda report: report.executions < short.quick, tmp_path)
    assert report.findings == {}
    assert report.executions == short.quick
    assert report.growth < MOST_GROWTH


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.name)
def test_what_did_harm_once_does_no_more(path: Path) -> None:
    name, _, _ = path.name.partition("-")
    run_once(TARGETS[name], path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_each_target_begins_with_the_same_inputs_and_they_fit(name: str) -> None:
    one = TARGETS[name]
    seeds = one.seeds()
    assert seeds == one.seeds()
    assert 0 < max(map(len, seeds)) <= one.longest


def test_the_long_run_is_a_million_datagrams_and_100000_files() -> None:
    datagrams = [one for one in TARGETS.values() if one.is_datagrams]
    per_run = {one.name: sum(map(one.count, one.seeds())) / len(one.seeds()) for one in datagrams}
    assert sum(one.share * per_run[one.name] for one in datagrams) > 1_000_000
    assert sum(one.share for one in TARGETS.values() if not one.is_datagrams) > 100_000


def test_an_error_is_found_kept_once_and_found_again(tmp_path: Path, capsys) -> None:
    def fails(data: bytes) -> None:
        if b"!" in data:
            raise OSError("no")

    report = fuzz(target(fails, b"a!", b"b!", b"c"), 1, lambda one: one.executions < 50, tmp_path)
    ((path, what),) = report.findings.items()
    assert what.startswith("OSError at test_fuzz.py:")
    assert "--target made_up --reproduce" in capsys.readouterr().err
    with pytest.raises(OSError, match="no"):
        run_once(target(fails), Path(path).read_bytes())


def test_the_command_says_what_was_done_and_ends_with_1_for_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = [sys.executable, "-m", "test.fuzz", "--findings", str(tmp_path), "--driver", "mutation"]
    line += ["--target", "needs_blob", "--count", "0.1"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].split()[:3] == ["needs_blob", "500", "500"]
    assert done.stdout.splitlines()[-1].startswith("0 datagrams and 500 files in ")
    harmless = tmp_path / "x"
    harmless.write_bytes(b"x")
    for path, code in ((harmless, 0), (tmp_path / "none", 1)):
        monkeypatch.setattr(sys, "argv", ["", "--target", "needs_blob", "--reproduce", str(path)])
        assert main() == code


def test_an_input_that_takes_too_long_is_a_finding() -> None:
    def hangs(data: bytes) -> None:
        while True:
            pass

    with pytest.raises(TooSlow):
        run_once(target(hangs), b"", longest=0.05)


def test_an_input_that_takes_too_much_memory_is_a_finding(tmp_path: Path, capsys) -> None:
    def swells(data: bytes) -> None:
        bytearray(2 * run.MOST_MEMORY)

    report = fuzz(target(swells, b"x"), 1, lambda one: False, tmp_path)
    assert [what.split()[0] for what in report.findings.values()] == ["MemoryError"]


def test_the_same_seed_makes_the_same_damage() -> None:
    def made(seed: int) -> list[bytes]:
        rng = random.Random(seed)
        return [mutated(rng, [b"abc 12", b"{}"], [b"token"], 64) for _ in range(50)]

    assert made(1) == made(1) != made(2)
    assert max(map(len, made(3))) <= 64
