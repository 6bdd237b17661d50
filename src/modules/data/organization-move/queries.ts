import { and, desc, eq, sql } from 'drizzle-orm'

import { NotFoundError } from '../../../lib/errors'
import { numberedPage, type Page } from '../../../lib/page'
import { acrossOrganizations, inOrganization, type Deps } from '../../../infra/ctx'
import { moveView, type MoveView } from './model'
import { organizationMoves, type MoveRow } from './table'

type Reader = Pick<Deps, 'db'>

/** Which move: its organization and its ID. */
export type MoveKey = Pick<MoveRow, 'organizationId' | 'id'>

/** Returns a move, or `null`. */
export const findMove = ({ db }: Reader, { organizationId, id }: MoveKey): MoveRow | null =>
  db.orm
    .select()
    .from(organizationMoves)
    .where(inOrganization({ organizationId }, organizationMoves, eq(organizationMoves.id, id)))
    .get() ?? null

/** Returns the newest move of an organization, or `null`. */
export const findNewestMove = ({ db }: Reader, organizationId: string): MoveRow | null =>
  db.orm
    .select()
    .from(organizationMoves)
    .where(inOrganization({ organizationId }, organizationMoves))
    .orderBy(desc(organizationMoves.createdAtMs), desc(organizationMoves.id))
    .limit(1)
    .get() ?? null

/** Returns the newest move of an organization. Throws NotFoundError. */
export function newestMove(deps: Reader, organizationId: string): MoveRow {
  const row = findNewestMove(deps, organizationId)
  if (!row) throw new NotFoundError('Move')
  return row
}

/** Whether an organization has a move that has not ended. */
export const hasOpenMove = ({ db }: Reader, organizationId: string): boolean =>
  db.orm
    .select({ id: organizationMoves.id })
    .from(organizationMoves)
    .where(
      inOrganization(
        { organizationId },
        organizationMoves,
        sql`${organizationMoves.step} not in ('completed', 'aborting', 'aborted')`,
      ),
    )
    .get() !== undefined

/** Whether a cell still has to undo an earlier move of the organization to it. */
export const isBeingUndone = (
  { db }: Reader,
  { organizationId, target }: Pick<MoveRow, 'organizationId' | 'target'>,
): boolean =>
  db.orm
    .select({ id: organizationMoves.id })
    .from(organizationMoves)
    .where(
      inOrganization(
        { organizationId },
        organizationMoves,
        and(eq(organizationMoves.step, 'aborting'), eq(organizationMoves.target, target)),
      ),
    )
    .get() !== undefined

const ALL = 'moves are listed for the installation'

/** Lists moves from this cell, newest first. */
export function listMoves(
  { db }: Reader,
  { page, limit }: { page: number; limit: number },
): Page<MoveView> {
  const rows = db.orm
    .select()
    .from(organizationMoves)
    .where(acrossOrganizations(ALL))
    .orderBy(desc(organizationMoves.createdAtMs), desc(organizationMoves.id))
    .limit(limit)
    .offset((page - 1) * limit)
    .all()
  const total =
    db.orm
      .select({ rows: sql<number>`count(*)` })
      .from(organizationMoves)
      .where(acrossOrganizations(ALL))
      .get()?.rows ?? 0
  return numberedPage(rows.map(moveView), total, { page, limit })
}

/** Whether the archive of a move may still be needed here. */
export const needsArchive = ({ db }: Reader, moveId: string): boolean =>
  db.orm
    .select({ id: organizationMoves.id })
    .from(organizationMoves)
    .where(
      acrossOrganizations(
        ALL,
        and(
          eq(organizationMoves.id, moveId),
          sql`${organizationMoves.step} not in ('completed', 'aborting', 'aborted')`,
        ),
      ),
    )
    .get() !== undefined
