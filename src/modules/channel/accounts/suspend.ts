import { and, eq, inArray, isNull, sql } from 'drizzle-orm'

import { MINUTE_MS } from '../../../lib/clock'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { AccountChanged } from './events'
import { notifyAboutAccountIn } from './notify'
import { accounts } from './table'
import type { AccountRow } from './view'
import { noticeText } from '../../organization/notifications/catalog'

/** Error codes that concern all numbers of the business account (outbound contract 5). */
const BUSINESS_CODES: readonly number[] = [368, 131_042]

/** A pause that is extended by less is the same pause: parallel calls got the same error. */
const SAME_PAUSE_MS = MINUTE_MS

/** Error code and message of a number. */
interface Cause {
  code: string
  message: string
}

/** An error that stops an account. */
interface Failure {
  status: 'disconnected' | 'suspended'
  platformCode: number | null
  why: Cause
}

const live = (ctx: Ctx, id: string) =>
  inOrganization(ctx, accounts, and(eq(accounts.id, id), isNull(accounts.deletedAtMs)))

/**
 * Stops sending of an account after an error of its token (`disconnected`) or of the account
 * (`suspended`). Stops all numbers of the business account if the code concerns it. Only the first
 * error changes the account, publishes the change and notifies its managers; later errors are
 * counted.
 */
export function suspendAccountIn(tx: Tx, ctx: Ctx, accountId: string, failure: Failure): void {
  const changed = stopSendingIn(tx, ctx, accountId, failure)
  for (const { id } of changed)
    emit(tx, ctx, AccountChanged, {
      contactId: null,
      payload: {
        accountId: id,
        changed: ['status', 'status_reason', 'last_error'],
        isConnected: false,
      },
    })
  const first = changed.find(({ id }) => id === accountId)
  if (!first) return countError(tx, ctx, accountId)
  const { status, why } = failure
  notifyAboutAccountIn(tx, ctx, first, {
    kind: status === 'disconnected' ? 'token_invalid' : 'account_suspended',
    severity: 'critical',
    title: 'Sending failed',
    text: noticeText('sending_failed', { message: why.message, numbers: changed.length }),
    body: `${why.message}${changed.length > 1 ? ` This concerns ${changed.length} numbers of the business account.` : ''}`,
  })
}

/** Sets the status of the affected accounts that can still send. Returns those that changed. */
function stopSendingIn(tx: Tx, ctx: Ctx, accountId: string, failure: Failure): AccountRow[] {
  const { status, platformCode, why } = failure
  const [account] = tx.select().from(accounts).where(live(ctx, accountId)).all()
  if (!account) return []
  const isAffected =
    platformCode !== null && BUSINESS_CODES.includes(platformCode)
      ? eq(accounts.businessId, account.businessId)
      : eq(accounts.id, accountId)
  const lastError = status === 'disconnected' ? 'credential_rejected' : why.code
  const from: AccountRow['status'][] =
    status === 'disconnected' ? ['pending', 'active'] : ['pending', 'active', 'disconnected']
  const nowMs = ctx.clock.nowMs()
  return tx
    .update(accounts)
    .set({
      status,
      statusReason: lastError,
      lastError: JSON.stringify({ code: lastError, message: why.message, count: 1 }),
      lastErrorAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    .where(
      inOrganization(
        ctx,
        accounts,
        and(isAffected, isNull(accounts.deletedAtMs), inArray(accounts.status, from)),
      ),
    )
    .returning()
    .all()
}

function countError(tx: Tx, ctx: Ctx, accountId: string): void {
  tx.update(accounts)
    .set({
      lastError: sql`json_set(${accounts.lastError}, '$.count', coalesce(json_extract(${accounts.lastError}, '$.count'), 1) + 1)`,
    })
    .where(live(ctx, accountId))
    .run()
}

/**
 * Pauses an account after the platform asked for it. A longer pause stays unchanged. Publishes a
 * new pause and a large extension, and notifies the managers of the account if `isSerious`.
 */
export function pauseAccountIn(
  tx: Tx,
  ctx: Ctx,
  accountId: string,
  pause: { untilMs: number; why: Cause; isSerious: boolean },
): void {
  const nowMs = ctx.clock.nowMs()
  const [before] = tx.select().from(accounts).where(live(ctx, accountId)).all()
  if (!before) return
  const pausedUntilMs = before.pausedUntilMs ?? 0
  if (pause.untilMs <= pausedUntilMs) return countError(tx, ctx, accountId)
  const lastError = JSON.stringify({ ...pause.why, count: 1 })
  tx.update(accounts)
    .set({ pausedUntilMs: pause.untilMs, lastError, lastErrorAtMs: nowMs, updatedAtMs: nowMs })
    .where(live(ctx, accountId))
    .run()
  if (pausedUntilMs > nowMs && pause.untilMs - pausedUntilMs < SAME_PAUSE_MS) return
  emit(tx, ctx, AccountChanged, {
    contactId: null,
    payload: { accountId, changed: ['paused_until', 'last_error'], isConnected: false },
  })
  if (pause.isSerious)
    notifyAboutAccountIn(tx, ctx, before, {
      kind: 'account_paused',
      severity: 'warning',
      title: 'Sending is paused',
      text: noticeText('sending_paused', { message: pause.why.message }),
      body: pause.why.message,
    })
}

/** Records that the platform accepted a message of the account. Writes at most once a minute. */
export function recordSendSuccessIn(tx: Tx, ctx: Ctx, account: AccountRow): void {
  const nowMs = ctx.clock.nowMs()
  if (account.lastSendOkAtMs !== null && nowMs - account.lastSendOkAtMs < MINUTE_MS) return
  tx.update(accounts).set({ lastSendOkAtMs: nowMs }).where(live(ctx, account.id)).run()
}
