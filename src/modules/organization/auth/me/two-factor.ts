import { ConflictError, InvalidError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import type { AuditAction } from '../../audit/model'
import { HIDDEN, recordAudit } from '../../audit/record'
import { updateUserIn, type UserRow } from '../../users/service'
import { reauthorizedCtx } from '../delegated-ctx'
import type { AuthParts } from '../issue-tokens'
import {
  dropSecondFactorIn,
  newBackupCodesIn,
  newTotpSecret,
  proveSecondFactor,
  sealTotpSecret,
  stepOfCode,
} from '../second-factor'
import { requireCurrentPassword, recheckCaller } from './update'
import type { FullProof } from './model'
import { callerOf } from './queries'

const wrongCode = (): InvalidError =>
  new InvalidError('The code is wrong or was already used.', {
    code: 'two_factor_invalid',
    errors: [{ path: 'body.code', message: 'is wrong or was already used' }],
  })

const record = (tx: Tx, ctx: Ctx, user: UserRow, action: AuditAction, field: string): void =>
  recordAudit(tx, ctx, {
    action,
    resourceType: 'user',
    resourceId: user.id,
    resourceName: user.fullName,
    changes: [{ field, old_value: HIDDEN, new_value: HIDDEN }],
  })

/**
 * Creates a secret for an authenticator app. Two-factor authentication stays disabled until
 * `enableSecondFactor` gets a code. Throws ConflictError `two_factor_enabled`, InvalidError
 * `wrong_password`, RateLimitedError, and UnauthorizedError if the session has ended meanwhile.
 */
export async function setUpSecondFactor(
  ctx: Ctx,
  parts: AuthParts,
  user: UserRow,
  password: string,
): Promise<{ secret: string; otpauth_url: string }> {
  const requireOff = (row: UserRow): void => {
    if (row.totpSealed !== null)
      throw new ConflictError('Two-factor authentication is already enabled. Disable it first.', {
        code: 'two_factor_enabled',
      })
  }
  requireOff(user)
  await requireCurrentPassword(ctx, parts, user, password)
  const { secret, otpauthUrl } = newTotpSecret(user.email)
  transact(ctx.db, (tx) => {
    const { now, user: before } = recheckCaller(ctx, user)
    requireOff(before)
    updateUserIn(tx, now, user.id, { totpPendingSealed: sealTotpSecret(ctx, user.id, secret) })
    record(tx, now, before, 'updated', 'two_factor_secret')
  })
  return { secret, otpauth_url: otpauthUrl }
}

/**
 * Enables two-factor authentication with a code of the app. Returns the backup codes. Throws
 * ConflictError `no_setup_pending`, InvalidError `two_factor_invalid`, RateLimitedError, and
 * UnauthorizedError if the session has ended meanwhile.
 */
export async function enableSecondFactor(ctx: Ctx, user: UserRow, code: string): Promise<string[]> {
  const pending = user.totpPendingSealed
  const nothingPending = (): ConflictError =>
    new ConflictError(
      'Two-factor authentication has not been set up. Start with `POST /api/me/2fa/setup`.',
      {
        code: 'no_setup_pending',
      },
    )
  if (pending === null || user.totpSealed !== null) throw nothingPending()
  const claimant = { account: user.email, address: ctx.origin?.ipAddress ?? '' }
  let step: number | null = null
  const isProven = await ctx.throttle.prove(
    claimant,
    async () => (step = stepOfCode(ctx, user.id, pending, code)) !== null,
  )
  if (!isProven) throw wrongCode()
  return transact(ctx.db, (tx) => {
    const now = reauthorizedCtx(ctx)
    const before = callerOf(now)
    if (before.totpPendingSealed !== pending) throw nothingPending()
    updateUserIn(tx, now, user.id, {
      totpSealed: pending,
      totpPendingSealed: null,
      totpLastStep: step,
    })
    record(tx, now, before, 'two_factor_enabled', 'two_factor')
    return newBackupCodesIn(tx, now, user.id)
  })
}

/**
 * Verifies password and code, checks the caller again and runs `changeIn`, all in one transaction:
 * the code is used only if the change succeeds. Throws ConflictError `two_factor_not_enabled`,
 * InvalidError, RateLimitedError, and UnauthorizedError if the session has ended meanwhile.
 */
async function changeVerified(
  ctx: Ctx,
  parts: AuthParts,
  user: UserRow,
  { proof, changeIn }: { proof: FullProof; changeIn: (tx: Tx, now: Ctx, user: UserRow) => void },
): Promise<void> {
  if (user.totpSealed === null)
    throw new ConflictError('Two-factor authentication is not enabled.', {
      code: 'two_factor_not_enabled',
    })
  await requireCurrentPassword(ctx, parts, user, proof.current_password)
  const isProven = await proveSecondFactor(ctx, user, {
    code: proof.code,
    address: ctx.origin?.ipAddress ?? '',
    provenIn(tx) {
      const { now, user: before } = recheckCaller(ctx, user)
      changeIn(tx, now, before)
    },
  })
  if (!isProven) throw wrongCode()
}

/**
 * Creates ten new backup codes that replace the previous ones. Throws the errors of
 * `changeVerified`.
 */
export async function renewBackupCodes(
  ctx: Ctx,
  parts: AuthParts,
  user: UserRow,
  proof: FullProof,
): Promise<string[]> {
  let codes: string[] = []
  await changeVerified(ctx, parts, user, {
    proof,
    changeIn(tx, now, before) {
      record(tx, now, before, 'updated', 'backup_codes')
      codes = newBackupCodesIn(tx, now, before.id)
    },
  })
  return codes
}

/** Disables the caller's two-factor authentication. Throws the errors of `changeVerified`. */
export const disableSecondFactor = (
  ctx: Ctx,
  parts: AuthParts,
  user: UserRow,
  proof: FullProof,
): Promise<void> =>
  changeVerified(ctx, parts, user, {
    proof,
    changeIn(tx, now, before) {
      dropSecondFactorIn(tx, now, before.id)
      record(tx, now, before, 'two_factor_disabled', 'two_factor')
    },
  })
