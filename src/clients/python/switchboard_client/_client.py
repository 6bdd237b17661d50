from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypedDict, TypeVar, cast

from ._api import Api
from ._cursor import CursorStore
from ._request import Settings, send
from ._socket import listen

if TYPE_CHECKING:
    from .types import SwitchboardEvent

P = ParamSpec("P")
T = TypeVar("T")

_PAGE = 100
"""Items of a page, unless the caller chose a number: the most that the API gives."""


class Page(TypedDict, Generic[T]):
    """A page of a list, whatever it lists."""

    items: list[T]


class Switchboard:
    """A client of a Switchboard server."""

    api: Api
    """Each operation of the API as a method: `switchboard.api.list_contacts()`."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        token: str | Callable[[], str] | None = None,
        organization_id: str | None = None,
        timeout: float = 30,
        give_up_after: float = 60,
    ) -> None:
        """`url` is the address of the server, `key` an API key; without them the environment variables
        `SWITCHBOARD_URL` and `SWITCHBOARD_KEY` say both. `token` is an access token of a person
        instead, or a function that returns the present one. `organization_id` is the organization to
        act in, for super admins. An attempt may be silent for `timeout` seconds, and a call is not
        repeated any more after `give_up_after` seconds; `math.inf` never gives up.
        """
        url = url or os.environ.get("SWITCHBOARD_URL", "")
        key = key or os.environ.get("SWITCHBOARD_KEY")
        if not url.startswith(("http://", "https://")):
            raise TypeError(f"not an address: {url}")
        settings = Settings(url, key, token, organization_id, timeout, give_up_after)
        self._settings = settings
        self.api = Api(lambda *values, **more: send(settings, *values, **more))

    def each(self, operation: Callable[P, Page[T]], *args: P.args, **values: P.kwargs) -> Iterator[T]:
        """Yields all that an operation lists, page by page: `each(api.list_contacts, search="Ada")`."""
        query: dict[str, Any] = {"limit": _PAGE, **values}
        ask = cast("Callable[..., dict[str, Any]]", operation)
        while True:
            page = ask(*args, **query)
            items = page["items"] if "items" in page else page["members"]
            yield from items
            if "next_cursor" in page:
                if page["next_cursor"] is None:
                    return
                query.pop("page", None)
                query["cursor"] = page["next_cursor"]
            else:
                number, limit = page.get("page"), page.get("limit")
                if not items or not number or not limit or number * limit >= (page.get("total") or 0):
                    return
                query["page"] = number + 1

    def events(
        self,
        cursor: CursorStore | None = None,
        *,
        topics: Sequence[str] = (),
        max_pause: float = 5,
    ) -> Iterator[SwitchboardEvent]:
        """Yields what happens in the organization, as far as the credential may see it, until the loop
        is left. A lost line is opened again, and what was missed comes first: nothing is lost, and
        nothing comes twice. With a cursor that is stored this holds over restarts, too: an event
        counts as handled when the loop asks for the next one.

        `resync` says that events may be missing: load what you need with the API. It comes at the first
        start, and when the server no longer has what was missed. Ignore types that you do not know.

        `topics` are those with further events, such as `contact:<id>`; `max_pause` is how many seconds
        the first pause before a new connection lasts at most.

        Raises SwitchboardError when the access has ended.
        """

        def ticket() -> str:
            return self.api.create_web_socket_ticket()["ticket"]

        events: Any = listen(self._settings.url, ticket, cursor, topics, max_pause)
        yield from events
