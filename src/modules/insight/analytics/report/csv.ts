import type { TObject } from '@sinclair/typebox'

import { BOM, csvLine, escapeFormula } from '../../../../lib/csv'

/** Rows per piece of a file. */
const AT_ONCE = 200

/**
 * Returns the table of a report as lines of CSV: one column per field of the schema, also without
 * rows. Lists and objects are JSON; `null` is empty. Cells that a spreadsheet program would run as
 * a formula begin with an apostrophe.
 */
export function* csvTable(schema: TObject, rows: readonly object[]): Generator<string> {
  const columns = Object.keys(schema.properties)
  yield BOM + csvLine(columns)
  for (let from = 0; from < rows.length; from += AT_ONCE)
    yield rows
      .slice(from, from + AT_ONCE)
      .map((row) => {
        const cells = row as Record<string, unknown>
        return csvLine(columns.map((column) => escapeFormula(cellOf(cells[column]))))
      })
      .join('')
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  return JSON.stringify(value)
}
