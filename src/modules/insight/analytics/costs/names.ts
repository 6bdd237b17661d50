import { eq, inArray } from 'drizzle-orm'

import { inOrganization } from '../../../../infra/ctx'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { accounts } from '../../../channel/accounts/table'
import { botFlows } from '../../../automation/chatbot/bot-flows/table'
import { campaigns } from '../../../outreach/campaigns/table'
import { memberships } from '../../../organization/memberships/table'
import { templates } from '../../../channel/templates/table'
import { users } from '../../../organization/users/table'
import type { GroupBy } from './model'

const TABLES = { account: accounts, campaign: campaigns, template: templates, bot_flow: botFlows }

const named = (rows: { id: string; name: string }[]): Map<string, string> =>
  new Map(rows.map(({ id, name }) => [id, name]))

/** Returns the names of accounts, campaigns, templates, bot flows and members by ID. */
export function namesOf(ctx: ReadCtx, groupBy: GroupBy, ids: string[]): Map<string, string> {
  switch (groupBy) {
    case 'account':
    case 'campaign':
    case 'template':
    case 'bot_flow': {
      const table = TABLES[groupBy]
      return named(
        ctx.db.orm
          .select({ id: table.id, name: table.name })
          .from(table)
          .where(inOrganization(ctx, table, inArray(table.id, ids)))
          .all(),
      )
    }
    case 'agent':
      return named(
        ctx.db.orm
          .select({ id: users.id, name: users.fullName })
          .from(memberships)
          .innerJoin(users, eq(users.id, memberships.userId))
          .where(inOrganization(ctx, memberships, inArray(memberships.userId, ids)))
          .all(),
      )
    default:
      return new Map()
  }
}
