"""Who may open the page: names of this computer, origin, sessions, sizes; before anything else."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
import logging
import secrets
import socket
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from html import escape
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..link import end
from .login import LOGIN_PATH, address, login_needed, login_page

_log = logging.getLogger(__name__)
SESSION_LIFETIME = 12 * 3600.0
UPLOAD_LIMIT = 11_000_000
"""Bytes of a request's body: a sound file of 10 MB, and what is around it."""
_TOO_MUCH = f"an upload has {UPLOAD_LIMIT / 1e6:g} MB at most"
_PUBLIC = frozenset({"/cockpit/cockpit.css", "/favicon.ico"})
"""What the login page needs."""
_SAFE_METHODS = frozenset({"GET", "HEAD"})
_ATTEMPTS, _ATTEMPTS_PERIOD = 10, 60.0
"""So many wrong passwords of one client are answered within this time, s."""
_MOST_CLIENTS = 1000
"""Whose wrong ones are remembered."""
_MOST_SESSIONS = 100
_HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data: blob:; object-src 'none'"
    "; media-src 'self' blob:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    # With "no-referrer" a browser sends its own forms with no origin, as "null".
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_own_name(host: str, names: Collection[str] = ()) -> bool:
    """Tell whether a Host header names this computer: an address, or a name nobody else gives.

    ``names`` are further ones, in lower case. A page of somewhere else can let its own name point
    here (DNS rebinding), but no address.
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        own = socket.gethostname().lower()
        return name in {"localhost", own, f"{own}.local", *names}
    return True


def network_of(address: str) -> str:
    """Return what one client has: an address, of IPv6 the network of 64 bits."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((ip, 64), strict=False)) if ip.version == 6 else address


@dataclass(slots=True)
class Refusals:
    """Counts what has been refused, by reason, and logs the 1st, 10th, 100th ... of each."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, reason: str, whose: str) -> None:
        """``reason`` is one of few; ``whose`` may be anything."""
        self.counts[reason] += 1
        count = self.counts[reason]
        if f"{count}".rstrip("0") == "1":
            times = f" ({count} times by now)" if count > 1 else ""
            _log.warning("refused%s: %s, from %s", times, reason, whose[:200])


@dataclass(slots=True)
class Sessions:
    """Who has logged in; in memory only, so that a restart ends every session."""

    password: str = ""
    """Empty: only tokens."""
    on_token: Callable[[str], object] = lambda _: None
    """Called with each new one-time token."""
    now: Callable[[], float] = time.monotonic
    _token: str = ""
    _sessions: dict[str, _Session] = field(default_factory=dict)
    _failures: dict[str, list[float]] = field(default_factory=dict)
    """Times of each client's wrong passwords."""

    def start(self) -> None:
        """Make the first token, unless there is a password."""
        if not self.password:
            self._token = secrets.token_urlsafe(24)
            self.on_token(self._token)

    @property
    def token(self) -> str:
        """What opens the next session once, empty with a password."""
        return self._token

    def remaining(self, session: str) -> float:
        """Return how long a session still holds, s; not above 0: there is none."""
        found = self._sessions.get(session)
        return found.end - self.now() if found else 0.0

    async def until_end(self, session: str) -> None:
        """Wait until a session ends: by its time, or because somebody logs out."""
        if found := self._sessions.get(session):
            await asyncio.wait([found.closed], timeout=self.remaining(session))

    def open(self, secret: str, client: str = "") -> str:
        """Return a new session for the password or the token, empty for a wrong one.

        A token is used up, and another one follows; nobody can guess it. Raises
        ``PermissionError`` after too many wrong passwords of this client.
        """
        now = self.now()
        failures = [at for at in self._failures.pop(client, ()) if now - at < _ATTEMPTS_PERIOD]
        if failures:
            self._failures[client] = failures
        if len(failures) >= _ATTEMPTS:
            raise PermissionError("too many attempts, wait a minute")
        right = self.password or self._token
        if not right or not hmac.compare_digest(secret.encode(), right.encode()):
            if self.password:
                self._failures[client] = [*failures, now]
                if len(self._failures) > _MOST_CLIENTS:
                    del self._failures[next(iter(self._failures))]
            return ""
        self.start()
        for key in [key for key, one in self._sessions.items() if one.end <= now]:
            self.close(key)
        while len(self._sessions) >= _MOST_SESSIONS:
            self.close(next(iter(self._sessions)))
        session = secrets.token_urlsafe(32)
        closed = asyncio.get_running_loop().create_future()
        self._sessions[session] = _Session(now + SESSION_LIFETIME, closed)
        return session

    def close(self, session: str) -> None:
        """Log out: its WebSockets end, too."""
        if (found := self._sessions.pop(session, None)) and not found.closed.done():
            found.closed.set_result(None)


