import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { call, type Body } from '../../api/client'
import { callOnce } from '../../api/call-once'
import type { ScheduledMessage } from '../../api/shapes'
import { useMe } from '../../live/me'
import { refreshRows } from '../../live/rows'
import { serverNow } from '../../live/server-clock'
import { nameOf } from '../../parts/contact/name'
import { Confirm } from '../../parts/dialog'
import { MenuItem } from '../../parts/menu'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { EditDialog } from './edit-dialog'

const ROUTE = 'GET /api/scheduled-messages'
/** How far ahead a time has to be so that a message can be scheduled for it again, milliseconds. */
const AHEAD_MS = 90_000

/** Returns the body that schedules a cancelled message again. */
const againOf = (one: ScheduledMessage): Body<'POST /api/scheduled-messages'> =>
  ({
    contact_id: one.contact_id,
    account_id: one.account_id,
    message: one.message,
    send_at: one.send_at,
    cancel_on_reply: one.cancel_on_reply,
    fallback_template: one.fallback_template,
  }) as Body<'POST /api/scheduled-messages'> // what the server stored, it takes again

/** Returns what the server can be asked to do with a message that waits. */
function useCalls() {
  const client = useQueryClient()
  const me = useMe()
  const refresh = (): void => {
    refreshRows(client, ROUTE).catch(report)
  }
  const cancel = (one: ScheduledMessage, isUndoable: boolean): void => {
    const undo = (): void => {
      callOnce('POST /api/scheduled-messages', { body: againOf(one) })
        .then(refresh)
        .catch(report)
    }
    call('DELETE /api/scheduled-messages/{id}', { params: { id: one.id } })
      .then(() => {
        refresh()
        notify(t('records.scheduled.cancelled'), isUndoable ? undo : undefined)
      })
      .catch(report)
  }
  // another person's would come back as one's own, and maybe with masked numbers
  const isUndoable = (one: ScheduledMessage): boolean =>
    one.created_by?.id === me.id && Date.parse(one.send_at) - serverNow() > AHEAD_MS
  const sendNow = (one: ScheduledMessage): void => {
    call('POST /api/scheduled-messages/{id}/send-now', { params: { id: one.id } })
      .then(() => {
        refresh()
        notify(t('records.scheduled.sent-now', { name: nameOf(one.contact) }))
      })
      .catch(report)
  }
  return { cancel, isUndoable, sendNow }
}

/** Returns the menu of a message that waits, and the windows that it opens. */
export function useVerbs() {
  const client = useQueryClient()
  const [asked, setAsked] = useState<{ what: 'edit' | 'cancel'; one: ScheduledMessage } | null>(
    null,
  )
  const refresh = (): void => {
    refreshRows(client, ROUTE).catch(report)
  }
  const { cancel, isUndoable, sendNow } = useCalls()
  const menu = (one: ScheduledMessage) =>
    one.state === 'scheduled' && (
      <>
        <MenuItem
          icon="send"
          label={t('inbox.scheduled.now')}
          onAction={() => {
            sendNow(one)
          }}
        />
        <MenuItem
          icon="edit"
          label={t('records.scheduled.edit')}
          onAction={() => {
            setAsked({ what: 'edit', one })
          }}
        />
        <MenuItem
          icon="trash"
          isDangerous
          label={t('inbox.scheduled.cancel')}
          onAction={() => {
            if (isUndoable(one)) cancel(one, true)
            else setAsked({ what: 'cancel', one })
          }}
        />
      </>
    )
  const close = (): void => {
    setAsked(null)
  }
  const windows = asked && (
    <>
      {asked.what === 'edit' && (
        <EditDialog message={asked.one} onSaved={refresh} onClose={close} />
      )}
      <Confirm
        isOpen={asked.what === 'cancel'}
        title={t('records.scheduled.cancel-title', { name: nameOf(asked.one.contact) })}
        text={t('records.scheduled.cancel-text')}
        action={t('inbox.scheduled.cancel')}
        onClose={close}
        onConfirm={() => {
          cancel(asked.one, false)
        }}
      />
    </>
  )
  return { menu, windows }
}
