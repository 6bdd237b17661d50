from __future__ import annotations

import json
import random
import time
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ._cursor import Cursor, CursorStore
from ._error import SwitchboardError
from ._websocket import Closed, WebSocket

_OPEN = 30.0
_PING = 30.0
_SILENCE = 75.0
"""Seconds without a frame after which a line is given up."""
_MAX_PAUSE = 60.0
_SUBSCRIBE = "subscribe"
_ACCESS_ENDED = 4403
_OWN_FAULT = (1003, 1009, 4400)
"""Close codes after which the same would happen again."""
_CONTROL = ("pong", "subscribed", "authenticated", "resumed", "ready")


def listen(
    url: str,
    ticket_of: Callable[[], str],
    store: CursorStore | None,
    topics: Sequence[str],
    max_pause: float,
) -> Iterator[dict[str, Any]]:
    """Yields events of one socket after the other: see `Switchboard.events`."""
    cursor = _checked(store.load() if store else None)
    failures = 0
    while True:
        line = None
        code = None
        try:
            line = WebSocket(_address(url, ticket_of(), cursor), _OPEN)
            if cursor is None:
                line.send('{"type": "hello"}')
            if topics:
                line.send(json.dumps({"type": "subscribe", "id": _SUBSCRIBE, "payload": {"topics": list(topics)}}))
            for frame in _frames(line):
                failures = 0
                event, moved = _step(frame, cursor)
                if event is not None:
                    yield event
                if moved is not None and moved != cursor:
                    cursor = moved
                    if store:
                        store.save(moved)
        except Closed as closed:
            code = closed.code
        except SwitchboardError as error:
            # A ticket that was used already is answered 401: the next one is new.
            if not error.is_temporary and not (line is None and error.status == 401 and error.code == "unknown"):
                raise
        finally:
            if line is not None:
                line.close()
        if code == _ACCESS_ENDED:
            raise SwitchboardError("access_ended", "The credential or its owner has lost the access.")
        if code in _OWN_FAULT:
            raise SwitchboardError("protocol", f"The server closed the socket with {code}.")
        time.sleep(random.random() * min(max_pause * 2**failures, _MAX_PAUSE))
        failures = min(failures + 1, 30)


def _frames(line: WebSocket) -> Iterator[dict[str, Any]]:
    """Yields frames, and asks for one when the line is silent. Raises Closed."""
    heard_at = pinged_at = time.monotonic()
    while True:
        text = line.receive(max(0.0, pinged_at + _PING - time.monotonic()))
        now = time.monotonic()
        if now - pinged_at >= _PING:
            line.send('{"type": "ping"}')
            pinged_at = now
        if text is not None:
            yield json.loads(text)
            heard_at = time.monotonic()  # Handling it may have taken long.
        elif now - heard_at > _SILENCE:
            return


def _step(frame: dict[str, Any], cursor: Cursor | None) -> tuple[dict[str, Any] | None, Cursor | None]:
    """Returns the event to hand out, if any, and the cursor after it, if it moves."""
    kind, payload, seq = frame["type"], frame["payload"], frame["seq"]
    if kind == "resync" or (kind == "ready" and cursor is None):
        moved: Cursor = {"log": payload["log"], "seq": payload["seq"]}
        reason = payload.get("reason", "first_start")
        event = {"type": "resync", "payload": {"reason": reason, **moved}, "seq": None, "at": frame["at"]}
        return event, moved
    if kind == "error" and frame.get("reply_to") == _SUBSCRIBE:
        raise SwitchboardError(payload["code"], payload["message"])
    if kind in ("pong", "resumed") and cursor is not None:
        reached = payload["seq"] if kind == "pong" else payload["to"]
        return None, {"log": cursor["log"], "seq": max(cursor["seq"], reached)}
    # What came before the first `ready` is part of what is loaded then.
    if kind in _CONTROL or kind == "error" or cursor is None:
        return None, None
    if seq is None:
        return frame, None
    if seq <= cursor["seq"]:
        return None, None
    return frame, {"log": cursor["log"], "seq": seq}


def _checked(cursor: Cursor | None) -> Cursor | None:
    if cursor is None:
        return None
    if isinstance(cursor, dict) and isinstance(cursor.get("log"), str) and isinstance(cursor.get("seq"), int):
        return cursor
    raise TypeError("The stored cursor is none: it needs `log` and `seq`.")


def _address(url: str, ticket: str, cursor: Cursor | None) -> str:
    query = {"ticket": ticket}
    if cursor is not None:
        query |= {"since": str(cursor["seq"]), "log": cursor["log"]}
    base = url.rstrip("/")
    return f"ws{base.removeprefix('http')}/ws?{urllib.parse.urlencode(query)}"
