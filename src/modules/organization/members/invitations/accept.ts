import { eq } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import { ForbiddenError, InvalidError, UnauthorizedError } from '../../../../lib/errors'
import { sha256Hex } from '../../../../lib/hash'
import { acrossOrganizations, inOrganization, type Ctx, type Deps } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { reauthorizedCtx } from '../../auth/delegated-ctx'
import { findLogo } from '../../organizations/logo'
import { getOrganization } from '../../organizations/service'
import type { RoleRow } from '../../roles/queries'
import { permissionsOfRole } from '../../roles/service'
import { findUser, type UserRow } from '../../users/service'
import { findMembership } from '../../memberships/find'
import { invitations } from '../table'
import { joinIn, requireNoMember } from '../add'
import { stateOf, type InvitationRow, roleOfInvitation } from './queries'
import { recordInvitationIn } from './audit'
import { confirmMembershipIn, isSuspended } from './confirm'
import type { InvitationPreview, Joined } from './model'

/** Returns the one error for every invalid token, which does not reveal the reason. */
export const invitationInvalid = (): InvalidError =>
  new InvalidError('This invitation is invalid or has expired. Ask for a new one.', {
    code: 'invitation_invalid',
  })

/**
 * Returns the invitation of a token while it can be accepted: it is pending, the organization is
 * not closed, and the inviter is still active there with all permissions of the role. Returns
 * `null` for every other token.
 */
function findOpenInvitation(deps: Deps, token: string): InvitationRow | null {
  const row = findPendingInvitation(deps, token)
  const isClosed =
    row !== null && getOrganization({ ...deps, ...row }).registrationPolicy === 'closed'
  return isClosed ? null : row
}

/** Returns such an invitation of any organization, closed ones included. */
function findPendingInvitation(deps: Deps, token: string): InvitationRow | null {
  const row = deps.db.orm
    .select()
    .from(invitations)
    .where(
      acrossOrganizations(
        'the token itself names its organization',
        eq(invitations.tokenHash, sha256Hex(token)),
      ),
    )
    .get()
  if (!row || stateOf(row, deps.clock.nowMs()) !== 'pending') return null
  const inviter = findUser(deps, row.invitedBy)
  const isActive =
    inviter &&
    !inviter.isDisabled &&
    (inviter.isSuperAdmin ||
      findMembership(deps, { ...row, userId: inviter.id })?.isActive === true)
  if (!inviter || !isActive) return null
  return stillCovers(deps, row, inviter) ? row : null
}

/** Reports whether the inviter still has all permissions of the invitation's role. */
function stillCovers(deps: Deps, row: InvitationRow, inviter: UserRow): boolean {
  if (inviter.isSuperAdmin) return true
  const at = { ...deps, organizationId: row.organizationId }
  const membership = findMembership(deps, {
    organizationId: row.organizationId,
    userId: inviter.id,
  })
  const held = new Set(membership ? permissionsOfRole(at, membership.roleId) : [])
  return permissionsOfRole(at, roleOfInvitation(deps, row).id).every((permission) =>
    held.has(permission),
  )
}

/**
 * Requires that the invitation is not for another email. Throws ForbiddenError
 * `invitation_email_mismatch`.
 */
export function requireInvitedEmail(row: InvitationRow, email: string): void {
  if (row.email !== null && row.email !== email)
    throw new ForbiddenError('This invitation is for another email address.', {
      code: 'invitation_email_mismatch',
    })
}

/**
 * Marks an invitation as accepted by a person. Runs inside the caller's transaction, in the scope
 * of the invitation's organization. Returns its role. Throws InvalidError `invitation_invalid` if
 * it was accepted in the meantime.
 */
export function markInvitationAcceptedIn(
  tx: Tx,
  ctx: Ctx,
  token: string,
  user: Pick<UserRow, 'id' | 'email'>,
): RoleRow {
  const row = findOpenInvitation(ctx, token)
  if (!row || row.organizationId !== ctx.organizationId) throw invitationInvalid()
  requireInvitedEmail(row, user.email)
  tx.update(invitations)
    .set({ acceptedAtMs: ctx.clock.nowMs(), acceptedByUserId: user.id })
    .where(inOrganization(ctx, invitations, eq(invitations.id, row.id)))
    .run()
  recordInvitationIn(tx, ctx, 'invitation_accepted', row)
  return roleOfInvitation(ctx, row)
}

/**
 * Returns the open invitation of a token. An invalid token counts as a failed attempt of the
 * client's address. Throws InvalidError `invitation_invalid` and RateLimitedError.
 */
async function requireOpenInvitation(
  deps: Deps,
  token: string,
  address: string,
  find = findOpenInvitation,
): Promise<InvitationRow> {
  let row: InvitationRow | null = null
  const isOpen = await deps.throttle.prove({ account: null, address }, async () => {
    row = find(deps, token)
    return row !== null
  })
  if (!isOpen || row === null) throw invitationInvalid()
  return row
}

/**
 * Like {@link requireOpenInvitation}, but also of an organization that is closed: the caller says so.
 */
export const requirePendingInvitation = (
  deps: Deps,
  token: string,
  address: string,
): Promise<InvitationRow> => requireOpenInvitation(deps, token, address, findPendingInvitation)

/** Returns what an invitation offers. Throws the errors of {@link requireOpenInvitation}. */
export async function previewInvitation(
  deps: Deps,
  token: string,
  address: string,
): Promise<InvitationPreview> {
  const row = await requireOpenInvitation(deps, token, address)
  return {
    organization_id: row.organizationId,
    organization_name: getOrganization({ ...deps, ...row }).name,
    logo_url: findLogo({ ...deps, ...row }),
    email: row.email,
    role_name: roleOfInvitation(deps, row).name,
    expires_at: isoTime(row.expiresAtMs),
  }
}

/**
 * Requires that the user is no member, suspended or not. Throws ForbiddenError
 * `membership_suspended` and ConflictError `already_member`.
 */
export function requireMayJoin(ctx: Ctx, userId: string): void {
  const membership = findMembership(ctx, { organizationId: ctx.organizationId, userId })
  if (membership && !membership.isActive)
    throw new ForbiddenError('You are suspended in this organization. Contact its admins.', {
      code: 'membership_suspended',
    })
  requireNoMember(ctx, userId)
}

/**
 * Adds the caller to the organization that invited it. Throws InvalidError `invitation_invalid`,
 * ForbiddenError `invitation_email_mismatch` or `membership_suspended`, ConflictError
 * `already_member`, RateLimitedError, and UnauthorizedError if the session has ended in the
 * meantime.
 */
export async function acceptInvitation(ctx: Ctx, token: string): Promise<Joined> {
  const { organizationId } = await requireOpenInvitation(ctx, token, ctx.origin?.ipAddress ?? '')
  return transact(ctx.db, (tx) => {
    const now = reauthorizedCtx(ctx) // it may have waited for its turn
    const there: Ctx = { ...now, organizationId }
    const user = findUser(now, now.actor.userId ?? '')
    if (!user) throw new UnauthorizedError()
    const row = findOpenInvitation(ctx, token)
    if (row) requireInvitedEmail(row, user.email)
    const isConfirmation = row?.isConfirmation === true && isSuspended(there, user.id)
    if (!isConfirmation) requireMayJoin(there, user.id)
    const role = markInvitationAcceptedIn(tx, there, token, user)
    if (isConfirmation) confirmMembershipIn(tx, there, user)
    else joinIn(tx, there, user, { role, isOwnWish: true })
    return {
      message: `You joined ${getOrganization(there).name}.`,
      organization_id: organizationId,
      role_name: role.name,
    }
  })
}
