import { and, count, desc, eq, gt, lte, sql, type SQL } from 'drizzle-orm'

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

/** The failures of all keys as the database keeps them. */
class Failures {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly refused: (bucket: ThrottleBucket) => void,
  ) {}

  /** How many more failures of a key the bucket takes. Throws RateLimitedError when it is closed. */
  roomOf(bucket: ThrottleBucket, key: string): number {
    const known = { bucket, keyHash: hashOf(bucket, key), sinceMs: this.clock.nowMs() - WINDOW_MS }
    const failures = recentFailures(this.db).get(known)?.failures ?? 0
    if (failures < LIMITS[bucket]) return LIMITS[bucket] - failures
    const retryAfterS = (this.opensAtMs(bucket, key) - this.clock.nowMs()) / 1_000
    this.refused(bucket)
    throw new RateLimitedError('Too many failed attempts. Wait before the next one.', retryAfterS, { code: 'too_many_failures' })
  }

  /** A closed bucket opens when so many of its failures are too old to count that fewer than the limit are left. */
  private opensAtMs(bucket: ThrottleBucket, key: string): number {
    const nowMs = this.clock.nowMs()
    const last = this.db.orm
      .select({ atMs: throttleFailures.atMs })
      .from(throttleFailures)
      .where(and(ofKey(bucket, key), gt(throttleFailures.atMs, nowMs - WINDOW_MS)))
      .orderBy(desc(throttleFailures.atMs))
      .limit(1)
      .offset(LIMITS[bucket] - 1)
      .get()
    return (last?.atMs ?? nowMs) + WINDOW_MS
  }

  /** Counts one, in the caller's transaction. */
  addIn(tx: Tx, bucket: ThrottleBucket, key: string): void {
    tx.insert(throttleFailures)
      .values({ bucket, keyHash: hashOf(bucket, key), atMs: this.clock.nowMs() })
      .run()
  }

  forget(bucket: ThrottleBucket, key: string): void {
    transact(this.db, (tx) => tx.delete(throttleFailures).where(ofKey(bucket, key)).run())
  }

  /** Deletes those too old to count. */
  prune(): void {
    const upToMs = this.clock.nowMs() - WINDOW_MS
    transact(this.db, (tx) => tx.delete(throttleFailures).where(lte(throttleFailures.atMs, upToMs)).run())
  }
}

const ofKey = (bucket: ThrottleBucket, key: string): SQL | undefined =>
  and(eq(throttleFailures.bucket, bucket), eq(throttleFailures.keyHash, hashOf(bucket, key)))

/** The counters kept in the database. */
export function createThrottle(
  db: Db,
  clock: Clock,
  { queue, refused }: { queue: Queue; refused: (bucket: ThrottleBucket) => void },
): Throttle {
  const failures = new Failures(db, clock, refused)
  return {
    check: (bucket, key) => void failures.roomOf(bucket, key),
    fail: (bucket, key) => transact(db, (tx) => failures.addIn(tx, bucket, key)),
    async prove({ account, address }, work, failedIn) {
      const places: [bucket: ThrottleBucket, key: string][] = [
        ...(account === null ? [] : [['login:account', account] satisfies [ThrottleBucket, string]]),
        ['login:address', countedAddress(address)],
      ]
      const untilMs = queue.patience()
      const turns = places.map(([bucket, key]) => ({ name: `${bucket} ${key}`, room: () => failures.roomOf(bucket, key) }))
      const leave = await queue.enter(turns, untilMs)
      try {
        const isProven = await work(untilMs)
        if (!isProven)
          transact(db, (tx) => {
            for (const [bucket, key] of places) failures.addIn(tx, bucket, key)
            failedIn?.(tx)
          })
        return isProven
      } finally {
        leave()
      }
    },
    clear: (bucket, key) => failures.forget(bucket, key),
    prune: () => failures.prune(),
  }
}
