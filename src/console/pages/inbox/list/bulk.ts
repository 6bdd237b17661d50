import { useState } from 'react'

import { callOnce } from '../../../api/call-once'
import { type Body } from '../../../api/client'
import { ApiError } from '../../../api/error'
import type { ListFilter } from '../../../live/conversation-list'
import { notify, report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import type { Selection } from '../../../parts/selection'

type Request = Body<'POST /api/conversations/bulk'>
/** What is changed in all selected conversations. */
export type BulkChange = Request['set']

/** At most so many conversations can be named one by one. */
const MAX_NAMED = 500

/** A change of all conversations that match the list, which waits for a person to confirm it. */
export interface Asked {
  change: BulkChange
  count: number
}

/** Returns the number that the server found if it was not the expected one. */
function countIn(error: unknown): number | null {
  if (!(error instanceof ApiError) || error.code !== 'count_changed') return null
  const { details } = error.more
  const count: unknown =
    typeof details === 'object' && details !== null ? Reflect.get(details, 'count') : null
  return typeof count === 'number' ? count : null
}

const send = (body: Request): Promise<unknown> => callOnce('POST /api/conversations/bulk', { body })

/**
 * Returns how selected conversations are changed together. All that match the list are changed only
 * after a person confirmed their number.
 */
export function useBulk(selection: Selection, filter: ListFilter | null, total: number | null) {
  const [asked, setAsked] = useState<Asked | null>(null)
  const done = (count: number, undo?: () => void): void => {
    selection.clear()
    notify(t('inbox.bulk.started', { count }), undo)
  }
  const change = (set: BulkChange): void => {
    const ids = [...selection.ids]
    if (selection.isAll || ids.length > MAX_NAMED) {
      setAsked({ change: set, count: total ?? ids.length })
      return
    }
    const undo = (): void => {
      send({ ids, set: { state: 'open' } }).catch(report)
    }
    const canUndo = set.state === 'closed' || set.snoozed_until !== undefined
    send({ ids, set })
      .then(() => {
        done(ids.length, canUndo ? undo : undefined)
      })
      .catch(report)
  }
  const confirm = ({ change: set, count }: Asked): void => {
    const { sort: _, ...matching } = filter ?? {}
    send({ filter: matching, expected_count: count, set })
      .then(() => {
        done(count)
      })
      .catch((error: unknown) => {
        const found = countIn(error)
        if (found === null) report(error)
        else setAsked({ change: set, count: found })
      })
  }
  return {
    change,
    confirm,
    asked,
    dismiss: () => {
      setAsked(null)
    },
  }
}
