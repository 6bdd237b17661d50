import { ForbiddenError } from '../../../lib/errors'
import { hasPermission, type Ctx } from '../../../infra/ctx'
import type { Permission } from '../../../infra/permissions'
import { permissionsOfRole } from './service'

/**
 * Requires that the caller holds all of the permissions, because nobody may grant or change what
 * they do not hold. Applied to permissions to be given and to those that the role, key or person
 * has already. Throws ForbiddenError `escalation`.
 */
export function requireCovers(ctx: Ctx, permissions: Iterable<string>): void {
  for (const permission of permissions)
    if (!hasPermission(ctx.actor, permission as Permission))
      // the permission comes from a row or was checked against the catalog
      throw new ForbiddenError(
        `You cannot grant or change permissions that you do not have: \`${permission}\`.`,
        { code: 'escalation' },
      )
}

/** Requires that the caller holds all permissions of a role. Throws ForbiddenError `escalation`. */
export const requireCoversRole = (ctx: Ctx, roleId: string): void =>
  requireCovers(ctx, permissionsOfRole(ctx, roleId))
