import { callOnce } from '../../api/call-once'
import { useApi } from '../../live/query'
import { formatDateTime } from '../../texts/format'
import { TextArea, textOf } from '../field'
import { FormDialog } from '../form-dialog'
import { notify } from '../toast'
import { t } from '../../texts/texts'

const MAX_LENGTH = 1024

interface Props {
  contactId: string
  /** The number that wants to call. */
  accountId: string
  onClose: () => void
}

/** The window that tells whether a customer may be called, and asks for the permission. */
export function AskToCall({ contactId, accountId, onClose }: Props) {
  const known = useApi('GET /api/contacts/{id}/call-permission', {
    params: { id: contactId },
    query: { account_id: accountId },
  }).data
  const ask = async (data: FormData): Promise<void> => {
    await callOnce('POST /api/contacts/{id}/call-permission', {
      params: { id: contactId },
      body: { account_id: accountId, text: textOf(data, 'text').trim() },
    })
    notify(t('inbox.call.asked'))
  }
  return (
    <FormDialog
      title={t('inbox.call.ask')}
      submit={t('inbox.composer.send')}
      onClose={onClose}
      onSave={ask}
    >
      {known && (
        <p>
          {t(`records.permission.${known.state}`, {
            time: known.expires_at === null ? '' : formatDateTime(known.expires_at),
          })}
          {known.next_request_at !== null && (
            <> {t('records.permission.next', { time: formatDateTime(known.next_request_at) })}</>
          )}
        </p>
      )}
      <TextArea
        name="text"
        label={t('inbox.call.ask-text')}
        hint={t('inbox.call.ask-hint')}
        defaultValue={t('inbox.call.ask-default')}
        isRequired
        maxLength={MAX_LENGTH}
        rows={3}
        autoFocus
      />
    </FormDialog>
  )
}
