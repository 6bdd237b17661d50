"""The client of a Switchboard server: see the README."""

from ._client import Switchboard
from ._cursor import Cursor, CursorFile, CursorStore
from ._error import SwitchboardError
from ._files import Download, File
from ._request import RequestOptions
from ._webhook import verify_webhook

__all__ = [
    "Cursor",
    "CursorFile",
    "CursorStore",
    "Download",
    "File",
    "RequestOptions",
    "Switchboard",
    "SwitchboardError",
    "verify_webhook",
]
