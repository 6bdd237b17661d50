import { escapeFormula } from '../../../lib/csv'
import type { Cell, Column } from './columns'

/**
 * Returns a cell as text. Text that could be taken for a formula is guarded; phone numbers and
 * numbers are written as they are.
 */
export function csvText(type: Column<never>['type'], cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell === 'number') return String(cell)
  const text =
    typeof cell === 'string' ? cell : Array.isArray(cell) ? cell.join(';') : JSON.stringify(cell)
  return type === 'phone' ? text : escapeFormula(text)
}
