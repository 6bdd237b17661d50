import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import type { FieldProblem } from '../../../lib/errors'
import { ExportFilters, type ExportTable } from './model'

/** The filters of each table. */
const FILTERS: Record<ExportTable, string[]> = {
  contacts: [
    'search',
    'account_id',
    'assigned_to',
    'tags',
    'tags_mode',
    'consent',
    'blocked',
    'has_phone',
    'created_from',
    'created_to',
  ],
  tags: ['search'],
  messages: ['contact_id', 'account_id', 'direction', 'type', 'from', 'to'],
}

/**
 * Returns the problems of an export's filters, each with its path: filters unknown to the table and
 * invalid values.
 */
export function problemsOfFilters(
  table: ExportTable,
  filters: Record<string, unknown>,
): FieldProblem[] {
  return Object.entries(filters).flatMap(([name, value]) => {
    const path = `body.filters.${name}`
    if (!FILTERS[table].includes(name))
      return [{ path, message: `is not supported for ${table}; use ${FILTERS[table].join(', ')}` }]
    const schema: TSchema = ExportFilters.properties[name as keyof ExportFilters]
    return Value.Check(schema, value) ? [] : [{ path, message: wantedBy(schema) }]
  })
}

/** Describes the valid values of a filter. */
function wantedBy(schema: TSchema): string {
  const words = ((schema['anyOf'] ?? []) as { const: string }[]).map((one) => one.const)
  if (words.length > 0) return `must be one of ${words.join(', ')}`
  if (schema['type'] === 'boolean') return 'must be true or false'
  if (schema['format'] === 'uuid') return 'must be a UUID'
  if (schema['format'] === 'date-time') return 'must be a time such as 2026-11-21T09:30:00Z'
  if (schema['pattern'] !== undefined) return 'must be a user ID, me or none'
  return `must be a string of 1 to ${schema['maxLength']} characters`
}
