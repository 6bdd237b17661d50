import type { Counter, Expressions } from '../../../../infra/db/counter'
import { KEPT_PART, SLOT_MS, UNIT } from './rules'

/** The columns of the organization and the time of a count (`when` in `table.ts`). */
export const PERIOD = ['organization_id', 'part', 'unit', 'start']

/** How rows are counted by the quarter hour. In expressions, `row` is the row that is counted. */
interface Counted extends Pick<Counter, 'of' | 'into' | 'by' | 'adds' | 'madeOf'> {
  /** The names of its triggers begin with it; the table of the counts if not given. */
  name?: string
  /** When a row counts, milliseconds. A row without a time does not count. */
  at: string
  /** Which rows count; all with a time if not given. */
  when?: string
  /** Which deleted rows still count; none if not given. */
  keeps?: string
}

/** Describes counts by organization, part and quarter hour (`PERIOD`). */
export function countedByTime({
  name,
  at,
  by: keys,
  when = 'true',
  keeps,
  ...counter
}: Counted): Counter {
  const by = (part: string): Expressions => ({
    ...{ organization_id: 'row.organization_id', part, unit: String(UNIT.NEW) },
    ...{ start: `(${at}) / ${SLOT_MS}`, ...keys },
  })
  return {
    ...counter,
    name: name ?? counter.into,
    by: by('p.part'),
    when: `(${at}) IS NOT NULL AND (${when})`,
    toEach:
      'rollup_parts p WHERE p.organization_id = row.organization_id AND (p.through IS NULL OR row.id <= p.through)',
    ...(keeps === undefined ? {} : { deleted: { by: by(String(KEPT_PART)), when: keeps } }),
  }
}
