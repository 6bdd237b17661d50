import type { Item, TimelineEntry } from '../../../api/shapes'
import type { Outgoing } from '../../../live/outbox'
import type { Pages } from '../../../live/pages-of'
import type { ThreadPage } from '../../../live/thread'
import { dayOf } from '../../../texts/format'

/** A line of a thread. */
export type Line =
  | { kind: 'day'; id: string; at: string }
  | { kind: 'item'; id: string; item: Item; isFirst: boolean }
  | { kind: 'unsent'; id: string; entry: Outgoing }
  | { kind: 'event'; id: string; event: TimelineEntry }

/** Time within which messages of one side belong together, milliseconds. */
const TOGETHER_MS = 5 * 60_000

const belongTogether = (one: Item | undefined, next: Item): boolean =>
  one?.direction === next.direction &&
  one.sent_by?.id === next.sent_by?.id &&
  one.source === next.source &&
  Date.parse(next.timestamp) - Date.parse(one.timestamp) < TOGETHER_MS

interface Told {
  thread: Pages<ThreadPage>
  unsent: readonly Outgoing[]
  events: readonly TimelineEntry[]
}

/**
 * Returns the messages with a line before each day, what happened between them, and those that are
 * not sent yet at the end. Events before the oldest loaded message wait until it is loaded.
 */
export function linesOf({ thread, unsent, events }: Told): Line[] {
  const lines: Line[] = []
  const items = thread.pages.toReversed().flatMap((page) => page.items)
  const hasOlder = thread.pages.at(-1)?.hasOlder ?? false
  const oldest = items[0]?.timestamp ?? ''
  const waiting = events
    .filter(({ at }) => !hasOlder || at >= oldest)
    .toSorted((one, other) => (one.at < other.at ? -1 : 1))
  let next = 0
  const tellUntil = (end: string | null): void => {
    for (
      let event = waiting[next];
      event && (end === null || event.at < end);
      event = waiting[next]
    ) {
      lines.push({ kind: 'event', id: `event-${event.id}`, event })
      next += 1
    }
  }
  let before: Item | undefined
  let dayBefore = ''
  for (const item of items) {
    tellUntil(item.timestamp)
    const day = dayOf(item.timestamp)
    const isNewDay = day !== dayBefore
    dayBefore = day
    if (isNewDay) lines.push({ kind: 'day', id: `day-${item.id}`, at: item.timestamp })
    const isFirst = isNewDay || lines.at(-1)?.kind === 'event' || !belongTogether(before, item)
    lines.push({ kind: 'item', id: item.client_ref ?? item.id, item, isFirst })
    before = item
  }
  if (!(thread.pages[0]?.hasNewer ?? false)) tellUntil(null)
  for (const entry of unsent) lines.push({ kind: 'unsent', id: entry.ref, entry })
  return lines
}
