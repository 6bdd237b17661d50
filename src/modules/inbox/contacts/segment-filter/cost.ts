import { InvalidError } from '../../../../lib/errors'
import type { FilterState } from './fields'

/**
 * Cost of a condition on a column, on a value inside a JSON object, on a text search, and on rows
 * of another table.
 */
const COSTS = { column: 1, json: 2, text: 3, rows: 5 }

/** Returns the cost of a condition for one contact. */
export function costOf(field: string, op: string): number {
  if (field === 'tags' || field === 'campaign') return COSTS.rows
  if (op === 'contains' || op === 'starts_with') return COSTS.text
  return field.includes('.') ? COSTS.json : COSTS.column
}

/** Adds the cost of a condition. Throws InvalidError `segment_too_expensive`. */
export function addCost(state: FilterState, cost: number, path: string): void {
  state.cost += cost
  if (state.cost <= state.budget) return
  throw new InvalidError(
    `\`${path}\`: the filter takes too long with this number of contacts. Remove this ` +
      'condition or others; tags and campaigns cost the most.',
    {
      code: 'segment_too_expensive',
      errors: [{ path, message: 'makes the filter too slow' }],
    },
  )
}
