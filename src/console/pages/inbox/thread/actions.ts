import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'

import { call } from '../../../api/client'
import type { Conversation } from '../../../api/shapes'
import { changeConversations } from '../../../live/patch-conversations'
import { notify, report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import type { Owner } from './assign-picker'

/** What a person can do with a conversation. */
export interface Actions {
  close: () => void
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

/**
 * Returns the actions for a conversation. Each shows its result at once.
 *
 * @param stopReading Ends what would mark it as read, before it is marked as unread.
 */
export function useActions({ id }: Conversation, stopReading: () => Promise<void>): Actions {
  const client = useQueryClient()
  return useMemo(() => {
    const show = (answer: Partial<Conversation>): void => {
      changeConversations(client, id, (known) => ({ ...known, ...answer }))
    }
    const params = { id }
    const setState = (state: 'open' | 'closed'): Promise<void> =>
      call('PUT /api/conversations/{id}', { params, body: { state } }).then(show)
    const undo = (): void => {
      setState('open').catch(report)
    }
    const start = oneByOne()
    return {
      reopen: () => {
        start(() => setState('open'))
      },
      close: () => {
        start(() =>
          setState('closed').then(() => {
            notify(t('inbox.action.closed'), undo)
          }),
        )
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
  }, [client, id, stopReading])
}
