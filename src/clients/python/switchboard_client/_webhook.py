from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ._error import SwitchboardError

if TYPE_CHECKING:
    from .types import WebhookEvent


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Iterable[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """Verifies that a webhook came from your server, unchanged and just now, and returns its event.

    `body` is what arrived, not what was parsed and written again. `secret` is that of the endpoint, or
    both of them while you replace a secret of your own. `tolerance` is how many seconds the clocks of
    server and receiver may differ, `now` the present time.

    Raises SwitchboardError with the code `bad_signature` or `too_old`: answer 401 then. An event may
    arrive twice, with the same `id`.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    identifier, timestamp, signatures = (lower.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    content = body.encode() if isinstance(body, str) else body
    message = f"{identifier}.{timestamp}.".encode() + content
    secrets = [secret] if isinstance(secret, str) else list(secret)
    expected = [base64.b64encode(hmac.new(_key_of(one), message, hashlib.sha256).digest()) for one in secrets]
    given = [one[3:].encode() for one in signatures.split(" ") if one.startswith("v1,")]
    # Each pair is compared in the same time, wherever they differ.
    if not any([hmac.compare_digest(right, one) for right in expected for one in given]):
        raise SwitchboardError("bad_signature", "No signature of the webhook is right.")
    is_number = timestamp.isascii() and timestamp.isdigit()
    if not is_number or abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise SwitchboardError("too_old", "The webhook is too old, or a clock is wrong.")
    event: WebhookEvent = json.loads(content)
    return event


def _key_of(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise TypeError("A webhook secret is `whsec_` and base64.") from None
