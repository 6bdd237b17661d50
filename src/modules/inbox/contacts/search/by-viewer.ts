import { and, asc, eq, gt, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { FEW_CANDIDATES, ROWS_PER_READ, type Candidates } from '../../../../infra/bounded-list'
import { anyScope, inOrganization } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import { uuidPlaceholder, uuidsIn } from '../../../../infra/db/uuid'
import { conversations } from '../../conversations/table'
import { activeTeamsOf } from '../../teams/find'
import { transfers } from '../../../automation/transfers/table'
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

const waiting = sql`${transfers.status} = 'active' and ${transfers.agentId} is null`

/** The active transfers through which a user sees contacts; each is one range of an index. */
const TRANSFERS = {
  held: sql`${transfers.status} = 'active' and ${transfers.agentId} is not null and ${transfers.agentId} = ${uuidPlaceholder('userId')}`,
  general: sql`${waiting} and ${transfers.teamId} is null`,
  ofTeams: sql`${waiting} and ${transfers.teamId} in ${uuidsIn(sql.placeholder('teamIds'))}`,
}
type TransferSet = keyof typeof TRANSFERS

const countOfTransfers = (among: TransferSet) =>
  compiled((orm) =>
    orm
      .select({ rows: sql<number>`count(*)` })
      .from(
        orm
          .select({ one: sql`1`.as('one') })
          .from(transfers)
          .where(inOrganization(anyScope, transfers, TRANSFERS[among]))
          .limit(FEW_CANDIDATES + 1)
          .as('some'),
      )
      .prepare(),
  )

const idsOfTransfers = (among: TransferSet) =>
  compiled((orm) =>
    orm
      .select({ id: sql<string>`${transfers.contactId}`.mapWith(contacts.id) })
      .from(transfers)
      .where(
        inOrganization(
          anyScope,
          transfers,
          and(TRANSFERS[among], gt(transfers.contactId, uuidPlaceholder('after')) as SQL),
        ),
      )
      .orderBy(asc(transfers.contactId))
      .limit(ROWS_PER_READ)
      .prepare(),
  )

const TRANSFER_READS = {
  held: { count: countOfTransfers('held'), ids: idsOfTransfers('held') },
  general: { count: countOfTransfers('general'), ids: idsOfTransfers('general') },
  ofTeams: { count: countOfTransfers('ofTeams'), ids: idsOfTransfers('ofTeams') },
}

/** Returns the contacts whose active transfers a user has, or sees in a queue. */
function contactsOfTransfers(
  { db, organizationId }: Scope,
  viewer: { userId: string; seesGeneralQueue: boolean; teamIds: string[] },
): Candidates {
  const sets: TransferSet[] = [
    'held',
    ...(viewer.seesGeneralQueue ? (['general'] as const) : []),
    ...(viewer.teamIds.length > 0 ? (['ofTeams'] as const) : []),
  ]
  const among = {
    organizationId,
    userId: viewer.userId,
    teamIds: JSON.stringify(viewer.teamIds),
  }
  return {
    size: sets.reduce((sum, set) => sum + (TRANSFER_READS[set].count(db).get(among)?.rows ?? 0), 0),
    *batches() {
      for (const set of sets)
        yield* idsInOrder((after) => TRANSFER_READS[set].ids(db).all({ ...among, after }))
    },
  }
}

/**
 * Returns the contacts that a user sees without `contacts:read_all`, by every case of
 * `../visibility.ts`.
 */
export function contactsSeenBy(
  scope: Scope,
  viewer: { userId: string; seesGeneralQueue: boolean },
): Candidates {
  const teamIds = activeTeamsOf(scope, viewer.userId)
  const assigned = eitherOf(
    contactsOfUser(scope, viewer.userId),
    contactsOfTransfers(scope, { ...viewer, teamIds }),
  )
  return teamIds.length === 0 ? assigned : eitherOf(assigned, contactsOfTeams(scope, teamIds))
}
