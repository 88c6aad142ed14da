"""Fuzzing guided by coverage: libFuzzer through atheris, where that is installed."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .run import LONGEST_RUN, MOST_MEMORY, Report, describe, reproduction, run_once
from .table import TARGETS

_STATISTIC = re.compile(r"^stat::(\w+):\s+(\d+)", re.MULTILINE)
_WHAT = re.compile(r"^FINDING (.*)$", re.MULTILINE)
_SUMMARY = re.compile(r"^(?:SUMMARY|==\d+== ERROR): (.*)$", re.MULTILINE)


def is_available() -> bool:
    """Tell whether atheris is installed."""
    return importlib.util.find_spec("atheris") is not None


def fuzz(name: str, seconds: float, seed: int, findings: Path) -> Report:
    """Run one target in a process of its own, which ends with the first finding."""
    target = TARGETS[name]
    findings.mkdir(parents=True, exist_ok=True)
    report = Report(name)
    before = {path.name for path in findings.iterdir()}
    with tempfile.TemporaryDirectory(prefix="cozmo-corpus-") as corpus:
        for number, data in enumerate(target.seeds()):
            Path(corpus, str(number)).write_bytes(data)
        words = Path(corpus).with_suffix(".dict")
        words.write_text("".join(f'"{_escaped(token)}"\n' for token in target.tokens))
        command = [
            *(sys.executable, "-m", "test.fuzz.guided", name, corpus),
            f"-max_total_time={seconds:.0f}",
            f"-max_len={target.longest}",
            f"-seed={seed}",
            f"-timeout={LONGEST_RUN:.0f}",
            f"-rss_limit_mb={MOST_MEMORY >> 20}",
            f"-artifact_prefix={findings}/{name}-",
            *([f"-dict={words}"] if target.tokens else []),
            "-print_final_stats=1",
        ]
        start = time.monotonic()
        done = subprocess.run(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                              errors="replace")  # fmt: skip
        # To import what is watched takes its time, too.
        report.seconds = min(seconds, time.monotonic() - start)
        words.unlink()
    statistics = {key: int(value) for key, value in _STATISTIC.findall(done.stderr)}
    report.executions = report.inputs = statistics.get("number_of_executed_units", 0)
    report.peak = statistics.get("peak_rss_mb", 0) << 20
    made = sorted(path for path in findings.iterdir() if path.name not in before)
    if done.returncode:
        summary = _WHAT.search(done.stderr) or _SUMMARY.search(done.stderr)
        what = summary.group(1) if summary else f"the process ended with {done.returncode}"
        path = str(made[0]) if made else "?"
        report.findings[path] = what
        print(done.stderr[-4000:], reproduction(name, Path(path)), sep="\n", file=sys.stderr)
    return report


def _escaped(token: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in token[:64])


def main() -> None:
    """Be the process that libFuzzer runs in: NAME, then its own arguments."""
    import atheris

    target = TARGETS[sys.argv.pop(1)]

    def one_input(data: bytes) -> None:
        try:
            run_once(target, data)
        except BaseException as error:
            print("FINDING", describe(error)[0], file=sys.stderr, flush=True)
            raise

    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    if is_available():
        import atheris as _atheris

        # What is to be measured must be imported while it is watched.
        for _name in [one for one in sys.modules if one.startswith(("cozmo_driver", "test.fuzz"))]:
            del sys.modules[_name]
        with _atheris.instrument_imports(include=["cozmo_driver"]):
            from test.fuzz.table import TARGETS
        from test.fuzz.run import describe, run_once
    main()
