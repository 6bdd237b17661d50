import type { Body } from '../../api/client'
import type { Flow } from '../../api/shapes'
import { headersIn, headersOf, type Header } from '../../parts/headers-field'
import type { Merge } from '../../parts/merge'
import { formatList } from '../../texts/format'
import { t, type TextKey } from '../../texts/texts'
import type { CATEGORIES } from './words'

/** What the editor of a form changes. */
export interface Values {
  name: string
  categories: string[]
  /** The form as text. */
  code: string
  mode: Flow['endpoint_mode']
  /** Rules as text. */
  rules: string
  url: string
  headers: Header[]
  updated_at: string
}

const textOf = (json: unknown): string => JSON.stringify(json, null, 2)

/** Returns what the editor shows of a form. */
export function valuesOf(form: Flow): Values {
  const config = form.endpoint_config as
    | { url?: string; headers?: Record<string, string> }
    | unknown[]
    | null
  const http = config === null || Array.isArray(config) ? {} : config
  return {
    name: form.name,
    categories: form.categories,
    code: form.json_definition === null ? '' : textOf(form.json_definition),
    mode: form.endpoint_mode,
    rules: textOf(Array.isArray(config) ? config : []),
    url: http.url ?? '',
    headers: headersIn(http.headers ?? {}),
    updated_at: form.updated_at,
  }
}

/** The API takes JSON as text, too, and names the lines of what is wrong. */
export const asJson = (text: string): Record<string, unknown> =>
  text as unknown as Record<string, unknown>

/** Returns the configuration of the endpoint as the API takes it. */
const configOf = ({ mode, rules, url, headers }: Values): Record<string, unknown> | null =>
  mode === 'none' ? null : mode === 'rules' ? asJson(rules) : { url, headers: headersOf(headers) }

/** Returns changes of a form as the API takes them. */
export function changesOf(changes: Partial<Values>, seen: Values): Body<'PUT /api/flows/{id}'> {
  const { name, categories, code } = changes
  const after = { ...seen, ...changes }
  const isAsked = (['mode', 'rules', 'url', 'headers'] as const).some((one) => one in changes)
  const config = configOf(after)
  return {
    ...(name === undefined ? {} : { name }),
    ...(categories === undefined
      ? {}
      : { categories: categories as (typeof CATEGORIES)[number][] }),
    ...(code === undefined ? {} : { json_definition: asJson(code) }),
    ...(isAsked
      ? {
          endpoint_mode: after.mode,
          ...(config === null ? {} : { endpoint_config: config }),
        }
      : {}),
  }
}

const LABELS = {
  name: 'forms.name',
  categories: 'forms.categories',
  code: 'forms.content',
  mode: 'forms.mode',
  rules: 'forms.rules',
  url: 'forms.url',
  headers: 'webhooks.headers',
  updated_at: 'forms.changed',
} as const satisfies Record<keyof Values, TextKey>

/** How the editor shows what somebody else saved meanwhile. */
export const MERGE: Merge<Values> = {
  read: (present) => valuesOf(present as Flow),
  label: (field) => t(LABELS[field]),
  show: (field, value) =>
    field === 'mode'
      ? t(`forms.mode.${value as Values['mode']}`)
      : field === 'headers'
        ? formatList((value as Header[]).map(({ name }) => name))
        : null,
}
