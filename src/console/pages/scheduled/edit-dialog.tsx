import { useState } from 'react'

import { call, type Body } from '../../api/client'
import type { ScheduledMessage } from '../../api/shapes'
import { useMe } from '../../live/me'
import { differing } from '../../parts/draft'
import { TextArea, textOf } from '../../parts/field'
import { LaterDialog } from '../../parts/later-dialog'
import { useMerged, type Merge } from '../../parts/merge'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'

/** How far ahead a message may be scheduled. */
const MOST_DAYS = 30
const MAX_LENGTH = 4_096

type Changes = Body<'PUT /api/scheduled-messages/{id}'>
type Values = Pick<ScheduledMessage, 'send_at' | 'updated_at'> & { text: string }

const textOfMessage = ({ message: { text } }: ScheduledMessage): string =>
  typeof text === 'string' ? text : ''

const valuesOf = (one: ScheduledMessage): Values => ({
  ...{ send_at: one.send_at, updated_at: one.updated_at, text: textOfMessage(one) },
})

const MERGE: Merge<Values> = {
  read: (present) => valuesOf(present as ScheduledMessage),
  label: (field) => t(field === 'text' ? 'records.scheduled.message' : 'records.scheduled.time'),
  show: (field, value) => (field === 'send_at' ? formatDateTime(String(value)) : null),
}

/** Times are chosen to the minute, milliseconds. */
const MINUTE_MS = 60_000
const minuteOf = (time: string): number => Math.floor(Date.parse(time) / MINUTE_MS)

interface Props {
  message: ScheduledMessage
  onSaved: () => void
  onClose: () => void
}

/** Changes when a message is sent, and what it says. */
export function EditDialog({ message: one, onSaved, onClose }: Props) {
  const me = useMe()
  const merged = useMerged(MERGE)
  // as it was when the window was opened
  const [seen] = useState(() => valuesOf(one))
  // the text of somebody else's may be shown with masked numbers, which must not be saved
  const isWhole =
    one.created_by?.id === me.id ||
    !me.organization.settings.mask_phone_numbers ||
    me.permissions.includes('contacts:unmask')
  const hasText = isWhole && seen.text !== ''
  const save = async (sendAt: string, data: FormData): Promise<void> => {
    const mine = differing<Values>(
      {
        ...(minuteOf(sendAt) === minuteOf(seen.send_at) ? {} : { send_at: sendAt }),
        ...(hasText ? { text: textOf(data, 'text').trim() } : {}),
      },
      seen,
    )
    if (Object.keys(mine).length === 0) return
    await merged.save(mine, seen, async ({ text, ...changes }, { updated_at: ifMatch }) => {
      const body = {
        ...changes,
        ...(text === undefined ? {} : { message: { ...one.message, text } }),
      } as Changes // the fields that were stored
      await call('PUT /api/scheduled-messages/{id}', { params: { id: one.id }, body, ifMatch })
    })
    onSaved()
  }
  return (
    <>
      <LaterDialog
        title={t('records.scheduled.edit')}
        submit={t('parts.action.save')}
        mostDays={MOST_DAYS}
        at={seen.send_at}
        onChoose={save}
        onClose={onClose}
      >
        {hasText && (
          <TextArea
            name="text"
            label={t('records.scheduled.message')}
            defaultValue={seen.text}
            isRequired
            maxLength={MAX_LENGTH}
            rows={4}
          />
        )}
      </LaterDialog>
      {merged.windows}
    </>
  )
}
