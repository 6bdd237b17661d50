import { eq } from 'drizzle-orm'

import { isoTimeOrNull } from '../../../lib/clock'
import { InvalidError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { describePlatformError, PlatformError } from '../../../platform/client/errors'
import { differences, recordAudit } from '../../organization/audit/record'
import { BUSINESS_ACCOUNT_UNPROVEN, UNPROVEN_MESSAGE } from './business-proof'
import { numberCallOf } from './platform-calls'
import type { TestView } from './connection/model'
import { AccountChanged } from './events'
import { recordFundingConfirmedIn, recordInspectedFundingIn } from './funding/record'
import {
  inspectedColumns,
  inspectAccount,
  EXPIRING_MS,
  linkOf,
  statusAfterInspection,
  type Inspection,
} from './inspect'
import { suspendAccountIn } from './suspend'
import { notifyAboutAccountIn } from './notify'
import { recordQualityIn } from './quality'
import { notifyRolesIn } from './routing/notify-roles'
import { warnOfVersionIn } from './graph-version'
import { isTemporary, platformErrorOf } from './platform-errors'
import { openSecret } from './secrets'
import { getAccount } from './queries'
import { recordAccountErrorIn } from './record-activity'
import { accounts } from './table'
import { accountView, type AccountRow } from './view'
import { noticeText } from '../../organization/notifications/catalog'

/** Result of a health check: the platform's facts, or the error it answered with. */
export type HealthCheckResult =
  | { isGood: true; found: Inspection }
  | { isGood: false; error: PlatformError; words: { code: string; message: string } }

/** A scope whose calls can be canceled. */
type CancelableCtx = Ctx & { signal?: AbortSignal }

/**
 * Asks the platform about a number and stores quality, limits, token and subscription, and the
 * status that follows from them (messaging contract 2). Throws PlatformError and stores nothing if
 * the platform cannot answer now.
 */
export async function runHealthCheck(
  ctx: CancelableCtx,
  row: AccountRow,
): Promise<HealthCheckResult> {
  const link = {
    ...linkOf(ctx, row, openSecret(ctx, row, 'accessTokenSealed') ?? ''),
    signal: ctx.signal,
  }
  try {
    const found = await inspectAccount(ctx, link)
    const flowKeyStatus = await flowKeyStatusOf(ctx, row)
    transact(ctx.db, (tx) => storeInspectionIn(tx, ctx, row, { found, flowKeyStatus }))
    return { isGood: true, found }
  } catch (error) {
    if (!(error instanceof PlatformError) || isTemporary(error)) throw error
    const words = reasonOf(error)
    transact(ctx.db, (tx) => storeRejectionIn(tx, ctx, row, { error, words }))
    return { isGood: false, error, words }
  }
}

function reasonOf({ platformCode, retryClass }: PlatformError): { code: string; message: string } {
  if (retryClass !== 'credential' && retryClass !== 'account')
    return {
      code: 'number_not_readable',
      message: 'This token cannot read this phone number on the platform.',
    }
  const { code, message } = describePlatformError(platformCode, retryClass)
  return { code: retryClass === 'credential' ? 'credential_rejected' : code, message }
}

/**
 * Returns the signature status of our public key at the platform, or `MISMATCH` if the platform has
 * another key. Returns the stored status if the platform gives no answer.
 */
async function flowKeyStatusOf(ctx: CancelableCtx, row: AccountRow): Promise<string | null> {
  if (row.flowPublicKey === null) return null
  try {
    const key = await ctx.platform.getFlowKey(numberCallOf(ctx, row))
    return key?.publicKey.trim() === row.flowPublicKey.trim() ? key.status : 'MISMATCH'
  } catch (error) {
    if (error instanceof PlatformError) return row.flowKeyStatus
    throw error
  }
}

/**
 * Returns the current row, or `null` if phone number ID, business account or token changed since
 * the given row was read.
 */
function findUnchangedIn(tx: Tx, ctx: Ctx, checked: AccountRow): AccountRow | null {
  const row = tx
    .select()
    .from(accounts)
    .where(inOrganization(ctx, accounts, eq(accounts.id, checked.id)))
    .get()
  const isSame =
    row?.deletedAtMs === null &&
    row.accessTokenSealed === checked.accessTokenSealed &&
    row.phoneId === checked.phoneId &&
    row.businessId === checked.businessId
  return row && isSame ? row : null
}

function storeInspectionIn(
  tx: Tx,
  ctx: Ctx,
  checked: AccountRow,
  { found, flowKeyStatus }: { found: Inspection; flowKeyStatus: string | null },
): void {
  const row = findUnchangedIn(tx, ctx, checked)
  if (!row) return
  const nowMs = ctx.clock.nowMs()
  const columns = {
    ...inspectedColumns(found, row, nowMs),
    ...(row.flowPublicKey === checked.flowPublicKey ? { flowKeyStatus } : {}),
    ...stateColumns(row, found, nowMs),
  }
  const warned = warnOfExpiryIn(tx, ctx, { ...row, ...columns })
  const after: AccountRow = {
    ...row,
    ...columns,
    ...(warned ? { tokenExpiryWarnedForMs: warned.forMs } : {}),
    ...warnOfVersionIn(tx, ctx, row),
  }
  const changed = differences(accountView(row), accountView(after))
    .map(({ field }) => field)
    .filter((field) => field !== 'last_checked_at')
    .concat(warned ? ['token_state'] : [])
  tx.update(accounts)
    .set({
      ...columns,
      tokenExpiryWarnedForMs: after.tokenExpiryWarnedForMs,
      apiVersionWarnedFor: after.apiVersionWarnedFor,
      ...(changed.length > 0 ? { updatedAtMs: nowMs } : {}),
    })
    .where(inOrganization(ctx, accounts, eq(accounts.id, row.id)))
    .run()
  recordInspectedFundingIn(tx, ctx, row, found)
  recordQualityIn(tx, ctx, row, after, nowMs)
  notifyChangesIn(tx, ctx, row, after)
  notifyRolesIn(tx, ctx, row, after)
  const isConnected = after.businessLink === 'proven' && row.businessLink !== 'proven'
  if (changed.length > 0)
    emit(tx, ctx, AccountChanged, {
      contactId: null,
      payload: { accountId: row.id, changed, isConnected },
    })
}

/** Returns the status columns that follow from an inspection. */
function stateColumns(row: AccountRow, found: Inspection, nowMs: number) {
  const { facts } = found
  const status = statusAfterInspection(row, found)
  if (status === 'pending' && found.businessLink === 'unproven') return unprovenColumns(nowMs)
  if (status === row.status) return {}
  if (status === 'active')
    return { status, statusReason: null, lastError: null, lastErrorAtMs: null }
  const [problem] = facts.healthProblems
  const message = problem?.description ?? 'The platform blocks sending from this number.'
  const code = facts.status === 'BANNED' ? 'banned' : 'blocked_by_platform'
  return {
    status,
    statusReason: code,
    lastError: JSON.stringify({ code, message }),
    lastErrorAtMs: nowMs,
  }
}

/** Status columns of a pending number whose business account is not proven. */
const unprovenColumns = (nowMs: number) => ({
  statusReason: BUSINESS_ACCOUNT_UNPROVEN,
  lastError: JSON.stringify({ code: BUSINESS_ACCOUNT_UNPROVEN, message: UNPROVEN_MESSAGE }),
  lastErrorAtMs: nowMs,
})

/** Notifies once per expiry that the token expires soon. */
function warnOfExpiryIn(tx: Tx, ctx: Ctx, row: AccountRow): { forMs: number } | null {
  const forMs = row.tokenExpiresAtMs
  const nowMs = ctx.clock.nowMs()
  if (
    forMs === null ||
    forMs <= nowMs ||
    forMs - nowMs >= EXPIRING_MS ||
    row.tokenExpiryWarnedForMs === forMs
  )
    return null
  notifyAboutAccountIn(tx, ctx, row, {
    kind: 'token_expiring',
    severity: 'warning',
    title: 'Access token expires soon',
    text: noticeText('token_expiring', { until_at: isoTimeOrNull(forMs) ?? '' }),
    body:
      `It expires at ${isoTimeOrNull(forMs) ?? ''}. Connect the number again in WhatsApp's window, ` +
      'or save a new token, before then. Otherwise messages can no longer be sent.',
  })
  return { forMs }
}

/** Notifies about what got worse since the last check. */
function notifyChangesIn(tx: Tx, ctx: Ctx, before: AccountRow, after: AccountRow): void {
  if (after.status === 'suspended' && before.status !== 'suspended')
    notifyAboutAccountIn(tx, ctx, after, {
      kind: 'account_suspended',
      severity: 'critical',
      title: 'Phone number suspended',
      text: noticeText('number_suspended'),
      body:
        'The platform blocks sending from this number. Resolve it in the business manager, ' +
        'then resume the number.',
    })
  notifyUnlinkedIn(tx, ctx, before, after)
  if (after.qualityRating === 'RED' && before.qualityRating !== 'RED')
    notifyAboutAccountIn(tx, ctx, after, {
      kind: 'quality_drop',
      severity: 'warning',
      title: 'Low quality rating',
      text: noticeText('quality_drop'),
      body:
        'Customers are blocking or reporting this number. If this continues, the platform will ' +
        'lower its messaging limit.',
    })
}

/** Notifies that the platform no longer confirms the number's business account. */
function notifyUnlinkedIn(
  tx: Tx,
  ctx: Ctx,
  before: AccountRow,
  after: Pick<AccountRow, 'businessLink'>,
): void {
  if (after.businessLink !== 'unproven' || before.businessLink === 'unproven') return
  notifyAboutAccountIn(tx, ctx, before, {
    kind: 'account_notice',
    severity: 'warning',
    title: 'Phone number not linked to its business account',
    text: noticeText('number_unlinked', { business: before.businessId }),
    body:
      `${UNPROVEN_MESSAGE} Until then, the number receives no alerts, reviews or template ` +
      `statuses of the business account ${before.businessId}.`,
  })
}

/**
 * Records that the platform rejected the check. A number that was never active stays pending;
 * others are suspended or disconnected, as after a rejected message.
 */
function storeRejectionIn(
  tx: Tx,
  ctx: Ctx,
  checked: AccountRow,
  { error, words }: { error: PlatformError; words: { code: string; message: string } },
): void {
  const row = findUnchangedIn(tx, ctx, checked)
  if (!row) return
  // A proven link outlives its token. A link that was never proven is not trusted.
  const businessLink = row.businessLink === 'proven' ? row.businessLink : 'unproven'
  tx.update(accounts)
    .set({
      lastCheckedAtMs: ctx.clock.nowMs(),
      businessLink,
      ...warnOfVersionIn(tx, ctx, row),
    })
    .where(inOrganization(ctx, accounts, eq(accounts.id, row.id)))
    .run()
  notifyUnlinkedIn(tx, ctx, row, { businessLink })
  if (row.status === 'pending') return recordAccountErrorIn(tx, ctx, row, words)
  const status = error.retryClass === 'account' ? 'suspended' : 'disconnected'
  suspendAccountIn(tx, ctx, row.id, { status, platformCode: error.platformCode, why: words })
}

/** Tests now whether a number works. Throws NotFoundError and UnavailableError. */
export async function testAccount(ctx: Ctx, id: string): Promise<TestView> {
  const row = getAccount(ctx, id)
  const result = await runHealthCheckFor(ctx, row)
  if (!result.isGood)
    return { ...UNTESTED, error: { ...result.words, platform_code: result.error.platformCode } }
  const { facts, token, isSubscribed, warnings } = result.found
  return {
    connected: true,
    phone_number: getAccount(ctx, id).phoneNumber,
    display_phone_number: facts.displayPhoneNumber,
    verified_name: facts.verifiedName,
    quality_rating: facts.qualityRating,
    messaging_limit_tier: facts.messagingLimitTier,
    code_verification_status: facts.codeVerificationStatus,
    account_mode: facts.accountMode,
    is_test_number: facts.accountMode === 'SANDBOX',
    token: {
      valid: token?.isValid ?? true,
      expires_at: isoTimeOrNull(token?.expiresAtMs ?? null),
      scopes: token?.scopes ?? [],
    },
    can_send: facts.canSendMessage ?? 'AVAILABLE',
    subscribed: isSubscribed ?? row.isSubscribed,
    warnings,
    error: null,
  }
}

const UNTESTED: TestView = {
  connected: false,
  phone_number: null,
  display_phone_number: null,
  verified_name: null,
  quality_rating: null,
  messaging_limit_tier: null,
  code_verification_status: null,
  account_mode: null,
  is_test_number: null,
  token: null,
  can_send: null,
  subscribed: null,
  warnings: [],
  error: null,
}

async function runHealthCheckFor(ctx: Ctx, row: AccountRow): Promise<HealthCheckResult> {
  try {
    return await runHealthCheck(ctx, row)
  } catch (error) {
    throw platformErrorOf(error, { rejected: 'The platform rejected the request for this number.' })
  }
}

/**
 * Ends pauses and restrictions of a number if the platform confirms that it works. A number the
 * platform calls limited stays restricted. A missing payment method counts as added, unless the
 * platform reports a problem with it. Throws NotFoundError, InvalidError `still_failing` and
 * UnavailableError.
 */
export async function resumeAccount(ctx: Ctx, id: string) {
  const result = await runHealthCheckFor(ctx, getAccount(ctx, id))
  if (!result.isGood)
    throw stillFailing(result.words.message, {
      reason: result.words.code,
      platform_code: result.error.platformCode,
    })
  const isLimited = result.found.facts.canSendMessage === 'LIMITED'
  return transact(ctx.db, (tx) => {
    const row = getAccount(ctx, id)
    if (row.status === 'pending' && row.businessLink !== 'proven')
      throw stillFailing(UNPROVEN_MESSAGE, {
        reason: BUSINESS_ACCOUNT_UNPROVEN,
        platform_code: null,
      })
    if (row.status !== 'active')
      throw stillFailing('The platform still blocks sending from this number.', {
        reason: row.statusReason,
        platform_code: null,
      })
    if (isUnpaid(row) && row.pausedUntilMs === null && row.restrictedAtMs === null)
      throw stillFailing('WhatsApp still reports a problem with the payment method.', {
        reason: 'payment_required',
        platform_code: null,
      })
    if (row.fundingState === 'missing' && !isUnpaid(row)) recordFundingConfirmedIn(tx, ctx, id)
    tx.update(accounts)
      .set({
        pausedUntilMs: null,
        ...(isLimited ? {} : { restrictedAtMs: null, restrictedUntilMs: null }),
        lastError: null,
        lastErrorAtMs: null,
        updatedAtMs: ctx.clock.nowMs(),
      })
      .where(inOrganization(ctx, accounts, eq(accounts.id, id)))
      .run()
    const view = accountView(getAccount(ctx, id))
    recordAudit(tx, ctx, {
      action: 'resumed',
      resourceType: 'account',
      resourceId: id,
      resourceName: view.name,
      changes: differences(accountView(row), view),
    })
    emit(tx, ctx, AccountChanged, {
      contactId: null,
      payload: {
        accountId: id,
        changed: ['paused_until', 'restricted_since', 'restricted_until', 'last_error'],
        isConnected: false,
      },
    })
    return view
  })
}

/** Whether the health report, which was just read, says that there is no payment method. */
const isUnpaid = ({ fundingState, fundingSource }: AccountRow): boolean =>
  fundingState === 'missing' && fundingSource === 'health'

const stillFailing = (message: string, details: Record<string, unknown>): InvalidError =>
  new InvalidError(message, { code: 'still_failing', details })
