import { and, eq, inArray, isNull } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'

import { UnauthorizedError } from '../../../lib/errors'
import { randomText } from '../../../lib/random'
import type { Deps } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { updateUserIn, type UserRow } from '../users/service'
import { users } from '../users/table'
import { backupCodes } from './table'

/**
 * TOTP settings of RFC 6238 that authenticator apps expect: SHA-1, six digits, 30 seconds. Accepts
 * one step before and after the current one.
 */
const PERIOD_S = 30
const STEPS_OFF = 1
const ISSUER = 'Switchboard'

const BACKUP_CODES = 10
/** Alphabet without letters and digits that are easily confused. */
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

/** Returns a new secret for an authenticator app, in base32 and as the URL of a QR code. */
export function newTotpSecret(email: string): { secret: string; otpauthUrl: string } {
  const secret = new Secret({ size: 20 }).base32
  return { secret, otpauthUrl: totpOf(secret, email).toString() }
}

/** Returns the secret encrypted for its user. */
export const sealTotpSecret = (deps: Pick<Deps, 'vault'>, userId: string, secret: string): string =>
  deps.vault.seal(secret, placeOf(userId))

/** Encrypts a stored secret with the current key. Returns `null` without a secret. */
export const resealTotpSecret = (
  deps: Pick<Deps, 'vault'>,
  userId: string,
  sealed: string | null,
): string | null => (sealed === null ? null : deps.vault.reseal(sealed, placeOf(userId)))

/** Returns the time step of a code, or `null` if it matches no current step. */
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
 * Redeems a two-factor code: a code of the app, each time step once and never an earlier one, or a
 * backup code. Returns whether it was valid.
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
 * Replaces the backup codes by ten new ones, in the caller's transaction. Returns them, to be shown
 * once.
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

/** Disables two-factor authentication and deletes its data, in the caller's transaction. */
export function dropSecondFactorIn(tx: Tx, deps: Deps, userId: string): void {
  tx.delete(backupCodes).where(eq(backupCodes.userId, userId)).run()
  updateUserIn(tx, deps, userId, { totpSealed: null, totpPendingSealed: null, totpLastStep: null })
}

/**
 * Verifies a two-factor code. The code is redeemed together with the writes of `provenIn`, or not
 * at all if that throws. Failures count like wrong passwords. Throws RateLimitedError.
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
 * Requires the two-factor code after a correct password, if the user has enabled it. Throws
 * UnauthorizedError `two_factor_required` without a code or `two_factor_invalid` with a wrong or
 * used code, and RateLimitedError.
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
