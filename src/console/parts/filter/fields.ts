import { useMemo } from 'react'

import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { formatCountry } from '../../texts/format'
import { countries } from '../../texts/places'
import { findText, t, type TextKey } from '../../texts/texts'
import type { Choice } from '../select'

/** What a field holds, and so how it is compared. */
export type FieldKind =
  | 'tag'
  | 'colleague'
  | 'account'
  | 'campaign'
  | 'choice'
  | 'text'
  | 'number'
  | 'yes'
  | 'time'
  | 'date'

/** A field by which people are found. */
export interface Field {
  id: string
  label: string
  kind: FieldKind
  /** What a field of the kind `choice` may hold. */
  choices?: readonly Choice<string>[]
}

/** The comparisons of each kind and their words. The first one is that of a new condition. */
const OPS = {
  tag: { in: 'in', nin: 'nin', exists: 'exists', missing: 'missing' },
  colleague: { in: 'in', nin: 'nin', exists: 'exists', missing: 'missing' },
  account: { in: 'in', nin: 'nin' },
  campaign: { in: 'got', nin: 'not-got', exists: 'got-any', missing: 'got-none' },
  choice: { in: 'in', nin: 'nin', exists: 'exists', missing: 'missing' },
  text: {
    ...{ eq: 'eq', ne: 'ne', contains: 'contains', starts_with: 'starts_with' },
    ...{ exists: 'exists', missing: 'missing' },
  },
  number: {
    ...{ eq: 'eq', ne: 'ne', gt: 'gt', gte: 'gte', lt: 'lt', lte: 'lte' },
    ...{ exists: 'exists', missing: 'missing' },
  },
  yes: { yes: 'yes', no: 'no', exists: 'exists', missing: 'missing' },
  time: {
    ...{ within_days: 'within_days', not_within_days: 'not_within_days', eq: 'on' },
    ...{ gt: 'after', gte: 'since', lt: 'before', lte: 'until' },
    ...{ exists: 'exists', missing: 'missing' },
  },
  date: {
    ...{ within_days: 'within_days', not_within_days: 'not_within_days', eq: 'on' },
    ...{ gt: 'after', gte: 'since', lt: 'before', lte: 'until' },
    ...{ exists: 'exists', missing: 'missing' },
  },
} as const satisfies Record<FieldKind, Record<string, string>>

/** The comparisons of a kind of fields with their words, the present one in any case. */
export function comparisonsOf(kind: FieldKind, present: string): Choice<string>[] {
  const words: Record<string, string> = OPS[kind]
  const all = present in words ? words : { ...words, [present]: present }
  return Object.entries(all).map(([id, word]) => ({
    id,
    label: findText(`filter.op.${word}`) ?? word,
  }))
}

/** The comparison that a condition of a kind begins with. */
export const firstComparison = (kind: FieldKind): string => Object.keys(OPS[kind])[0] ?? 'exists'

/** What a value is that a comparison takes. */
export type ValueKind = 'none' | 'days' | 'date' | 'list' | 'text' | 'number'

/** Returns what a comparison of a field takes. */
export function valueKindOf(kind: FieldKind, op: string): ValueKind {
  if (op === 'exists' || op === 'missing' || kind === 'yes') return 'none'
  if (op === 'within_days' || op === 'not_within_days') return 'days'
  if (kind === 'time' || kind === 'date') return 'date'
  if (kind === 'text' || kind === 'number') return kind
  return 'list'
}

const COLUMNS: readonly [id: string, kind: FieldKind][] = [
  ['tags', 'tag'],
  ['consent', 'choice'],
  ['assigned_to', 'colleague'],
  ['last_message_at', 'time'],
  ['last_inbound_at', 'time'],
  ['created_at', 'time'],
  ['country', 'choice'],
  ['language', 'text'],
  ['account_id', 'account'],
  ['campaign', 'campaign'],
]

const KINDS = {
  ...{ text: 'text', url: 'text', email: 'text', select: 'choice' },
  ...{ number: 'number', boolean: 'yes', date: 'date' },
} as const satisfies Record<string, FieldKind>

const CONSENTS = ['opted_in', 'opted_out', 'unknown'] as const

function choicesOf(id: string): Pick<Field, 'choices'> {
  if (id === 'consent')
    return { choices: CONSENTS.map((one) => ({ id: one, label: t(`inbox.consent.${one}`) })) }
  return id === 'country'
    ? { choices: countries().map((code) => ({ id: code, label: formatCountry(code) })) }
    : {}
}

/** Fields of an organization that a filter names. */
export interface Fields {
  all: readonly Field[]
  /** Returns a field, also one that is not there anymore. */
  of: (id: string) => Field
}

/** The fields of a contact that an organization made. */
export const useCustomFields = () =>
  useApi('GET /api/contact-attributes', { query: { limit: 100 } }, useCan('contacts:read'))

/** Returns the fields by which people are found, those of the organization too. */
export function useFields(): Fields {
  const mayRead: Partial<Record<FieldKind, boolean>> = {
    tag: useCan('tags:read'),
    account: useCan('accounts:read'),
    campaign: useCan('campaigns:read'),
  }
  const { data } = useCustomFields()
  const shown = JSON.stringify(mayRead)
  return useMemo(() => {
    const may = JSON.parse(shown) as typeof mayRead
    const columns = COLUMNS.map(([id, kind]): Field => ({
      id,
      label: t(`filter.fields.${id}` as TextKey),
      kind,
      ...choicesOf(id),
    }))
    const own = (data?.items ?? []).map(({ key, label, type, options }): Field => ({
      ...{ id: `attributes.${key}`, label, kind: KINDS[type] },
      ...(type === 'select' ? { choices: options.map((one) => ({ id: one, label: one })) } : {}),
    }))
    const known = new Map([...columns, ...own].map((one) => [one.id, one]))
    const of = (id: string): Field =>
      known.get(id) ?? { id, label: t('filter.fields.unknown', { name: id }), kind: 'text' }
    return { all: [...columns.filter(({ kind }) => may[kind] !== false), ...own], of }
  }, [data, shown])
}
