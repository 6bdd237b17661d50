import type { Body } from '../../../api/client'
import type { CustomAction } from '../../../api/shapes'
import type { Merge } from '../../../parts/merge'
import { t, type TextKey } from '../../../texts/texts'
import { headersIn, headersOf, type Header } from '../../../parts/headers-field'

/** What the form of a custom action changes. */
export interface Values {
  name: string
  is_active: boolean
  display_order: number
  action_type: 'webhook' | 'url'
  url: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers: Header[]
  /** The text of the request; `null` for what the server sends by itself. */
  body: string | null
  open_in_new_tab: boolean
  updated_at: string
}

/** A new action before anything is written, with the defaults of the server. */
export const EMPTY: Values = {
  ...{ name: '', is_active: true, display_order: 0, action_type: 'webhook', url: '' },
  ...{ method: 'POST', headers: [], body: null, open_in_new_tab: true, updated_at: '' },
}

/** Returns what the form shows of an action. */
export const valuesOf = ({ config, ...action }: CustomAction): Values => ({
  name: action.name,
  is_active: action.is_active,
  display_order: action.display_order,
  action_type: action.action_type,
  url: config.url,
  method: config.method ?? EMPTY.method,
  headers: headersIn(config.headers ?? {}),
  body: config.body ?? null,
  open_in_new_tab: config.open_in_new_tab ?? EMPTY.open_in_new_tab,
  updated_at: action.updated_at,
})

const OF_CONFIG = ['action_type', 'url', 'method', 'headers', 'body', 'open_in_new_tab'] as const

type Config = Body<'POST /api/custom-actions'>['config']

/** Returns the configuration as the API takes it, as a whole. */
export const configOf = (values: Values): Config =>
  values.action_type === 'url'
    ? { url: values.url, open_in_new_tab: values.open_in_new_tab }
    : {
        ...{ url: values.url, method: values.method, headers: headersOf(values.headers) },
        body: values.method === 'GET' ? null : values.body,
      }

/** Returns changes of an action as the API takes them. */
export function changesOf(
  changes: Partial<Values>,
  seen: Values,
): Body<'PUT /api/custom-actions/{id}'> {
  const { name, is_active, display_order } = changes
  const after = { ...seen, ...changes }
  return {
    ...(name === undefined ? {} : { name }),
    ...(is_active === undefined ? {} : { is_active }),
    ...(display_order === undefined ? {} : { display_order }),
    ...(OF_CONFIG.some((field) => field in changes)
      ? { action_type: after.action_type, config: configOf(after) }
      : {}),
  }
}

const LABELS = {
  name: 'settings.field.name',
  is_active: 'actions.active',
  display_order: 'actions.position',
  action_type: 'actions.type',
  url: 'actions.url',
  method: 'actions.method',
  headers: 'webhooks.headers',
  body: 'actions.body',
  open_in_new_tab: 'actions.new-tab',
  updated_at: 'settings.field.name',
} as const satisfies Record<keyof Values, TextKey>

/** How the page shows what somebody else saved meanwhile. */
export const MERGE: Merge<Values> = {
  read: (present) => valuesOf(present as CustomAction),
  label: (field) => t(LABELS[field]),
  show: (field, value) =>
    field === 'action_type'
      ? t(`actions.type.${value as Values['action_type']}`)
      : field === 'headers'
        ? (value as Header[]).map(({ name }) => name).join(', ')
        : field === 'body' && value === null
          ? t('actions.body.usual')
          : null,
}
