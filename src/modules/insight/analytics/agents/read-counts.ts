import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { bytesToUuid } from '../../../../infra/db/uuid'
import type { RollupPlan } from '../rollups/plan'
import { countsOf, type CountRow, type RollupReading } from '../rollups/queries'

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

const noWork = (): WorkSums => ({
  ...{ messages: 0, responses: 0, waitedMs: 0, bins: new Map<number, number>() },
  ...{ handled: 0, pickedUp: 0, queuedMs: 0, resolutionMs: 0, breached: 0 },
})

/** What is read of people, and how its rows are added to the sums. */
type Source = Pick<RollupReading, 'table' | 'keys' | 'sums'> & {
  add: (sums: WorkSums, values: readonly number[]) => void
}

const SOURCES: readonly Source[] = [
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

/** Returns the rows of some people in a table of counts: whose each is comes before its other keys. */
const readingOf = (
  { table, keys, sums }: Source,
  userIds: readonly string[],
  { plan, addUp }: Required<Pick<RollupReading, 'plan' | 'addUp'>>,
): RollupReading => ({
  ...{ table, keys: ['user_id', ...keys], sums, plan, addUp },
  where: [[`user_id in (select unhex(value, '-') from json_each(?))`, JSON.stringify(userIds)]],
})

/** Returns the sums of the work of people in a range, erased messages and transfers included. */
export function readWork(
  ctx: ReadCtx,
  userIds: readonly string[],
  plan: RollupPlan,
): Map<string, WorkSums> {
  const work = new Map(userIds.map((userId) => [userId, noWork()]))
  for (const source of SOURCES)
    for (const row of countsOf(ctx, readingOf(source, userIds, { plan, addUp: 'over all' }))) {
      const sums = work.get(bytesToUuid(row[2] as Uint8Array))
      if (sums) source.add(sums, valuesOf(row))
    }
  return work
}

/** Returns the sums of the work of a person by the points of a report. */
export function readWorkByPoint(
  ctx: ReadCtx,
  userId: string,
  { plan, points }: { plan: RollupPlan; points: number },
): WorkSums[] {
  const sums = Array.from({ length: points }, noWork)
  for (const source of SOURCES)
    for (const row of countsOf(ctx, readingOf(source, [userId], { plan, addUp: 'by period' }))) {
      const point = sums[plan.pointOf(row[0], row[1])]
      if (point) source.add(point, valuesOf(row))
    }
  return sums
}

/** Returns the other keys and the sums of a row. */
const valuesOf = ([, , , ...values]: CountRow): number[] => values.map(Number)

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
