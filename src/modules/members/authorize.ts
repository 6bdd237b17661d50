import { ForbiddenError } from '../../lib/errors'
import { equals, type Ctx } from '../../infra/ctx'
import type { Permission } from '../../infra/permissions'
import { reauthorizedCtx } from '../auth/delegated-ctx'
import type { Member } from '../memberships/queries'
import { requireCoversRole } from '../roles/require-covers'

/**
 * Refuses whoever may not change or end the membership of a person: the caller must hold all that
 * the person's role holds, and super admins are managed by super admins. Equals may manage each
 * other. Throws ForbiddenError `escalation`.
 */
export function requireManages(ctx: Ctx, target: Member): void {
  if (target.user.isSuperAdmin && !ctx.actor.isSuperAdmin)
    throw new ForbiddenError('Super admins are managed by super admins.', { code: 'escalation' })
  requireCoversRole(ctx, target.role.id)
}

/** Refuses what only super admins may do. Throws ForbiddenError `super_admin_required`. */
export function requireSuperAdmin(ctx: Ctx): void {
  if (!ctx.actor.isSuperAdmin)
    throw new ForbiddenError('Only a super admin can do this.', { code: 'super_admin_required' })
}

/**
 * The scope with the rights the caller has at this moment, for verbs that had to wait for
 * something. Throws UnauthorizedError when the caller's access has ended meanwhile and
 * ForbiddenError when the permission is gone.
 */
export function actingNow(ctx: Ctx, permission: Permission): Ctx {
  const now = reauthorizedCtx(ctx)
  if (!equals(now.actor, permission))
    throw new ForbiddenError(`You need the permission ${permission}.`, {
      code: 'permission_denied',
    })
  return now
}
