import type { SQLQueryBindings } from 'bun:sqlite'

import { bytesToUuid, uuidToBytes } from '../../../../infra/db/uuid'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { COUNTERS } from '../agents/counters'
import { addToWork, type WorkSums } from '../agents/read-counts'
import type { ReportRange } from '../report/range'

/** Whose work is read, and when it was done. */
export interface TagReading {
  range: ReportRange
  accountId: string | null
  /** `null` for everybody. */
  userIds: readonly string[] | null
}

/** The counters of what is read again by tag, and the indexed times that they go by. */
const READ = [
  { name: 'agent_response_counts', at: 'row.created_at_ms - row.answered_after_ms', keys: ['bin'] },
  { name: 'handled_transfers', at: 'row.ended_at_ms', keys: [] },
] as const

/** Returns the query that counts stored rows by tag as a counter counts all of them. */
function statementOf({ name, at, keys }: (typeof READ)[number]): string {
  const counter = COUNTERS.find((one) => one.name === name)
  if (!counter) throw new Error(`there is no counter ${name}`)
  const { of, by, when, adds } = counter
  const values = [
    ...keys.map((key) => by[key] ?? 'null'),
    ...Object.values(adds).map((sum) => `sum(${sum})`),
  ]
  const groups = [1, ...keys.map((_, nth) => nth + 2)]
  return `select t.tag_id, ${values.join(', ')}
    from ${of} row left join contact_tags t
      on t.organization_id = row.organization_id and t.contact_id = row.contact_id
    where row.organization_id = ?1 and (${at}) >= ?2 and (${at}) < ?3 and (${when})
      and (?4 is null or row.account_id = ?4)
      and (?5 is null or ${by['user_id']} in (select unhex(value, '-') from json_each(?5)))
    group by ${groups.join(', ')}`.replaceAll(/\brow\b(?=[. ])/g, 'f')
}

/** Adds the work about the contacts with each tag, and about those without one, to sums. */
export function workByTag(
  ctx: ReadCtx,
  { range, accountId, userIds }: TagReading,
  sumsFor: (tagId: string | null) => WorkSums,
): void {
  const values: SQLQueryBindings[] = [
    uuidToBytes(ctx.organizationId),
    range.fromMs,
    range.beforeMs,
    accountId === null ? null : uuidToBytes(accountId),
    userIds && JSON.stringify(userIds),
  ]
  for (const counted of READ) {
    const statement = ctx.db.sqlite.query<unknown, SQLQueryBindings[]>(statementOf(counted))
    for (const [tagId, ...counts] of statement.values(...values) as [
      Uint8Array | null,
      ...number[],
    ][])
      addToWork(counted.name, sumsFor(tagId && bytesToUuid(tagId)), counts)
  }
}
