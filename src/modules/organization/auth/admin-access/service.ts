import { isoTime, DAY_MS } from '../../../../lib/clock'
import {
  fieldSentence,
  AppError,
  ForbiddenError,
  InvalidError,
  NotFoundError,
  UnauthorizedError,
  type FieldProblem,
} from '../../../../lib/errors'
import type { Page } from '../../../../lib/page'
import type { Actor } from '../../../../infra/actor'
import { ctxOf, hasPermission, systemCtx, type Ctx, type Deps } from '../../../../infra/ctx'
import type { Permission } from '../../../../infra/permissions'
import { transact, type Tx } from '../../../../infra/db/transact'
import { queueMail } from '../../../../infra/mail/queue'
import { requireActiveKey } from '../../api-keys/authenticate'
import type { AuditAction } from '../../audit/model'
import { HIDDEN, recordAudit } from '../../audit/record'
import { notifyIn } from '../../notifications/service'
import { requireCovers } from '../../roles/require-covers'
import { permissionsOfRole } from '../../roles/service'
import { findUser, type UserRow } from '../../users/service'
import { actorOfKey, identityOf, personCtx } from '../authenticate'
import type { ResetLinkView } from '../model'
import { newResetLinkIn, type Issuer } from '../password-reset/links'
import { dropSecondFactorIn } from '../second-factor'
import { isSessionHere, listSessionsHere } from '../me/sessions'
import type { SessionView } from '../me/model'
import { endOrganizationTokensIn, endSessionIn, endSessionsOfUserIn } from '../sessions'
import { findMembership, membershipsOf } from '../../memberships/find'
import { noticeText } from '../../notifications/catalog'

/** Lifetime of a link created by an admin. */
const LINK_LIFETIME_MS = DAY_MS

/** Returns a user of the organization with the permissions of the role. Throws NotFoundError. */
function getPerson(ctx: Ctx, userId: string): { user: UserRow; permissions: string[] } {
  const membership = findMembership(ctx, { organizationId: ctx.organizationId, userId })
  const user = membership && findUser(ctx, userId)
  if (!membership || !user) throw new NotFoundError('User')
  return { user, permissions: permissionsOfRole(ctx, membership.roleId) }
}

/**
 * Checks that the caller may end or change a user's membership: the caller must hold all of the
 * user's permissions, and only super admins manage super admins. Throws ForbiddenError
 * `escalation`.
 */
function requireManages(ctx: Ctx, target: { user: UserRow; permissions: string[] }): void {
  if (target.user.isSuperAdmin && !ctx.actor.isSuperAdmin)
    throw new ForbiddenError('Only super admins can manage super admins.', { code: 'escalation' })
  requireCovers(ctx, target.permissions)
}

/**
 * Rejects a change of the caller's own record. Each problem names a field and the alternative. Does
 * nothing without problems. Throws InvalidError `own_record`.
 */
export function rejectOwnRecord(ctx: Ctx, userId: string, problems: FieldProblem[]): void {
  const [first] = problems
  if (userId !== ctx.actor.userId || !first) return
  throw new InvalidError(fieldSentence(first.path, first.message), {
    code: 'own_record',
    errors: problems,
  })
}

const managedElsewhere = (why: string): ForbiddenError =>
  new ForbiddenError(why, { code: 'account_managed_elsewhere' })

/**
 * Requires that the caller may change email, password or two-factor authentication of another
 * person. Super admins may. Others may only if the person's home is the scope's organization, the
 * person has accepted no membership elsewhere, and the caller holds all of the person's permissions
 * and at least one more. Being added to an organization by others does not count as accepted.
 * Throws NotFoundError, ForbiddenError `escalation` or `account_managed_elsewhere`.
 */
export function requireManagesCredentials(ctx: Ctx, userId: string): UserRow {
  const target = getPerson(ctx, userId)
  if (ctx.actor.isSuperAdmin) return target.user
  requireManages(ctx, target)
  if (target.user.homeOrganizationId !== ctx.organizationId)
    throw managedElsewhere(
      'This account is managed by another organization or by its owner. Only they can change ' +
        'it.',
    )
  const nowMs = ctx.clock.nowMs()
  const isAccepted = (fromMs: number | null): boolean => fromMs !== null && fromMs <= nowMs
  if (
    membershipsOf(ctx, userId).some(
      (at) => at.organizationId !== ctx.organizationId && isAccepted(at.acceptedFromMs),
    )
  )
    throw managedElsewhere(
      'This account also belongs to another organization. Only its owner or a super admin ' +
        'can change it.',
    )
  const held = new Set(target.permissions)
  if (
    ![...ctx.actor.permissions].some(
      (permission) => hasPermission(ctx.actor, permission as Permission) && !held.has(permission),
    )
  )
    throw managedElsewhere(
      'You can only change accounts of users with fewer permissions than you have.',
    )
  return target.user
}

/**
 * Whether the creator of a link could still create it now, with the same API key. The permissions
 * of both people may have changed, and a link must not do more than a new one could.
 */
