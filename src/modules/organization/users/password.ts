import { availableParallelism } from 'node:os'

import { SECOND_MS, type Clock } from '../../../lib/clock'
import { fieldSentence, InvalidError, UnavailableError } from '../../../lib/errors'
import { passwordProblem } from '../../../lib/fields'
import { MAX_PASSWORD_MEMORY_MIB } from '../../../lib/setting'
import type { Settings } from '../../../infra/settings'
import type { ConcurrencyLimiter } from '../../../infra/throttle/concurrency-limit'

/** The published list of the most common passwords. Loaded at the first use. */
let common: Promise<Set<string>> | null = null

async function loadCommon(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(
    dictionary['passwords-common'].filter((password) => passwordProblem(password) === null),
  )
}

/**
 * With `PASSWORD_BLOCKLIST`, requires that a password is none of the common ones, whatever its
 * case. `path` names the field. The length was validated with the rest of the body. Throws
 * InvalidError `password_too_common`, which does not contain the password.
 */
export async function requireUncommonPassword(
  settings: Pick<Settings, 'hasPasswordBlocklist'>,
  password: string,
  path: string,
): Promise<void> {
  if (
    !settings.hasPasswordBlocklist ||
    !(await (common ??= loadCommon())).has(password.normalize('NFC').toLowerCase())
  )
    return
  const message = 'is one of the most common passwords'
  throw new InvalidError(fieldSentence(path, message), {
    code: 'password_too_common',
    errors: [{ path, message }],
  })
}

const TIME_COST = 2

/** The most that a hash from elsewhere may take: twice as much as with that setting. */
const MAX_MEMORY_KIB = 2 * MAX_PASSWORD_MEMORY_MIB * 1_024

/** Argon2id in PHC form, as this product and others write it. */
const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,8})\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{16,172}$/

/**
 * Whether every sign-in may cost an Argon2id hash in PHC form that comes from elsewhere; `null` for
 * any other text.
 */
export function isAffordableHash(hash: string): boolean | null {
  const [isPhc, memory, passes, lanes] = PHC.exec(hash) ?? []
  if (isPhc === undefined) return null
  const isSmall = Number(memory) <= MAX_MEMORY_KIB && Number(lanes) === 1
  return isSmall && Number(memory) * Number(passes) <= MAX_MEMORY_KIB * TIME_COST
}

/** Hashes at once, those of known callers included. */
const MAX_PARALLEL_HASHES = 4

/**
 * One slot is kept for accounts that signed in from the same address before. There are fewer slots
 * than the runtime has background threads (one per core), because these also verify token
 * signatures, and other requests would wait for a hash.
 */
const RESERVED_HASHES = 1
const PARALLEL_HASHES = Math.max(
  1,
  Math.min(MAX_PARALLEL_HASHES, availableParallelism() - 1) - RESERVED_HASHES,
)

/** Names of the password hashing slots in the queue: those for all, and the reserve. */
export const HASHING = 'hashing'
export const RESERVED_HASHING = 'hashing of known callers'

/** How long a hash may take before its caller is refused and its slot is free again. */
const HASH_MS = 10 * SECOND_MS

/** For whom a password is hashed. */
export interface HashFor {
  /** The organization whose turn it is to have a slot; `null` for none. */
  organizationId: string | null
  /** Whether the account signed in from the caller's address before. */
  isKnown?: boolean
  /** Ends the wait of a caller that has waited before, epoch milliseconds. */
  untilMs?: number
}

/**
 * Hashes and verifies passwords. Limits parallel work, because each hash takes much memory and a
 * core. Organizations take turns.
 */
export interface PasswordHasher {
  /**
   * Returns the Argon2id hash of a password in PHC form. Throws UnavailableError if no slot became
   * free in time, or if the hash takes too long.
   */
  hash(password: string, hashFor: HashFor): Promise<string>
  /**
   * Whether the password matches the hash. Takes the same time for a decoy hash. Calls `hash` only
   * when a slot is free, because a flood would otherwise read for callers that get none. Throws
   * UnavailableError like `hash`.
   */
  verify(password: string, hash: () => string, hashFor: HashFor): Promise<boolean>
  /** Current cost parameters in PHC form: `m=65536,t=2,p=1`. */
  readonly cost: string
  /** Whether a stored hash has other cost parameters than the current ones. */
  isOutdated(hash: string): boolean
  /** Number of operations since the start, by operation and cost: `verify m=65536,t=2,p=1`. */
  readonly done: ReadonlyMap<string, number>
}

/** Returns the slots that a caller takes: of the reserve if it may and the others are busier. */
function slotsFor(queue: ConcurrencyLimiter, { organizationId, isKnown = false }: HashFor) {
  const crowdAt = (name: string, slots: number): number => {
    const { underWay, waiting } = queue.load(name)
    return (underWay + waiting) / slots
  }
  const isReserve =
    isKnown && crowdAt(RESERVED_HASHING, RESERVED_HASHES) < crowdAt(HASHING, PARALLEL_HASHES)
  return {
    name: isReserve ? RESERVED_HASHING : HASHING,
    room: () => (isReserve ? RESERVED_HASHES : PARALLEL_HASHES),
    turnOf: organizationId ?? '',
  }
}

/**
 * Returns the result of work that cannot be stopped, unless it takes too long. Throws
 * UnavailableError.
 */
async function withinHashTime<T>(clock: Clock, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const stopTimer = clock.after(HASH_MS, () =>
    late.reject(new UnavailableError('The server is overloaded. Try again in a few seconds.')),
  )
  try {
    return await Promise.race([work, late.promise])
  } finally {
    stopTimer()
  }
}

/**
 * Creates a hasher that uses `memoryMib` MiB for each hash. Calls wait in the queue for a free
 * slot.
 */
export function createPasswordHasher(
  memoryMib: number,
  queue: ConcurrencyLimiter,
  clock: Clock,
): PasswordHasher {
  const options = {
    algorithm: 'argon2id',
    memoryCost: memoryMib * 1024,
    timeCost: TIME_COST,
  } as const
  const cost = `m=${options.memoryCost},t=${TIME_COST},p=1`
  const done = new Map<string, number>()
  const normal = (password: string): string => password.normalize('NFC')
  const withSlot = async <T>(hashFor: HashFor, work: () => Promise<T>): Promise<T> => {
    const leave = await queue.enter([slotsFor(queue, hashFor)], hashFor.untilMs)
    try {
      return await withinHashTime(clock, work())
    } finally {
      leave()
    }
  }
  const count = (what: string): void => void done.set(what, (done.get(what) ?? 0) + 1)
  return {
    done,
    cost,
    hash: (password, hashFor) =>
      withSlot(hashFor, () => {
        count(`hash ${cost}`)
        return Bun.password.hash(normal(password), options)
      }),
    verify: (password, hash, hashFor) =>
      withSlot(hashFor, () => {
        const hashed = hash()
        count(`verify ${hashed.split('$')[3]}`)
        return Bun.password.verify(normal(password) || ' ', hashed).catch(() => false)
      }),
    isOutdated: (hash) => !hash.includes(`$${cost}$`),
  }
}

/** Returns a hash that no password matches, with the given cost. */
export const unmatchableHash = (cost: string): string =>
  `$argon2id$v=19$${cost}$${phcBytes(1)}$${phcBytes(2)}`

/**
 * 32 equal bytes in the form of the salt and the result of a hash. No password is known to give
 * them.
 */
const phcBytes = (byte: number): string =>
  Buffer.alloc(32, byte).toString('base64').replace(/=+$/, '')
