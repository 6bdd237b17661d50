import { uuidToBytes } from '../../../../infra/db/uuid'
import type { Ctx } from '../../../../infra/ctx'
import { inSlices } from '../../../../infra/event-loop'
import { bucketsOf } from '../report/buckets'
import type { ReportRange } from '../report/range'
import { readCounts, type Reading } from '../rollups/queries'
import { planOf } from '../rollups/plan'
import { UNIT } from '../rollups/rules'

/** The longest period in which contacts are counted, days. */
const MAX_DAYS = 92

/** Days and quarter hours read per query: a day may have thousands of contacts. */
const AT_ONCE = { [UNIT.NEW]: 16, [UNIT.DAY]: 1, [UNIT.MONTH]: 1 }

/** A contact and its messages are read as one number, which is much faster. A day has fewer messages. */
const SCALE = 2 ** 20

/** Merged contacts read per query. */
const MERGED_AT_ONCE = 300

/**
 * Returns the number of different contacts with a message on a day of the period; `null` for more
 * than 92 days. Erased contacts count. Merged contacts are one.
 */
export async function uniqueContacts(
  ctx: Ctx,
  range: ReportRange,
  where: Reading['where'],
): Promise<number | null> {
  const [first, last] = [range.days[0], range.days.at(-1)]
  if (!first || !last || range.days.length > MAX_DAYS) return null
  const wholeDays = { ...range, fromMs: first.fromMs, beforeMs: last.beforeMs }
  const plan = planOf(wholeDays, {
    granularity: 'day',
    buckets: bucketsOf(wholeDays, 'day'),
    nowMs: ctx.clock.nowMs(),
  })
  const [rows = []] = await readCounts(ctx, [
    {
      ...{ table: 'contact_rollups', keys: [], addUp: 'over all', atOnce: AT_ONCE, where },
      sums: [],
      lists: [`contact * ${SCALE} + messages + ${SCALE / 2}`],
      plan: { spans: plan.spans.filter(({ unit }) => unit !== UNIT.MONTH) },
    },
  ])
  const targets = await mergedContacts(ctx)
  const people = new PeopleCounter(targets)
  let next = 0
  await inSlices(ctx, () => {
    const row = rows[next]
    next += 1
    if (row) people.add(JSON.parse(String(row[2])) as number[])
    return next >= rows.length
  })
  return people.count
}

/** Counts people with a message. */
class PeopleCounter {
  count = 0
  private readonly messages = new Map<number, number>()

  constructor(private readonly targets: ReadonlyMap<number, number>) {}

  /**
   * Adds contacts with their messages, each pair as one number. Numbers of messages that moved
   * elsewhere are negative.
   */
  add(pairs: readonly number[]): void {
    for (const pair of pairs) {
      const person = finalTarget(this.targets, Math.floor(pair / SCALE))
      const before = this.messages.get(person) ?? 0
      const after = before + (pair % SCALE) - SCALE / 2
      if (before <= 0 && after > 0) this.count += 1
      else if (before > 0 && after <= 0) this.count -= 1
      this.messages.set(person, after)
    }
  }
}

const MERGED = `select c.row as source, t.row as target, c.merged_into as "into" from contacts c
  join contacts t on t.organization_id = c.organization_id and t.id = c.merged_into
  where c.organization_id = ?1 and c.merged_into is not null and (c.merged_into, c.row) > (?2, ?3)
  order by c.merged_into, c.row limit ${MERGED_AT_ONCE}`

/** Returns the contact that each merged contact became, by the numbers of their rows. */
async function mergedContacts(ctx: Ctx): Promise<Map<number, number>> {
  const targets = new Map<number, number>()
  const statement = ctx.db.sqlite.query<
    { source: number; target: number; into: Uint8Array },
    [Uint8Array, Uint8Array, number]
  >(MERGED)
  let position: [Uint8Array, number] = [new Uint8Array(0), 0]
  await inSlices(ctx, () => {
    const rows = statement.all(uuidToBytes(ctx.organizationId), ...position)
    for (const { source, target } of rows) targets.set(source, target)
    const last = rows.at(-1)
    if (last) position = [last.into, last.source]
    return rows.length < MERGED_AT_ONCE
  })
  return targets
}

function finalTarget(targets: ReadonlyMap<number, number>, contact: number): number {
  let found = contact
  for (let next = targets.get(found); next !== undefined; next = targets.get(found)) found = next
  return found
}
