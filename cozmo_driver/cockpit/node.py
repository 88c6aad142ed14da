"""The node ``cozmo_cockpit``: a page to see, drive and play with robots in a browser."""

from __future__ import annotations

import socket
import ssl
import sys
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from rclpy.node import Node

from ..emulator import DEFAULT_HOST
from ..installation import pip_install
from ..robot import data_directory
from ..ros.context import LoopContext
from ..ros.errors import StartError
from ..ros.file_urls import DESCRIPTION, shared_file
from ..ros.parameter_set import ParameterSet
from ..ros.runtime import StopRequest, run_node
from . import WEB_PACKAGES, addresses
from .emulated_world import EmulatedWorld
from .robot_port import Answer
from .ros_parameters import COCKPIT_PARAMETERS, DEFAULT_PORT
from .ros_robot import RosRobot, find_robots

NODE_NAME = "cozmo_cockpit"
_HELP = """\
A page to see, drive and play with the robot Cozmo in a browser. It uses nothing but topics,
services and actions, and listens on this computer only unless cockpit_host says otherwise."""
_MORE_PORTS = 20
_TIMEOUT = 10.0
_CLOSE_TIMEOUT = 30.0
"""s in which a checkup leaves its robot at rest, and writes its report."""
_HERE_ONLY = (
    "This cockpit is for this computer only: start it with make run COCKPIT=0.0.0.0 to open it on "
    "a telephone."
)
_BEHIND_A_PROXY = (
    "Telephones reach this cockpit through its proxy only: open this page by the proxy's name, and "
    "show the code there."
)
_NO_NETWORK = (
    "This computer has no address for telephones: connect it to a network that they are in too, "
    "and show the code again."
)


class CockpitNode:
    """The web server in the loop of its own thread, and the robots that pages have chosen."""

    def __init__(self, node: Node) -> None:
        """Listen. Raises ``StartError``."""
        try:
            import uvicorn

            from . import app, limits, security
            from .recordings import Recordings
            from .reports import Reports
        except ModuleNotFoundError as error:
            install = pip_install(*WEB_PACKAGES)
            raise StartError(f"the cockpit needs {error.name}: {install}") from error
        self.node = node
        parameters = ParameterSet(node, COCKPIT_PARAMETERS)
        host = parameters["cockpit_host"]
        password = _password(parameters["cockpit_password_file"])
        names = [name.strip().lower() for name in parameters["cockpit_names"].split(",")]
        names = [name for name in names if name]
        encryption = _encryption(parameters["cockpit_certificate"], parameters["cockpit_key"])
        self._scheme = "https" if encryption else "http"
        listening = _listen(host, parameters["cockpit_port"])
        self._socket = limits.Listener(fileno=listening.detach())
        self._context = LoopContext(node, parameters, "cozmo-cockpit", "the cockpit")
        self._own = node.get_namespace().strip("/")
        port = parameters["emulator_port"]
        world = EmulatedWorld(DEFAULT_HOST, port) if port else None
        self._robots = {self._own: RosRobot(self._context, self._own, world)}
        self._sessions, self._has_proxy = None, bool(names)
        if password or names or not security.is_loopback(host):
            self._sessions = security.Sessions(password, self._log_link)
        self._cockpit = cockpit = app.Cockpit(
            self._find,
            self._connect,
            Recordings(data_directory() / "recordings"),
            Reports(data_directory() / "checkups"),
            parameters["read_only"],
            self._sessions,
            names=names,
            meshes=_meshes(),
            link=self._phone_link,
        )
        config = uvicorn.Config(
            app.make_app(cockpit),
            http=limits.Connection,
            backlog=limits.ACCEPTED_AT_ONCE,
            access_log=False,
            log_config=None,
            log_level="warning",
            proxy_headers=bool(names),
            forwarded_allow_ips=["127.0.0.1", "::1"],
            server_header=False,
            timeout_graceful_shutdown=1,
            ws_max_size=256_000,
            ws_per_message_deflate=False,
            **encryption,
        )
        self._server = uvicorn.Server(config)
        self._serving: Future[None] | None = None

    # -- in the loop

    def _find(self) -> list[str]:
        given = self._context.parameters["robots"]
        if given:
            return [name.strip().strip("/") for name in given.split(",")]
        found = find_robots(self.node)
        return sorted(found, key=lambda name: name != self._own) or [self._own]

    def _connect(self, name: str) -> RosRobot:
        if name not in self._robots:
            self._robots[name] = RosRobot(self._context, name)
        return self._robots[name]

    # -- in the main thread

    def run(self, stop: StopRequest) -> None:
        """Serve until the end is asked for."""
        self._serving = self._context.thread.submit(self._server.serve(sockets=[self._socket]))
        self._serving.add_done_callback(lambda _: stop.set())
        if self._sessions is not None:
            self._sessions.start()
        if self._sessions is None or self._sessions.password:
            self._log_address()
        stop.wait()
        self._end()

    def close(self) -> None:
        try:
            self._end()
        finally:
            for robot in self._robots.values():
                robot.close()
            self._context.close()
            self._socket.close()

    def _end(self) -> None:
        if self._serving is not None:
            self._context.thread.finish(self._cockpit.close(), _CLOSE_TIMEOUT)
            self._server.should_exit = True
            serving, self._serving = self._serving, None
            serving.result(_TIMEOUT)

    def _origin(self, host: str) -> str:
        name = f"[{host}]" if ":" in host else host
        return f"{self._scheme}://{name}:{self._socket.getsockname()[1]}"

    def _phone_link(self, origin: str, robot: str) -> Answer:
        """Return what opens the page of ``origin`` on a telephone: the same one, where it can."""
        if self._sessions is None:
            return Answer(False, _HERE_ONLY)
        if addresses.is_here_only(origin):
            bound = self._socket.getsockname()[0]
            host = addresses.outward_host(bound)
            if not host:
                return Answer(False, _NO_NETWORK)
            origin = self._origin(host)
            if addresses.is_here_only(origin):
                return Answer(False, _BEHIND_A_PROXY if self._has_proxy else _HERE_ONLY)
        token = self._sessions.token
        query = urlencode({"robot": robot, **({"token": token} if token else {})})
        return Answer(True, "", {"url": f"{origin}/?{query}"})

    def _log_address(self, query: str = "") -> None:
        host = addresses.outward_host(self._socket.getsockname()[0]) or socket.gethostname()
        self.node.get_logger().info(f"cockpit: {self._origin(host)}/{query}")

    def _log_link(self, token: str) -> None:
        self._log_address(f"?token={token}")


