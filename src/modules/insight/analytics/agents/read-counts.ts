import type { Ctx } from '../../../../infra/ctx'
import { uuidToBytes } from '../../../../infra/db/uuid'
import type { Plan } from '../rollups/plan'
import { readCounts, type CountRow, type Reading } from '../rollups/queries'
import { ALL_PERIODS, UNIT } from '../rollups/rules'

/** A span of time: the first millisecond and the first one after it. */
export interface Span {
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

const noWork = (): WorkSums => ({
  ...{ messages: 0, responses: 0, waitedMs: 0, bins: new Map<number, number>() },
  ...{ handled: 0, pickedUp: 0, queuedMs: 0, resolutionMs: 0, breached: 0 },
})

/** What is read of a person, and how its rows are added to the sums. */
const SOURCES: readonly (Pick<Reading, 'table' | 'keys' | 'sums'> & {
  add: (sums: WorkSums, values: readonly number[]) => void
})[] = [
  {
    ...{ table: 'agent_message_counts', keys: [], sums: ['messages'] },
    add: (sums, [messages = 0]) => {
      sums.messages += messages
    },
  },
  {
    ...{ table: 'agent_response_counts', keys: ['bin'], sums: ['responses', 'waited_ms'] },
    add: (sums, [bin = 0, responses = 0, waitedMs = 0]) => {
      sums.responses += responses
      sums.waitedMs += waitedMs
      sums.bins.set(bin, (sums.bins.get(bin) ?? 0) + responses)
    },
  },
  {
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

/** Rows are in the order of people, so that many periods of one person are read at once. */
const AT_ONCE = { [UNIT.NEW]: ALL_PERIODS, [UNIT.HOUR]: 3_000, [UNIT.DAY]: 100, [UNIT.MONTH]: 200 }

const readingsOf = (userId: string, plan: Plan, addUp: 'by period' | 'over all'): Reading[] =>
  SOURCES.map(({ table, keys, sums }) => ({
    ...{ table, keys, sums, plan, addUp, atOnce: AT_ONCE },
    where: [['user_id = ?', uuidToBytes(userId)]],
  }))

/** Returns the sums of the work of some people in a range, erased messages and transfers included. */
export async function readWork(
  ctx: Ctx,
  userIds: readonly string[],
  plan: Plan,
): Promise<WorkSums[]> {
  const found = await readCounts(
    ctx,
    userIds.flatMap((userId) => readingsOf(userId, plan, 'over all')),
  )
  return userIds.map((_, nth) => {
    const sums = noWork()
    for (const [source, { add }] of SOURCES.entries())
      for (const row of found[nth * SOURCES.length + source] ?? []) add(sums, valuesOf(row))
    return sums
  })
}

/** Returns the sums of the work of a person by the points of a report. */
export async function readWorkByPoint(
  ctx: Ctx,
  userId: string,
  { plan, points }: { plan: Plan; points: number },
): Promise<WorkSums[]> {
  const found = await readCounts(ctx, readingsOf(userId, plan, 'by period'))
  const sums = Array.from({ length: points }, noWork)
  for (const [source, { add }] of SOURCES.entries())
    for (const row of found[source] ?? []) {
      const point = sums[plan.pointOf(row[0], row[1])]
      if (point) add(point, valuesOf(row))
    }
  return sums
}

/** Returns the keys and sums of a row; those of no rows are null. */
const valuesOf = ([, , ...values]: CountRow): number[] => values.map(Number)

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
