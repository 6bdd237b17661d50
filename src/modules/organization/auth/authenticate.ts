import { ForbiddenError, InvalidError, NotFoundError, UnauthorizedError } from '../../../lib/errors'
import { sha256Hex } from '../../../lib/hash'
import { isUuid, normalizeId } from '../../../lib/ids'
import type { Actor } from '../../../infra/actor'
import { ctxOf, type Ctx, type Deps, type RequestOrigin } from '../../../infra/ctx'
import { isOwnerActive, permissionsOfKey, type ApiKeyRow } from '../api-keys/queries'
import { recordKeyUse, requireValidKey, requireActiveKey } from '../api-keys/authenticate'
import { PERMISSIONS, permissionsUnconfirmed } from '../roles/catalog'
import { requireOpenOrganization, type OrganizationRow } from '../organizations/service'
import { findSystemRole, permissionsOfRole } from '../roles/service'
import { findUser, type UserRow } from '../users/service'
import type { CallerCache } from './caller-cache'
import { findLiveSession, recordSessionUse, tokensValidFromS, type SessionRow } from './sessions'
import { refreshTokenIdOf, type Tokens } from './tokens'
import { findMembership, type MembershipRights } from '../memberships/find'

/** The role of a caller in an organization. */
export interface ActingRole {
  id: string
  name: string
  description: string
  isSystem: boolean
}

/** The user behind a valid credential, with the data needed to answer requests about the user. */
export interface CallerIdentity {
  user: UserRow
  organizationId: string
  membership: MembershipRights | null
  role: ActingRole
  permissions: string[]
  /** When the erasure of the organization begins, if it is being deleted. */
  deletesAtMs: number | null
  /** Whether it is copied to another server, so that nothing can be written. */
  isMoving: boolean
}

/** All that members can do in an organization that is being deleted. */
const WHILE_DELETING: ReadonlySet<string> = new Set(['organizations:delete'])

const remaining = (permissions: Iterable<string>, deletesAtMs: number | null): string[] =>
  [...permissions].filter((one) => deletesAtMs === null || WHILE_DELETING.has(one))

/**
 * Returns the current permissions of a user in an organization: those of the active membership's
 * role, or few of them until an admin confirms the person. Super admins have the organization's admin role everywhere. Throws UnauthorizedError
 * `account_disabled` or `membership_ended`, UnavailableError `organization_moving` while it is
 * imported, and ConflictError `moved`.
 */
export function identityOf(
  deps: Pick<Deps, 'db'>,
  user: UserRow,
  organizationId: string,
): CallerIdentity {
  requireEnabled(user)
  const { deletesAtMs, state } = requireOpenIn(deps, organizationId)
  const isMoving = state === 'moving'
  const membership = findMembership(deps, { organizationId, userId: user.id })
  if (membership?.isActive) {
    const role = {
      id: membership.roleId,
      name: membership.roleName,
      description: membership.roleDescription,
      isSystem: membership.isSystemRole,
    }
    return {
      user,
      organizationId,
      membership,
      role,
      permissions: remaining(
        user.isSuperAdmin ? PERMISSIONS : permissionsOfMember(deps, membership),
        deletesAtMs,
      ),
      deletesAtMs,
      isMoving,
    }
  }
  const role = user.isSuperAdmin ? findSystemRole({ ...deps, organizationId }, 'admin') : null
  if (!role) throw membershipEnded()
  const permissions = remaining(PERMISSIONS, deletesAtMs)
  return { user, organizationId, membership, role, permissions, deletesAtMs, isMoving }
}

/** Returns what a member may do: what the role permits, as far as somebody vouches for the person. */
function permissionsOfMember(
  deps: Pick<Deps, 'db'>,
  { organizationId, roleId, isConfirmed }: MembershipRights,
): string[] {
  const permissions = permissionsOfRole({ ...deps, organizationId }, roleId)
  return isConfirmed ? permissions : permissionsUnconfirmed(permissions)
}

const membershipEnded = (): UnauthorizedError =>
  new UnauthorizedError(
    'You are no longer a member of this organization. Sign in again or switch organization.',
    {
      code: 'membership_ended',
    },
  )

/** Returns the organization of a credential. To its people, one that is erased is gone. */
function requireOpenIn(deps: Pick<Deps, 'db'>, organizationId: string): OrganizationRow {
  try {
    return requireOpenOrganization(deps, organizationId)
  } catch (error) {
    throw error instanceof NotFoundError ? membershipEnded() : error
  }
}

/** Throws UnauthorizedError `account_disabled`. */
export function requireEnabled(user: Pick<UserRow, 'isDisabled'>): void {
  if (user.isDisabled)
    throw new UnauthorizedError('This account is disabled. Contact an administrator.', {
      code: 'account_disabled',
    })
}

const sessionEnded = (): UnauthorizedError =>
  new UnauthorizedError('This session has ended. Sign in again.', { code: 'session_ended' })

