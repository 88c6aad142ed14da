"""Every parameter of the behaviour node; ``config/behavior.yaml`` explains them to users."""

from __future__ import annotations

from ..ros.parameter_set import FixedSpec as F
from ..ros.parameter_set import ParameterSpec as P
from .constraints import CHARGED_BATTERY, LOW_BATTERY

NO_HOURS = (0.0, 0.0)

BEHAVIOR_PARAMETERS: tuple[P, ...] = (
    F("enabled", False, "live from the start, without waiting for behavior/enable"),
    P("allow_motion", False, "behaviours may drive; without, clips play with the treads still"),
    P("allow_leaving_charger", False, "the robot may drive off its charger by itself"),
    P("allow_going_home", False, "with a low battery it drives home by dock_charger"),
    P(
        "quiet_hours",
        NO_HOURS,
        "hours of the day, from and to, in which it dozes, silent and still; two equal ones: none",
        "h",
        low=0.0,
        high=24.0,
    ),
    P(
        "quiet_time",
        2.0,
        "after somebody else's last command, until it goes on by itself",
        "s",
        low=0.0,
        high=600.0,
    ),
    P(
        "low_battery",
        LOW_BATTERY,
        "below this it asks to be charged and drives no more",
        "V",
        low=3.4,
        high=4.2,
    ),
    P(
        "charged_battery",
        CHARGED_BATTERY,
        "above this, or on its charger, its battery is not low any more",
        "V",
        low=3.4,
        high=4.2,
    ),
    P("mood_on_face", True, "the face shows the mood while no behaviour shows something else"),
    P("activity", "", "activity that it does before all but urgent ones; empty: as it likes"),
    P("spark", "", "spark that activities wait for; empty: none"),
    F(
        "resource_dir",
        "",
        "the app's files, as the driver's resource_dir; empty: those that were imported",
    ),
    F("behavior_files", "", "Python files with further behaviours, separated by ':'"),
    F(
        "state_dir",
        "",
        "where needs and trace are kept; empty: ~/.local/state/cozmo_driver/NAMESPACE",
    ),
    F("keep_needs", True, "keep the needs of each robot over restarts"),
    F(
        "needs_on_robot",
        False,
        "keep them in the robot's own storage too; the driver must allow_nv_write",
    ),
    F("keep_trace", True, "write every decision to behavior_trace.jsonl"),
    F(
        "enable_stamped_cmd_vel",
        False,
        "cmd_vel is TwistStamped, as the driver's parameter of that name",
    ),
    F(
        "seed",
        0,
        "with the same seed chance is the same; 0: another one each time",
        low=0,
        high=2**31 - 1,
    ),
)
