import { call, type Body } from '../../api/client'
import type { ScheduledMessage } from '../../api/shapes'
import { useMe } from '../../live/me'
import { TextArea, textOf } from '../../parts/field'
import { LaterDialog } from '../../parts/later-dialog'
import { t } from '../../texts/texts'

/** How far ahead a message may be scheduled. */
const MOST_DAYS = 30
const MAX_LENGTH = 4_096

type Changes = Body<'PUT /api/scheduled-messages/{id}'>

interface Props {
  message: ScheduledMessage
  onSaved: () => void
  onClose: () => void
}

/** Changes when a message is sent, and what it says. */
export function EditDialog({ message: one, onSaved, onClose }: Props) {
  const me = useMe()
  // the text of somebody else's may be shown with masked numbers, which must not be saved
  const isWhole =
    one.created_by?.id === me.id ||
    !me.organization.settings.mask_phone_numbers ||
    me.permissions.includes('contacts:unmask')
  const { text } = one.message
  const hasText = isWhole && typeof text === 'string'
  return (
    <LaterDialog
      title={t('records.scheduled.edit')}
      submit={t('parts.action.save')}
      mostDays={MOST_DAYS}
      at={one.send_at}
      onChoose={async (sendAt, data) => {
        const words = hasText ? textOf(data, 'text').trim() : text
        const changes = {
          send_at: sendAt,
          ...(words === text ? {} : { message: { ...one.message, text: words } }),
        } as Changes // the fields that were stored
        await call('PUT /api/scheduled-messages/{id}', { params: { id: one.id }, body: changes })
        onSaved()
      }}
      onClose={onClose}
    >
      {hasText && (
        <TextArea
          name="text"
          label={t('records.scheduled.message')}
          defaultValue={text}
          isRequired
          maxLength={MAX_LENGTH}
          rows={4}
        />
      )}
    </LaterDialog>
  )
}
