import type { SQLQueryBindings } from 'bun:sqlite'

import { uuidToBytes } from '../../../../infra/db/uuid'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { bucketsOf } from '../report/buckets'
import type { ReportRange } from '../report/range'
import { livePart, type RollupReading } from '../rollups/queries'
import { planOf } from '../rollups/plan'
import { KEPT_PART, UNIT } from '../rollups/rules'

/** The longest period in which contacts are counted, days. */
const MAX_DAYS = 92

/** The contact that each merged contact became in the end, by the numbers of their rows. */
const PEOPLE = `recursive merged (source, target) as materialized (
    select c.row, t.row from contacts c join contacts t on t.organization_id = c.organization_id and t.id = c.merged_into
    where c.organization_id = ?1 and c.merged_into is not null),
  people (source, person) as (
    select source, target from merged
    union all select p.source, m.target from people p join merged m on m.source = p.person),
  last (source, person) as materialized (select source, person from people where person not in (select source from merged))`

/**
 * Returns the number of different contacts with a message on a day of the period; `null` for more
 * than 92 days. Erased contacts count. Merged contacts are one.
 */
export function uniqueContacts(
  ctx: ReadCtx,
  range: ReportRange,
  where: RollupReading['where'],
): number | null {
  const [first, last] = [range.days[0], range.days.at(-1)]
  if (!first || !last || range.days.length > MAX_DAYS) return null
  const wholeDays = { ...range, fromMs: first.fromMs, beforeMs: last.beforeMs }
  const plan = planOf(wholeDays, {
    granularity: 'day',
    buckets: bucketsOf(wholeDays, 'day'),
    nowMs: ctx.clock.nowMs(),
  })
  const conditions = where.map(([condition], nth) => condition.replace('?', `?${nth + 3}`))
  const spans = plan.spans
    .filter(({ unit }) => unit !== UNIT.MONTH)
    .map(
      ({ unit, from, before }) =>
        `select contact, messages from contact_rollups where ${['organization_id = ?1', `part in (${KEPT_PART}, ?2)`, `unit = ${unit}`, `start >= ${from}`, `start < ${before}`, ...conditions].join(' and ')}`,
    )
  const row = ctx.db.sqlite
    .prepare<{ people: number }, SQLQueryBindings[]>(
      `with ${PEOPLE} select count(*) as people from (
         select 1 from (${spans.join(' union all ')}) r left join last on last.source = r.contact
         group by coalesce(last.person, r.contact) having sum(r.messages) > 0)`,
    )
    .get(uuidToBytes(ctx.organizationId), livePart(ctx), ...where.map(([, value]) => value))
  return row?.people ?? 0
}
