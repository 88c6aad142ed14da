"""The first meeting with a robot: what works, how it errs, measured, and a report to send."""

from __future__ import annotations

from .board import VIEWS, Board, keep_lens, measure_lens
from .calibrating import ROOM, WANTED, CalibrationResult, keep_calibration
from .checkup import Checkup, Outcome, chosen_steps, line_of
from .expectations import EXPECTATIONS, Expectation, deviations_of
from .keeping import keep_measured, measured_of
from .person import Choice, Nobody, Person
from .report import (
    REPORT_FILE,
    Report,
    ReportedStep,
    ReportError,
    load_report,
    load_salt,
    picture_file,
    report_of,
)
from .report_files import (
    PAGE_FILE,
    TRAFFIC_FILE,
    Files,
    archive_of,
    delete_report,
    leave_out,
    pack,
    pictures_of,
    save_report,
    write_report,
)
from .seeing import learnt_templates
from .state_recorder import STATES_FILE, StateRecorder
from .step import Motion, Picture, Quantity, Result, Series, Step, Verdict
from .steps import STEPS
from .steps_calibration import calibrate
from .surveying import CalibrationRefused
