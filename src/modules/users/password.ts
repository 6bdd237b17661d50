import { availableParallelism } from 'node:os'

import { fieldSentence, InvalidError } from '../../lib/errors'
import { passwordProblem } from '../../lib/fields'
import type { Settings } from '../../infra/settings'
import type { Queue } from '../../infra/throttle/concurrency-limit'

/** The published list of the passwords people choose most; loaded only where it is asked for. */
let common: Promise<Set<string>> | null = null

async function loadCommon(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(
    dictionary['passwords-common'].filter((password) => passwordProblem(password) === null),
  )
}

/**
 * With `PASSWORD_BLOCKLIST` refuses a password that is one of the common ones, in any case. `path`
 * names the field; its length was judged with the rest of the body. Throws InvalidError
 * `password_too_common`; the password is never repeated.
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
const MAX_AT_ONCE = 4

/**
 * Hashes at once: never all of the runtime's background threads, one per core, because signatures
 * of tokens are checked on them too and every other request would wait for a hash.
 */
const AT_ONCE = Math.max(1, Math.min(MAX_AT_ONCE, availableParallelism() - 1))
/** The place in the queue where passwords are hashed. */
export const HASHING = 'hashing'

/** Hashing of passwords, a few at once, because each takes much memory and a core. */
export interface PasswordHasher {
  /** Argon2id of the password in PHC form. Throws UnavailableError when too many others wait. */
  hash(password: string): Promise<string>
  /**
   * Whether the password is the hashed one; costs the same for a hash of nobody. The hash is asked
   * for when its turn has come: of a storm most get none. Who has waited before says until when it
   * waits for its turn. Throws UnavailableError.
   */
  verify(password: string, hash: () => string, untilMs?: number): Promise<boolean>
  /** What a hash costs today, as it stands in its PHC form: `m=65536,t=2,p=1`. */
  readonly cost: string
  /** Whether a stored hash was made with other parameters than today's. */
  isOutdated(hash: string): boolean
  /** How often each work was done since the start, by its cost: `verify m=65536,t=2,p=1`. */
  readonly done: ReadonlyMap<string, number>
}

/** A hasher that uses `memoryMib` MiB for each hash; those who find it busy wait in the queue. */
export function createPasswordHasher(memoryMib: number, queue: Queue): PasswordHasher {
  const options = {
    algorithm: 'argon2id',
    memoryCost: memoryMib * 1024,
    timeCost: TIME_COST,
  } as const
  const cost = `m=${options.memoryCost},t=${TIME_COST},p=1`
  const done = new Map<string, number>()
  const normal = (password: string): string => password.normalize('NFC')
  const inTurn = async <T>(untilMs: number | undefined, work: () => Promise<T>): Promise<T> => {
    const leave = await queue.enter([{ name: HASHING, room: () => AT_ONCE }], untilMs)
    try {
      return await work()
    } finally {
      leave()
    }
  }
  const note = (what: string): void => void done.set(what, (done.get(what) ?? 0) + 1)
  return {
    done,
    cost,
    hash: (password) =>
      inTurn(undefined, () => {
        note(`hash ${cost}`)
        return Bun.password.hash(normal(password), options)
      }),
    verify: (password, hash, untilMs) =>
      inTurn(untilMs, () => {
        const hashed = hash()
        note(`verify ${hashed.split('$')[3]}`)
        return Bun.password.verify(normal(password) || ' ', hashed).catch(() => false)
      }),
    isOutdated: (hash) => !hash.includes(`$${cost}$`),
  }
}

/** A hash of nobody's password that costs as much as one of these parameters. */
export const hashOfNobody = (cost: string): string =>
  `$argon2id$v=19$${cost}$${phcBytes(1)}$${phcBytes(2)}`

/**
 * 32 bytes, all the same, as a hash in PHC form holds its salt and its result: nothing is known
 * that hashes to them.
 */
const phcBytes = (byte: number): string =>
  Buffer.alloc(32, byte).toString('base64').replace(/=+$/, '')
