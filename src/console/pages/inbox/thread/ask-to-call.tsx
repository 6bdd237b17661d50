import { callOnce } from '../../../api/call-once'
import type { Conversation } from '../../../api/shapes'
import { TextArea, textOf } from '../../../parts/field'
import { FormDialog } from '../../../parts/form-dialog'
import { notify } from '../../../parts/toast'
import { t } from '../../../texts/texts'

const MAX_LENGTH = 1024

interface Props {
  conversation: Conversation
  onClose: () => void
}

/** The window in which a customer is asked for the permission to be called. */
export function AskToCall({ conversation, onClose }: Props) {
  const ask = async (data: FormData): Promise<void> => {
    await callOnce('POST /api/contacts/{id}/call-permission', {
      params: { id: conversation.contact.id },
      body: { account_id: conversation.account_id, text: textOf(data, 'text').trim() },
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
