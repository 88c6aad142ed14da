"""The report as one page of HTML that needs no other file, on screen and on paper."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from string import Template

from .expectations import Deviation
from .plot import svg
from .report import Report, ReportedStep
from .step import Quantity, Verdict

_TEMPLATE = "report.html"
_AT_SPEED = re.compile(r"_(\d+\.\d+)$")
_OF_TURNS = ("track_", "error_")
_TROUBLE = (Verdict.UNUSUAL, Verdict.FAILED)
_MEANING = {
    Verdict.PASSED: "as the measured robots",
    Verdict.UNUSUAL: "works, beside what the measured robots showed",
    Verdict.FAILED: "does not work",
    Verdict.SKIPPED: "not known",
}


def page(report: Report, pictures: Mapping[str, bytes]) -> str:
    """Return the page; ``pictures`` are JPEG by the names that the report has."""
    template = Template(Path(__file__).with_name(_TEMPLATE).read_text(encoding="utf-8"))
    ended = f'<p class="ended">It ended early: {escape(report.ended)}.</p>' if report.ended else ""
    return template.substitute(
        robot=escape(report.robot),
        date=escape(report.date),
        driver=escape(report.driver),
        minutes=f"{report.robot_time / 60:.1f}",
        ended=ended,
        counts="".join(
            f'<li class="{verdict.value}"><b>{report.count(verdict)}</b> {verdict.value}'
            f"<small>{_MEANING[verdict]}</small></li>"
            for verdict in Verdict
        ),
        rows="".join(map(_row, report.steps)),
        steps="".join(_section(step, pictures) for step in report.steps),
    )


def _row(step: ReportedStep) -> str:
    # Whoever reads no further must know what to do.
    advice = f'<p class="advice">{escape(step.advice)}</p>' if step.verdict in _TROUBLE else ""
    return (
        f'<tr><td>{_badge(step)}</td><td><a href="#{escape(step.name)}">{escape(step.title)}</a>'
        f"</td><td>{escape(step.sentence)}{advice}</td></tr>"
    )


def _badge(step: ReportedStep) -> str:
    return f'<span class="badge {step.verdict.value}">{step.verdict.value}</span>'


def _section(step: ReportedStep, pictures: Mapping[str, bytes]) -> str:
    if not (step.values or step.series or step.deviations or step.advice):
        return ""
    parts = [f"<h2>{_badge(step)} {escape(step.title)}</h2><p>{escape(step.sentence)}.</p>"]
    if step.advice:
        parts.append(f'<p class="advice">{escape(step.advice)}</p>')
    if step.deviations:
        parts.append(_deviations(step.deviations))
    parts += [f"<figure>{svg(one)}</figure>" for one in step.series]
    shown = [_figure(pictures[n], text) for n, text in step.pictures.items() if n in pictures]
    if shown:
        parts.append(f'<div class="pictures">{"".join(shown)}</div>')
    if step.values:
        parts.append(_values(step.values))
    return f'<section id="{escape(step.name)}">{"".join(parts)}</section>'


def _figure(jpeg: bytes, caption: str) -> str:
    data = base64.b64encode(jpeg).decode("ascii")
    return (
        f'<figure><img alt="{escape(caption)}" src="data:image/jpeg;base64,{data}">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _values(values: Mapping[str, Quantity]) -> str:
    cells = "".join(
        f"<div><dt>{escape(_words(name))}</dt><dd>{escape(shown(quantity))}</dd></div>"
        for name, quantity in values.items()
    )
    return f"<dl>{cells}</dl>"


def _deviations(deviations: tuple[Deviation, ...]) -> str:
    rows = "".join(
        f"<tr><td>{escape(_words(one.name))}</td>"
        f"<td>{escape(shown(Quantity(one.value, one.unit)))}</td>"
        f"<td>{escape(_range(one))}</td><td>{escape(one.expected.source)}</td></tr>"
        for one in deviations
    )
    head = "<tr><th>unusual</th><th>here</th><th>measured robots</th><th>source</th></tr>"
    return f'<table class="deviations">{head}{rows}</table>'


def _range(one: Deviation) -> str:
    expected = one.expected
    values = expected.low, expected.high, expected.tolerance
    figures = [shown(Quantity(value, one.unit)) for value in values]
    units = {figure.partition(" ")[2] for figure in figures}
    if len(units) == 1:
        # The same unit once.
        figures[:2] = [figure.partition(" ")[0] for figure in figures[:2]]
    low, high, tolerance = figures
    return f"{low} ± {tolerance}" if low == high else f"{low} to {high} ± {tolerance}"


def _words(name: str) -> str:
    """Return the name of a value for people; one that ends in a number is of that speed."""
    unit = "rad/s" if name.startswith(_OF_TURNS) else "m/s"
    return _AT_SPEED.sub(rf" at \1 {unit}", name).replace("_", " ")


_SMALLER = {"s": "ms", "m": "mm", "m/s": "mm/s", "m/s^2": "mm/s²", "rad/s": "mrad/s"}
_SIGNS = {"m/s^2": "m/s²", "Hz": "Hz"}


def shown(quantity: Quantity) -> str:
    """Return a value as people read it: small ones in thousandths, angles in degrees."""
    value, unit = quantity
    if isinstance(value, str):
        return value
    if math.isnan(value):
        return "–"
    if unit == "rad":
        return f"{math.degrees(value):.3g}°"
    if unit in _SMALLER and abs(value) < 1.0:
        return f"{_short(1000 * value)} {_SMALLER[unit]}"
    return f"{_short(value)} {_SIGNS.get(unit, unit)}".strip()


def _short(value: float) -> str:
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:.0f}"
    return f"{value:.4g}" if abs(value) >= 100 else f"{value:.3g}"
