import { useRef, useState } from 'react'

import type { Conversation, Template } from '../../../api/shapes'
import { newRef } from '../../../live/outbox'
import { useOutbox } from '../../../live/outbox-context'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Button, IconButton } from '../../../parts/button'
import { nameOf } from '../../../parts/contact/name'
import { filledIn, messageOf } from '../../../parts/phone/message'
import { PhonePreview } from '../../../parts/phone/preview'
import { Cost } from '../../../parts/template/cost'
import { titleOf } from '../../../parts/template/title'
import { ValueFields } from '../../../parts/template/value-fields'
import {
  bodyOf,
  firstValues,
  isReadyWith,
  paramsOf,
  shownValues,
  type Values,
} from '../../../parts/template/values'
import { t } from '../../../texts/texts'
import { useRecentTemplates } from './recent-templates'

interface Props {
  conversation: Conversation
  template: Template
  onBack: () => void
  onSent: () => void
}

/** The values of a template, what it looks like, and what it costs. */
export function TemplateForm({ conversation, template, onBack, onSent }: Props) {
  const { contact } = conversation
  const outbox = useOutbox()
  const isSent = useRef(false)
  const { remember } = useRecentTemplates()
  const [typed, setTyped] = useState<Values>({})
  const [own, setOwn] = useState<string | null>(null)
  const mayRead = useCan('contacts:read')
  const known =
    useApi('GET /api/contacts/{id}', { params: { id: contact.id } }, mayRead).data ?? null
  const name = contact.display_name === null ? null : nameOf(contact)
  const values = { ...firstValues(template, name, known), ...typed }
  const mediaId = own ?? template.header_media_id
  const params = paramsOf(template, values, own)
  const isReady = isReadyWith(template, values, mediaId)
  const set = (variable: string, value: string): void => {
    setTyped((before) => ({ ...before, [variable]: value }))
  }
  const send = (): void => {
    if (isSent.current) return
    isSent.current = true
    const ref = newRef()
    const preview = filledIn(bodyOf(template), params.template_params as Values)
    const message = { type: 'template' as const, client_ref: ref, template_id: template.id }
    const body = { ...message, ...params }
    outbox.send({ ref, conversationId: conversation.id, body, preview })
    remember(template.id)
    onSent()
  }
  return (
    <div className="template-form">
      <header>
        <IconButton icon="left" label={t('inbox.template.back')} onPress={onBack} />
        <b className="grow">
          <bdi>{titleOf(template)}</bdi>
        </b>
        <Button look="primary" icon="send" isDisabled={!isReady} onPress={send}>
          {t('inbox.template.send')}
        </Button>
      </header>
      <div className="template-columns">
        <div className="form">
          <ValueFields
            template={template}
            values={values}
            onChange={set}
            own={own}
            onFile={setOwn}
          />
        </div>
        <div>
          <PhonePreview message={messageOf(template, shownValues(params, mediaId))} />
          <Cost template={template} contactId={contact.id} values={isReady ? params : null} />
        </div>
      </div>
    </div>
  )
}