export function canStillReset(deps: Deps, userId: string, issuer: Issuer): boolean {
  try {
    const actor = actorNow(deps, issuer)
    requireManagesCredentials(ctxOf(deps, actor), userId)
    return hasPermission(actor, 'users:update')
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/**
 * Returns the current permissions of a link's creator. Throws UnauthorizedError if the creator's
 * access, or that of the API key, has ended.
 */
function actorNow(deps: Deps, { userId, organizationId, apiKeyId }: Issuer): Actor {
  if (apiKeyId !== null)
    return actorOfKey(deps, requireActiveKey(deps, { organizationId, id: apiKeyId }))
  const user = findUser(deps, userId)
  if (!user) throw new UnauthorizedError()
  const { permissions } = identityOf(deps, user, organizationId)
  return {
    ...personCtx(deps, user, { organizationId, origin: null }).actor,
    permissions: new Set(permissions),
  }
}

const person = (action: AuditAction, user: UserRow) => ({
  action,
  resourceType: 'user',
  resourceId: user.id,
  resourceName: user.fullName,
})

/**
 * Creates a password reset link for a user, and emails it if a mail server is configured. Throws as
 * above, and InvalidError for the caller's own user.
 */
export function issueResetLink(ctx: Ctx, userId: string): ResetLinkView {
  rejectOwnRecord(ctx, userId, [
    {
      path: 'path.id',
      message: 'is your own account; change your password with PUT /api/me/password',
    },
  ])
  const user = requireManagesCredentials(ctx, userId)
  const { userId: issuerId, apiKeyId } = ctx.actor
  if (issuerId === null) throw new UnauthorizedError()
  return transact(ctx.db, (tx) => {
    const { url, expiresAtMs } = newResetLinkIn(tx, ctx, {
      userId,
      livesMs: LINK_LIFETIME_MS,
      issuer: { userId: issuerId, organizationId: ctx.organizationId, apiKeyId },
    })
    queueMail(tx, ctx, { to: user.email, kind: 'password_reset', link: url, expiresAtMs })
    recordAudit(tx, ctx, { ...person('created', user), resourceType: 'password_reset_link' })
    return { reset_url: url, expires_at: isoTime(expiresAtMs) }
  })
}

/**
 * Disables two-factor authentication of a user who has lost it, and ends the user's sessions.
 * Throws as above.
 */
export function resetSecondFactor(ctx: Ctx, userId: string): void {
  rejectOwnRecord(ctx, userId, [
    {
      path: 'path.id',
      message:
        'is your own account; disable two-factor authentication with POST /api/me/2fa/disable',
    },
  ])
  const user = requireManagesCredentials(ctx, userId)
  if (user.totpSealed === null && user.totpPendingSealed === null) return
  transact(ctx.db, (tx) => {
    dropSecondFactorIn(tx, ctx, userId)
    endSessionsOfUserIn(tx, ctx, userId, { reason: 'two_factor_reset' })
    recordElsewhereIn(tx, ctx, 'two_factor_disabled', user)
    recordAudit(tx, ctx, {
      ...person('two_factor_disabled', user),
      changes: [{ field: 'two_factor', old_value: HIDDEN, new_value: HIDDEN }],
    })
    notifyIn(tx, ctx, {
      userId,
      kind: 'credentials_changed',
      severity: 'warning',
      title: 'Two-factor authentication was disabled',
      text: noticeText(
        'two_factor_off',
        ctx.actor.userName === null ? {} : { by: ctx.actor.userName },
      ),
      body:
        `${ctx.actor.userName ?? 'An administrator'} disabled two-factor authentication for ` +
        'your account. Set it up again.',
    })
  })
}

/**
 * Records in the user's other organizations that the home organization changed the sign-in, because
 * the sessions there ended too. Does not name the person who did it.
 */
export function recordElsewhereIn(tx: Tx, ctx: Ctx, action: AuditAction, user: UserRow): void {
  for (const { organizationId } of membershipsOf(ctx, user.id))
    if (organizationId !== ctx.organizationId)
      recordAudit(tx, systemCtx(ctx, organizationId), person(action, user))
}

/**
 * Revokes all tokens and sockets of a user in this organization only. Throws NotFoundError, and
 * ForbiddenError `escalation`.
 */
export function endTokensOfPerson(ctx: Ctx, userId: string): void {
  const target = getPerson(ctx, userId)
  requireManages(ctx, target)
  transact(ctx.db, (tx) => {
    endOrganizationTokensIn(tx, ctx, userId)
    recordAudit(tx, ctx, person('session_ended', target.user))
  })
}

/**
 * Returns where a user is signed in to this organization. Throws NotFoundError, and ForbiddenError
 * `escalation`.
 */
export function listSessionsOfPerson(
  ctx: Ctx,
  userId: string,
  query: { page: number; limit: number },
): Page<SessionView> {
  requireManages(ctx, getPerson(ctx, userId))
  return listSessionsHere(ctx, userId, query)
}

/**
 * Ends one sign-in of a user, in all organizations. Throws NotFoundError, and ForbiddenError
 * `escalation` or `account_managed_elsewhere`.
 */
export function endSessionOfPerson(ctx: Ctx, userId: string, sessionId: string): void {
  const user = requireManagesCredentials(ctx, userId)
  transact(ctx.db, (tx) => {
    if (!isSessionHere(ctx, userId, sessionId)) throw new NotFoundError('Session')
    endSessionIn(tx, ctx, sessionId, 'ended_by_admin')
    recordAudit(tx, ctx, person('session_ended', user))
  })
}
