from __future__ import annotations

import email.utils
import json
import time
from typing import Any


class SwitchboardError(Exception):
    """Whatever went wrong: an answer of the server that is no success, no answer at all, a socket
    that cannot be opened again, or a webhook that is not to be trusted."""

    code: str
    """The word to decide by: one of the API, or `no_answer`, `access_ended`, `protocol`,
    `bad_signature`, `too_old`."""
    status: int
    """Status of the answer; 0 if there is none."""
    request_id: str | None
    """`X-Request-Id` of the answer, by which an operator finds it in the log."""
    fields: list[dict[str, str]]
    """The fields that were refused: `path` and `message` of each."""
    details: Any
    """Facts for programs, such as the ID of what is in the way."""
    retry_after: float | None
    """Seconds to wait before the next request."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 0,
        request_id: str | None = None,
        fields: list[dict[str, str]] | None = None,
        details: Any = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.request_id = request_id
        self.fields = fields or []
        self.details = details
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.code}: {super().__str__()}"

    @property
    def is_temporary(self) -> bool:
        """Whether the same request may succeed later: the line, the server or a limit was in the way."""
        if self.status == 0:
            return self.code == "no_answer"
        return self.status in (408, 429) or self.status >= 500 or self.code == "idempotency_in_progress"


def error_of(status: int, headers: Any, body: bytes) -> SwitchboardError:
    """Returns the error that an answer reports."""
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        answer = {}
    return SwitchboardError(
        answer.get("code") or "unknown",
        answer.get("message") or f"The server answered {status}.",
        status=status,
        request_id=headers.get("X-Request-Id"),
        fields=answer.get("errors"),
        details=answer.get("details"),
        retry_after=_seconds_of(headers.get("Retry-After")),
    )


def _seconds_of(value: str | None) -> float | None:
    """Returns the seconds of a `Retry-After`, which is a number or, from proxies, a date."""
    if value is None:
        return None
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
