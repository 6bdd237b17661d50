from __future__ import annotations

import json
import mimetypes
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from email.message import Message
from types import TracebackType
from typing import IO, Any, cast

_CHUNK = 64 * 1024


class File:
    """A file of a form: that at a path, which is read while it is sent, or bytes with a name."""

    def __init__(self, content: str | os.PathLike[str] | bytes, name: str | None = None, type: str | None = None) -> None:
        self.content = content
        self.name = name or ("file" if isinstance(content, bytes) else os.path.basename(os.fspath(content)))
        self.type = type or mimetypes.guess_type(self.name)[0] or "application/octet-stream"

    def __len__(self) -> int:
        return len(self.content) if isinstance(self.content, bytes) else os.path.getsize(self.content)

    def chunks(self) -> Iterator[bytes]:
        """Yields the bytes, from the start at each call."""
        if isinstance(self.content, bytes):
            yield self.content
            return
        with open(self.content, "rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk


class Form:
    """The body of a request with files. Can be sent again."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        boundary = secrets.token_hex(16)
        self.content_type = f"multipart/form-data; boundary={boundary}"
        self._parts: list[bytes | File] = []
        for name, value in fields.items():
            head = f'--{boundary}\r\nContent-Disposition: form-data; name="{_escaped(name)}"'
            if isinstance(value, File):
                head += f'; filename="{_escaped(value.name)}"\r\nContent-Type: {_escaped(value.type)}'
                self._parts += [f"{head}\r\n\r\n".encode(), value, b"\r\n"]
            elif value is not None:
                text = value if isinstance(value, str) else json.dumps(value)
                self._parts.append(f"{head}\r\n\r\n{text}\r\n".encode())
        self._parts.append(f"--{boundary}--\r\n".encode())

    def __len__(self) -> int:
        return sum(len(part) for part in self._parts)

    def __iter__(self) -> Iterator[bytes]:
        for part in self._parts:
            if isinstance(part, File):
                yield from part.chunks()
            else:
                yield part


def _escaped(text: str) -> str:
    return text.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")


class Download:
    """A file that the server sends. Read it within `with`, or with `save`."""

    def __init__(self, response: Any) -> None:
        self._response = response
        self.status: int = response.status
        self.content_type: str = response.headers.get("Content-Type", "application/octet-stream")
        self.filename = _filename_in(response.headers.get("Content-Disposition"))

    def read(self, size: int = -1) -> bytes:
        """Returns the next bytes, by default all."""
        return cast(bytes, self._response.read(None if size < 0 else size))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes everything to a file."""
        with self, open(path, "wb") as file:
            shutil.copyfileobj(cast(IO[bytes], self._response), file)

    def close(self) -> None:
        self._response.close()

    def __enter__(self) -> Download:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _filename_in(header: str | None) -> str | None:
    """Returns the name that the server gave the file. It is a name for people, no safe path."""
    if header is None:
        return None
    message = Message()
    message["Content-Disposition"] = header
    return message.get_filename()
