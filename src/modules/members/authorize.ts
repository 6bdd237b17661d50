import { ForbiddenError } from '../../lib/errors'
import { hasPermission, type Ctx } from '../../infra/ctx'
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
    throw new ForbiddenError('Only super admins can manage super admins.', { code: 'escalation' })
  requireCoversRole(ctx, target.role.id)
}

/** Refuses what only super admins may do. Throws ForbiddenError `super_admin_required`. */
export function requireSuperAdmin(ctx: Ctx): void {
  if (!ctx.actor.isSuperAdmin)
    throw new ForbiddenError('This requires a super admin.', { code: 'super_admin_required' })
}

/**
 * The scope with the rights the caller has at this moment, for verbs that had to wait for
 * something. Throws UnauthorizedError when the caller's access has ended meanwhile and
 * ForbiddenError when the permission is gone.
 */
export function actingNow(ctx: Ctx, permission: Permission): Ctx {
  const now = reauthorizedCtx(ctx)
  if (!hasPermission(now.actor, permission))
    throw new ForbiddenError(
      `This requires the permission \`${permission}\`. Ask an admin to grant it to your role ` +
        'or API key.',
      {
        code: 'permission_denied',
      },
    )
  return now
}
