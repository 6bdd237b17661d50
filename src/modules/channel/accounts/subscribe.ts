import { and, eq, isNull, sql, type SQL } from 'drizzle-orm'

import { randomHex } from '../../../lib/random'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { recordAudit } from '../../organization/audit/record'
import { requestSoonIn } from './phone-app/wait'
import { businessCallOf, callbackUrl, numberCallOf } from './platform-calls'
import { AccountChanged } from './events'
import { callPlatform } from './platform-errors'
import { openSecret, sealSecrets } from './secrets'
import { getAccount } from './queries'
import { accounts } from './table'
import type { AccountRow } from './view'
import { WEBHOOK_FIELDS } from './webhook-fields'

/**
 * Subscribes the app to the webhooks of a number's business account. With `hasOwnCallback`, the
 * number's webhooks come to this server whatever callback URL the app has; otherwise an override
 * that points here is removed. Throws NotFoundError, InvalidError `platform_rejected` and
 * UnavailableError.
 */
export async function subscribeAccount(
  ctx: Ctx,
  id: string,
  { hasOwnCallback }: { hasOwnCallback: boolean },
): Promise<void> {
  const row = getAccount(ctx, id)
  const messages = { rejected: 'The platform rejected the webhook subscription of this number.' }
  await callPlatform(ctx.platform.subscribeApp(businessCallOf(ctx, row)), messages)
  if (hasOwnCallback) await setOwnCallback(ctx, row)
  else await callPlatform(removeOwnCallback(ctx, row), messages)
  recordSubscription(ctx, id, true)
}

/**
 * Unsubscribes the app from the webhooks of a number's business account. Throws the errors of
 * subscribeAccount.
 */
export async function unsubscribeAccount(ctx: Ctx, id: string): Promise<void> {
  const row = getAccount(ctx, id)
  const messages = {
    rejected: 'The platform rejected the request to end the webhooks of this number.',
  }
  await callPlatform(removeOwnCallback(ctx, row), messages)
  await callPlatform(ctx.platform.unsubscribeApp(businessCallOf(ctx, row)), messages)
  recordSubscription(ctx, id, false)
}

/**
 * Directs the webhooks of a number to this server. Throws InvalidError `platform_rejected` and
 * UnavailableError.
 */
export async function setOwnCallback(ctx: Ctx, row: AccountRow): Promise<void> {
  const callback = { url: callbackUrl(ctx), verifyToken: verifyTokenFor(ctx, row) }
  await callPlatform(ctx.platform.setCallback({ ...numberCallOf(ctx, row), callback }), {
    rejected:
      'The platform could not verify the callback URL of this server. Check that ' +
      `${ctx.settings.cells ? 'its address in CELLS' : 'BASE_URL'} can be reached from the ` +
      'internet.',
  })
}

/** Removes the number's callback URL if it points to this server. */
async function removeOwnCallback(ctx: Ctx, row: AccountRow): Promise<void> {
  const call = numberCallOf(ctx, row)
  const { callbackUrl: currentUrl } = await ctx.platform.getPhoneNumber(call)
  if (currentUrl === callbackUrl(ctx)) await ctx.platform.setCallback({ ...call, callback: null })
}

/** Returns the verify token of a number. Creates one if it was cleared. */
function verifyTokenFor(ctx: Ctx, row: AccountRow): string {
  const known = openSecret(ctx, row, 'verifyTokenSealed')
  if (known !== null) return known
  const made = randomHex(32)
  transact(ctx.db, (tx) => {
    tx.update(accounts)
      .set(sealSecrets(ctx, row.id, { webhook_verify_token: made }))
      .where(inOrganization(ctx, accounts, eq(accounts.id, row.id)))
      .run()
  })
  return made
}

/** Matches the numbers that share a subscription: same business account and same app. */
const sharesSubscription = (row: AccountRow): SQL | undefined =>
  and(
    isNull(accounts.deletedAtMs),
    eq(accounts.businessId, row.businessId),
    sql`${accounts.appId} is ${row.appId}`,
  )

/**
 * Stores the subscription state of the number and those that share it, and records it in the audit
 * log.
 */
function recordSubscription(ctx: Ctx, id: string, isSubscribed: boolean): void {
  transact(ctx.db, (tx) => {
    const row = getAccount(ctx, id)
    for (const other of tx
      .select()
      .from(accounts)
      .where(inOrganization(ctx, accounts, sharesSubscription(row)))
      .limit(500)
      .all())
      storeSubscriptionIn(tx, ctx, other, isSubscribed)
    recordAudit(tx, ctx, {
      action: isSubscribed ? 'subscribed' : 'unsubscribed',
      resourceType: 'account',
      resourceId: id,
      resourceName: row.name,
      changes:
        row.isSubscribed === isSubscribed
          ? []
          : [{ field: 'subscribed', old_value: row.isSubscribed, new_value: isSubscribed }],
    })
  })
}

function storeSubscriptionIn(tx: Tx, ctx: Ctx, row: AccountRow, isSubscribed: boolean): void {
  if (row.isSubscribed === isSubscribed) return
  const nowMs = ctx.clock.nowMs()
  tx.update(accounts)
    .set({ isSubscribed, subscribedAtMs: isSubscribed ? nowMs : null, updatedAtMs: nowMs })
    .where(inOrganization(ctx, accounts, eq(accounts.id, row.id)))
    .run()
  emit(tx, ctx, AccountChanged, {
    contactId: null,
    payload: { accountId: row.id, changed: ['subscribed', 'subscribed_at'], isConnected: false },
  })
  if (isSubscribed && row.phoneAppUntilMs !== null) requestSoonIn(tx, ctx, row.id)
}

/**
 * Returns the values to enter in the app's webhook settings, without the verify token. Throws
 * NotFoundError.
 */
export function webhookConfig(ctx: Ctx, id: string) {
  getAccount(ctx, id)
  return { callback_url: callbackUrl(ctx), fields: WEBHOOK_FIELDS }
}

/**
 * Returns the verify token of a number in plain text, and records in the audit log that it was read.
 * Throws NotFoundError.
 */
export function readVerifyToken(ctx: Ctx, id: string): { verify_token: string | null } {
  const row = getAccount(ctx, id)
  transact(ctx.db, (tx) => {
    recordAudit(tx, ctx, {
      action: 'verify_token_read',
      resourceType: 'account',
      resourceId: id,
      resourceName: row.name,
    })
  })
  return { verify_token: openSecret(ctx, row, 'verifyTokenSealed') }
}
