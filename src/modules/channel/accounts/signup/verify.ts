import { eq } from 'drizzle-orm'

import { ConflictError, InvalidError } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { PlatformError } from '../../../../platform/client/errors'
import { recordAudit } from '../../../organization/audit/record'
import { AccountChanged } from '../events'
import { runHealthCheck } from '../health-check'
import { numberCallOf } from '../platform-calls'
import { isTemporary, platformErrorOf } from '../platform-errors'
import { getAccount } from '../queries'
import { accounts } from '../table'
import type { AccountRow } from '../view'
import { finishConnection } from './finish'
import type { CodeRequest, SignedUpView, VerificationCode } from './model'

const DEFAULT_LANGUAGE = 'en_US'

/**
 * Has the platform send a code to a number that is not verified. Throws NotFoundError,
 * ConflictError `already_verified`, InvalidError `code_not_sent` and UnavailableError.
 */
export async function requestCode(ctx: Ctx, id: string, input: CodeRequest): Promise<void> {
  const row = getAccount(ctx, id)
  requireUnverified(row)
  const call = { method: input.method ?? 'sms', language: input.language ?? DEFAULT_LANGUAGE }
  try {
    await ctx.platform.requestCode({ ...numberCallOf(ctx, row), ...call })
  } catch (error) {
    const refusal = refusalOf(error)
    requireUnverified(await checkedAgain(ctx, row))
    throw new InvalidError(
      'WhatsApp does not send a code to this number now. Wait an hour, or choose a call instead of ' +
        'an SMS.',
      { code: 'code_not_sent', details: detailsOf(refusal) },
    )
  }
}

/**
 * Verifies a number with the code that was sent to it, and registers it. Throws NotFoundError,
 * InvalidError `code_rejected` and UnavailableError.
 */
export async function verifyNumber(
  ctx: Ctx,
  id: string,
  { code }: VerificationCode,
): Promise<SignedUpView> {
  const row = getAccount(ctx, id)
  if (row.codeVerification !== 'VERIFIED') await verify(ctx, row, code)
  return finishConnection(ctx, id)
}

async function verify(ctx: Ctx, row: AccountRow, code: string): Promise<void> {
  try {
    await ctx.platform.verifyCode({ ...numberCallOf(ctx, row), code })
    recordVerification(ctx, row.id)
  } catch (error) {
    const refusal = refusalOf(error)
    // The answer of an earlier request may have been lost, or it was verified elsewhere.
    if ((await checkedAgain(ctx, row)).codeVerification === 'VERIFIED') return
    throw new InvalidError('This code is wrong or has expired. Request a new one.', {
      code: 'code_rejected',
      errors: [{ path: 'body.code', message: 'is wrong or has expired' }],
      details: detailsOf(refusal),
    })
  }
}

/** Returns the platform's refusal. Throws other failures: UnavailableError if it gave no answer. */
function refusalOf(error: unknown): PlatformError {
  if (error instanceof PlatformError && !isTemporary(error)) return error
  throw platformErrorOf(error, { rejected: 'The platform rejected the request.' })
}

const detailsOf = ({ platformCode, platformMessage, details }: PlatformError) => ({
  platform_code: platformCode,
  platform_message: platformMessage,
  platform_details: details,
})

function requireUnverified({ codeVerification, isOnPhoneApp }: AccountRow): void {
  if (codeVerification === 'VERIFIED' || isOnPhoneApp)
    throw new ConflictError('This phone number is verified already.', { code: 'already_verified' })
}

/** Asks the platform about the number, and returns what is known of it then. */
async function checkedAgain(ctx: Ctx, row: AccountRow): Promise<AccountRow> {
  try {
    await runHealthCheck(ctx, row)
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
  }
  return getAccount(ctx, row.id)
}

function recordVerification(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const { name, codeVerification } = getAccount(ctx, id)
    tx.update(accounts)
      .set({ codeVerification: 'VERIFIED', updatedAtMs: ctx.clock.nowMs() })
      .where(inOrganization(ctx, accounts, eq(accounts.id, id)))
      .run()
    recordAudit(tx, ctx, {
      action: 'verified',
      resourceType: 'account',
      resourceId: id,
      resourceName: name,
      changes: [
        { field: 'code_verification_status', old_value: codeVerification, new_value: 'VERIFIED' },
      ],
    })
    emit(tx, ctx, AccountChanged, {
      contactId: null,
      payload: { accountId: id, changed: ['code_verification_status'], isConnected: false },
    })
  })
}
