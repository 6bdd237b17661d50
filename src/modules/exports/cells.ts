import { guarded } from '../../lib/csv'
import type { Cell, Column } from './columns'

/** A cell as text: nothing that could be taken for a formula, but numbers of phones are digits. */
export function csvText(type: Column<never>['type'], cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  const text = typeof cell === 'string' ? cell : Array.isArray(cell) ? cell.join(';') : JSON.stringify(cell)
  return type === 'phone' ? text : guarded(text)
}
