import { and, asc, eq, gt, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { FEW_CANDIDATES, ROWS_PER_READ, type Candidates } from '../../../infra/bounded-list'
import { anyScope, inOrganization } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { uuidPlaceholder, uuidsIn } from '../../../infra/db/uuid'
import { conversations } from '../../conversations/table'
import { activeTeamsOf } from '../../teams/find'
import { contacts } from '../table'
import { contactsOfUser } from './by-assignee'
import { eitherOf, idsInOrder, type Scope } from './candidates'

/** The columns by which a team has contacts: directly, or through conversations. */
interface TeamColumns {
  table: typeof contacts | typeof conversations
  team: SQLiteColumn
  contactId: SQLiteColumn
}

const DIRECT: TeamColumns = {
  table: contacts,
  team: contacts.assignedTeamId,
  contactId: contacts.id,
}
const BY_CONVERSATION: TeamColumns = {
  table: conversations,
  team: conversations.teamId,
  contactId: conversations.contactId,
}

const countOfTeams = ({ table, team }: TeamColumns) =>
  compiled((orm) =>
    orm
      .select({ rows: sql<number>`count(*)` })
      .from(
        orm
          .select({ one: sql`1`.as('one') })
          .from(table)
          .where(
            inOrganization(anyScope, table, sql`${team} in ${uuidsIn(sql.placeholder('teamIds'))}`),
          )
          .limit(FEW_CANDIDATES + 1)
          .as('some'),
      )
      .prepare(),
  )

const idsOfTeam = ({ table, team, contactId }: TeamColumns) =>
  compiled((orm) =>
    orm
      .selectDistinct({ id: sql<string>`${contactId}`.mapWith(contacts.id) })
      .from(table)
      .where(
        inOrganization(
          anyScope,
          table,
          and(eq(team, uuidPlaceholder('teamId')), gt(contactId, uuidPlaceholder('after')) as SQL),
        ),
      )
      .orderBy(asc(contactId))
      .limit(ROWS_PER_READ)
      .prepare(),
  )

const COUNTS = [countOfTeams(DIRECT), countOfTeams(BY_CONVERSATION)]
const IDS = [idsOfTeam(DIRECT), idsOfTeam(BY_CONVERSATION)]

/** Returns the contacts assigned to teams, directly or through a conversation. */
function contactsOfTeams({ db, organizationId }: Scope, teamIds: string[]): Candidates {
  const among = { organizationId, teamIds: JSON.stringify(teamIds) }
  return {
    size: COUNTS.reduce((sum, rows) => sum + (rows(db).get(among)?.rows ?? 0), 0),
    *batches() {
      for (const teamId of teamIds)
        for (const ids of IDS)
          yield* idsInOrder((after) => ids(db).all({ organizationId, teamId, after }))
    },
  }
}

/**
 * Returns the contacts that a user sees without `contacts:read_all`, by every case of
 * `../visibility.ts`.
 */
export function contactsSeenBy(scope: Scope, userId: string): Candidates {
  const teamIds = activeTeamsOf(scope, userId)
  const assigned = contactsOfUser(scope, userId)
  return teamIds.length === 0 ? assigned : eitherOf(assigned, contactsOfTeams(scope, teamIds))
}
