import { useRef, useState } from 'react'

import type { Conversation, Template } from '../../../api/shapes'
import { newRef } from '../../../live/outbox'
import { useOutbox } from '../../../live/outbox-context'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { serverNow } from '../../../live/server-clock'
import { Button, IconButton } from '../../../parts/button'
import { nameOf } from '../../../parts/contact/name'
import { DateField } from '../../../parts/date-field'
import { TextField } from '../../../parts/field'
import { filledIn, messageOf } from '../../../parts/phone/message'
import { PhonePreview } from '../../../parts/phone/preview'
import { Trouble } from '../../../parts/state'
import { nameOfVariable, wordsOf, type Variable } from '../../../parts/template/variables'
import { dayOf, endOfDay } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { useRecentTemplates } from './recent-templates'
import { Cost } from './template-cost'
import { TemplateFile, TemplatePlace } from './template-header'
import {
  beyondOf,
  bodyOf,
  firstValues,
  hasOfferEnd,
  hasPlace,
  isComplete,
  OFFER_END,
  paramsOf,
  shownValues,
  type Values,
} from './template-values'

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
  const isReady = beyondOf(template).length === 0 && isComplete(template, values, mediaId)
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
        <b className="grow">{template.display_name}</b>
        <Button look="primary" icon="send" isDisabled={!isReady} onPress={send}>
          {t('inbox.template.send')}
        </Button>
      </header>
      <div className="template-columns">
        <div className="form">
          {beyondOf(template).length > 0 && <Trouble>{t('inbox.template.beyond')}</Trouble>}
          <TemplateFile template={template} own={own} onChange={setOwn} />
          {hasPlace(template) && <TemplatePlace values={values} onChange={set} />}
          <Words template={template} values={values} onChange={set} />
        </div>
        <div>
          <PhonePreview message={messageOf(template, shownValues(params, mediaId))} />
          <Cost template={template} contactId={contact.id} values={isReady ? params : null} />
        </div>
      </div>
    </div>
  )
}

interface WordsProps {
  template: Template
  values: Values
  onChange: (name: string, value: string) => void
}

/** A field for each value of a template that is written. */
function Words({ template, values, onChange }: WordsProps) {
  const words = wordsOf(template)
  const end = values[OFFER_END] ?? ''
  if (template.variables.length === 0)
    return <p className="muted">{t('inbox.template.no-values')}</p>
  return (
    <>
      {words.map((one) => {
        const name = nameOfVariable(one)
        return (
          <TextField
            key={name}
            label={labelOf(one)}
            placeholder={one.example ?? ''}
            isRequired={one.required}
            value={values[name] ?? ''}
            onChange={(value) => {
              onChange(name, value)
            }}
          />
        )
      })}
      {hasOfferEnd(template) && (
        <DateField
          label={t('wizard.what.offer-ends')}
          value={end === '' ? null : dayOf(Date.parse(end) - 1)}
          first={dayOf(serverNow())}
          onChange={(day) => {
            onChange(OFFER_END, new Date(endOfDay(day)).toISOString())
          }}
        />
      )}
    </>
  )
}

function labelOf({ component, key, index, card }: Variable): string {
  const name =
    component === 'BUTTONS'
      ? t('wizard.what.in-button', { number: (index ?? 0) + 1 })
      : t('inbox.template.value', { name: key })
  return card === null ? name : t('wizard.what.in-card', { number: card + 1, name })
}
