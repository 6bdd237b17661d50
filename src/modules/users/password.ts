import { availableParallelism } from 'node:os'

import { InvalidError, UnavailableError } from '../../lib/errors'
import type { Settings } from '../../infra/settings'

/** A password: 8 to 256 characters after NFC, nothing trimmed (spec 5.6). */
const PASSWORD_LENGTH = { shortest: 8, longest: 256 } as const

/** What is wrong with a password; `null` when nothing is. */
export function passwordProblem(password: string): string | null {
  const length = [...password.normalize('NFC')].length
  if (length < PASSWORD_LENGTH.shortest) return `must have at least ${PASSWORD_LENGTH.shortest} characters`
  if (length > PASSWORD_LENGTH.longest) return `must have at most ${PASSWORD_LENGTH.longest} characters`
  return null
}

/** The published list of the passwords people choose most; loaded only where it is asked for. */
let common: Promise<Set<string>> | null = null

async function loadCommon(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].filter((password) => password.length >= PASSWORD_LENGTH.shortest))
}

/**
 * Refuses a password that is against the rule, and with `PASSWORD_BLOCKLIST` one of the common ones, in any case. `path` names the
 * field. Throws InvalidError, also `password_too_common`; the password is never repeated.
 */
export async function requireGoodPassword(settings: Pick<Settings, 'hasPasswordBlocklist'>, password: string, path: string): Promise<void> {
  const problem = passwordProblem(password)
  if (problem) throw new InvalidError(`${path}: ${problem}.`, { code: 'invalid_input', errors: [{ path, message: problem }] })
  if (!settings.hasPasswordBlocklist || !(await (common ??= loadCommon())).has(password.normalize('NFC').toLowerCase())) return
  const message = 'is one of the passwords that are guessed first'
  throw new InvalidError(`${path}: ${message}.`, { code: 'password_too_common', errors: [{ path, message }] })
}

const TIME_COST = 2
const MOST_AT_ONCE = 4

/**
 * Hashes at once: never all of the runtime's background threads, one per core, because signatures of tokens are checked on them too and
 * every other request would wait for a hash.
 */
const AT_ONCE = Math.max(1, Math.min(MOST_AT_ONCE, availableParallelism() - 1))
const LONGEST_WAIT_MS = 5_000

/** Hashing of passwords, a few at once, because each takes much memory and a core. */
export interface PasswordHasher {
  /** Argon2id of the password in PHC form. Throws UnavailableError when too many others wait. */
  hash(password: string): Promise<string>
  /** Whether the password is the hashed one; takes as long for `null`, the hash of nobody. Throws UnavailableError. */
  verify(password: string, hash: string | null): Promise<boolean>
  /** Whether a stored hash was made with other parameters than today's. */
  isOutdated(hash: string): boolean
}

/** A hasher that uses `memoryMib` MiB for each hash. */
export function createPasswordHasher(memoryMib: number): PasswordHasher {
  const options = { algorithm: 'argon2id', memoryCost: memoryMib * 1024, timeCost: TIME_COST } as const
  const slots = createSlots()
  let nobody: Promise<string> | null = null
  const normal = (password: string): string => password.normalize('NFC')
  return {
    hash: (password) => slots(() => Bun.password.hash(normal(password), options)),
    async verify(password, hash) {
      nobody ??= Bun.password.hash('the hash of nobody', options)
      const against = hash ?? (await nobody)
      const isRight = await slots(() => Bun.password.verify(normal(password) || ' ', against).catch(() => false))
      return isRight && hash !== null
    },
    isOutdated: (hash) => !hash.includes(`$m=${options.memoryCost},t=${TIME_COST},`),
  }
}

/** Runs a few works at once, four at most; who waits longer than five seconds is sent away. */
function createSlots(): <T>(work: () => Promise<T>) => Promise<T> {
  let free = AT_ONCE
  const waiting: (() => void)[] = []
  const enter = async (): Promise<void> => {
    if (free > 0) {
      free -= 1
      return
    }
    const turn = Promise.withResolvers<void>()
    const give = (): void => turn.resolve()
    waiting.push(give)
    const timer = setTimeout(() => {
      const place = waiting.indexOf(give)
      if (place === -1) return
      waiting.splice(place, 1)
      turn.reject(new UnavailableError('Too many sign-ins at once. Try again in a few seconds.'))
    }, LONGEST_WAIT_MS)
    try {
      await turn.promise
    } finally {
      clearTimeout(timer)
    }
  }
  const leave = (): void => {
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }
  return async (work) => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
