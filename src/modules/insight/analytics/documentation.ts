import { CATALOG } from './figures'
import type { ReportFigures } from './report/rules'

/** Returns the table of a report's figures for the handbook, in Markdown. */
export function figureTable(report: keyof typeof CATALOG): string {
  const parts = Object.entries(CATALOG[report] as ReportFigures)
  return [
    '| Field | Unit | Meaning |',
    '| --- | --- | --- |',
    ...parts.flatMap(([part, figures]) =>
      Object.entries(figures).map(
        ([name, { unit, text }]) => `| \`${part}.${name}\` | ${unit} | ${text} |`,
      ),
    ),
  ].join('\n')
}

/** The reports, for which the handbook has a table each. */
export const REPORTS = Object.keys(CATALOG) as (keyof typeof CATALOG)[]