/**
 * Returns the session and current permissions of a token. Reads from the database whether the user
 * is enabled, the session is live, its tokens are still valid for the organization and the
 * membership is active. Throws UnauthorizedError. Checks the user first, because disabling a user
 * also ends the sessions and the error must say so.
 */
export function liveIdentity(
  deps: Deps,
  token: { sid: string; sub: string; org: string; iat: number },
): { session: SessionRow; identity: CallerIdentity } {
  const user = findUser(deps, token.sub)
  if (user) requireEnabled(user)
  const session = findLiveSession(deps, token.sid)
  if (!user || session?.userId !== user.id) throw sessionEnded()
  const identity = identityOf(deps, user, token.org)
  if (token.iat < tokensValidFromS(deps, { organizationId: token.org, userId: user.id }))
    throw sessionEnded()
  return { session, identity }
}

/** The services that verify credentials: the token verifier and the caller cache. */
export interface CredentialServices {
  tokens: Tokens
  callers: CallerCache
}

/** The claims of a sign-in, from a token or from an actor created from one. */
type SignedIn = Required<Pick<Actor, 'issuedAtS'>> &
  Pick<Actor, 'sessionId' | 'userId' | 'organizationId' | 'expiresAtMs' | 'refreshTokenId'>

/** Returns the user of a sign-in with current permissions. Throws UnauthorizedError. */
export function personOf(
  deps: Deps,
  callers: CallerCache,
  of: SignedIn,
): { actor: Actor; session: SessionRow } {
  const { sessionId, userId, organizationId, issuedAtS, expiresAtMs, refreshTokenId } = of
  return callers.known(
    `person ${sessionId} ${userId} ${organizationId} ${issuedAtS} ${expiresAtMs} ${refreshTokenId}`,
    () => {
      const { session, identity } = liveIdentity(deps, {
        sid: sessionId ?? '',
        sub: userId ?? '',
        org: organizationId,
        iat: issuedAtS,
      })
      const actor = actorOf(identity, {
        sessionId: session.id,
        issuedAtS,
        expiresAtMs: expiresAtMs ?? 0,
        refreshTokenId,
      })
      return { actor, session, untilMs: session.expiresAtMs }
    },
  )
}

/** Returns the actor of an access token. Throws UnauthorizedError. */
export async function authenticateAccessToken(
  deps: Deps,
  { tokens, callers }: CredentialServices,
  token: string,
): Promise<Actor> {
  const { sid, sub, org, iat, exp, jti } = await tokens.readAccess(token)
  const refreshTokenId = refreshTokenIdOf(jti)
  const { actor, session } = personOf(deps, callers, {
    sessionId: sid,
    userId: sub,
    organizationId: org,
    issuedAtS: iat,
    expiresAtMs: exp * 1_000,
    refreshTokenId,
  })
  recordSessionUse(deps, session)
  return actor
}

/**
 * Returns the actor of an open connection with current permissions: the same object if they are
 * unchanged. Throws UnauthorizedError if the session, membership or API key has ended.
 */
export function connectedActor(deps: Deps, callers: CallerCache, actor: Actor): Actor {
  const { apiKeyId, organizationId } = actor
  if (apiKeyId === null)
    return personOf(deps, callers, { ...actor, issuedAtS: actor.issuedAtS ?? 0 }).actor
  return callers.known(`key of socket ${organizationId} ${apiKeyId}`, () => {
    const key = requireActiveKey(deps, { organizationId, id: apiKeyId })
    return { actor: actorOfKey(deps, key), untilMs: key.expiresAtMs }
  }).actor
}

/**
 * Returns the caller with current permissions, for a session or an API key. Returns a system actor
 * unchanged. Throws UnauthorizedError if the session, membership or key has ended.
 */
export function renewActor(deps: Deps, actor: Actor): Actor {
  if (actor.type === 'system') return actor
  if (actor.apiKeyId !== null)
    return actorOfKey(
      deps,
      requireActiveKey(deps, { organizationId: actor.organizationId, id: actor.apiKeyId }),
    )
  const issuedAtS = actor.issuedAtS ?? 0
  const { session, identity } = liveIdentity(deps, {
    sid: actor.sessionId ?? '',
    sub: actor.userId ?? '',
    org: actor.organizationId,
    iat: issuedAtS,
  })
  return actorOf(identity, {
    sessionId: session.id,
    issuedAtS,
    expiresAtMs: actor.expiresAtMs ?? 0,
    refreshTokenId: actor.refreshTokenId,
  })
}

/**
 * Returns the context for actions without a token: signing in, refreshing, choosing a new password.
 */
export const personCtx = (
  deps: Deps,
  user: UserRow,
  at: { organizationId: string; origin: RequestOrigin | null },
): Ctx =>
  ctxOf(
    deps,
    {
      type: 'user',
      organizationId: at.organizationId,
      userId: user.id,
      userName: user.fullName,
      sessionId: null,
      apiKeyId: null,
      isSuperAdmin: user.isSuperAdmin,
      permissions: new Set(),
      expiresAtMs: null,
    },
    at.origin,
  )

