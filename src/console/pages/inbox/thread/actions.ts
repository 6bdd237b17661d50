import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, type RefObject } from 'react'

import { call } from '../../../api/client'
import type { Conversation } from '../../../api/shapes'
import { changeConversations } from '../../../live/patch-conversations'
import { notify, report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import type { Owner } from '../../../parts/assign-picker'

/** What a person can do with a conversation. */
export interface Actions {
  close: () => void
  /**
   * Closes it, and goes on to the conversation that is the next of the list now. What comes before is
   * waited for; without its success nothing happens.
   */
  closeAndNext: (before?: Promise<boolean>) => void
  reopen: () => void
  /** Hides the conversation until a time, or with `reply` until the customer writes. */
  snooze: (until: string) => void
  handOver: (owner: Owner, more: { name: string; note: string }) => void
  claim: () => void
  markUnread: () => void
  setPriority: (priority: Conversation['priority']) => void
  takeOver: () => void
}

/** For how long a second press of the same button belongs to the first one, milliseconds. */
const DOUBLE_PRESS_MS = 500

/**
 * Returns a function that starts a piece of work, and none while an earlier one is under way, nor
 * right after it: the second click of a double click would undo it.
 */
function oneByOne(): (work: () => Promise<unknown>) => void {
  let isBusy = false
  let startedMs = -DOUBLE_PRESS_MS
  return (work) => {
    const nowMs = performance.now()
    if (isBusy || nowMs - startedMs < DOUBLE_PRESS_MS) return
    isBusy = true
    startedMs = nowMs
    work()
      .catch(report)
      .finally(() => {
        isBusy = false
      })
  }
}

/** The ways from a conversation to others. */
export interface Ways {
  /** Returns what leads to the conversation after one in the list, as the list is now. */
  after: (id: string) => () => void
  to: (id: string) => void
}

/** Returns what opens and closes a conversation. Closing can be undone. */
function statesOf(id: string, show: (answer: Partial<Conversation>) => void) {
  const setState = (state: 'open' | 'closed'): Promise<void> =>
    call('PUT /api/conversations/{id}', { params: { id }, body: { state } }).then(show)
  const undo = (): void => {
    setState('open').catch(report)
  }
  const close = (back?: () => void): Promise<void> =>
    setState('closed').then(() => {
      notify(t('inbox.action.closed'), () => {
        undo()
        back?.()
      })
    })
  return { setState, undo, close }
}

/** Returns where the newest value stands, so that nothing is made again. */
function useNewest<T>(value: T): RefObject<T> {
  const newest = useRef(value)
  useEffect(() => {
    newest.current = value
  })
  return newest
}

/**
 * Returns the actions for a conversation. Each shows its result at once.
 *
 * @param stopReading Ends what would mark it as read, before it is marked as unread.
 */
export function useActions(
  { id }: Conversation,
  stopReading: () => Promise<void>,
  ways: Ways,
): Actions {
  const client = useQueryClient()
  const latest = useNewest(ways)
  return useMemo(() => {
    const show = (answer: Partial<Conversation>): void => {
      changeConversations(client, id, (known) => ({ ...known, ...answer }))
    }
    const params = { id }
    const { setState, undo, close } = statesOf(id, show)
    const start = oneByOne()
    return {
      reopen: () => {
        start(() => setState('open'))
      },
      close: () => {
        start(() => close())
      },
      closeAndNext: (before = Promise.resolve(true)) => {
        const goOn = latest.current.after(id)
        const back = (): void => {
          latest.current.to(id)
        }
        before
          .then((isDone) => {
            if (isDone) start(() => close(back).then(goOn))
          })
          .catch(report)
      },
      snooze: (until) => {
        call('POST /api/conversations/{id}/snooze', { params, body: { until } })
          .then((answer) => {
            show(answer)
            notify(t('inbox.action.snoozed'), undo)
          })
          .catch(report)
      },
      handOver: (owner, { name, note }) => {
        const body = { ...owner, ...(note === '' ? {} : { note }) }
        call('PUT /api/conversations/{id}/owner', { params, body })
          .then((answer) => {
            show(answer)
            if (owner.to !== 'nobody') notify(t('inbox.assign.done', { name }))
          })
          .catch(report)
      },
      claim: () => {
        call('POST /api/conversations/{id}/claim', { params }).then(show).catch(report)
      },
      markUnread: () => {
        stopReading()
          .then(() => call('POST /api/conversations/{id}/unread', { params }))
          .then(({ unread_count }) => {
            show({ unread_count })
          })
          .catch(report)
      },
      setPriority: (priority) => {
        call('PUT /api/conversations/{id}', { params, body: { priority } }).then(show).catch(report)
      },
      takeOver: () => {
        call('POST /api/conversations/{id}/thread', { params, body: { action: 'take' } })
          .then(show)
          .catch(report)
      },
    }
  }, [client, id, stopReading, latest])
}
