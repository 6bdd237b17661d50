import { UnauthorizedError } from '../../../lib/errors'
import { normalEmail } from '../../../lib/fields'
import { transact, type Tx } from '../../../infra/db/transact'
import type { Ctx, Deps, RequestOrigin } from '../../../infra/ctx'
import type { AuditAction } from '../audit/model'
import { recordAudit, type AuditFact } from '../audit/record'
import {
  findOrganization,
  findOrganizationToAdminister,
  organizationExists,
  requireOpenOrganization,
} from '../organizations/service'
import {
  decoyHash,
  findUser,
  findUserByEmail,
  hashingTurnOf,
  recordLoginIn,
  type UserRow,
} from '../users/service'
import { identityOf, personCtx, requireEnabled } from './authenticate'
import { prepareSession, type AuthParts, type TokenPair } from './issue-tokens'
import type { Credentials } from './model'
import { openEmptyOrganization } from './open-empty-organization'
import { requireSecondFactor } from './second-factor'
import { endSessionIn, endSessionsOfUserIn } from './sessions'
import { membershipsOf } from '../memberships/find'
import type { LoginUser } from './token-views'

const wrongCredentials = (): UnauthorizedError =>
  new UnauthorizedError('The email or password is incorrect.', { code: 'invalid_credentials' })

/**
 * Signs a user in with email, password and, if enabled, two-factor code (spec 4.1). Throws
 * UnauthorizedError `invalid_credentials` (the same, in the same time, for an unknown email and a
 * wrong password), and after a correct password `account_disabled`, `no_membership`,
 * `two_factor_required` or `two_factor_invalid`. Throws RateLimitedError after too many failures.
 */
export async function login(
  deps: Deps,
  parts: AuthParts,
  input: Omit<Credentials, 'use_cookie' | 'include'> & RequestOrigin,
): Promise<LoginUser & TokenPair> {
  const email = normalEmail(input.email)
  const user = await verifyPassword(deps, parts, {
    email,
    password: input.password,
    origin: input,
  })
  if (!user) throw wrongCredentials()
  const known = startingOrganization(deps, user)
  const failedIn = (tx: Tx): void => recordFailedSignInIn(tx, deps, user, input)
  await requireSecondFactor(deps, user, { code: input.code, address: input.ipAddress, failedIn })
  const organizationId = known ?? openEmptyOrganization(deps, user)
  const identity = identityOf(deps, user, organizationId)
  const newHash = parts.hasher.isOutdated(user.passwordHash)
    ? await parts.hasher.hash(input.password, { organizationId })
    : null
  const opening = await prepareSession(deps, parts, { ...input, userId: user.id, organizationId })
  transact(deps.db, (tx) => {
    // Checks again after the slow password hash: a session opened with credentials that were
    // changed meanwhile would outlive the change.
    const now = findUser(deps, user.id)
    if (now?.passwordHash !== user.passwordHash || now.totpSealed !== user.totpSealed)
      throw wrongCredentials()
    identityOf(deps, now, organizationId)
    recordLoginIn(tx, deps, user.id, newHash)
    deps.throttle.admitIn(tx, { account: email, address: input.ipAddress })
    opening.storeIn(tx)
    recordAudit(
      tx,
      personCtx(deps, user, { organizationId, origin: input }),
      account('signed_in', user),
    )
  })
  return {
    user: {
      id: user.id,
      email: user.email,
      name: user.fullName,
      full_name: user.fullName,
      organization_id: organizationId,
      is_super_admin: user.isSuperAdmin,
    },
    ...(await opening.pair(identity)),
  }
}

/**
 * Returns the user whose email and password match, or `null` for an unknown email or wrong
 * password, in the same time and counted alike. Looks the user up again when a hash slot is free. Throws
 * RateLimitedError after too many failures, and UnavailableError if no hash slot became free in
 * time.
 */
export async function verifyPassword(
  deps: Deps,
  parts: AuthParts,
  { email, password, origin }: { email: string; password: string; origin: RequestOrigin },
): Promise<UserRow | null> {
  let user = findUserByEmail(deps, email)
  const organizationId = hashingTurnOf(deps, user, email)
  const hash = (): string => {
    user = findUserByEmail(deps, email)
    // looked for in either case: that takes time too
    const decoy = decoyHash(deps, parts.hasher, email)
    return user?.passwordHash ?? decoy
  }
  const isProven = await deps.throttle.prove(
    { account: email, address: origin.ipAddress },
    (waiting) => parts.hasher.verify(password, hash, { organizationId, ...waiting }),
    (tx) => recordFailedSignInIn(tx, deps, user, origin),
  )
  return isProven ? user : null
}

