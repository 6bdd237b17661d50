import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { AddressField } from '../../../parts/address-field'
import { Switch } from '../../../parts/choice'
import { CodeEditor, type Variable } from '../../../parts/code/code-field'
import type { Draft } from '../../../parts/draft'
import { NumberField, TextField } from '../../../parts/field'
import { Section } from '../../../parts/page'
import { Select } from '../../../parts/select'
import { t } from '../../../texts/texts'
import { HeadersField } from '../../../parts/headers-field'
import type { Values } from './values'

interface Props {
  draft: Draft<Values>
}

const METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'] as const

/** Values of a contact that most actions need, besides custom fields. */
const USUAL = [
  ...['contact.name', 'contact.phone_number', 'contact.id', 'contact.email', 'contact.language'],
  ...['user.name', 'user.email', 'organization.name'],
]

/** Returns the names that can stand in double braces. */
function useVariables(): Variable[] {
  const query = { limit: 100 }
  const fields = useApi('GET /api/contact-attributes', { query }, useCan('contacts:read')).data
  return [
    ...USUAL.map((name) => ({ name })),
    ...(fields?.items ?? []).map(({ key, label }) => ({
      name: `contact.attributes.${key}`,
      hint: label,
    })),
  ]
}

/** How the server calls the program: method, headers and text. */
function Request({ draft: { value, set } }: Props) {
  const variables = useVariables()
  const isOther = value.headers.some(
    ({ name, value: type }) => name.trim().toLowerCase() === 'content-type' && !/json/i.test(type),
  )
  return (
    <Section title={t('actions.request')} hint={t('actions.request-hint')}>
      <div className="form">
        <Select
          name="config.method"
          label={t('actions.method')}
          choices={METHODS.map((id) => ({ id, label: id }))}
          value={value.method}
          onChange={(method) => {
            set({ method })
          }}
        />
        <HeadersField
          path="config.headers"
          headers={value.headers}
          onChange={(headers) => {
            set({ headers })
          }}
        />
        {value.method !== 'GET' && (
          <Select
            label={t('actions.body')}
            choices={(['usual', 'own'] as const).map((id) => ({
              id,
              label: t(`actions.body.${id}`),
            }))}
            value={value.body === null ? 'usual' : 'own'}
            onChange={(body) => {
              set({ body: body === 'usual' ? null : '{\n  "name": "{{contact.name}}"\n}' })
            }}
          />
        )}
        {value.method !== 'GET' && value.body !== null && (
          <CodeEditor
            label={t('actions.body-text')}
            hint={t('actions.body-hint')}
            language={isOther ? 'liquid' : 'json'}
            variables={variables}
            value={value.body}
            onChange={(body) => {
              set({ body })
            }}
          />
        )}
      </div>
    </Section>
  )
}

/** What a custom action is called, does, and where it stands. */
export function ActionFields({ draft }: Props) {
  const { value, set } = draft
  const isWebhook = value.action_type === 'webhook'
  return (
    <>
      <Section title={t('actions.what')} hint={t('actions.what-hint')}>
        <div className="form">
          <TextField
            name="name"
            label={t('settings.field.name')}
            value={value.name}
            onChange={(name) => {
              set({ name })
            }}
            isRequired
            maxLength={100}
          />
          <Select
            label={t('actions.type')}
            choices={(['webhook', 'url'] as const).map((id) => ({
              id,
              label: t(`actions.type.${id}`),
            }))}
            value={value.action_type}
            onChange={(type) => {
              set({ action_type: type })
            }}
          />
          <AddressField
            name="config.url"
            label={t('actions.url')}
            hint={t('actions.url-hint', { example: '{{contact.phone_number}}' })}
            value={value.url}
            onChange={(url) => {
              set({ url })
            }}
          />
          {!isWebhook && (
            <Switch
              isSelected={value.open_in_new_tab}
              onChange={(isOn) => {
                set({ open_in_new_tab: isOn })
              }}
            >
              {t('actions.new-tab')}
            </Switch>
          )}
          <NumberField
            name="display_order"
            label={t('actions.position')}
            hint={t('actions.position-hint')}
            value={value.display_order}
            range={[0, 10_000]}
            onChange={(order) => {
              set({ display_order: order })
            }}
          />
          <Switch
            isSelected={value.is_active}
            onChange={(isOn) => {
              set({ is_active: isOn })
            }}
          >
            {t('actions.active')}
          </Switch>
        </div>
      </Section>
      {isWebhook && <Request draft={draft} />}
    </>
  )
}
