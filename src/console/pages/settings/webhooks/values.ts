import type { WebhookEndpoint } from '../../../api/shapes'
import type { Body } from '../../../api/client'
import type { Merge } from '../../../parts/merge'
import { t, type TextKey } from '../../../texts/texts'
import { headersIn, headersOf, type Header } from '../../../parts/headers-field'

/** What the form of an endpoint changes. */
export type Values = Pick<
  WebhookEndpoint,
  | 'name'
  | 'url'
  | 'events'
  | 'account_ids'
  | 'ordering'
  | 'concurrency'
  | 'rate_per_second'
  | 'include_phone_numbers'
  | 'updated_at'
> & { headers: Header[] }

/** Returns what the form shows of an endpoint. */
export const valuesOf = (endpoint: WebhookEndpoint): Values => ({
  name: endpoint.name,
  url: endpoint.url,
  events: endpoint.events,
  account_ids: endpoint.account_ids,
  headers: headersIn(endpoint.headers),
  ordering: endpoint.ordering,
  concurrency: endpoint.concurrency,
  rate_per_second: endpoint.rate_per_second,
  include_phone_numbers: endpoint.include_phone_numbers,
  updated_at: endpoint.updated_at,
})

/** A new endpoint before anything is written, with the defaults of the server. */
export const EMPTY: Values = {
  ...{ name: '', url: '', events: ['*'], account_ids: [], headers: [], ordering: 'none' },
  ...{ concurrency: 8, rate_per_second: null, include_phone_numbers: true, updated_at: '' },
}

/** Returns changes as the API takes them. */
export function bodyOf(changes: Partial<Values>): Body<'PUT /api/webhooks/{id}'> {
  const { headers, updated_at: _, ...rest } = changes
  return { ...rest, ...(headers ? { headers: headersOf(headers) } : {}) }
}

const LABELS = {
  name: 'settings.field.name',
  url: 'webhooks.url',
  events: 'webhooks.events',
  account_ids: 'webhooks.numbers',
  headers: 'webhooks.headers',
  ordering: 'webhooks.ordering',
  concurrency: 'webhooks.concurrency',
  rate_per_second: 'webhooks.rate',
  include_phone_numbers: 'webhooks.whole-numbers',
  updated_at: 'settings.field.name',
} as const satisfies Record<keyof Values, TextKey>

/** How the page shows what somebody else saved meanwhile. */
export const MERGE: Merge<Values> = {
  read: (present) => valuesOf(present as WebhookEndpoint),
  label: (field) => t(LABELS[field]),
  show: (field, value) =>
    field === 'ordering'
      ? t(`webhooks.ordering.${value as Values['ordering']}`)
      : field === 'headers'
        ? (value as Header[]).map(({ name }) => name).join(', ')
        : null,
}