def _meshes() -> Path | None:
    try:
        return Path(shared_file(DESCRIPTION, "meshes"))
    except StartError:
        return None  # the scene has a box for the robot then


def _password(file: str) -> str:
    if not file:
        return ""
    try:
        password = Path(file).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StartError(f"the cockpit's password file cannot be read: {error}") from error
    if len(password) < 8:
        raise StartError(f"the password in {file} needs 8 characters at least")
    return password


def _encryption(certificate: str, key: str) -> dict[str, Any]:
    """Return what uvicorn wants for HTTPS, nothing without a certificate. Raises ``StartError``."""
    if not certificate:
        return {}
    files = [str(Path(file).expanduser()) if file else None for file in (certificate, key)]
    try:
        # No password is asked for: nobody sits there.
        ssl.create_default_context().load_cert_chain(files[0] or "", files[1], password="")
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        raise StartError(
            f"the cockpit's certificate {certificate}, key {key or 'in the same file'}, "
            f"cannot be used: {error}"
        ) from error
    return {"ssl_certfile": files[0], "ssl_keyfile": files[1]}


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; only the default port moves on. Raises ``StartError``."""
    for tried in range(port, port + _MORE_PORTS if port == DEFAULT_PORT else port + 1):
        try:
            family = socket.getaddrinfo(host, tried, type=socket.SOCK_STREAM)[0][0]
            return socket.create_server((host, tried), family=family, backlog=128)
        except OSError as error:
            reason: Any = error.strerror or error
    raise StartError(
        f"the cockpit cannot listen on {host}, TCP port {port} ({reason}): "
        "choose another one with cockpit_port or cockpit_host"
    )


def main(args: Sequence[str] | None = None) -> int:
    return run_node(
        "cockpit_node",
        _HELP,
        COCKPIT_PARAMETERS,
        lambda node, _: CockpitNode(node),
        NODE_NAME,
        args,
    )


if __name__ == "__main__":
    sys.exit(main())
