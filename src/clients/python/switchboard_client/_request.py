from __future__ import annotations

import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from ._error import SwitchboardError, error_of
from ._files import Download, Form

_FIRST_PAUSE = 0.2
"""The first pause is up to this many seconds, each further one up to twice as long."""
_MAX_PAUSE = 60.0
_FORM_TIMEOUT = 300.0


class RequestOptions(TypedDict, total=False):
    """What each request can carry beside its values."""

    idempotency_key: str
    """By default a new one for each call, kept over its repetitions, where the operation takes one."""
    if_match: str
    """The `updated_at` of what is changed: `changed_meanwhile` if somebody changed it since."""
    repeat: bool
    """Says that this POST or DELETE does no harm when it is repeated, if its answer was lost."""
    timeout: float
    """Seconds without a byte after which one attempt has failed."""


@dataclass(frozen=True)
class Settings:
    """Where a client sends its requests, as whom, and how patiently."""

    url: str
    key: str | None
    token: str | Callable[[], str] | None
    organization_id: str | None
    timeout: float
    give_up_after: float


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would take the credential to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def send(
    settings: Settings,
    method: str,
    path: str,
    values: Mapping[str, str],
    query: Mapping[str, Any],
    options: RequestOptions,
    body: Any = None,
    form: Mapping[str, Any] | None = None,
    keyed: bool = False,
    file: bool = False,
) -> Any:
    """Sends a request until it is answered for good. Returns the `data` of the answer, or a Download.

    After 429 nothing was done, so everything is sent again; after a lost answer or an error of the
    server only what takes effect once. Pauses as long as `Retry-After` says, or a growing random time.
    """
    url = settings.url.rstrip("/") + _filled(path, values)
    if search := _search(query):
        url += f"?{search}"
    headers = _headers(settings, options, keyed)
    content: bytes | Form | None = None
    if form is not None:
        content = Form(form)
        headers["Content-Type"] = content.content_type
        headers["Content-Length"] = str(len(content))
    elif body is not None:
        content = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    timeout = options.get("timeout", _FORM_TIMEOUT if form is not None else settings.timeout)
    again = options.get("repeat", method == "GET" or (method == "PUT" and "if_match" not in options) or keyed)
    give_up_at = time.monotonic() + settings.give_up_after
    pause = _FIRST_PAUSE
    while True:
        try:
            return _attempt(urllib.request.Request(url, content, headers, method=method), timeout, file)
        except SwitchboardError as error:
            wait = max(error.retry_after or 0, pause * random.random())
            is_repeated = error.status == 429 or (error.is_temporary and again)
            if not is_repeated or time.monotonic() + wait > give_up_at:
                raise
        time.sleep(wait)
        pause = min(pause * 2, _MAX_PAUSE)


def _attempt(request: urllib.request.Request, timeout: float, file: bool) -> Any:
    try:
        response = _opener.open(request, timeout=timeout)
        if file or not response.headers.get("Content-Type", "").startswith("application/json"):
            return Download(response)
        with response:
            return json.load(response)["data"]
    except urllib.error.HTTPError as error:
        with error:
            raise error_of(error.code, error.headers, _rest_of(error)) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise SwitchboardError("no_answer", f"The server did not answer: {error}") from error


def _rest_of(error: urllib.error.HTTPError) -> bytes:
    try:
        return error.read()
    except (OSError, http.client.HTTPException):
        return b""


def _filled(path: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        if not isinstance(value, str) or value == "":
            raise TypeError(f"{path} needs {name}")
        path = path.replace("{" + name + "}", urllib.parse.quote(value, safe=""))
    return path


def _search(query: Mapping[str, Any]) -> str:
    def text(value: Any) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    return urllib.parse.urlencode({name: text(value) for name, value in query.items() if value is not None})


def _headers(settings: Settings, options: RequestOptions, keyed: bool) -> dict[str, str]:
    headers = {"Accept": "application/json, */*;q=0.5"}
    token = settings.token() if callable(settings.token) else settings.token
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    elif settings.key is not None:
        headers["X-API-Key"] = settings.key
    if settings.organization_id is not None:
        headers["X-Organization-ID"] = settings.organization_id
    if "if_match" in options:
        headers["If-Match"] = f'"{options["if_match"]}"'
    if key := options.get("idempotency_key") or (str(uuid.uuid4()) if keyed else None):
        headers["Idempotency-Key"] = key
    return headers
