import { ForbiddenError, NotFoundError } from '../../../lib/errors'
import { hasPermission, type Ctx } from '../../../infra/ctx'
import type { Permission } from '../../../infra/permissions'
import { findTeam, findTeamMember, type TeamMemberRow, type TeamRow } from './find'

const lacks = (who: string, permission: Permission): ForbiddenError =>
  new ForbiddenError(`This requires the permission \`${permission}\` or being ${who}.`, {
    code: 'permission_denied',
  })

/** Returns a team. Throws NotFoundError. */
function requireTeam(ctx: Ctx, id: string): TeamRow {
  const row = findTeam(ctx, id)
  if (!row) throw new NotFoundError('Team')
  return row
}

/** Returns the caller's own membership of a team, or `null`. API keys are in no team. */
const ownMembership = (ctx: Ctx, teamId: string): TeamMemberRow | null =>
  ctx.actor.type === 'user' && ctx.actor.userId !== null
    ? findTeamMember(ctx, { teamId, userId: ctx.actor.userId })
    : null

/**
 * Returns a team that the caller may see: its own, or any with `teams:read`. Throws NotFoundError
 * and ForbiddenError `permission_denied`.
 */
export function requireSeesTeam(ctx: Ctx, id: string): TeamRow {
  const row = requireTeam(ctx, id)
  if (hasPermission(ctx.actor, 'teams:read') || ownMembership(ctx, id)) return row
  throw lacks('a member of this team', 'teams:read')
}

/**
 * Returns a team that the caller may change: one that it manages, or any with `teams:update`. Throws
 * NotFoundError and ForbiddenError `permission_denied`.
 */
export function requireManagesTeam(ctx: Ctx, id: string): TeamRow {
  const row = requireTeam(ctx, id)
  const isManager = ownMembership(ctx, id)?.role === 'manager'
  if (isManager || hasPermission(ctx.actor, 'teams:update')) return row
  throw lacks('a manager of this team', 'teams:update')
}

/**
 * Requires `teams:update` for a change that makes a manager, or changes one: managing the team is
 * not enough. Throws ForbiddenError `permission_denied`.
 */
export function requireMayChangeManagers(ctx: Ctx): void {
  if (!hasPermission(ctx.actor, 'teams:update'))
    throw new ForbiddenError(
      'Changing the managers of a team requires the permission `teams:update`.',
      { code: 'permission_denied' },
    )
}
