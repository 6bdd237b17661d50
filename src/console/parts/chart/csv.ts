import type { Figures } from './figures'

/** Writes a cell; a text that a spreadsheet would take for a formula gets a `'` before it. */
function cellOf(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns figures as a file for spreadsheets: a line for each point, numbers as they are. */
export const csvOf = ({ pointName, points, series }: Figures): string =>
  [
    [pointName, ...series.map(({ label }) => label)],
    ...points.map(({ label }, nth) => [label, ...series.map(({ values }) => values[nth] ?? null)]),
  ]
    .map((cells) => `${cells.map(cellOf).join(',')}\r\n`)
    .join('')
