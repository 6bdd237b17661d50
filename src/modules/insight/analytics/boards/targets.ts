import { and, inArray, isNull } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { accounts } from '../../../channel/accounts/table'
import { botFlows } from '../../../automation/chatbot/bot-flows/table'
import { teams } from '../../../inbox/teams/table'
import type { WidgetTarget } from './widgets'

const TABLES = { account: accounts, team: teams, flow: botFlows } as const

/** Returns those of some IDs that belong to things of the organization which are not deleted. */
export function liveIds(ctx: Ctx, target: WidgetTarget, ids: readonly string[]): Set<string> {
  const table = TABLES[target]
  return new Set(
    ctx.db.orm
      .select({ id: table.id })
      .from(table)
      .where(
        inOrganization(ctx, table, and(inArray(table.id, [...ids]), isNull(table.deletedAtMs))),
      )
      .all()
      .map(({ id }) => id),
  )
}
