import { desc, eq, isNull } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { runHooks } from '../../../infra/transaction-hooks'
import { recordAudit } from '../audit/record'
import { getMemberByUser } from '../memberships/queries'
import { updateMembershipIn } from '../memberships/service'
import { publishMemberIn } from '../memberships/publish'
import { requireManages } from './authorize'
import { MemberAvailable, MemberUnavailable } from './events'
import type { AvailabilityView } from './model'
import { memberBreaks } from './table'

/**
 * Sets whether a member accepts new work in this organization. Going away opens a break; coming
 * back closes it. Setting the same value again has no effect. Setting it for somebody else requires
 * all of that member's permissions. Throws NotFoundError, and ForbiddenError `escalation`.
 */
export function setAvailability(ctx: Ctx, userId: string, isAvailable: boolean): AvailabilityView {
  return transact(ctx.db, (tx) => {
    const member = getMemberByUser(ctx, userId)
    if (userId !== ctx.actor.userId) requireManages(ctx, member)
    const { membership, user } = member
    let transfersReturned = 0
    if (membership.isAvailable !== isAvailable) {
      updateMembershipIn(tx, ctx, userId, { isAvailable })
      if (isAvailable) closeBreakIn(tx, ctx, userId)
      else
        tx.insert(memberBreaks)
          .values({
            organizationId: ctx.organizationId,
            id: ctx.ids.next(),
            userId,
            startedAtMs: ctx.clock.nowMs(),
          })
          .run()
      recordAudit(tx, ctx, {
        action: 'updated',
        resourceType: 'user',
        resourceId: userId,
        resourceName: user.fullName,
        changes: [{ field: 'is_available', old_value: !isAvailable, new_value: isAvailable }],
      })
      publishMemberIn(tx, ctx, userId, 'availability')
      transfersReturned = reportAvailabilityIn(tx, ctx, userId, isAvailable)
    }
    const startedAtMs = isAvailable ? null : openBreakSinceMs(tx, ctx, userId)
    return {
      message: isAvailable ? 'Available.' : 'Away.',
      is_available: isAvailable,
      status: isAvailable ? 'available' : 'away',
      break_started_at: startedAtMs === null ? null : isoTime(startedAtMs),
      transfers_to_queue: transfersReturned,
    }
  })
}

/**
 * Tells higher modules that a member accepts work again or accepts none, in the transaction of that
 * change. Returns how many of the member's transfers went back to a queue.
 */
export function reportAvailabilityIn(
  tx: Tx,
  ctx: Ctx,
  userId: string,
  isAvailable: boolean,
): number {
  if (isAvailable) runHooks(tx, ctx, MemberAvailable, { userId })
  const report = { userId, transfersReturned: 0 }
  if (!isAvailable) runHooks(tx, ctx, MemberUnavailable, report)
  return report.transfersReturned
}

const openOnes = (ctx: Ctx, userId: string) =>
  inOrganization(ctx, memberBreaks, eq(memberBreaks.userId, userId), isNull(memberBreaks.endedAtMs))

const openBreakSinceMs = (tx: Tx, ctx: Ctx, userId: string): number | null =>
  tx
    .select({ startedAtMs: memberBreaks.startedAtMs })
    .from(memberBreaks)
    .where(openOnes(ctx, userId))
    .orderBy(desc(memberBreaks.startedAtMs))
    .limit(1)
    .get()?.startedAtMs ?? null

/** Ends the current break of a member, if any. Runs inside the caller's transaction. */
export function closeBreakIn(tx: Tx, ctx: Ctx, userId: string): void {
  tx.update(memberBreaks).set({ endedAtMs: ctx.clock.nowMs() }).where(openOnes(ctx, userId)).run()
}
