"""A WebSocket (RFC 6455) as far as the server uses it: text frames, pings, and a close."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import ssl
import time
import urllib.parse
from email.parser import BytesHeaderParser

from ._error import SwitchboardError, error_of

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_MAX_HEAD = 64 * 1024
_MAX_MESSAGE = 16 * 1024 * 1024
_CONTINUATION, _TEXT, _CLOSE, _PING = 0, 1, 8, 9
_PONG = 10
NO_CODE = 1006


class Closed(Exception):
    """The line is closed. `code` is the close code; 1006 if there was none."""

    def __init__(self, code: int) -> None:
        super().__init__(f"closed with {code}")
        self.code = code


class WebSocket:
    """A client's end of a WebSocket."""

    def __init__(self, url: str, timeout: float) -> None:
        parts = urllib.parse.urlsplit(url)
        host = parts.hostname or ""
        is_secure = parts.scheme == "wss"
        self._buffer = bytearray()
        self._message = bytearray()
        try:
            self._socket: socket.socket = socket.create_connection((host, parts.port or (443 if is_secure else 80)), timeout)
        except OSError as error:
            raise SwitchboardError("no_answer", f"The server did not answer: {error}") from error
        try:
            if is_secure:
                self._socket = ssl.create_default_context().wrap_socket(self._socket, server_hostname=host)
            self._shake_hands(parts)
        except (OSError, Closed) as error:
            self.close()
            raise SwitchboardError("no_answer", f"The server did not answer: {error}") from error
        except SwitchboardError:
            self.close()
            raise

    def _shake_hands(self, parts: urllib.parse.SplitResult) -> None:
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {parts.path}?{parts.query} HTTP/1.1",
            f"Host: {parts.netloc}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
        ]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            if len(self._buffer) > _MAX_HEAD:
                raise SwitchboardError("protocol", "The answer of the server is no WebSocket.")
            self._more()
        first, _, rest = bytes(self._buffer[:end]).partition(b"\r\n")
        del self._buffer[: end + 4]
        headers = BytesHeaderParser().parsebytes(rest)
        words = first.split(b" ")
        status = int(words[1]) if len(words) > 1 and words[1].isdigit() else 0
        if status != 101:
            raise error_of(status, headers, b"")
        accept = base64.b64encode(hashlib.sha1((key + _GUID).encode()).digest()).decode()
        if headers.get("Sec-WebSocket-Accept") != accept:
            raise SwitchboardError("protocol", "The answer of the server is no WebSocket.")

    def send(self, text: str) -> None:
        """Sends a text."""
        self._send(_TEXT, text.encode())

    def receive(self, seconds: float) -> str | None:
        """Returns the next text, or None if none came in time. Raises Closed."""
        until = time.monotonic() + seconds
        while True:
            if (frame := self._next_frame()) is not None:
                if (text := self._text_of(*frame)) is not None:
                    return text
                continue
            left = until - time.monotonic()
            if left <= 0:
                return None
            self._socket.settimeout(left)
            try:
                self._more()
            except TimeoutError:
                return None
            except OSError:
                raise Closed(NO_CODE) from None

    def close(self) -> None:
        """Closes the line."""
        try:
            self._send(_CLOSE, (1000).to_bytes(2, "big"))
        except (OSError, Closed):
            pass
        self._socket.close()

    def _more(self) -> None:
        chunk = self._socket.recv(64 * 1024)
        if not chunk:
            raise Closed(NO_CODE)
        self._buffer += chunk

    def _next_frame(self) -> tuple[bool, int, bytes] | None:
        """Takes a whole frame from what has arrived."""
        if len(self._buffer) < 2:
            return None
        size, start = self._buffer[1] & 0x7F, 2
        if size > 125:
            start = 4 if size == 126 else 10
            if len(self._buffer) < start:
                return None
            size = int.from_bytes(self._buffer[2:start], "big")
        if size + len(self._message) > _MAX_MESSAGE:
            raise Closed(1009)
        if len(self._buffer) < start + size:
            return None
        first, content = self._buffer[0], bytes(self._buffer[start : start + size])
        del self._buffer[: start + size]
        return bool(first & 0x80), first & 0x0F, content

    def _text_of(self, is_last: bool, kind: int, content: bytes) -> str | None:
        """Returns the text that is whole with this frame. Answers what is no text."""
        if kind == _CLOSE:
            raise Closed(int.from_bytes(content[:2], "big") if len(content) >= 2 else NO_CODE)
        if kind == _PING:
            self._send(_PONG, content)
        if kind not in (_TEXT, _CONTINUATION):
            return None
        self._message += content
        if not is_last:
            return None
        text = self._message.decode()
        self._message.clear()
        return text

    def _send(self, kind: int, content: bytes) -> None:
        """Sends a frame, masked as that of a client must be."""
        size = len(content)
        if size < 126:
            head = bytes([0x80 | kind, 0x80 | size])
        elif size < 65536:
            head = bytes([0x80 | kind, 0x80 | 126]) + size.to_bytes(2, "big")
        else:
            head = bytes([0x80 | kind, 0x80 | 127]) + size.to_bytes(8, "big")
        mask = os.urandom(4)
        whole = int.from_bytes(content, "big") ^ int.from_bytes((mask * (size // 4 + 1))[:size], "big")
        try:
            self._socket.settimeout(30)
            self._socket.sendall(head + mask + whole.to_bytes(size, "big"))
        except OSError:
            raise Closed(NO_CODE) from None