/** Returns the actor of a user in a session, with the claims of the credential. */
export const actorOf = (
  identity: CallerIdentity,
  session: {
    sessionId: string
    issuedAtS: number
    expiresAtMs: number
    refreshTokenId?: string | undefined
  },
): Actor => ({
  type: 'user',
  organizationId: identity.organizationId,
  userId: identity.user.id,
  userName: identity.user.fullName,
  apiKeyId: null,
  isSuperAdmin: identity.user.isSuperAdmin,
  permissions: new Set(identity.permissions),
  organizationDeletesAtMs: identity.deletesAtMs,
  isOrganizationMoving: identity.isMoving,
  ...session,
})

/**
 * Returns the actor of an API key: the key's permissions, limited to what its owner may do now in
 * the key's organization. Never a super admin. Throws UnauthorizedError `key_owner_inactive`.
 */
export function actorOfKey(deps: Pick<Deps, 'db'>, key: ApiKeyRow): Actor {
  const owner = ownerOf(deps, key)
  const held = new Set(owner.permissions)
  return {
    type: 'api_key',
    organizationId: key.organizationId,
    userId: owner.user.id,
    userName: owner.user.fullName,
    sessionId: null,
    apiKeyId: key.id,
    isSuperAdmin: false,
    permissions: new Set(
      permissionsOfKey({ ...deps, organizationId: key.organizationId }, key.id).filter(
        (permission) => held.has(permission),
      ),
    ),
    organizationDeletesAtMs: owner.deletesAtMs,
    isOrganizationMoving: owner.isMoving,
    expiresAtMs: key.expiresAtMs,
  }
}

function ownerOf(deps: Pick<Deps, 'db'>, key: ApiKeyRow): CallerIdentity {
  const owner = findUser(deps, key.ownerUserId)
  try {
    const identity = owner && identityOf(deps, owner, key.organizationId)
    if (
      identity &&
      isOwnerActive(key, { isSuperAdmin: owner.isSuperAdmin, membership: identity.membership })
    )
      return identity
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error
  }
  throw new UnauthorizedError(
    'The owner of this API key has left the organization. An admin can take it over with ' +
      '`POST /api/api-keys/{id}/take-over`.',
    { code: 'key_owner_inactive' },
  )
}

function callerWithKey(
  deps: Deps,
  callers: CallerCache,
  at: { written: string; address: string },
): Actor {
  const { key, actor } = callers.known(`key ${sha256Hex(at.written)}`, () => {
    const found = requireValidKey(deps, at.written)
    return { key: found, actor: actorOfKey(deps, found), untilMs: found.expiresAtMs }
  })
  recordKeyUse(deps, key, at.address)
  return actor
}

/**
 * Creates the function that returns the caller of a request, or `null` without a credential. An API
 * key takes precedence over a token. The function throws if the credential is invalid.
 */
export function createAuthenticate(
  deps: Deps,
  services: CredentialServices,
): (headers: Headers, address: string) => Promise<Actor | null> {
  return async (headers, address) => {
    const key = headers.get('x-api-key')
    if (key !== null)
      return inRequestedOrganization(
        deps,
        callerWithKey(deps, services.callers, { written: key, address }),
        headers.get('x-organization-id'),
      )
    const authorization = headers.get('authorization')
    if (authorization === null) return null
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
    if (token === undefined)
      throw new UnauthorizedError('Send the access token as `Authorization: Bearer <token>`.', {
        code: 'invalid_token',
      })
    return inRequestedOrganization(
      deps,
      await authenticateAccessToken(deps, services, token),
      headers.get('x-organization-id'),
    )
  }
}

/**
 * Checks `X-Organization-ID`. A super admin may select another organization; for others it must
 * match the token's organization.
 */
function inRequestedOrganization(deps: Deps, actor: Actor, written: string | null): Actor {
  const requested = written === null ? null : normalizeId(written)
  if (requested === null || requested === actor.organizationId) return actor
  if (!isUuid(requested))
    throw new InvalidError('`X-Organization-ID` must be a UUID.', {
      code: 'invalid_input',
      errors: [{ path: 'headers.x-organization-id', message: 'must be a UUID' }],
    })
  if (!actor.isSuperAdmin)
    throw new ForbiddenError(
      '`X-Organization-ID` does not match the organization of the token. Remove the header ' +
        'or switch organization.',
      {
        code: 'organization_mismatch',
      },
    )
  return {
    ...actor,
    organizationId: requested,
    ...standingIn(requireOpenOrganization(deps, requested)),
  }
}

/** What a super admin may do in an organization, as far as its state decides. */
const standingIn = ({
  deletesAtMs,
  state,
}: OrganizationRow): Pick<
  Actor,
  'permissions' | 'organizationDeletesAtMs' | 'isOrganizationMoving'
> => ({
  permissions: new Set(remaining(PERMISSIONS, deletesAtMs)),
  organizationDeletesAtMs: deletesAtMs,
  isOrganizationMoving: state === 'moving',
})
