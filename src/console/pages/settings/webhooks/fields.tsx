import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { AddressField } from '../../../parts/address-field'
import { Checkbox, Switch } from '../../../parts/choice'
import type { Draft } from '../../../parts/draft'
import { NumberField, TextField } from '../../../parts/field'
import { Section } from '../../../parts/page'
import { Select } from '../../../parts/select'
import { t } from '../../../texts/texts'
import { HeadersField } from '../../../parts/headers-field'
import { EventsField } from './events-field'
import type { Values } from './values'

interface Props {
  draft: Draft<Values>
}

/** The numbers whose events are sent. None chosen means all of them. */
function Numbers({ draft: { value, set } }: Props) {
  const query = { limit: 100 }
  const accounts = useApi('GET /api/accounts', { query }, useCan('accounts:read')).data?.items ?? []
  if (accounts.length < 2 && value.account_ids.length === 0) return null
  return (
    <fieldset className="rights">
      <legend>{t('webhooks.numbers')}</legend>
      <p className="muted small">{t('webhooks.numbers-hint')}</p>
      {accounts.map(({ id, name }) => (
        <Checkbox
          key={id}
          isSelected={value.account_ids.includes(id)}
          onChange={(isOn) => {
            const others = value.account_ids.filter((one) => one !== id)
            set({ account_ids: isOn ? [...others, id] : others })
          }}
        >
          <bdi>{name}</bdi>
        </Checkbox>
      ))}
    </fieldset>
  )
}

/** How fast events are sent, in which order, and what of the customers is in them. */
function How({ draft }: Props) {
  const { value, set } = draft
  return (
    <Section title={t('webhooks.how')} hint={t('webhooks.how-hint')}>
      <div className="form">
        <Numbers draft={draft} />
        <Switch
          isSelected={value.include_phone_numbers}
          onChange={(isOn) => {
            set({ include_phone_numbers: isOn })
          }}
        >
          {t('webhooks.whole-numbers')}
        </Switch>
        <Select
          label={t('webhooks.ordering')}
          choices={(['none', 'per_contact'] as const).map((id) => ({
            id,
            label: t(`webhooks.ordering.${id}`),
          }))}
          value={value.ordering}
          onChange={(ordering) => {
            set({ ordering })
          }}
        />
        <NumberField
          name="concurrency"
          label={t('webhooks.concurrency')}
          value={value.concurrency}
          range={[1, 32]}
          onChange={(concurrency) => {
            set({ concurrency })
          }}
        />
        <NumberField
          name="rate_per_second"
          label={t('webhooks.rate')}
          hint={t('webhooks.rate-hint')}
          value={value.rate_per_second}
          range={[1, 1_000]}
          onChange={(rate) => {
            set({ rate_per_second: rate })
          }}
          onClear={() => {
            set({ rate_per_second: null })
          }}
        />
      </div>
    </Section>
  )
}

/** Where events go, which ones, and how they are sent. */
export function EndpointFields({ draft }: Props) {
  const { value, set } = draft
  return (
    <>
      <Section title={t('webhooks.where')} hint={t('webhooks.where-hint')}>
        <div className="form">
          <TextField
            name="name"
            label={t('settings.field.name')}
            value={value.name}
            onChange={(name) => {
              set({ name })
            }}
            isRequired
            maxLength={255}
          />
          <AddressField
            name="url"
            label={t('webhooks.url')}
            hint={t('webhooks.url-hint')}
            value={value.url}
            onChange={(url) => {
              set({ url })
            }}
          />
          <HeadersField
            path="headers"
            headers={value.headers}
            onChange={(headers) => {
              set({ headers })
            }}
          />
        </div>
      </Section>
      <Section title={t('webhooks.events')} hint={t('webhooks.events-hint')}>
        <EventsField
          chosen={value.events}
          onChange={(events) => {
            set({ events })
          }}
        />
      </Section>
      <How draft={draft} />
    </>
  )
}
