import { and, count, desc, eq, gt, lte, sql } from 'drizzle-orm'

import { countedAddress } from '../../lib/address'
import { MINUTE_MS, type Clock } from '../../lib/clock'
import { RateLimitedError } from '../../lib/errors'
import { sha256Hex } from '../../lib/hash'
import { compiled, transact, type Db, type Tx } from '../db'
import type { Queue } from './queue'
import { throttleFailures } from './table'

/** How many failures within 15 minutes close a bucket for one key. */
const LIMITS = {
  'login:account': 10,
  'login:address': 30,
  'mail:account': 5,
  'mail:address': 30,
  'webhook-verification:address': 30,
} as const

/** What is counted; each bucket counts per account or per client address. */
export type ThrottleBucket = keyof typeof LIMITS

const WINDOW_MS = 15 * MINUTE_MS

/** Who tries to prove something: the e-mail of the account when one is named, and the client's address. */
export interface Claimant {
  account: string | null
  address: string
}

/** Counters of failures per account and per address, exact, sliding, and surviving restarts. */
export interface Throttle {
  /** Throws RateLimitedError while the bucket is closed for the key. */
  check(bucket: ThrottleBucket, key: string): void
  /** Counts one failure. */
  fail(bucket: ThrottleBucket, key: string): void
  /**
   * Lets somebody prove who they are: a password, a second factor, the token of a link. All of them share one counter per account and
   * one per address, and those under way count as failures until they are decided, so that no burst tries more than the limit allows.
   * A failure is counted together with what `failedIn` writes. `work` is told until when it may wait for a turn of its own. Throws
   * RateLimitedError before `work` when the limit is reached, and UnavailableError when its turn did not come in time.
   */
  prove(who: Claimant, work: (untilMs: number) => Promise<boolean>, failedIn?: (tx: Tx) => void): Promise<boolean>
  /** Forgets the failures of a key: it has just proven itself. */
  clear(bucket: ThrottleBucket, key: string): void
  /** Deletes failures too old to count. */
  prune(): void
}

/** How many failures of a key still count; asked again for each who waits whenever a turn is free. */
const recentFailures = compiled((orm) =>
  orm
    .select({ failures: count() })
    .from(throttleFailures)
    .where(
      and(
        eq(throttleFailures.bucket, sql.placeholder('bucket')),
        eq(throttleFailures.keyHash, sql.placeholder('keyHash')),
        gt(throttleFailures.atMs, sql.placeholder('sinceMs')),
      ),
    )
    .prepare(),
)

/** What stands in the table for the account or the address that is counted. */
const hashOf = (bucket: ThrottleBucket, key: string): string => sha256Hex(bucket.endsWith(':address') ? countedAddress(key) : key)

/** The counters kept in the database. */
export function createThrottle(
  db: Db,
  clock: Clock,
  { queue, refused }: { queue: Queue; refused: (bucket: ThrottleBucket) => void },
): Throttle {
  const ofKey = (bucket: ThrottleBucket, key: string) =>
    and(eq(throttleFailures.bucket, bucket), eq(throttleFailures.keyHash, hashOf(bucket, key)))
  const recent = (bucket: ThrottleBucket, key: string) => and(ofKey(bucket, key), gt(throttleFailures.atMs, clock.nowMs() - WINDOW_MS))
  const countOf = (bucket: ThrottleBucket, key: string): number =>
    recentFailures(db).get({ bucket, keyHash: hashOf(bucket, key), sinceMs: clock.nowMs() - WINDOW_MS })?.failures ?? 0
  /** A closed bucket opens when so many of its failures are too old to count that fewer than the limit are left. */
  const opensAtMs = (bucket: ThrottleBucket, key: string): number => {
    const last = db.orm
      .select({ atMs: throttleFailures.atMs })
      .from(throttleFailures)
      .where(recent(bucket, key))
      .orderBy(desc(throttleFailures.atMs))
      .limit(1)
      .offset(LIMITS[bucket] - 1)
      .get()
    return (last?.atMs ?? clock.nowMs()) + WINDOW_MS
  }
  const roomOf = (bucket: ThrottleBucket, key: string): number => {
    const failures = countOf(bucket, key)
    if (failures < LIMITS[bucket]) return LIMITS[bucket] - failures
    const retryAfterS = (opensAtMs(bucket, key) - clock.nowMs()) / 1_000
    refused(bucket)
    throw new RateLimitedError('Too many failed attempts. Wait before the next one.', retryAfterS, { code: 'too_many_failures' })
  }
  const failIn = (tx: Tx, bucket: ThrottleBucket, key: string): void => {
    tx.insert(throttleFailures)
      .values({ bucket, keyHash: hashOf(bucket, key), atMs: clock.nowMs() })
      .run()
  }
  return {
    check: (bucket, key) => void roomOf(bucket, key),
    fail: (bucket, key) => transact(db, (tx) => failIn(tx, bucket, key)),
    async prove({ account, address }, work, failedIn) {
      const places: [bucket: ThrottleBucket, key: string][] = [
        ...(account === null ? [] : [['login:account', account] satisfies [ThrottleBucket, string]]),
        ['login:address', countedAddress(address)],
      ]
      const untilMs = queue.patience()
      const turns = places.map(([bucket, key]) => ({ name: `${bucket} ${key}`, room: () => roomOf(bucket, key) }))
      const leave = await queue.enter(turns, untilMs)
      try {
        const isProven = await work(untilMs)
        if (!isProven)
          transact(db, (tx) => {
            for (const [bucket, key] of places) failIn(tx, bucket, key)
            failedIn?.(tx)
          })
        return isProven
      } finally {
        leave()
      }
    },
    clear(bucket, key) {
      transact(db, (tx) => {
        tx.delete(throttleFailures).where(ofKey(bucket, key)).run()
      })
    },
    prune() {
      transact(db, (tx) => {
        tx.delete(throttleFailures)
          .where(lte(throttleFailures.atMs, clock.nowMs() - WINDOW_MS))
          .run()
      })
    },
  }
}
