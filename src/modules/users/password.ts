import { availableParallelism } from 'node:os'

import { fieldSentence, InvalidError } from '../../lib/errors'
import { passwordProblem } from '../../lib/fields'
import type { Settings } from '../../infra/settings'
import type { ConcurrencyLimiter } from '../../infra/throttle/concurrency-limit'

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
const MAX_PARALLEL_HASHES = 4

/**
 * Number of parallel hashes. Fewer than the runtime's background threads (one per core), because
 * these also verify token signatures, and other requests would wait for a hash.
 */
const PARALLEL_HASHES = Math.max(1, Math.min(MAX_PARALLEL_HASHES, availableParallelism() - 1))
/** Name of the password hashing slots in the queue. */
export const HASHING = 'hashing'

/**
 * Hashes and verifies passwords. Limits parallel work, because each hash takes much memory and a
 * core.
 */
export interface PasswordHasher {
  /**
   * Returns the Argon2id hash of a password in PHC form. Throws UnavailableError if the queue is
   * full.
   */
  hash(password: string): Promise<string>
  /**
   * Whether the password matches the hash. Takes the same time for a decoy hash. Calls `hash` only
   * when a slot is free, because most calls of a flood get none. `untilMs` ends the wait of a call
   * that has waited before. Throws UnavailableError.
   */
  verify(password: string, hash: () => string, untilMs?: number): Promise<boolean>
  /** Current cost parameters in PHC form: `m=65536,t=2,p=1`. */
  readonly cost: string
  /** Whether a stored hash has other cost parameters than the current ones. */
  isOutdated(hash: string): boolean
  /** Number of operations since the start, by operation and cost: `verify m=65536,t=2,p=1`. */
  readonly done: ReadonlyMap<string, number>
}

/**
 * Creates a hasher that uses `memoryMib` MiB for each hash. Calls wait in the queue for a free
 * slot.
 */
export function createPasswordHasher(memoryMib: number, queue: ConcurrencyLimiter): PasswordHasher {
  const options = {
    algorithm: 'argon2id',
    memoryCost: memoryMib * 1024,
    timeCost: TIME_COST,
  } as const
  const cost = `m=${options.memoryCost},t=${TIME_COST},p=1`
  const done = new Map<string, number>()
  const normal = (password: string): string => password.normalize('NFC')
  const withSlot = async <T>(untilMs: number | undefined, work: () => Promise<T>): Promise<T> => {
    const leave = await queue.enter([{ name: HASHING, room: () => PARALLEL_HASHES }], untilMs)
    try {
      return await work()
    } finally {
      leave()
    }
  }
  const count = (what: string): void => void done.set(what, (done.get(what) ?? 0) + 1)
  return {
    done,
    cost,
    hash: (password) =>
      withSlot(undefined, () => {
        count(`hash ${cost}`)
        return Bun.password.hash(normal(password), options)
      }),
    verify: (password, hash, untilMs) =>
      withSlot(untilMs, () => {
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
