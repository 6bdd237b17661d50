import { eq, inArray, type SQL } from 'drizzle-orm'

import { NotFoundError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { ArchiveRow } from './model'
import { organizationArchives } from './table'

type Reader = Pick<Ctx, 'db' | 'organizationId'>

/**
 * Selects the archives that a person may have. Archives with password hashes of all members are for
 * super admins, who may make such archives.
 */
export const visibleTo = ({ actor }: Pick<Ctx, 'actor'>): SQL | undefined =>
  actor.isSuperAdmin ? undefined : eq(organizationArchives.credentials, 'managed')

/** Returns an archive that the caller may have. Throws NotFoundError. */
export function getVisibleArchive(ctx: Reader & Pick<Ctx, 'actor'>, id: string): ArchiveRow {
  const row = getArchive(ctx, id)
  if (row.credentials === 'all' && !ctx.actor.isSuperAdmin) throw new NotFoundError('Archive')
  return row
}

/** Returns the archive with this ID, or `null`. */
export const findArchive = (ctx: Reader, id: string): ArchiveRow | null =>
  ctx.db.orm
    .select()
    .from(organizationArchives)
    .where(inOrganization(ctx, organizationArchives, eq(organizationArchives.id, id)))
    .get() ?? null

/** Returns an archive. Throws NotFoundError. */
function getArchive(ctx: Reader, id: string): ArchiveRow {
  const row = findArchive(ctx, id)
  if (!row) throw new NotFoundError('Archive')
  return row
}

/** Whether an archive of the organization is not finished yet. */
export const isArchiving = (ctx: Reader): boolean =>
  ctx.db.orm
    .select({ id: organizationArchives.id })
    .from(organizationArchives)
    .where(
      inOrganization(
        ctx,
        organizationArchives,
        inArray(organizationArchives.status, ['queued', 'running']),
      ),
    )
    .limit(1)
    .get() !== undefined

/** Updates an archive. Runs inside the caller's transaction. */
export const changeArchiveIn = (
  tx: Tx,
  ctx: Reader,
  id: string,
  set: Partial<ArchiveRow>,
): ArchiveRow =>
  tx
    .update(organizationArchives)
    .set(set)
    .where(inOrganization(ctx, organizationArchives, eq(organizationArchives.id, id)))
    .returning()
    .get()
