import { bytesToUuid, uuidToBytes } from '../../../../infra/db/uuid'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import {
  addToWork,
  addWork,
  countedUsers,
  noWork,
  OF_NUMBERS,
  ofUsers,
  type WorkSums,
} from '../agents/read-counts'
import { bucketAt, bucketsOf, type TimeBucket } from '../report/buckets'
import type { Granularity } from '../report/rules'
import { planOf } from '../rollups/plan'
import type { RollupReading } from '../rollups/queries'
import { SLOT_MS } from '../rollups/rules'
import { readTagged, type TagReading } from './read-tags'

/** Some work, as it is compared. */
export interface ComparedWork {
  /** Returns the work of each point of the range, with the points. */
  byPoint: (granularity: Granularity) => { buckets: TimeBucket[]; sums: WorkSums[] }
  /** Returns the work of each person or with each phone number. */
  byId: (column: 'user_id' | 'account_id') => Map<string | null, WorkSums>
}

/** Returns the sums of a key, which are nothing at first. */
export function sumsIn(work: Map<string | null, WorkSums>, key: string | null): WorkSums {
  const sums = work.get(key) ?? noWork()
  work.set(key, sums)
  return sums
}

/** Returns the work that was counted. */
export function countedWork(ctx: ReadCtx, { range, accountId, userIds }: TagReading): ComparedWork {
  const where: RollupReading['where'] = [
    ofUsers(userIds ?? countedUsers(ctx)),
    ...(accountId === null ? [] : [['account_id = ?', uuidToBytes(accountId)] as const]),
  ]
  const planned = (granularity: Granularity) => {
    const buckets = bucketsOf(range, granularity)
    return { buckets, plan: planOf(range, { granularity, buckets, nowMs: ctx.clock.nowMs() }) }
  }
  return {
    byPoint: (granularity) => {
      const { buckets, plan } = planned(granularity)
      const sums = buckets.map(noWork)
      addWork(
        ctx,
        { sources: OF_NUMBERS, plan, where, addUp: 'by period', keys: [] },
        ([unit, start]) => sums[plan.pointOf(unit, start)],
      )
      return { buckets, sums }
    },
    byId: (column) => {
      const work = new Map<string | null, WorkSums>()
      const { plan } = planned('day')
      addWork(
        ctx,
        { sources: OF_NUMBERS, plan, where, addUp: 'over all', keys: [column] },
        ([, , id]) => sumsIn(work, bytesToUuid(id as Uint8Array)),
      )
      return work
    },
  }
}

/** Returns the work about contacts with a tag, added up from stored messages and transfers. */
export function taggedWork(ctx: ReadCtx, reading: TagReading & { tagId: string }): ComparedWork {
  const rows = readTagged(ctx, reading)
  return {
    byPoint: (granularity) => {
      const buckets = bucketsOf(reading.range, granularity)
      const sums = buckets.map(noWork)
      for (const { name, slot, counts } of rows) {
        const point = sums[bucketAt(buckets, slot * SLOT_MS)]
        if (point) addToWork(name, point, counts)
      }
      return { buckets, sums }
    },
    byId: (column) => {
      const work = new Map<string | null, WorkSums>()
      for (const { name, userId, accountId, counts } of rows)
        addToWork(name, sumsIn(work, column === 'user_id' ? userId : accountId), counts)
      return work
    },
  }
}
