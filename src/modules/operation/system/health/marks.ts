import { desc, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { acrossOrganizations, type Deps } from '../../../../infra/ctx'
import { organizationArchives } from '../../../data/organization-archive/table'
import { organizationImports } from '../../../data/organization-import/table'
import { organizationMoves } from '../../../data/organization-move/table'
import type { SERVER_WORK } from '../../../delivery/realtime/attention/model'
import { organizations } from '../../../organization/organizations/table'
import { isBeingVerified, listBackups } from '../backups/store'

/** How far each kind of long work is: a text that changes with it. */
export type Marks = Record<(typeof SERVER_WORK)[number], string>

/** The newest of each kind are looked at; older ones have ended. */
const NEWEST = 20

/** Returns how far the long work of the installation is. Reads few rows. */
export function marksOf(deps: Deps): Marks {
  const newest = (
    table: SQLiteTable & { createdAtMs: SQLiteColumn },
    columns: Record<string, SQLiteColumn>,
  ): string =>
    JSON.stringify(
      deps.db.orm
        .select(columns)
        .from(table)
        .where(
          acrossOrganizations('an operator watches archives and moves, whoever they belong to'),
        )
        .orderBy(desc(table.createdAtMs))
        .limit(NEWEST)
        .all(),
    )
  const { id, status } = organizationArchives
  const { step, error, sentBytes, rowsDone: rowsMoved } = organizationMoves
  const { state, rowsDone } = organizationImports
  return {
    backups: listBackups(deps)
      .map((one) => `${one.id} ${one.state} ${one.isVerified} ${isBeingVerified(deps, one)}`)
      .join(),
    archives: newest(organizationArchives, { id, status }),
    imports: newest(organizationImports, { id: organizationImports.id, state, rowsDone }),
    moves: newest(organizationMoves, {
      id: organizationMoves.id,
      step,
      error,
      sentBytes,
      rowsMoved,
    }),
    organizations: JSON.stringify(
      deps.db.orm
        .select({ state: organizations.state, count: sql<number>`count(*)` })
        .from(organizations)
        .groupBy(organizations.state)
        .all(),
    ),
  }
}