@dataclass(frozen=True, slots=True)
class _Session:
    end: float
    """s of ``Sessions.now``."""
    closed: asyncio.Future[None]


class Guard:
    """ASGI middleware around everything. Without ``sessions`` whoever is let in may do all."""

    def __init__(
        self,
        app: ASGIApp,
        sessions: Sessions | None = None,
        refusals: Refusals | None = None,
        names: Collection[str] = (),
    ) -> None:
        """``names`` are those of a reverse proxy, in lower case."""
        self.app, self._sessions, self._names = app, sessions, names
        self._refusals = Refusals() if refusals is None else refusals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        with contextlib.suppress(ClientDisconnect):  # in the middle of a body: nobody is left
            await self._serve(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if refusal := _refusal(scope, headers, self._names):
            self._refuse(scope, refusal)
        remaining, session = SESSION_LIFETIME, _session_of(scope, headers)
        if not refusal and self._sessions is not None and scope["path"] not in _PUBLIC:
            if scope["type"] == "http" and (answer := await self._log_in(scope, receive)):
                await _with_headers(answer)(scope, receive, send)
                return
            remaining = self._sessions.remaining(session)
        if scope["type"] == "websocket" and (refusal or remaining <= 0.0):
            with contextlib.suppress(OSError, RuntimeError):  # it may be gone by now
                if not refusal:  # closed before that it is an HTTP 403: no page is told why
                    await send({"type": "websocket.accept"})
                await send({"type": "websocket.close", "code": 1008, "reason": refusal or "log in"})
        elif scope["type"] == "websocket":
            await self._serve_socket(scope, receive, send, session)
        elif refusal:
            await PlainTextResponse(f"{refusal}\n", 403)(scope, receive, send)
        elif remaining <= 0.0:
            await login_needed(Request(scope))(scope, receive, send)
        else:
            await self._pass_on(scope, receive, send, headers)

    async def _serve_socket(self, scope: Scope, receive: Receive, send: Send, session: str) -> None:
        """Serve a WebSocket until its session ends."""
        if self._sessions is None:
            await self.app(scope, receive, send)
            return
        serving = asyncio.ensure_future(self.app(scope, receive, send))
        ended = asyncio.ensure_future(self._sessions.until_end(session))
        try:
            await asyncio.wait([serving, ended], return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                serving.result()
                return
        finally:
            await end(ended)
            await end(serving)
        with contextlib.suppress(OSError, RuntimeError):  # it may be gone by now
            await send({"type": "websocket.close", "code": 1008, "reason": "log in"})

    def _refuse(self, scope: Scope, reason: str) -> None:
        self._refusals.add(reason.rstrip("."), _address_of(scope))

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send, headers: Headers) -> None:
        size = int(headers.get("content-length", "0") or 0)
        if size <= UPLOAD_LIMIT:
            size = 0

            async def limited() -> Message:
                nonlocal size
                message = await receive()
                size += len(message.get("body", b""))
                # What comes without a length in its header and is too long counts as broken off.
                return message if size <= UPLOAD_LIMIT else {"type": "http.disconnect"}

            async def send_answer(message: Message) -> None:
                if size <= UPLOAD_LIMIT:
                    await send(message)

            try:
                await _with_headers(self.app)(scope, limited, send_answer)
            except ClientDisconnect:
                if size <= UPLOAD_LIMIT:
                    raise
        if size > UPLOAD_LIMIT:
            self._refuse(scope, _TOO_MUCH)
            await PlainTextResponse(f"{_TOO_MUCH}\n", 413)(scope, receive, send)

    async def _log_in(self, scope: Scope, receive: Receive) -> Response | None:
        """Answer what has to do with sessions, None for everything else."""
        assert self._sessions is not None
        request = Request(scope, receive)
        if request.method == "POST" and request.url.path == LOGIN_PATH:
            form = parse_qs((await _body(request)).decode("ascii", "replace"))
            return self._open(request, form.get("password", [""])[0], "The password is wrong.")
        token = "" if self._sessions.password else request.query_params.get("token")
        if request.method == "GET" and token:
            if self._sessions.remaining(_session_of(scope, request.headers)) > 0.0:
                return RedirectResponse(address("/", request.query_params), 303)
            return self._open(request, token, "This link has been used: the newest is in the log.")
        if request.method == "GET" and request.url.path == LOGIN_PATH:
            return login_page(request, bool(self._sessions.password))
        if request.method == "POST" and request.url.path == "/logout":
            self._sessions.close(_session_of(scope, request.headers))
            return RedirectResponse(address(LOGIN_PATH, request.query_params), 303)
        return None

    def _open(self, request: Request, secret: str, complaint: str) -> Response:
        assert self._sessions is not None
        scope, with_password = request.scope, bool(self._sessions.password)
        try:
            session = self._sessions.open(secret, network_of(_address_of(scope)))
        except PermissionError as error:
            return login_page(request, with_password, f"{error}.", 429)
        if not session:
            self._refuse(scope, complaint)
            return login_page(request, with_password, complaint, 401)
        # A redirect would belong to the site whose link was followed, and go without the cookie.
        back = escape(address("/", request.query_params))
        answer = HTMLResponse(f'<!doctype html><meta http-equiv="refresh" content="0;url={back}">')
        answer.set_cookie(
            _cookie_name(scope),
            session,
            max_age=int(SESSION_LIFETIME),
            httponly=True,
            samesite="strict",
            secure=scope.get("scheme") == "https",
        )
        return answer


def _refusal(scope: Scope, headers: Mapping[str, str], names: Collection[str]) -> str:
    """Return why a request does not come from the cockpit's own page, empty where it does."""
    host = headers.get("host", "")
    if not is_own_name(host, names):
        return "open the cockpit by this computer's address or name"
    is_change = scope["type"] == "websocket" or scope["method"] not in _SAFE_METHODS
    origin = headers.get("origin")
    if origin is None and is_change:
        return "a request that changes something needs an origin"
    if not (_is_own_origin(origin, host, names) and _is_own_fetch(headers, is_change)):
        return "this is not for pages of somewhere else"
    return ""


def _is_own_origin(origin: str | None, host: str, names: Collection[str]) -> bool:
    if origin is None:
        return True
    try:
        found = urlsplit(origin)
        return found.netloc == host or found.hostname in names
    except ValueError:
        return False


def _is_own_fetch(headers: Mapping[str, str], is_change: bool) -> bool:
    """Tell whether a browser says that it is the page which asks; a link may be followed."""
    if headers.get("sec-fetch-site", "none") in ("same-origin", "none"):
        return True
    return not is_change and headers.get("sec-fetch-mode") == "navigate"


def _address_of(scope: Scope) -> str:
    return str((scope.get("client") or ("?",))[0])


def _cookie_name(scope: Scope) -> str:
    # Cookies know no ports: two cockpits of one computer would log each other out.
    server = scope.get("server") or ("", 0)
    return f"cozmo_session_{server[1]}"


def _session_of(scope: Scope, headers: Mapping[str, str]) -> str:
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    cookie = cookies.get(_cookie_name(scope))
    return cookie.value if cookie else ""


async def _body(request: Request, limit: int = 4096) -> bytes:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > limit:
            return b""
    return body


def _with_headers(app: ASGIApp) -> ASGIApp:
    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await app(scope, receive, send_with)

    return run
