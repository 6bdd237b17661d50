import { ConflictError, NotFoundError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { startErasureIn } from '../../organization-deletion/start'
import { findOrganization, type OrganizationRow } from '../../../organization/organizations/service'
import { askAbout, hasArrived } from './watch'

/**
 * Erases the copy of an organization that has moved, before its time is over. The other cell must answer
 * that the organization is there, unless the operator states with `isForced` that it is not needed.
 * Throws NotFoundError, and ConflictError `cell_refused`.
 */
export async function eraseCopy(
  ctx: Ctx,
  organizationId: string,
  { isForced }: { isForced: boolean },
): Promise<void> {
  const row = requireCopy(ctx, organizationId)
  const isThere = await askAbout(ctx, row).then(
    (answer) => hasArrived(ctx, row, answer),
    () => false,
  )
  if (!isThere && !isForced)
    throw new ConflictError(
      `${row.movedTo} does not answer that it has all of the organization, so this may be the only copy.`,
      { code: 'cell_refused' },
    )
  transact(ctx.db, (tx) => {
    requireCopy(ctx, organizationId)
    startErasureIn(tx, ctx, organizationId)
  })
}

/** Returns an organization that has moved. Throws NotFoundError. */
function requireCopy(ctx: Ctx, organizationId: string): OrganizationRow {
  const row = findOrganization(ctx, organizationId)
  if (row?.state !== 'moved') throw new NotFoundError('Copy')
  return row
}
