"""Every parameter of the cockpit; ``config/cockpit.yaml`` explains them to users."""

from __future__ import annotations

from ..ros.parameter_set import FixedSpec as F
from ..ros.parameter_set import ParameterSpec as P

DEFAULT_PORT = 8080

COCKPIT_PARAMETERS: tuple[P, ...] = (
    F(
        "cockpit_host",
        "127.0.0.1",
        "address to listen on; others than the loopback need a password or the link in the log",
    ),
    F(
        "cockpit_port",
        DEFAULT_PORT,
        "TCP port; 0: any free one; the default moves on when it is in use",
        low=0,
        high=65535,
    ),
    F(
        "cockpit_password_file",
        "",
        "file with the password; empty: one-time links in the log where one is needed",
    ),
    F(
        "cockpit_names",
        "",
        "names by which a reverse proxy or DNS shows it, separated by commas; then one logs in",
    ),
    F("cockpit_certificate", "", "PEM file with the certificate: HTTPS; empty: HTTP"),
    F("cockpit_key", "", "PEM file with its key; empty: it is in the same file"),
    F("read_only", False, "pages show everything and command nothing but STOP"),
    F("robots", "", "namespaces to choose from, separated by commas; empty: all on the graph"),
    F(
        "emulator_port",
        0,
        "UDP port of the emulator on this computer whose world pages show and handle; 0: none",
        low=0,
        high=65535,
    ),
    F(
        "enable_stamped_cmd_vel",
        False,
        "cmd_vel is TwistStamped, as the driver's parameter of that name",
    ),
)
