import { and, asc, eq, exists, gt, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { memberships } from '../../organization/memberships/table'
import { mayWork, roleLetsWork } from './choose-agent'
import { isActiveTransfer } from './find'
import { CheckRole, LeaveAgent, OfferEverywhere } from './jobs'
import { leaveAgentIn } from './leave-agent'
import { offerToIn } from './offer'
import { transfers } from './table'

/** Maximum number of people looked at in one transaction. */
const AT_ONCE = 25

/** Reasons for which a person may work on transfers now, or no longer. */
const REASONS = ['role_changed', 'super_admin_changed']

/**
 * Returns the transfers of a person whose new role does not let them work on transfers; offers what
 * waits to one whose role does. Runs inside the caller's transaction.
 */
export function checkRightsIn(
  tx: Tx,
  ctx: Ctx,
  { userId, reason }: { userId: string | null; reason: string },
): void {
  if (userId === null || !REASONS.includes(reason)) return
  if (mayWork(ctx, userId)) offerToIn(tx, ctx, userId)
  else leaveAgentIn(tx, ctx, { userId, untilMs: ctx.clock.nowMs() })
}

/**
 * Does the same for the members of a role whose permissions changed: up to 25 who have transfers; a
 * job continues. Runs inside the caller's transaction.
 */
export function checkRoleIn(
  tx: Tx,
  ctx: Ctx,
  { roleId, afterUserId = '' }: { roleId: string; afterUserId?: string | undefined },
): void {
  if (roleLetsWork(ctx, roleId)) {
    enqueue(tx, ctx, OfferEverywhere, { args: { afterTeamId: '' } })
    return
  }
  const agents = agentsOfRole(ctx, roleId, afterUserId)
  for (const userId of agents)
    if (!mayWork(ctx, userId))
      enqueue(tx, ctx, LeaveAgent, { args: { userId, untilMs: ctx.clock.nowMs() } })
  const last = agents.at(-1)
  if (last !== undefined && agents.length === AT_ONCE)
    enqueue(tx, ctx, CheckRole, { args: { roleId, afterUserId: last } })
}

/** Returns members of a role who have transfers, by ID after the given one. */
const agentsOfRole = (ctx: Ctx, roleId: string, afterUserId: string): string[] =>
  ctx.db.orm
    .select({ userId: memberships.userId })
    .from(memberships)
    .where(
      inOrganization(
        ctx,
        memberships,
        eq(memberships.roleId, roleId),
        gt(memberships.userId, afterUserId),
        exists(
          ctx.db.orm
            .select({ one: sql`1` })
            .from(transfers)
            .where(
              inOrganization(
                ctx,
                transfers,
                and(isActiveTransfer, eq(transfers.agentId, memberships.userId)),
              ),
            ),
        ),
      ),
    )
    .orderBy(asc(memberships.userId))
    .limit(AT_ONCE)
    .all()
    .map(({ userId }) => userId)
