import { and, asc, eq, notExists, sql } from 'drizzle-orm'

import { ConflictError, fieldSentence, InvalidError } from '../../../lib/errors'
import { isoTime } from '../../../lib/clock'
import { sha256Hex } from '../../../lib/hash'
import { inOrganization, type Ctx, type Deps } from '../../../infra/ctx'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { transact, type Tx } from '../../../infra/db/transact'
import { requireAllowedUrl } from '../../../infra/require-allowed-url'
import { sessions } from '../../organization/auth/table'
import { areBrowserKeys } from './encrypt'
import { openTarget, requirePush, sealTarget } from './keys'
import type { NewPushSubscription, PushSubscriptionView } from './model'
import { pushSubscriptions } from './table'

export type SubscriptionRow = typeof pushSubscriptions.$inferSelect

/** Browsers that one person can be notified in. */
const MAX_OF_PERSON = 10

/** Limits a query to the subscriptions of the caller. */
const isOwn = ({ actor }: Pick<Ctx, 'actor'>) => eq(pushSubscriptions.userId, actor.userId ?? '')

/**
 * Subscribes the caller's browser. The same address again replaces its keys; with the same keys it may
 * be another person's, who used the browser before. The eleventh browser takes the place of the oldest
 * one. Throws NotFoundError if push is off, InvalidError (`url_refused`, `invalid_input`) and
 * ConflictError `endpoint_taken`.
 */
export function subscribeBrowser(ctx: Ctx, input: NewPushSubscription): PushSubscriptionView {
  requirePush(ctx)
  requireAllowedUrl(ctx, 'body.endpoint', input.endpoint)
  const { p256dh, auth } = input.keys
  if (!areBrowserKeys({ p256dh, auth })) {
    const [path, message] = ['body.keys', 'must be those of a push subscription'] as const
    throw new InvalidError(fieldSentence(path, message), { errors: [{ path, message }] })
  }
  return transact(ctx.db, (tx) => {
    const endpointHash = sha256Hex(input.endpoint)
    const before = tx
      .select()
      .from(pushSubscriptions)
      .where(
        inOrganization(ctx, pushSubscriptions, eq(pushSubscriptions.endpointHash, endpointHash)),
      )
      .get()
    if (before) {
      requireOwnBrowser(ctx, before, input)
      deleteSubscriptionIn(tx, ctx, before.id)
    }
    makeRoomIn(tx, ctx)
    const id = ctx.ids.next()
    const nowMs = ctx.clock.nowMs()
    tx.insert(pushSubscriptions)
      .values({
        organizationId: ctx.organizationId,
        id,
        userId: ctx.actor.userId ?? '',
        sessionId: ctx.actor.sessionId ?? '',
        endpointHash,
        targetSealed: sealTarget(
          ctx,
          { organizationId: ctx.organizationId, id },
          { endpoint: input.endpoint, keys: { p256dh, auth } },
        ),
        createdAtMs: nowMs,
      })
      .run()
    return { id, created_at: isoTime(nowMs) }
  })
}

/**
 * Requires that the caller uses the browser of a subscription. Somebody else's address may be known,
 * but only the browser knows its keys. Throws ConflictError `endpoint_taken`.
 */
function requireOwnBrowser(ctx: Ctx, row: SubscriptionRow, { keys }: NewPushSubscription): void {
  if (row.userId === ctx.actor.userId) return
  const held = openTarget(ctx, row).keys
  if (held.auth === keys.auth && held.p256dh === keys.p256dh) return
  throw new ConflictError('Another person is notified at this address.', {
    code: 'endpoint_taken',
  })
}

/** Deletes the oldest subscriptions of the caller, so that there is room for one more. */
function makeRoomIn(tx: Tx, ctx: Ctx): void {
  const own = tx
    .select({ id: pushSubscriptions.id })
    .from(pushSubscriptions)
    .where(inOrganization(ctx, pushSubscriptions, isOwn(ctx)))
    .orderBy(asc(pushSubscriptions.createdAtMs), asc(pushSubscriptions.id))
    .all()
  for (const { id } of own.slice(0, Math.max(0, own.length - MAX_OF_PERSON + 1)))
    deleteSubscriptionIn(tx, ctx, id)
}

/** Ends the subscription of one of the caller's browsers, if there is one. */
export function unsubscribeBrowser(ctx: Ctx, endpoint: string): void {
  requirePush(ctx)
  transact(ctx.db, (tx) => {
    tx.delete(pushSubscriptions)
      .where(
        inOrganization(
          ctx,
          pushSubscriptions,
          isOwn(ctx),
          eq(pushSubscriptions.endpointHash, sha256Hex(endpoint)),
        ),
      )
      .run()
  })
}

/** Returns a subscription, or `null`. */
export const findSubscription = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): SubscriptionRow | null =>
  ctx.db.orm
    .select()
    .from(pushSubscriptions)
    .where(inOrganization(ctx, pushSubscriptions, eq(pushSubscriptions.id, id)))
    .get() ?? null

/** Deletes a subscription, in the caller's transaction. */
export function deleteSubscriptionIn(tx: Tx, ctx: Ctx, id: string): void {
  tx.delete(pushSubscriptions)
    .where(inOrganization(ctx, pushSubscriptions, eq(pushSubscriptions.id, id)))
    .run()
}

/** Deletes the subscriptions of a member, in the transaction that ends the membership. */
export function deleteOfMemberIn(tx: Tx, ctx: Ctx, userId: string): void {
  tx.delete(pushSubscriptions)
    .where(inOrganization(ctx, pushSubscriptions, eq(pushSubscriptions.userId, userId)))
    .run()
}

const BATCH = 500

/** Deletes a batch of subscriptions whose session has ended. Returns the number deleted. */
export function pruneSubscriptions(deps: Deps): number {
  const why = 'ended subscriptions are pruned for all organizations at once'
  return transact(deps.db, (tx) => {
    const live = tx
      .select({ one: sql`1` })
      .from(sessions)
      .where(
        and(
          eq(sessions.id, pushSubscriptions.sessionId),
          sql`${sessions.endedAtMs} is null`,
          sql`${sessions.expiresAtMs} > ${deps.clock.nowMs()}`,
        ),
      )
    const ended = tx
      .select({ id: pushSubscriptions.id })
      .from(pushSubscriptions)
      .where(inWorkingOrganizations(why, pushSubscriptions, notExists(live)))
      .limit(BATCH)
      .all()
    for (const { id } of ended)
      tx.delete(pushSubscriptions)
        .where(inWorkingOrganizations(why, pushSubscriptions, eq(pushSubscriptions.id, id)))
        .run()
    return ended.length
  })
}
