import { ForbiddenError } from '../../../lib/errors'
import { type Ctx } from '../../../infra/ctx'
import type { Permission } from '../../../infra/permissions'
import { requirePermissions } from '../../../infra/require-permissions'
import { reauthorizedCtx } from '../auth/delegated-ctx'
import type { Member } from '../memberships/queries'
import { requireCoversRole } from '../roles/require-covers'

/**
 * Requires that the caller may change or end a person's membership: the caller's permissions must
 * include all of the person's role, and only super admins manage super admins. Members with the
 * same permissions may manage each other. Throws ForbiddenError `escalation`.
 */
export function requireManages(ctx: Ctx, target: Member): void {
  if (target.user.isSuperAdmin && !ctx.actor.isSuperAdmin)
    throw new ForbiddenError('Only super admins can manage super admins.', { code: 'escalation' })
  requireCoversRole(ctx, target.role.id)
}

/** Requires a super admin. Throws ForbiddenError `super_admin_required`. */
export function requireSuperAdmin(ctx: Ctx): void {
  if (!ctx.actor.isSuperAdmin)
    throw new ForbiddenError('This requires a super admin.', { code: 'super_admin_required' })
}

/**
 * Returns the scope with the caller's current permissions, for functions that continue after an
 * await. Throws UnauthorizedError if the caller's access has ended in the meantime, and
 * ForbiddenError if the permission was removed.
 */
export function withCurrentRights(ctx: Ctx, permission: Permission): Ctx {
  const now = reauthorizedCtx(ctx)
  requirePermissions(now.actor, [permission])
  return now
}
