import { useRef, useState } from 'react'

import type { Conversation, Template } from '../../../api/shapes'
import { newRef } from '../../../live/outbox'
import { useOutbox } from '../../../live/outbox-context'
import { useApi } from '../../../live/query'
import { Button, IconButton, PlainButton } from '../../../parts/button'
import { TextField } from '../../../parts/field'
import { filledIn, messageOf } from '../../../parts/phone/message'
import { PhonePreview } from '../../../parts/phone/preview'
import { SearchBox } from '../../../parts/search-box'
import { Problem, Skeleton } from '../../../parts/state'
import { t } from '../../../texts/texts'
import { nameOf } from '../../../parts/contact/name'
import { NoTemplates } from './no-templates'
import { Cost } from './template-cost'
import { asksForName } from './template-name'

interface Props {
  conversation: Conversation
  onSent: () => void
}

/** Templates, which can be sent at any time: the recently used ones first. */
export function TemplatePicker({ conversation, onSent }: Props) {
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<Template | null>(null)
  const { data, error, isPending, refetch } = useApi('GET /api/templates', {
    query: {
      account_id: conversation.account_id,
      sendable: true,
      limit: 30,
      ...(search.trim() === '' ? {} : { search: search.trim() }),
    },
  })
  if (chosen)
    return (
      <TemplateForm
        conversation={conversation}
        template={chosen}
        onBack={() => {
          setChosen(null)
        }}
        onSent={() => {
          // while the window is closed, the templates stay
          setChosen(null)
          setSearch('')
          onSent()
        }}
      />
    )
  const items = (data?.items ?? []).toSorted((one, other) =>
    (other.usage.last_sent_at ?? '').localeCompare(one.usage.last_sent_at ?? ''),
  )
  return (
    <div className="templates">
      <SearchBox label={t('inbox.template.search')} value={search} onChange={setSearch} />
      {isPending && <Skeleton shape="line" rows={3} />}
      {error !== null && (
        <Problem
          error={error}
          onRetry={() => {
            refetch().catch(() => undefined)
          }}
        />
      )}
      {data && items.length === 0 && <NoTemplates accountId={conversation.account_id} />}
      <ul>
        {items.map((template) => (
          <li key={template.id}>
            <PlainButton
              className="template-item"
              onPress={() => {
                setChosen(template)
              }}
            >
              <b>
                <bdi dir="ltr">{template.display_name}</bdi>
              </b>
              <span className="muted small">{template.language}</span>
              <span className="muted block" dir="auto">
                {bodyOf(template)}
              </span>
            </PlainButton>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Returns the words of a template with its placeholders. */
function bodyOf({ components }: Template): string {
  const body = components.find(({ type }) => type === 'BODY')
  return typeof body?.['text'] === 'string' ? body['text'] : ''
}

type Values = Record<string, string>

/** The values of a template that are asked for here: those of its body and of a text header. */
const askedOf = ({ variables }: Template) =>
  variables.filter(({ component, card }) => component !== 'LIMITED_TIME_OFFER' && card === null)

const nameOfValue = ({ component, key, index }: Template['variables'][number]): string =>
  `${component} ${index ?? ''} ${key}`

/** Returns the values of one component as the API takes them. */
function paramsOf(template: Template, component: string, values: Values): Values {
  return Object.fromEntries(
    askedOf(template)
      .filter((one) => one.component === component)
      .map((one) => [
        one.component === 'BUTTONS' ? String(one.index ?? one.key) : one.key,
        values[nameOfValue(one)] ?? '',
      ]),
  )
}

interface FormProps extends Props {
  template: Template
  onBack: () => void
}

/** The values of a template, what it looks like, and what it costs. */
function TemplateForm({ conversation, template, onBack, onSent }: FormProps) {
  const outbox = useOutbox()
  const isSent = useRef(false)
  const asked = askedOf(template)
  const [values, setValues] = useState<Values>(() => firstValues(template, conversation))
  const shown = filledIn(bodyOf(template), paramsOf(template, 'BODY', values))
  const isComplete = asked.every((one) => !one.required || (values[nameOfValue(one)] ?? '') !== '')
  const body = {
    template_params: paramsOf(template, 'BODY', values),
    header_params: paramsOf(template, 'HEADER', values),
    button_params: paramsOf(template, 'BUTTONS', values),
  }
  const send = (): void => {
    if (isSent.current) return
    isSent.current = true
    const ref = newRef()
    const message = {
      type: 'template' as const,
      client_ref: ref,
      template_id: template.id,
      ...body,
    }
    outbox.send({ ref, conversationId: conversation.id, body: message, preview: shown })
    onSent()
  }
  return (
    <div className="template-form">
      <header>
        <IconButton icon="left" label={t('inbox.template.back')} onPress={onBack} />
        <b className="grow">{template.display_name}</b>
        <Button look="primary" icon="send" isDisabled={!isComplete} onPress={send}>
          {t('inbox.template.send')}
        </Button>
      </header>
      <div className="template-columns">
        <div className="form">
          {asked.map((one) => (
            <TextField
              key={nameOfValue(one)}
              label={t('inbox.template.value', { name: one.key })}
              placeholder={one.example ?? ''}
              isRequired={one.required}
              value={values[nameOfValue(one)] ?? ''}
              onChange={(value) => {
                setValues({ ...values, [nameOfValue(one)]: value })
              }}
            />
          ))}
          {asked.length === 0 && <p className="muted">{t('inbox.template.no-values')}</p>}
        </div>
        <div>
          <PhonePreview
            message={messageOf(template, {
              body: body.template_params,
              header: body.header_params,
              buttons: body.button_params,
              mediaId: template.header_media_id,
            })}
          />
          <Cost
            template={template}
            contactId={conversation.contact.id}
            values={isComplete ? body : null}
          />
        </div>
      </div>
    </div>
  )
}

/** Fills in the name of the customer where the template asks for it. */
function firstValues(template: Template, { contact }: Conversation): Values {
  if (contact.display_name === null) return {}
  const body = bodyOf(template)
  const first = askedOf(template).find((one) => one.component === 'BODY' && asksForName(one, body))
  return first ? { [nameOfValue(first)]: nameOf(contact) } : {}
}
