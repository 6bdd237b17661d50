import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'

import { callOnce } from '../../../api/call-once'
import { call } from '../../../api/client'
import type { Conversation, ScheduledMessage } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { invalidateSoon } from '../../../live/refresh'
import { FIRST } from '../../../live/start'
import { notify, report } from '../../../parts/toast'
import { formatDateTime } from '../../../texts/format'
import { t } from '../../../texts/texts'

const LIST = 'GET /api/scheduled-messages'

/** Returns the user's scheduled messages. They are loaded once; events keep them fresh. */
export const useScheduled = () => useApi(LIST, FIRST.scheduled, useCan('messages:create'))

/** When a message is to be sent. */
export interface Schedule {
  sendAt: string
  /** Whether it is not sent if the customer writes before. */
  isCancelledByReply: boolean
}

/** A text that is to be sent later. */
interface Later extends Schedule {
  text: string
  /** The message that it answers. */
  replyTo: string | null
  /** Gives the words back if the server does not take them. */
  onFailed: () => void
}

/** Returns what can be done with scheduled messages of a conversation. */
export function useScheduling({ contact, account_id: accountId }: Conversation) {
  const client = useQueryClient()
  const items = useScheduled().data?.items ?? []
  const underWay = useRef(new Set<string>())
  const refresh = (): void => {
    invalidateSoon(client, LIST)
  }
  return {
    items: items.filter((one) => one.contact_id === contact.id && one.account_id === accountId),
    /** Schedules a text. Returns whether it was taken: not if it is empty or being scheduled already. */
    schedule: ({ text, sendAt, isCancelledByReply, replyTo, onFailed }: Later): boolean => {
      if (text === '' || underWay.current.has(text)) return false
      underWay.current.add(text)
      callOnce('POST /api/scheduled-messages', {
        body: {
          contact_id: contact.id,
          account_id: accountId,
          message: { type: 'text', text, ...(replyTo === null ? {} : { reply_to: replyTo }) },
          send_at: sendAt,
          cancel_on_reply: isCancelledByReply,
        },
      })
        .then(() => {
          refresh()
          notify(t('inbox.scheduled.done', { time: formatDateTime(sendAt) }))
        })
        .catch((error: unknown) => {
          onFailed()
          report(error)
        })
        .finally(() => underWay.current.delete(text))
      return true
    },
    sendNow: ({ id }: ScheduledMessage) => {
      call('POST /api/scheduled-messages/{id}/send-now', { params: { id } })
        .then(refresh)
        .catch(report)
    },
    cancel: ({ id }: ScheduledMessage) => {
      call('DELETE /api/scheduled-messages/{id}', { params: { id } }).then(refresh).catch(report)
    },
  }
}