const account = (action: AuditAction, user: UserRow): AuditFact => ({
  action,
  resourceType: 'user',
  resourceId: user.id,
  resourceName: user.fullName,
})

/**
 * Records failed sign-ins of known users in the audit log of the organization that manages the
 * user.
 */
export function recordFailedSignInIn(
  tx: Tx,
  deps: Deps,
  user: UserRow | null,
  origin: RequestOrigin,
): void {
  if (user === null || user.homeOrganizationId === null) return
  recordAudit(
    tx,
    personCtx(deps, user, { organizationId: user.homeOrganizationId, origin }),
    account('sign_in_failed', user),
  )
}

/**
 * Returns the organization a sign-in starts in: the default membership, otherwise the oldest active
 * one, preferably not one that is being deleted. For a super admin without memberships the oldest
 * organization, or `null` if none works here any more. Throws UnauthorizedError `account_disabled`, also
 * if every membership is suspended, or `no_membership`, UnavailableError `organization_moving`, and
 * ConflictError `moved`.
 */
function startingOrganization(deps: Deps, user: UserRow): string | null {
  requireEnabled(user)
  const memberships = membershipsOf(deps, user.id)
  const open = memberships.filter(
    (at) => at.isActive && organizationExists(deps, at.organizationId),
  )
  const isLeaving = ({ organizationId: id }: { organizationId: string }): boolean =>
    findOrganization(deps, id)?.state === 'deleting'
  const membership = open.find((at) => !isLeaving(at)) ?? open[0]
  if (membership) return membership.organizationId
  if (user.isSuperAdmin) return findOrganizationToAdminister(deps)?.id ?? null
  for (const id of [...memberships.map((at) => at.organizationId), user.homeOrganizationId])
    if (id !== null && ['importing', 'moved'].includes(findOrganization(deps, id)?.state ?? ''))
      requireOpenOrganization(deps, id) // says why
  if (memberships.length > 0)
    throw new UnauthorizedError(
      'This account is suspended in all of its organizations. Contact an administrator.',
      { code: 'account_disabled' },
    )
  throw new UnauthorizedError(
    'This account is not a member of any organization. Ask for an invitation.',
    { code: 'no_membership' },
  )
}

/** Maximum length of a token, characters. */
const MAX_TOKEN_LENGTH = 4_096

/**
 * Ends the session of a refresh token and that of the Bearer token. Unknown, old and missing tokens
 * are ignored.
 */
export async function logout(
  deps: Deps,
  parts: AuthParts,
  by: {
    refreshToken: string | null
    bearer: { sessionId: string; userId: string; organizationId: string } | null
    origin: RequestOrigin
  },
): Promise<void> {
  const sent =
    by.refreshToken !== null && by.refreshToken.length <= MAX_TOKEN_LENGTH ? by.refreshToken : null
  const claims = sent === null ? null : await parts.tokens.readRefresh(sent).catch(() => null)
  const own = claims && { sessionId: claims.sid, userId: claims.sub, organizationId: claims.org }
  transact(deps.db, (tx) => {
    for (const ended of [own, by.bearer]) {
      const user =
        ended && endSessionIn(tx, deps, ended.sessionId, 'logout')
          ? findUser(deps, ended.userId)
          : null
      if (ended && user)
        recordAudit(
          tx,
          personCtx(deps, user, { organizationId: ended.organizationId, origin: by.origin }),
          account('signed_out', user),
        )
    }
  })
}

/** Ends all sessions of the caller, or all except the current one. Returns the number. */
export function logoutAll(ctx: Ctx, input: { keepsCurrent: boolean }): number {
  const { userId, userName, sessionId } = ctx.actor
  return transact(ctx.db, (tx) => {
    const ended = endSessionsOfUserIn(tx, ctx, userId ?? '', {
      reason: 'logout',
      except: input.keepsCurrent ? sessionId : null,
    })
    if (ended > 0)
      recordAudit(tx, ctx, {
        action: input.keepsCurrent ? 'session_ended' : 'signed_out',
        resourceType: 'user',
        resourceId: userId,
        resourceName: userName,
        changes: [{ field: 'sessions_ended', old_value: null, new_value: ended }],
      })
    return ended
  })
}
