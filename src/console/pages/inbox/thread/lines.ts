import type { Item, Note, TimelineEntry } from '../../../api/shapes'
import type { Outgoing } from '../../../live/outbox'
import type { Pages } from '../../../live/pages-of'
import type { ThreadPage } from '../../../live/thread'
import { dayOf, endOfDay } from '../../../texts/format'

/** What stands between messages. */
type Between =
  | { kind: 'event'; id: string; at: string; event: TimelineEntry }
  | { kind: 'note'; id: string; at: string; note: Note }

/** A line of a thread. */
export type Line =
  | { kind: 'day'; id: string; at: string }
  | { kind: 'item'; id: string; item: Item; isFirst: boolean }
  | { kind: 'unsent'; id: string; entry: Outgoing }
  | Between

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
  notes: readonly Note[]
}

/** Returns what stands between messages, from old to new. */
const betweenOf = ({ events, notes }: Pick<Told, 'events' | 'notes'>): Between[] =>
  [
    ...events.map((event) => ({
      kind: 'event' as const,
      id: `event-${event.id}`,
      at: event.at,
      event,
    })),
    ...notes.map((note) => ({
      kind: 'note' as const,
      id: `note-${note.id}`,
      at: note.created_at,
      note,
    })),
  ].toSorted((one, other) => (one.at < other.at ? -1 : 1))

/**
 * Returns a function that returns the days of moments. It asks for the day only where another may
 * begin: that takes as long as everything else.
 */
function dayReader(): (timestamp: string) => string {
  let day = ''
  let [fromMs, endMs] = [0, 0]
  return (timestamp) => {
    const atMs = Date.parse(timestamp)
    if (atMs >= fromMs && atMs < endMs) return day
    day = dayOf(atMs)
    ;[fromMs, endMs] = [atMs, endOfDay(day)]
    return day
  }
}

/**
 * Returns the messages with a line before each day, what happened and was noted between them, and
 * those that are not sent yet at the end. What is older than the oldest loaded message waits until
 * that is loaded.
 */
export function linesOf({ thread, unsent, ...between }: Told): Line[] {
  const lines: Line[] = []
  const items = thread.pages.toReversed().flatMap((page) => page.items)
  const hasOlder = thread.pages.at(-1)?.hasOlder ?? false
  const oldest = items[0]?.timestamp ?? ''
  const waiting = betweenOf(between).filter(({ at }) => !hasOlder || at >= oldest)
  let next = 0
  const tellUntil = (end: string | null): void => {
    for (let line = waiting[next]; line && (end === null || line.at < end); line = waiting[next]) {
      lines.push(line)
      next += 1
    }
  }
  let before: Item | undefined
  let dayBefore = ''
  const dayAt = dayReader()
  const refs = new Set<string | null>([null])
  for (const item of items) {
    tellUntil(item.timestamp)
    const day = dayAt(item.timestamp)
    const isNewDay = day !== dayBefore
    dayBefore = day
    if (isNewDay) lines.push({ kind: 'day', id: `day-${item.id}`, at: item.timestamp })
    const isFirst = isNewDay || lines.at(-1)?.kind !== 'item' || !belongTogether(before, item)
    // A message keeps the line in which it was sent. One that is sent again has the same reference.
    const id = refs.has(item.client_ref) ? item.id : (item.client_ref ?? item.id)
    refs.add(item.client_ref)
    lines.push({ kind: 'item', id, item, isFirst })
    before = item
  }
  if (!(thread.pages[0]?.hasNewer ?? false)) tellUntil(null)
  for (const entry of unsent) lines.push({ kind: 'unsent', id: entry.ref, entry })
  return lines
}
