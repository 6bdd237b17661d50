import { and, inArray, isNull } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { accounts } from '../../../channel/accounts/table'
import { botFlows } from '../../../automation/chatbot/bot-flows/table'
import { memberships } from '../../../organization/memberships/table'
import { campaigns } from '../../../outreach/campaigns/table'
import { tags } from '../../../inbox/tags/table'
import { teams } from '../../../inbox/teams/table'
import type { WidgetTarget } from './widgets'

/** Tables whose rows are marked when they are deleted. */
const MARKED = { account: accounts, team: teams, flow: botFlows, campaign: campaigns } as const

/** Returns those of some IDs that belong to things of the organization which are not deleted. */
export const liveIds = (ctx: Ctx, target: WidgetTarget, ids: readonly string[]): Set<string> =>
  new Set(rowsOf(ctx, target, [...ids]).map(({ id }) => id))

function rowsOf(ctx: Ctx, target: WidgetTarget, ids: string[]): { id: string }[] {
  if (target === 'member')
    return ctx.db.orm
      .select({ id: memberships.userId })
      .from(memberships)
      .where(inOrganization(ctx, memberships, inArray(memberships.userId, ids)))
      .all()
  if (target === 'tag')
    return ctx.db.orm
      .select({ id: tags.id })
      .from(tags)
      .where(inOrganization(ctx, tags, inArray(tags.id, ids)))
      .all()
  const table = MARKED[target]
  return ctx.db.orm
    .select({ id: table.id })
    .from(table)
    .where(inOrganization(ctx, table, and(inArray(table.id, ids), isNull(table.deletedAtMs))))
    .all()
}
