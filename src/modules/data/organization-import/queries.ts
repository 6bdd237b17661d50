import { and, desc, eq, inArray, isNotNull, max, sql } from 'drizzle-orm'

import { NotFoundError } from '../../../lib/errors'
import { numberedPage, type Page } from '../../../lib/page'
import type { Deps } from '../../../infra/ctx'
import type { OrganizationImportView } from './model'
import { organizationImports } from './table'
import { organizationImportView, type OrganizationImportRow } from './view'

/** Returns an import, or `null`. */
export const findImport = ({ db }: Pick<Deps, 'db'>, id: string): OrganizationImportRow | null =>
  db.orm.select().from(organizationImports).where(eq(organizationImports.id, id)).get() ?? null

/** Returns an import. Throws NotFoundError. */
export function getImport(deps: Pick<Deps, 'db'>, id: string): OrganizationImportRow {
  const row = findImport(deps, id)
  if (!row) throw new NotFoundError('Import')
  return row
}

/** Returns the import of a move, or `null`. */
export const findMoveImport = (
  { db }: Pick<Deps, 'db'>,
  moveId: string,
): OrganizationImportRow | null =>
  db.orm.select().from(organizationImports).where(eq(organizationImports.moveId, moveId)).get() ??
  null

/** Returns the import that is read or stored now, or `null`. */
export const liveImport = ({ db }: Pick<Deps, 'db'>): OrganizationImportRow | null =>
  db.orm
    .select()
    .from(organizationImports)
    .where(inArray(organizationImports.state, ['checking', 'running', 'waiting']))
    .limit(1)
    .get() ?? null

/** Returns the import of an organization that moves here and is not complete yet, or `null`. */
export function findArrivingImport(
  deps: Pick<Deps, 'db'>,
  organizationId: string,
): OrganizationImportRow | null {
  const row = liveImport(deps)
  const of = JSON.parse(row?.organization ?? 'null') as { id: string } | null
  return row?.moveId != null && of?.id === organizationId ? row : null
}

/** Returns when the last move of an organization to this cell was completed, or `null`. */
export const newestArrivalMs = ({ db }: Pick<Deps, 'db'>, organizationId: string): number | null =>
  db.orm
    .select({ atMs: max(organizationImports.finishedAtMs) })
    .from(organizationImports)
    .where(
      and(
        isNotNull(organizationImports.moveId),
        eq(organizationImports.state, 'completed'),
        sql`json_extract(${organizationImports.organization}, '$.id') = ${organizationId}`,
      ),
    )
    .get()?.atMs ?? null

/** Lists imports, newest first. */
export function listImports(
  { db }: Pick<Deps, 'db'>,
  { page, limit }: { page: number; limit: number },
): Page<OrganizationImportView> {
  const rows = db.orm
    .select()
    .from(organizationImports)
    .orderBy(desc(organizationImports.createdAtMs), desc(organizationImports.id))
    .limit(limit)
    .offset((page - 1) * limit)
    .all()
  const total =
    db.orm
      .select({ rows: sql<number>`count(*)` })
      .from(organizationImports)
      .get()?.rows ?? 0
  return numberedPage(rows.map(organizationImportView), total, { page, limit })
}
