import { ForbiddenError } from '../../lib/errors'
import { hasPermission, type Ctx } from '../../infra/ctx'
import type { Permission } from '../../infra/permissions'
import { permissionsOfRole } from './service'

/**
 * Nobody grants or touches what they do not hold: refuses unless the caller holds every one of the
 * permissions. Used for the set that is given, and for the set that whoever is changed has already.
 * Throws ForbiddenError `escalation`.
 */
export function requireCovers(ctx: Ctx, permissions: Iterable<string>): void {
  for (const permission of permissions)
    if (!hasPermission(ctx.actor, permission as Permission))
      // comes from a row or was checked against the catalogue
      throw new ForbiddenError(
        `You cannot grant or change permissions that you do not have: \`${permission}\`.`,
        { code: 'escalation' },
      )
}

/**
 * The same for all permissions of a role of the scope's organization. Throws ForbiddenError
 * `escalation`.
 */
export const requireCoversRole = (ctx: Ctx, roleId: string): void =>
  requireCovers(ctx, permissionsOfRole(ctx, roleId))
