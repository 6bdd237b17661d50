import { sql, type SQL } from 'drizzle-orm'

import type { Ctx } from '../../../infra/ctx'
import { definitionsOf } from '../attributes/service'
import { wordOf } from '../../../infra/db/word'
import { CONSENT_STATES, contacts } from '../table'
import { type Kind, refuse } from './values'

/** A field that can be filtered. */
export interface Field {
  kind: Kind
  /** SQL expression of the field's value in the contact's row. */
  value: SQL
}

const COLUMNS: Record<string, Field> = {
  consent: { kind: 'word', value: wordOf(contacts.marketingConsent, CONSENT_STATES) },
  country: { kind: 'text', value: sql`${contacts.country}` },
  language: { kind: 'text', value: sql`${contacts.language}` },
  account_id: { kind: 'id', value: sql`${contacts.accountId}` },
  assigned_to: { kind: 'id', value: sql`${contacts.assignedTo}` },
  created_at: { kind: 'time', value: sql`${contacts.createdAtMs}` },
  last_inbound_at: { kind: 'time', value: sql`${contacts.lastInboundAtMs}` },
  last_message_at: { kind: 'time', value: sql`${contacts.lastMessageAtMs}` },
}

const ATTRIBUTE_KINDS = {
  text: 'text',
  url: 'text',
  email: 'text',
  select: 'word',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
} as const

/** State while one filter is read. */
export interface FilterState {
  timezone: string
  attributes: ReturnType<typeof definitionsOf> | null
  conditions: number
  /** Cost of the conditions so far for one contact, and its limit. */
  cost: number
  budget: number
}

/** The parts of the scope that a filter needs. */
export type Scope = Pick<Ctx, 'db' | 'organizationId' | 'clock'>

/** Resolves a field name. Throws InvalidError for an unknown field. */
export function fieldOf(ctx: Scope, state: FilterState, name: string, path: string): Field {
  if (Object.hasOwn(COLUMNS, name)) return COLUMNS[name] as Field
  const [, space, key] = /^(attributes|metadata)\.(.{1,64})$/.exec(name) ?? []
  if (space === 'attributes' && key !== undefined) {
    state.attributes ??= definitionsOf(ctx)
    const definition = state.attributes.get(key)
    if (definition)
      return {
        kind: ATTRIBUTE_KINDS[definition.type],
        value: sql`json_extract(${contacts.attributes}, ${`$.${key}`})`,
      }
  }
  if (space === 'metadata' && key !== undefined && /^[^"\\\p{C}]+$/u.test(key))
    return { kind: 'any', value: sql`json_extract(${contacts.metadata}, ${`$."${key}"`})` }
  throw refuse(`${path}.field`, 'is not a field that can be filtered by')
}
