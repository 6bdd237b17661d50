import { AppError, UnauthorizedError } from '../../lib/errors'
import { DAY_MS, isoTime, isoTimeOrNull, SECOND_MS } from '../../lib/clock'
import type { Ctx, Deps } from '../../infra/ctx'
import { transact } from '../../infra/db'
import { activeMembershipsOf, membershipsOf } from '../organizations/members/service'
import { findOldestOrganization, getOrganization, settingsView } from '../organizations/service'
import type { PasswordHasher } from '../users/password'
import { findUser, findUserByEmail, normalEmail, recordLogin, type UserRow } from '../users/service'
import { identityOf, type Identity } from './authenticate'
import type { Credentials, LoginView, MeView, TokensView } from './model'
import {
  endSessionIn,
  findLiveSession,
  findRefreshTokenByIdIn,
  findRefreshTokenIn,
  openSessionIn,
  storeRefreshTokenIn,
  touchSessionIn,
  useRefreshTokenIn,
  type Origin,
  type RefreshRow,
} from './sessions'
import type { TokenClaims, Tokens } from './tokens'

/** What signing in is made of, beside the program's parts. */
export interface AuthParts {
  tokens: Tokens
  hasher: PasswordHasher
}

/** How long a refresh token that was just used still answers its successor, for an answer that got lost, milliseconds. */
const LOST_ANSWER_MS = 10 * SECOND_MS

/**
 * Signs a person in with e-mail and password (spec 4.1). Throws UnauthorizedError `invalid_credentials` (the same for an unknown
 * e-mail and a wrong password, in the same time), `account_disabled` or `no_membership`, and RateLimitedError after too many failures.
 */
export async function login(deps: Deps, parts: AuthParts, input: Credentials & Origin): Promise<LoginView> {
  const email = normalEmail(input.email) ?? input.email.trim().toLowerCase()
  deps.throttle.check('login:account', email)
  deps.throttle.check('login:address', input.ipAddress)
  const user = findUserByEmail(deps, email)
  if (!(await parts.hasher.verify(input.password, user?.passwordHash ?? null)) || !user) {
    deps.throttle.fail('login:account', email)
    deps.throttle.fail('login:address', input.ipAddress)
    throw new UnauthorizedError('The e-mail or the password is wrong.', { code: 'invalid_credentials' })
  }
  const identity = identityOf(deps, user, startingOrganization(deps, user))
  const newHash = parts.hasher.isOutdated(user.passwordHash) ? await parts.hasher.hash(input.password) : null
  deps.throttle.clear('login:account', email)
  recordLogin(deps, user.id, newHash)
  const pair = await issueForNewSession(deps, parts, identity, input)
  return {
    user: {
      id: user.id,
      email: user.email,
      name: user.fullName,
      full_name: user.fullName,
      organization_id: identity.organizationId,
      is_super_admin: user.isSuperAdmin,
    },
    ...pair,
  }
}

/**
 * Where a login starts: the default membership, else the oldest active one; a super admin without any in the oldest organization.
 * Throws UnauthorizedError `account_disabled`, also when every membership is suspended, or `no_membership`.
 */
function startingOrganization(deps: Deps, user: UserRow): string {
  if (user.isDisabled) throw new UnauthorizedError('This account is disabled.', { code: 'account_disabled' })
  const memberships = membershipsOf(deps, user.id)
  const membership = memberships.find(({ isActive }) => isActive)
  const organizationId = membership?.organizationId ?? (user.isSuperAdmin ? findOldestOrganization(deps)?.id : undefined)
  if (organizationId !== undefined) return organizationId
  if (memberships.length > 0) throw new UnauthorizedError('This account is suspended.', { code: 'account_disabled' })
  throw new UnauthorizedError('This account belongs to no organization.', { code: 'no_membership' })
}

async function issueForNewSession(deps: Deps, parts: AuthParts, identity: Identity, origin: Origin): Promise<TokensView> {
  const session = transact(deps.db, (tx) => openSessionIn(tx, deps, { userId: identity.user.id, ...origin }))
  const claims = refreshClaims(deps, { sub: identity.user.id, org: identity.organizationId, sid: session.id }, session.expiresAtMs)
  const refreshToken = await parts.tokens.signRefresh(claims)
  transact(deps.db, (tx) => storeRefreshTokenIn(tx, storable(claims, refreshToken)))
  return pairOf(deps, parts, identity, claims, refreshToken)
}

function refreshClaims(deps: Deps, who: Pick<TokenClaims, 'sub' | 'org' | 'sid'>, sessionEndsAtMs: number): TokenClaims {
  const nowMs = deps.clock.nowMs()
  const endsAtMs = Math.min(nowMs + deps.settings.refreshTokenDays * DAY_MS, sessionEndsAtMs)
  return { ...who, jti: deps.ids.next(), iat: Math.floor(nowMs / 1_000), exp: Math.floor(endsAtMs / 1_000) }
}

const storable = (claims: TokenClaims, token: string) => ({
  id: claims.jti,
  sessionId: claims.sid,
  organizationId: claims.org,
  token,
  issuedAtMs: claims.iat * 1_000,
  expiresAtMs: claims.exp * 1_000,
})

