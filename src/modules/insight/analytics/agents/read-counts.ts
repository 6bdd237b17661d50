import type { SQLQueryBindings } from 'bun:sqlite'

import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { bytesToUuid, uuidToBytes } from '../../../../infra/db/uuid'
import type { RollupPlan } from '../rollups/plan'
import { countsOf, livePart, type CountRow, type RollupReading } from '../rollups/queries'
import { KEPT_PART } from '../rollups/rules'

/** A span of time: the first millisecond and the first one after it. */
export interface CountSpan {
  fromMs: number
  beforeMs: number
}

/** Sums of an agent's work, or of several agents. Times are milliseconds. */
export interface WorkSums {
  messages: number
  responses: number
  waitedMs: number
  /** Responses by the step of the histogram that the time waited belongs to. */
  bins: Map<number, number>
  handled: number
  pickedUp: number
  queuedMs: number
  resolutionMs: number
  breached: number
}

/** Returns the sums of no work. */
export const noWork = (): WorkSums => ({
  ...{ messages: 0, responses: 0, waitedMs: 0, bins: new Map<number, number>() },
  ...{ handled: 0, pickedUp: 0, queuedMs: 0, resolutionMs: 0, breached: 0 },
})

/** What is read of people, by the name of its counter, and how its rows are added to the sums. */
type Source = Pick<RollupReading, 'table' | 'keys' | 'sums'> & {
  name: string
  add: (sums: WorkSums, values: readonly number[]) => void
}

const SOURCES: readonly Source[] = [
  {
    ...{
      name: 'agent_message_counts',
      table: 'agent_message_counts',
      keys: [],
      sums: ['messages'],
    },
    add: (sums, [messages = 0]) => {
      sums.messages += messages
    },
  },
  {
    name: 'agent_response_counts',
    ...{ table: 'agent_response_counts', keys: ['bin'], sums: ['responses', 'waited_ms'] },
    add: (sums, [bin = 0, responses = 0, waitedMs = 0]) => {
      sums.responses += responses
      sums.waitedMs += waitedMs
      sums.bins.set(bin, (sums.bins.get(bin) ?? 0) + responses)
    },
  },
  {
    name: 'handled_transfers',
    table: 'transfer_counts',
    keys: [],
    sums: ['handled', 'picked_up', 'queued_ms', 'resolution_ms', 'breached'],
    add: (sums, [handled = 0, pickedUp = 0, queuedMs = 0, resolutionMs = 0, breached = 0]) => {
      sums.handled += handled
      sums.pickedUp += pickedUp
      sums.queuedMs += queuedMs
      sums.resolutionMs += resolutionMs
      sums.breached += breached
    },
  },
]

/** Adds what a counter has counted, its keys but those of the report first, to sums. */
export function addToWork(name: string, sums: WorkSums, values: readonly number[]): void {
  SOURCES.find((source) => source.name === name)?.add(sums, values)
}

/** The counts of answers and transfers, which tell the phone number, too. */
export const OF_NUMBERS = SOURCES.filter(({ name }) => name !== 'agent_message_counts')

/** Adds the rows of counts of people to the sums that `sumsFor` returns for each. */
export function addWork(
  ctx: ReadCtx,
  {
    keys,
    sources = SOURCES,
    ...reading
  }: Omit<RollupReading, 'table' | 'sums' | 'lists'> & { sources?: readonly Source[] },
  sumsFor: (row: CountRow) => WorkSums | undefined,
): void {
  for (const source of sources) {
    const { table, sums } = source
    for (const row of countsOf(ctx, { ...reading, table, sums, keys: [...keys, ...source.keys] })) {
      const [, , ...values] = row
      const work = sumsFor(row)
      if (work) source.add(work, values.slice(keys.length).map(Number))
    }
  }
}

/** Stands for the missed deadlines of nobody. */
const NOBODY = new Uint8Array(16)

/**
 * Returns everybody whose work was counted, also those who left. The rows of a person lie together,
 * so that those of a year are read three times as fast by people as by time.
 */
export function countedUsers(ctx: ReadCtx): string[] {
  const found = new Set<string>()
  for (const { table } of OF_NUMBERS) {
    // each step leaps to the next person
    const statement = ctx.db.sqlite.query<{ id: Uint8Array }, SQLQueryBindings[]>(
      `with recursive steps (id) as (
         select min(user_id) from ${table} where organization_id = ?1 and part = ?2
         union all
         select (select min(user_id) from ${table} where organization_id = ?1 and part = ?2 and user_id > steps.id)
         from steps where id is not null)
       select id from steps where id is not null and id <> ?3`,
    )
    for (const part of [KEPT_PART, livePart(ctx)])
      for (const { id } of statement.all(uuidToBytes(ctx.organizationId), part, NOBODY))
        found.add(bytesToUuid(id))
  }
  return [...found]
}

/** Returns the condition that counts are those of some people. */
export const ofUsers = (userIds: readonly string[]): RollupReading['where'][number] => [
  `user_id in (select unhex(value, '-') from json_each(?))`,
  JSON.stringify(userIds),
]

/** Returns the sums of the work of people in a range, erased messages and transfers included. */
export function readWork(
  ctx: ReadCtx,
  userIds: readonly string[],
  plan: RollupPlan,
): Map<string, WorkSums> {
  const work = new Map(userIds.map((userId) => [userId, noWork()]))
  const where = [ofUsers(userIds)]
  addWork(ctx, { plan, where, addUp: 'over all', keys: ['user_id'] }, ([, , userId]) =>
    work.get(bytesToUuid(userId as Uint8Array)),
  )
  return work
}

/** Returns the sums of the work of a person by the points of a report. */
export function readWorkByPoint(
  ctx: ReadCtx,
  userId: string,
  { plan, points }: { plan: RollupPlan; points: number },
): WorkSums[] {
  const sums = Array.from({ length: points }, noWork)
  const where = [ofUsers([userId])]
  addWork(
    ctx,
    { plan, where, addUp: 'by period', keys: [] },
    ([unit, start]) => sums[plan.pointOf(unit, start)],
  )
  return sums
}

/** Returns the sums of the work of several people, or of several periods. */
export function workOfAll(all: readonly WorkSums[]): WorkSums {
  const sums = noWork()
  for (const { bins, ...others } of all) {
    for (const [field, value] of Object.entries(others) as [
      Exclude<keyof WorkSums, 'bins'>,
      number,
    ][])
      sums[field] += value
    for (const [bin, count] of bins) sums.bins.set(bin, (sums.bins.get(bin) ?? 0) + count)
  }
  return sums
}
