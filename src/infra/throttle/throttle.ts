import { and, count, eq, gt, lte, min } from 'drizzle-orm'

import { MINUTE_MS, type Clock } from '../../lib/clock'
import { RateLimitedError } from '../../lib/errors'
import { sha256Hex } from '../../lib/hash'
import { transact, type Db } from '../db'
import { throttleFailures } from './table'

/** How many failures within 15 minutes close a bucket for one key. */
const LIMITS = {
  'login:account': 10,
  'login:address': 30,
  'webhook-verification:address': 30,
} as const

/** What is counted; each bucket counts per account or per client address. */
export type ThrottleBucket = keyof typeof LIMITS

const WINDOW_MS = 15 * MINUTE_MS

/** Counters of failures per account and per address, exact, sliding, and surviving restarts. */
export interface Throttle {
  /** Throws RateLimitedError while the bucket is closed for the key. */
  check(bucket: ThrottleBucket, key: string): void
  /** Counts one failure. */
  fail(bucket: ThrottleBucket, key: string): void
  /** Forgets the failures of a key: it has just proven itself. */
  clear(bucket: ThrottleBucket, key: string): void
  /** Deletes failures too old to count. */
  prune(): void
}

/** The counters kept in the database. */
export function createThrottle(db: Db, clock: Clock): Throttle {
  const ofKey = (bucket: ThrottleBucket, key: string) =>
    and(eq(throttleFailures.bucket, bucket), eq(throttleFailures.keyHash, sha256Hex(key)))
  return {
    check(bucket, key) {
      const sinceMs = clock.nowMs() - WINDOW_MS
      const row = db.orm
        .select({ failures: count(), oldestMs: min(throttleFailures.atMs) })
        .from(throttleFailures)
        .where(and(ofKey(bucket, key), gt(throttleFailures.atMs, sinceMs)))
        .get()
      if (!row || row.failures < LIMITS[bucket]) return
      const retryAfterS = ((row.oldestMs ?? clock.nowMs()) - sinceMs) / 1_000
      throw new RateLimitedError('Too many failed attempts. Wait before the next one.', retryAfterS, { code: 'too_many_failures' })
    },
    fail(bucket, key) {
      transact(db, (tx) => {
        tx.insert(throttleFailures)
          .values({ bucket, keyHash: sha256Hex(key), atMs: clock.nowMs() })
          .run()
      })
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