async function pairOf(deps: Deps, parts: AuthParts, identity: Identity, refresh: TokenClaims, refreshToken: string): Promise<TokensView> {
  const iat = Math.floor(deps.clock.nowMs() / 1_000)
  const access = { sub: refresh.sub, org: refresh.org, sid: refresh.sid, jti: deps.ids.next(), iat, exp: iat + deps.settings.accessTokenS }
  const menu = { role: { id: identity.role.id, name: identity.role.name }, permissions: identity.permissions }
  return { access_token: await parts.tokens.signAccess(access, menu), refresh_token: refreshToken, expires_in: deps.settings.accessTokenS }
}

/**
 * Exchanges a refresh token for a new pair in the same organization (spec 5.4). A used token answers the same successor again for
 * ten seconds while that is unused (a lost answer, two tabs); later it is theft and the whole session ends. Throws UnauthorizedError
 * `invalid_token`, `token_expired`, `token_reused`, `session_ended`, `membership_ended` or `account_disabled`.
 */
export async function refresh(deps: Deps, parts: AuthParts, token: string): Promise<TokensView> {
  const claims = await parts.tokens.readRefresh(token)
  const session = findLiveSession(deps, claims.sid)
  const user = session && session.userId === claims.sub ? findUser(deps, claims.sub) : null
  if (!session || !user) throw new UnauthorizedError('This session has ended. Sign in again.', { code: 'session_ended' })
  const identity = identityOf(deps, user, claims.org)
  const offered = refreshClaims(deps, claims, session.expiresAtMs)
  const offeredToken = await parts.tokens.signRefresh(offered)
  const outcome = transact(deps.db, (tx): { successor: RefreshRow | null } | AppError => {
    const row = findRefreshTokenIn(tx, token)
    if (!row || row.sessionId !== session.id)
      return new UnauthorizedError('The token is not valid. Sign in again.', { code: 'invalid_token' })
    if (row.usedAtMs === null) {
      storeRefreshTokenIn(tx, storable(offered, offeredToken))
      useRefreshTokenIn(tx, deps, row, offered.jti)
      touchSessionIn(tx, deps, session)
      return { successor: null }
    }
    const successor = row.successorId === null ? null : findRefreshTokenByIdIn(tx, row.successorId)
    if (successor && successor.usedAtMs === null && deps.clock.nowMs() - row.usedAtMs <= LOST_ANSWER_MS) return { successor }
    endSessionIn(tx, deps, session.id, 'token_reused')
    return new UnauthorizedError('This refresh token was used before. The session has been ended for safety; sign in again.', {
      code: 'token_reused',
    })
  })
  if (outcome instanceof AppError) throw outcome
  if (!outcome.successor) return pairOf(deps, parts, identity, offered, offeredToken)
  const { id: jti, issuedAtMs, expiresAtMs } = outcome.successor
  const again: TokenClaims = { sub: claims.sub, org: claims.org, sid: claims.sid, jti, iat: issuedAtMs / 1_000, exp: expiresAtMs / 1_000 }
  return pairOf(deps, parts, identity, again, await parts.tokens.signRefresh(again))
}

/** Ends the session a refresh token belongs to, and that of the Bearer token; unknown, old and missing ones change nothing. */
export async function logout(deps: Deps, parts: AuthParts, by: { refreshToken: string | null; sessionId: string | null }): Promise<void> {
  const claims = by.refreshToken === null ? null : await parts.tokens.readRefresh(by.refreshToken).catch(() => null)
  const ids = [claims?.sid, by.sessionId].filter((id) => typeof id === 'string')
  if (ids.length > 0) transact(deps.db, (tx) => ids.forEach((id) => endSessionIn(tx, deps, id, 'logout')))
}

/** The caller as `GET /api/me` answers it. Throws UnauthorizedError when the membership has ended meanwhile. */
export function getMe(ctx: Ctx): MeView {
  const user = ctx.actor.userId === null ? null : findUser(ctx, ctx.actor.userId)
  if (!user) throw new UnauthorizedError()
  const identity = identityOf(ctx, user, ctx.organizationId)
  const organization = getOrganization(ctx)
  const memberships = activeMembershipsOf(ctx, user.id)
  const { role } = identity
  return {
    id: user.id,
    email: user.email,
    full_name: user.fullName,
    role_id: role.id,
    role: { id: role.id, name: role.name, description: role.description, is_system: role.isSystem },
    is_active: identity.membership?.isActive ?? false,
    is_available: identity.membership?.isAvailable ?? false,
    is_member: user.homeOrganizationId !== ctx.organizationId,
    is_super_admin: user.isSuperAdmin,
    membership_id: identity.membership?.membershipId ?? null,
    organization_id: ctx.organizationId,
    organization: { id: organization.id, name: organization.name, slug: organization.slug, settings: settingsView(organization) },
    permissions: [...ctx.actor.permissions].toSorted(),
    default_organization_id: memberships.find(({ isDefault }) => isDefault)?.organizationId ?? null,
    must_change_password: user.mustChangePassword,
    last_login_at: isoTimeOrNull(user.lastLoginAtMs),
    created_at: isoTime(user.createdAtMs),
    updated_at: isoTime(user.updatedAtMs),
    auth: { type: ctx.actor.type === 'api_key' ? 'api_key' : 'session', id: ctx.actor.apiKeyId ?? ctx.actor.sessionId },
  }
}
