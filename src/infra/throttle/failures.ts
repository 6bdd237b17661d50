import { and, count, desc, eq, gt, inArray, lte, sql, type SQL } from 'drizzle-orm'

import { countedAddress } from '../../lib/address'
import { DAY_MS, MINUTE_MS, type Clock } from '../../lib/clock'
import { RateLimitedError } from '../../lib/errors'
import { sha256Hex } from '../../lib/hash'
import type { Vault } from '../../lib/secret'
import { compiled } from '../db/compiled'
import type { Db } from '../db/connection'
import { transact, type Tx } from '../db/transact'
import type { ConcurrencyLimiter } from './concurrency-limit'
import { throttleFailures, throttleKnownAddresses } from './table'

const WINDOW_MS = 15 * MINUTE_MS

/** How often what a bucket counts may happen for one key, and within which time. */
interface Limit {
  most: number
  withinMs: number
  /** What a refused caller is told, unless attempts failed. */
  refusal?: string
}

const failuresOf = (most: number): Limit => ({ most, withinMs: WINDOW_MS })

const LIMITS = {
  'login:account-address': failuresOf(10),
  'login:address': failuresOf(30),
  'login:account': failuresOf(100),
  'mail:account': failuresOf(5),
  'mail:address': failuresOf(30),
  'webhook-verification:address': failuresOf(30),
  'organization:site': failuresOf(100),
  'organization:founder': {
    most: 3,
    withinMs: DAY_MS,
    refusal: 'You have created 3 organizations within a day. Try again later.',
  },
} as const satisfies Record<string, Limit>

/**
 * The kinds of counters; each counts per account, per client address, or per account and address.
 */
export type ThrottleBucket = keyof typeof LIMITS

/** How long the address of a successful sign-in is known for its account. */
const KNOWN_MS = 30 * DAY_MS
const PRUNE_BATCH = 1_000

/** The party that proves something: the account's email if given, and the client's address. */
export interface Claimant {
  account: string | null
  address: string
}

/** How a proof may wait. */
export interface ProofWait {
  /** Until when, epoch milliseconds. */
  untilMs: number
  /** Whether the account signed in from the address recently. */
  isKnown: boolean
}

/** Counters of failures per account and per address, exact, sliding, and surviving restarts. */
export interface Throttle {
  /** Throws RateLimitedError while the bucket is closed for the key. */
  check(bucket: ThrottleBucket, key: string): void
  /** Counts a failure. */
  fail(bucket: ThrottleBucket, key: string): void
  /** Counts in the caller's transaction what is limited although nothing failed. */
  countIn(tx: Tx, bucket: ThrottleBucket, key: string): void
  /** Throws RateLimitedError while `prove` would refuse the claimant. */
  checkClaimant(who: Claimant): void
  /**
   * Runs a proof of identity: a password, a second factor, or the token of a link. All share three
   * counters: per account and address, per address, and per account over all addresses. Addresses
   * from which the account recently signed in do not share the last one, so failures elsewhere
   * cannot lock them out. Running proofs count as failures until they are decided, so a burst
   * cannot exceed the limit. A failure is counted in the transaction that runs `failedIn`. `work`
   * receives the time until which it may wait for its own slots, and whether the account signed in
   * from the address recently. Throws RateLimitedError before
   * `work` if the limit is reached, and UnavailableError if no slot became free in time.
   */
  prove(
    who: Claimant,
    work: (waiting: ProofWait) => Promise<boolean>,
    failedIn?: (tx: Tx) => void,
  ): Promise<boolean>
  /**
   * Records a sign-in: forgets the account's failures, here and over all addresses, and knows the
   * address for thirty days.
   */
  admitIn(tx: Tx, who: { account: string; address: string }): void
  /** Deletes failures too old to count, and addresses that are no longer known. */
  prune(): void
}

/**
 * Counts the recent failures of a key. Queried again for each waiting caller when a slot is free.
 */
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

/** Returns the stored hash of an account or address. */
const hashOf = (bucket: ThrottleBucket, key: string): string =>
  sha256Hex(bucket.endsWith(':address') ? countedAddress(key) : key)

/** The failures of all keys, stored in the database. */
class Failures {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly refused: (bucket: ThrottleBucket) => void,
  ) {}

  /**
   * Returns how many more failures of a key the bucket accepts. Throws RateLimitedError if it is
   * closed.
   */
  remainingFailures(bucket: ThrottleBucket, key: string): number {
    const { most, withinMs, refusal }: Limit = LIMITS[bucket]
    const known = { bucket, keyHash: hashOf(bucket, key), sinceMs: this.clock.nowMs() - withinMs }
    const failures = recentFailures(this.db).get(known)?.failures ?? 0
    if (failures < most) return most - failures
    const retryAfterS = (this.opensAtMs(bucket, key) - this.clock.nowMs()) / 1_000
    this.refused(bucket)
    if (refusal !== undefined) throw new RateLimitedError(refusal, retryAfterS)
    throw new RateLimitedError('Too many failed attempts. Try again later.', retryAfterS, {
      code: 'too_many_failures',
    })
  }

  /** Returns when a closed bucket opens: when fewer recent failures than the limit remain. */
  private opensAtMs(bucket: ThrottleBucket, key: string): number {
    const nowMs = this.clock.nowMs()
    const { most, withinMs } = LIMITS[bucket]
    const last = this.db.orm
      .select({ atMs: throttleFailures.atMs })
      .from(throttleFailures)
      .where(and(ofKey(bucket, key), gt(throttleFailures.atMs, nowMs - withinMs)))
      .orderBy(desc(throttleFailures.atMs))
      .limit(1)
      .offset(most - 1)
      .get()
    return (last?.atMs ?? nowMs) + withinMs
  }

  /** Counts a failure in the caller's transaction. */
  addIn(tx: Tx, bucket: ThrottleBucket, key: string): void {
    tx.insert(throttleFailures)
      .values({ bucket, keyHash: hashOf(bucket, key), atMs: this.clock.nowMs() })
      .run()
  }

  forgetIn(tx: Tx, bucket: ThrottleBucket, key: string): void {
    tx.delete(throttleFailures).where(ofKey(bucket, key)).run()
  }

  /** Deletes failures too old to count. */
  prune(): void {
    const nowMs = this.clock.nowMs()
    transact(this.db, (tx) => {
      for (const [bucket, { withinMs }] of Object.entries(LIMITS))
        tx.delete(throttleFailures)
          .where(
            and(lte(throttleFailures.atMs, nowMs - withinMs), eq(throttleFailures.bucket, bucket)),
          )
          .run()
    })
  }
}

