import { UnauthorizedError } from '../../../../lib/errors'
import { isoTime, isoTimeOrNull } from '../../../../lib/clock'
import type { Ctx } from '../../../../infra/ctx'
import { logBounds } from '../../../../infra/outbox/relay'
import { getOrganization, settingsView } from '../../organizations/service'
import { descriptionOf } from '../../roles/queries'
import { findUser, type UserRow } from '../../users/service'
import { identityOf } from '../authenticate'
import type { MeView } from './model'
import { ownSettingsView } from './settings'
import { activeMembershipsOf } from '../../memberships/find'

/** Returns the caller's user. Throws UnauthorizedError if it no longer exists. */
export function callerOf(ctx: Ctx): UserRow {
  const user = ctx.actor.userId === null ? null : findUser(ctx, ctx.actor.userId)
  if (!user) throw new UnauthorizedError()
  return user
}

/**
 * Returns the caller as `GET /api/me` shows it. Throws UnauthorizedError if the membership has
 * ended meanwhile.
 */
export function getMe(ctx: Ctx): MeView {
  const user = callerOf(ctx)
  const identity = identityOf(ctx, user, ctx.organizationId)
  const organization = getOrganization(ctx)
  const memberships = activeMembershipsOf(ctx, user.id)
  const { role } = identity
  return {
    id: user.id,
    email: user.email,
    full_name: user.fullName,
    role_id: role.id,
    role: {
      id: role.id,
      name: role.name,
      description: descriptionOf(role.description),
      is_system: role.isSystem,
    },
    is_active: identity.membership?.isActive ?? false,
    is_available: identity.membership?.isAvailable ?? false,
    is_confirmed: identity.membership?.isConfirmed ?? true,
    is_member: user.homeOrganizationId !== ctx.organizationId,
    is_super_admin: user.isSuperAdmin,
    membership_id: identity.membership?.membershipId ?? null,
    organization_id: ctx.organizationId,
    organization: {
      id: organization.id,
      name: organization.name,
      slug: organization.slug,
      settings: settingsView(organization),
      updated_at: isoTime(organization.updatedAtMs),
    },
    permissions: [...ctx.actor.permissions].toSorted(),
    default_organization_id: memberships.find(({ isDefault }) => isDefault)?.organizationId ?? null,
    two_factor_enabled: user.totpSealed !== null,
    must_change_password: user.mustChangePassword,
    settings: ownSettingsView(user),
    events: { log: ctx.eventLog.logId, seq: logBounds(ctx, ctx.organizationId).seq },
    last_login_at: isoTimeOrNull(user.lastLoginAtMs),
    created_at: isoTime(user.createdAtMs),
    updated_at: isoTime(user.updatedAtMs),
    auth:
      ctx.actor.type === 'api_key'
        ? { type: 'api_key', id: ctx.actor.apiKeyId }
        : { type: 'session', id: ctx.actor.sessionId },
  }
}
