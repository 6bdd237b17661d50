import { and, eq, isNull } from 'drizzle-orm'

import { NotFoundError } from '../../../../lib/errors'
import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { memberships } from '../../../organization/memberships/table'
import { campaigns } from '../../../outreach/campaigns/table'

/** Throws NotFoundError for an unknown campaign. */
export function requireCampaign(ctx: ReadCtx, id: string): void {
  const found = ctx.db.orm
    .select({ id: campaigns.id })
    .from(campaigns)
    .where(inOrganization(ctx, campaigns, and(eq(campaigns.id, id), isNull(campaigns.deletedAtMs))))
    .get()
  if (!found) throw new NotFoundError('Campaign')
}

/** Throws NotFoundError for a user who is not a member. */
export function requireMember(ctx: ReadCtx, userId: string): void {
  const found = ctx.db.orm
    .select({ userId: memberships.userId })
    .from(memberships)
    .where(inOrganization(ctx, memberships, eq(memberships.userId, userId)))
    .get()
  if (!found) throw new NotFoundError('User')
}
