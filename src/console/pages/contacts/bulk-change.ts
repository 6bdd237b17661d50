import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import type { Body } from '../../api/client'
import { ApiError } from '../../api/error'
import type { Contact } from '../../api/shapes'
import { notify, report } from '../../parts/toast'
import type { Selected } from '../../parts/table-bulk'
import { t } from '../../texts/texts'

type Request = Body<'POST /api/contacts/bulk'>
/** One change of all selected contacts. */
export interface Change {
  action: Request['action']
  value?: unknown
}
/** One request of a change and its contacts. */
type Sent = Omit<Request, 'value'> & Pick<Change, 'value'>
/** What selects contacts that are not named one by one. */
export type Matching = Pick<Request, 'filter' | 'search' | 'segment_id'>

/** At most so many contacts can be named in one request. */
const MAX_NAMED = 1_000

/** A change that waits for a person to confirm it. */
export interface Asked {
  change: Change
  count: number
  /** Whether the number is another one than the person saw. */
  isOther: boolean
}

// each action has a value of its own, which the document leaves open
const send = (body: Sent): Promise<unknown> =>
  callOnce('POST /api/contacts/bulk', { body: body as Request })

const idsOf = (rows: readonly Contact[]): string[] => rows.map(({ id }) => id)

/** Returns the requests that change these contacts. */
function named(rows: readonly Contact[], change: Change): Sent[] {
  const ids = idsOf(rows)
  return Array.from({ length: Math.ceil(ids.length / MAX_NAMED) }, (_, nth) => ({
    contact_ids: ids.slice(nth * MAX_NAMED, (nth + 1) * MAX_NAMED),
    ...change,
  }))
}

/** Returns the requests of a change: of the selected contacts, or of all `count` that match. */
export const requestsOf = (
  change: Change,
  { selected, matching, count }: { selected: Selected<Contact>; matching: Matching; count: number },
): Sent[] =>
  selected.isAll
    ? [{ ...matching, expected_count: count, ...change }]
    : named(selected.rows, change)

/** Returns the changes that take back a change of these contacts; `null` if none do. */
function undoOf({ action, value }: Change, rows: readonly Contact[]): Sent[] | null {
  const tags = Array.isArray(value) ? value.map(String) : []
  const has = ({ tags: own }: Contact): boolean =>
    own.some(({ id, name }) => tags.includes(id) || tags.includes(name))
  if (action === 'add_tags')
    return named(
      rows.filter((row) => !has(row)),
      { action: 'remove_tags', value },
    )
  if (action === 'remove_tags') return named(rows.filter(has), { action: 'add_tags', value })
  if (action === 'block')
    return named(
      rows.filter(({ blocked }) => !blocked),
      { action: 'unblock' },
    )
  if (action === 'unblock')
    return named(
      rows.filter(({ blocked }) => blocked),
      { action: 'block' },
    )
  if (action !== 'assign') return null
  const owners = Map.groupBy(rows, (row) => row.assigned_user?.id ?? null)
  return [...owners].flatMap(([owner, some]) => named(some, { action: 'assign', value: owner }))
}

const countIn = (error: unknown): number | null =>
  error instanceof ApiError && error.code === 'count_changed'
    ? (error.more.details as { count: number }).count
    : null

/**
 * Returns how selected contacts are changed together. What can be taken back is done at once; the rest,
 * and all that match, only after a person confirmed their number.
 */
export function useBulk(matching: Matching) {
  const [asked, setAsked] = useState<(Asked & { selected: Selected<Contact> }) | null>(null)
  const run = (change: Change, selected: Selected<Contact>, count: number): void => {
    const undo = selected.isAll ? null : undoOf(change, selected.rows)
    Promise.all(requestsOf(change, { selected, matching, count }).map(send))
      .then(() => {
        selected.clear()
        notify(
          t('contacts.bulk.started', { count }),
          undo === null
            ? undefined
            : () => {
                Promise.all(undo.map(send)).catch(report)
              },
        )
      })
      .catch((error: unknown) => {
        const found = countIn(error)
        if (found === null) report(error)
        else setAsked({ change, selected, count: found, isOther: true })
      })
  }
  return {
    asked,
    change: (change: Change, selected: Selected<Contact>): void => {
      const { count } = selected
      const isUndone = !selected.isAll && undoOf(change, selected.rows) !== null
      if (isUndone) run(change, selected, count)
      else setAsked({ change, selected, count, isOther: false })
    },
    confirm: (): void => {
      if (asked) run(asked.change, asked.selected, asked.count)
    },
    dismiss: (): void => {
      setAsked(null)
    },
  }
}
