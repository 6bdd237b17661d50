import { and, eq, inArray, isNull } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'

import { UnauthorizedError } from '../../lib/errors'
import { randomText } from '../../lib/random'
import type { Deps } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db/transact'
import { updateUserIn, type UserRow } from '../users/service'
import { users } from '../users/table'
import { backupCodes } from './table'

/**
 * RFC 6238 with what authenticator apps expect: SHA-1, six digits, thirty seconds; one step either
 * way is accepted.
 */
const PERIOD_S = 30
const STEPS_OFF = 1
const ISSUER = 'Switchboard'

const BACKUP_CODES = 10
/** Without letters and digits that are mistaken for each other. */
const CODE_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

const placeOf = (userId: string): string => `users/${userId}/totp`

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({
    issuer: ISSUER,
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_S,
    secret: Secret.fromBase32(secret),
  })

/** A fresh secret for an authenticator app, in base32 and as the address of a QR code. */
export function newTotpSecret(email: string): { secret: string; otpauthUrl: string } {
  const secret = new Secret({ size: 20 }).base32
  return { secret, otpauthUrl: totpOf(secret, email).toString() }
}

/** The secret as it is stored, encrypted for its account. */
export const sealTotpSecret = (deps: Pick<Deps, 'vault'>, userId: string, secret: string): string =>
  deps.vault.seal(secret, placeOf(userId))

/** A stored secret, or none, encrypted with the present key. */
export const resealTotpSecret = (
  deps: Pick<Deps, 'vault'>,
  userId: string,
  sealed: string | null,
): string | null => (sealed === null ? null : deps.vault.reseal(sealed, placeOf(userId)))

/** The time step whose code this is; `null` when it is none of the present ones. */
export function stepOfCode(
  deps: Pick<Deps, 'vault' | 'clock'>,
  userId: string,
  sealed: string,
  code: string,
): number | null {
  const token = code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return null
  const nowMs = deps.clock.nowMs()
  const off = totpOf(deps.vault.open(sealed, placeOf(userId)), '').validate({
    token,
    timestamp: nowMs,
    window: STEPS_OFF,
  })
  return off === null ? null : Math.floor(nowMs / 1_000 / PERIOD_S) + off
}

/**
 * Uses up a code of the second factor: one of the app, each step once and never an earlier one, or
 * a backup code. Returns whether it was good.
 */
function useCodeIn(tx: Tx, deps: Deps, userId: string, code: string): boolean {
  const user = tx
    .select({ sealed: users.totpSealed, lastStep: users.totpLastStep })
    .from(users)
    .where(eq(users.id, userId))
    .get()
  if (!user || user.sealed === null) return false
  const step = stepOfCode(deps, userId, user.sealed, code)
  if (step === null) return useBackupCodeIn(tx, deps, userId, code)
  if (user.lastStep !== null && user.lastStep >= step) return false
  updateUserIn(tx, deps, userId, { totpLastStep: step })
  return true
}

const normalCode = (code: string): string => code.toLowerCase().replace(/[\s-]/g, '')

function useBackupCodeIn(tx: Tx, deps: Deps, userId: string, code: string): boolean {
  return (
    tx
      .update(backupCodes)
      .set({ usedAtMs: deps.clock.nowMs() })
      .where(
        and(
          eq(backupCodes.userId, userId),
          inArray(backupCodes.codeHmac, deps.vault.codeDigests(`${userId}:${normalCode(code)}`)),
          isNull(backupCodes.usedAtMs),
        ),
      )
      .returning({ id: backupCodes.id })
      .all().length > 0
  )
}

/**
 * Makes ten new backup codes, in the caller's transaction; the former ones stop working. Returns
 * them, to be shown once.
 */
export function newBackupCodesIn(tx: Tx, deps: Deps, userId: string): string[] {
  tx.delete(backupCodes).where(eq(backupCodes.userId, userId)).run()
  return Array.from({ length: BACKUP_CODES }, () => {
    const code = randomText(10, CODE_ALPHABET)
    const [codeHmac = ''] = deps.vault.codeDigests(`${userId}:${code}`)
    tx.insert(backupCodes).values({ id: deps.ids.next(), userId, codeHmac }).run()
    return `${code.slice(0, 5)}-${code.slice(5)}`
  })
}

/** Switches the second factor off with all that belongs to it, in the caller's transaction. */
export function dropSecondFactorIn(tx: Tx, deps: Deps, userId: string): void {
  tx.delete(backupCodes).where(eq(backupCodes.userId, userId)).run()
  updateUserIn(tx, deps, userId, { totpSealed: null, totpPendingSealed: null, totpLastStep: null })
}

/**
 * Proves the second factor with a code, which is used up together with what `provenIn` writes, or
 * not at all when that throws; failures count like wrong passwords. Throws RateLimitedError.
 */
export const proveSecondFactor = (
  deps: Deps,
  user: Pick<UserRow, 'id' | 'email'>,
  input: {
    code: string
    address: string
    failedIn?: (tx: Tx) => void
    provenIn?: (tx: Tx) => void
  },
): Promise<boolean> =>
  deps.throttle.prove(
    { account: user.email, address: input.address },
    async () =>
      transact(deps.db, (tx) => {
        const isProven = useCodeIn(tx, deps, user.id, input.code)
        if (isProven) input.provenIn?.(tx)
        return isProven
      }),
    input.failedIn,
  )

/**
 * Asks for the second factor of an account that has one, after the password was right. Throws
 * UnauthorizedError `two_factor_required` without a code, `two_factor_invalid` with a wrong or used
 * one, and RateLimitedError.
 */
export async function requireSecondFactor(
  deps: Deps,
  user: UserRow,
  input: { code: string | undefined; address: string; failedIn?: (tx: Tx) => void },
): Promise<void> {
  if (user.totpSealed === null) return
  const { code, ...rest } = input
  if (code === undefined)
    throw new UnauthorizedError(
      'A code is required. Send the code from your authenticator app, or a backup code, in ' +
        '`code`.',
      { code: 'two_factor_required' },
    )
  if (!(await proveSecondFactor(deps, user, { code, ...rest })))
    throw new UnauthorizedError('The code is wrong or was already used.', {
      code: 'two_factor_invalid',
    })
}
