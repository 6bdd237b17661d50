from __future__ import annotations

import json
import os
from typing import Protocol, TypedDict


class Cursor(TypedDict):
    """How far events were handled: the event log of the server, and the number of the last event."""

    log: str
    seq: int


class CursorStore(Protocol):
    """Where a cursor survives a restart."""

    def load(self) -> Cursor | None:
        """Returns the stored cursor; None at the first start."""

    def save(self, cursor: Cursor) -> None:
        """Stores a cursor."""


class CursorFile:
    """Keeps the cursor in a file, which is replaced as a whole."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)

    def load(self) -> Cursor | None:
        try:
            with open(self._path) as file:
                cursor: Cursor = json.load(file)
                return cursor
        except FileNotFoundError:
            return None

    def save(self, cursor: Cursor) -> None:
        with open(f"{self._path}.new", "w") as file:
            json.dump(cursor, file)
        os.replace(f"{self._path}.new", self._path)