const ofKey = (bucket: ThrottleBucket, key: string): SQL | undefined =>
  and(eq(throttleFailures.bucket, bucket), eq(throttleFailures.keyHash, hashOf(bucket, key)))

/** The addresses that accounts signed in from lately. */
class KnownAddresses {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly vault: Pick<Vault, 'codeDigests'>,
  ) {}

  has(account: string, address: string): boolean {
    const sinceMs = this.clock.nowMs() - KNOWN_MS
    const { mark, atMs } = throttleKnownAddresses
    const known = and(inArray(mark, this.marksOf(account, address)), gt(atMs, sinceMs))
    return (
      this.db.orm.select({ mark }).from(throttleKnownAddresses).where(known).limit(1).get() !==
      undefined
    )
  }

  addIn(tx: Tx, account: string, address: string): void {
    const [mark = ''] = this.marksOf(account, address)
    const atMs = this.clock.nowMs()
    tx.insert(throttleKnownAddresses)
      .values({ mark, atMs })
      .onConflictDoUpdate({ target: throttleKnownAddresses.mark, set: { atMs } })
      .run()
  }

  /** Deletes a batch of addresses that are no longer known. */
  prune(): void {
    const upToMs = this.clock.nowMs() - KNOWN_MS
    const old = sql`rowid in (select rowid from throttle_known_addresses where at_ms <= ${upToMs} limit ${PRUNE_BATCH})`
    transact(this.db, (tx) => tx.delete(throttleKnownAddresses).where(old).run())
  }

  private marksOf(account: string, address: string): string[] {
    return this.vault.codeDigests(`known address ${pairKey(account, address)}`)
  }
}

/** Returns the key of an account at an address. */
const pairKey = (account: string, address: string): string =>
  `${account} ${countedAddress(address)}`

/** Creates the counters that are stored in the database. */
export function createThrottle(
  { db, clock, vault }: { db: Db; clock: Clock; vault: Pick<Vault, 'codeDigests'> },
  { queue, refused }: { queue: ConcurrencyLimiter; refused: (bucket: ThrottleBucket) => void },
): Throttle {
  const failures = new Failures(db, clock, refused)
  const known = new KnownAddresses(db, clock, vault)

  /** Everything that failures of a claimant count for. */
  const countersOf = (
    { account, address }: Claimant,
    isKnown: boolean,
  ): [bucket: ThrottleBucket, key: string][] => {
    const ofAddress: [ThrottleBucket, string] = ['login:address', countedAddress(address)]
    if (account === null) return [ofAddress]
    const here: [ThrottleBucket, string][] = [
      ['login:account-address', pairKey(account, address)],
      ofAddress,
    ]
    return isKnown ? here : [...here, ['login:account', account]]
  }
  const isKnownAt = ({ account, address }: Claimant): boolean =>
    account !== null && known.has(account, address)

  return {
    check: (bucket, key) => void failures.remainingFailures(bucket, key),
    fail: (bucket, key) => transact(db, (tx) => failures.addIn(tx, bucket, key)),
    countIn: (tx, bucket, key) => failures.addIn(tx, bucket, key),
    checkClaimant(who) {
      for (const [bucket, key] of countersOf(who, isKnownAt(who)))
        failures.remainingFailures(bucket, key)
    },
    async prove(who, work, failedIn) {
      const isKnown = isKnownAt(who)
      const counters = countersOf(who, isKnown)
      const untilMs = queue.deadlineMs()
      const turns = counters.map(([bucket, key]) => ({
        name: `${bucket} ${key}`,
        room: () => failures.remainingFailures(bucket, key),
      }))
      const leave = await queue.enter(turns, untilMs)
      try {
        const isProven = await work({ untilMs, isKnown })
        if (!isProven)
          transact(db, (tx) => {
            for (const [bucket, key] of counters) failures.addIn(tx, bucket, key)
            failedIn?.(tx)
          })
        return isProven
      } finally {
        leave()
      }
    },
    admitIn(tx, { account, address }) {
      failures.forgetIn(tx, 'login:account-address', pairKey(account, address))
      failures.forgetIn(tx, 'login:account', account)
      known.addIn(tx, account, address)
    },
    prune() {
      failures.prune()
      known.prune()
    },
  }
}
