import type { SQLQueryBindings } from 'bun:sqlite'

import { bytesToUuid, uuidToBytes } from '../../../../infra/db/uuid'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { COUNTERS } from '../agents/counters'
import { addToWork, type WorkSums } from '../agents/read-counts'
import type { ReportRange } from '../report/range'
import { SLOT_MS } from '../rollups/rules'

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

/** Returns the query that counts stored rows as a counter counts all of them, by some keys. */
function statementOf(
  { name, at, keys }: (typeof READ)[number],
  by: (counter: (typeof COUNTERS)[number]['by']) => string[],
  tags: string,
): string {
  const counter = COUNTERS.find((one) => one.name === name)
  if (!counter) throw new Error(`there is no counter ${name}`)
  const { of, by: columns, when, adds } = counter
  const groups = [...by(columns), ...keys.map((key) => columns[key] ?? 'null')]
  const sums = Object.values(adds).map((sum) => `sum(${sum})`)
  return `select ${[...groups, ...sums].join(', ')}
    from ${of} row ${tags}
    where row.organization_id = ?1 and (${at}) >= ?2 and (${at}) < ?3 and (${when})
      and (?4 is null or row.account_id = ?4)
      and (?5 is null or ${columns['user_id']} in (select unhex(value, '-') from json_each(?5)))
    group by ${groups.map((_, nth) => nth + 1).join(', ')}`.replaceAll(/\brow\b(?=[. ])/g, 'f')
}

const valuesOf = (ctx: ReadCtx, { range, accountId, userIds }: TagReading): SQLQueryBindings[] => [
  uuidToBytes(ctx.organizationId),
  range.fromMs,
  range.beforeMs,
  accountId === null ? null : uuidToBytes(accountId),
  userIds && JSON.stringify(userIds),
]

/** Adds the work about the contacts with each tag, and about those without one, to sums. */
export function workByTag(
  ctx: ReadCtx,
  reading: TagReading,
  sumsFor: (tagId: string | null) => WorkSums,
): void {
  for (const counted of READ) {
    const statement = ctx.db.sqlite.query<unknown, SQLQueryBindings[]>(
      statementOf(
        counted,
        () => ['t.tag_id'],
        `left join contact_tags t
          on t.organization_id = row.organization_id and t.contact_id = row.contact_id`,
      ),
    )
    for (const [tagId, ...counts] of statement.values(...valuesOf(ctx, reading)) as [
      Uint8Array | null,
      ...number[],
    ][])
      addToWork(counted.name, sumsFor(tagId && bytesToUuid(tagId)), counts)
  }
}

/** Some work about contacts with a tag: of one person, with one number, in a quarter of an hour. */
export interface TaggedRow {
  name: string
  slot: number
  userId: string
  accountId: string
  counts: number[]
}

/** Returns the work about the contacts with a tag. */
export function readTagged(ctx: ReadCtx, reading: TagReading & { tagId: string }): TaggedRow[] {
  return READ.flatMap((counted) => {
    const { name, at } = counted
    const statement = ctx.db.sqlite.query<unknown, SQLQueryBindings[]>(
      statementOf(
        counted,
        (columns) => [
          `cast(floor((${at}) / ${SLOT_MS}.0) as integer)`,
          columns['user_id'] ?? 'null',
          columns['account_id'] ?? 'null',
        ],
        `join contact_tags t on t.organization_id = row.organization_id
          and t.contact_id = row.contact_id and t.tag_id = ?6`,
      ),
    )
    const rows = statement.values(...valuesOf(ctx, reading), uuidToBytes(reading.tagId)) as [
      number,
      Uint8Array,
      Uint8Array,
      ...number[],
    ][]
    return rows.map(([slot, userId, accountId, ...counts]) => ({
      ...{ name, slot, counts },
      ...{ userId: bytesToUuid(userId), accountId: bytesToUuid(accountId) },
    }))
  })
}
