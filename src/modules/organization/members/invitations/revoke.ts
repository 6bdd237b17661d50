import { eq } from 'drizzle-orm'

import { ConflictError, NotFoundError } from '../../../../lib/errors'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { requireCoversRole } from '../../roles/require-covers'
import { invitations } from '../table'
import { stateOf, type InvitationRow, roleOfInvitation } from './queries'
import { recordInvitationIn } from './audit'

/**
 * Requires that the caller's permissions include all of the invitation's role. Throws
 * ForbiddenError `escalation`.
 */
export const requireCoversInvitation = (ctx: Ctx, row: InvitationRow): void =>
  requireCoversRole(ctx, roleOfInvitation(ctx, row).id)

/** Revokes an invitation without checks. Runs inside the caller's transaction. */
export function revokeIn(tx: Tx, ctx: Ctx, row: InvitationRow): void {
  tx.update(invitations)
    .set({ revokedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, invitations, eq(invitations.id, row.id)))
    .run()
  recordInvitationIn(tx, ctx, 'invitation_revoked', row)
}

/**
 * Revokes an invitation. Throws NotFoundError, ForbiddenError `escalation` if its role has more
 * permissions than the caller, and ConflictError `not_pending` if it was accepted, revoked or has
 * expired.
 */
export function revokeInvitation(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = ctx.db.orm
      .select()
      .from(invitations)
      .where(inOrganization(ctx, invitations, eq(invitations.id, id)))
      .get()
    if (!row) throw new NotFoundError('Invitation')
    requireCoversInvitation(ctx, row)
    const state = stateOf(row, ctx.clock.nowMs())
    if (state !== 'pending')
      throw new ConflictError(`The invitation has already been ${state}.`, { code: 'not_pending' })
    revokeIn(tx, ctx, row)
  })
}
