import { ForbiddenError, UnauthorizedError } from '../../../lib/errors'
import { DAY_MS, SECOND_MS } from '../../../lib/clock'
import type { Ctx, Deps, RequestOrigin } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { recordAudit } from '../audit/record'
import { notifyIn } from '../notifications/service'
import { acceptMembershipIn } from '../memberships/service'
import { getOrganization, requireOpenOrganization } from '../organizations/service'
import type { PasswordHasher } from '../users/password'
import { findUser, type UserRow } from '../users/service'
import { reauthorizedCtx } from './delegated-ctx'
import { identityOf, liveIdentity, personCtx, type CallerIdentity } from './authenticate'
import { sealMediaCookie } from './media-cookie'
import type { SwitchView } from './token-views'
import {
  dropSurplusChainsIn,
  endSessionIn,
  findLiveSession,
  findRefreshTokenByIdIn,
  findRefreshTokenIn,
  newSession,
  storeRefreshTokenIn,
  storeSessionIn,
  tokensValidFromS,
  touchSessionIn,
  markRefreshTokenUsedIn,
  type RefreshRow,
  type SessionRow,
} from './sessions'
import { accessTokenId, type TokenClaims, type Tokens } from './tokens'
import { findMembership } from '../memberships/find'
import { noticeText } from '../notifications/catalog'

/** The services needed to sign in. */
export interface AuthParts {
  tokens: Tokens
  hasher: PasswordHasher
}

/** An access token and a refresh token. */
export interface TokenPair {
  access_token: string
  refresh_token: string
  expires_in: number
  /** What browsers get as a cookie to show media files. */
  media_cookie: string
}

/**
 * Grace period in which a used refresh token returns the same successor, in case the response was
 * lost, milliseconds.
 */
const LOST_RESPONSE_MS = 10 * SECOND_MS

/** A prepared sign-in. Nothing is stored, and the tokens are not valid, before `storeIn`. */
export interface PreparedSession {
  /** Stores the session and its first refresh token, in the caller's transaction. */
  storeIn(tx: Tx): void
  /** Returns the token pair for the user's permissions in the organization. */
  pair(identity: CallerIdentity): Promise<TokenPair>
}

/**
 * Prepares a sign-in of a user in an organization. Does all asynchronous work before the caller's
 * transaction.
 */
export async function prepareSession(
  deps: Deps,
  parts: AuthParts,
  who: { userId: string; organizationId: string } & RequestOrigin,
): Promise<PreparedSession> {
  const session = newSession(deps, who)
  const chain = await newChain(
    deps,
    parts,
    { sub: who.userId, org: who.organizationId, sid: session.id },
    session,
  )
  return {
    storeIn(tx) {
      storeSessionIn(tx, session)
      storeRefreshTokenIn(tx, storable(chain))
    },
    pair: (identity) => pairOf(deps, parts, identity, chain),
  }
}

interface Chain {
  claims: TokenClaims
  token: string
}

/**
 * Tokens issued in the second in which earlier ones were revoked are dated to the next second, so
 * that they stay valid.
 */
const issueSecond = (deps: Deps, of: { sub: string; org: string }): number =>
  Math.max(
    Math.floor(deps.clock.nowMs() / 1_000),
    tokensValidFromS(deps, { organizationId: of.org, userId: of.sub }),
  )

async function newChain(
  deps: Deps,
  parts: AuthParts,
  who: Pick<TokenClaims, 'sub' | 'org' | 'sid'>,
  session: Pick<SessionRow, 'expiresAtMs'>,
): Promise<Chain> {
  const endsAtMs = Math.min(
    deps.clock.nowMs() + deps.settings.refreshTokenDays * DAY_MS,
    session.expiresAtMs,
  )
  const { sub, org, sid } = who
  const claims = {
    sub,
    org,
    sid,
    jti: deps.ids.next(),
    iat: issueSecond(deps, who),
    exp: Math.floor(endsAtMs / 1_000),
  }
  return { claims, token: await parts.tokens.signRefresh(claims) }
}

const storable = ({ claims, token }: Chain) => ({
  id: claims.jti,
  sessionId: claims.sid,
  organizationId: claims.org,
  token,
  issuedAtMs: claims.iat * 1_000,
  expiresAtMs: claims.exp * 1_000,
})

async function pairOf(
  deps: Deps,
  parts: AuthParts,
  identity: CallerIdentity,
  { claims, token }: Chain,
): Promise<TokenPair> {
  const iat = issueSecond(deps, claims)
  const { sub, org, sid } = claims
  const access = {
    sub,
    org,
    sid,
    jti: accessTokenId(claims.jti, deps.ids.suffix()),
    iat,
    exp: iat + deps.settings.accessTokenS,
  }
  const menu = {
    role: { id: identity.role.id, name: identity.role.name },
    permissions: identity.permissions,
  }
  return {
    access_token: await parts.tokens.signAccess(access, menu),
    refresh_token: token,
    expires_in: deps.settings.accessTokenS,
    media_cookie: sealMediaCookie(deps, access),
  }
}

/**
 * Exchanges a refresh token for a new pair in the same organization (spec 5.4). A used token
 * answers the same successor again for ten seconds while that is unused (a lost answer, two tabs);
 * later it is theft and the whole session ends. Throws UnauthorizedError `invalid_token`,
 * `token_expired`, `token_reused`, `session_ended`, `membership_ended` or `account_disabled`.
 */
export async function refresh(
  deps: Deps,
  parts: AuthParts,
  token: string,
  origin: RequestOrigin,
): Promise<TokenPair> {
  const claims = await parts.tokens.readRefresh(token)
  const { session, identity } = liveIdentity(deps, claims)
  const offered = await newChain(deps, parts, claims, session)
  const outcome = transact(deps.db, (tx) => {
    liveIdentity(deps, claims) // it may have ended while the token was checked and signed
    const exchanged = exchangeIn(tx, deps, token, { session, offered })
    if (exchanged === 'reused')
      endStolenSessionIn(
        tx,
        personCtx(deps, identity.user, { organizationId: claims.org, origin }),
        session,
      )
    return exchanged
  })
  if (outcome === 'unknown')
    throw new UnauthorizedError('The token is invalid. Sign in again.', { code: 'invalid_token' })
  if (outcome === 'reused')
    throw new UnauthorizedError(
      'This refresh token was already used. The session was ended for security. Sign in ' +
        'again.',
      {
        code: 'token_reused',
      },
    )
  if (!outcome.successor) return pairOf(deps, parts, identity, offered)
  const { id: jti, issuedAtMs, expiresAtMs } = outcome.successor
  const again: TokenClaims = {
    sub: claims.sub,
    org: claims.org,
    sid: claims.sid,
    jti,
    iat: issuedAtMs / 1_000,
    exp: expiresAtMs / 1_000,
  }
  return pairOf(deps, parts, identity, {
    claims: again,
    token: await parts.tokens.signRefresh(again),
  })
}

/**
 * Exchanges a refresh token for the offered one and returns no successor. Returns the successor of
 * a token that was exchanged moments ago, `unknown` for a token that is not of the session, and
 * `reused` for a stolen one. Runs inside the caller's transaction.
 */
function exchangeIn(
  tx: Tx,
  deps: Deps,
  token: string,
  { session, offered }: { session: SessionRow; offered: Chain },
): { successor: RefreshRow | null } | 'unknown' | 'reused' {
  const row = findRefreshTokenIn(tx, token)
  if (!row || row.sessionId !== session.id) return 'unknown'
  if (row.usedAtMs === null) {
    storeRefreshTokenIn(tx, storable(offered))
    markRefreshTokenUsedIn(tx, deps, row, offered.claims.jti)
    touchSessionIn(tx, deps, session)
    return { successor: null }
  }
  const successor = row.successorId === null ? null : findRefreshTokenByIdIn(tx, row.successorId)
  const isRecent = deps.clock.nowMs() - row.usedAtMs <= LOST_RESPONSE_MS
  return successor?.usedAtMs === null && isRecent ? { successor } : 'reused'
}

/** Ends the session of a reused refresh token and notifies the user. */
function endStolenSessionIn(tx: Tx, ctx: Ctx, session: SessionRow): void {
  if (!endSessionIn(tx, ctx, session.id, 'token_reused')) return
  recordAudit(tx, ctx, {
    action: 'token_reused',
    resourceType: 'session',
    resourceId: session.id,
    resourceName: ctx.actor.userName,
  })
  notifyIn(tx, ctx, {
    userId: session.userId,
    kind: 'token_reused',
    severity: 'critical',
    title: 'One of your sessions was ended',
    text: noticeText('session_ended'),
    body:
      'A refresh token was used twice, which can mean it was stolen. Sign in again. If you ' +
      'did not do this, change your password.',
  })
}

/**
 * Returns the user's permissions in the organization to switch to. Throws NotFoundError and
 * ForbiddenError `not_a_member`.
 */
function requireMaySwitch(ctx: Ctx, user: UserRow, organizationId: string): CallerIdentity {
  requireOpenOrganization(ctx, organizationId)
  if (!user.isSuperAdmin && !findMembership(ctx, { organizationId, userId: user.id })?.isActive)
    throw new ForbiddenError('You are not a member of this organization.', { code: 'not_a_member' })
  return identityOf(ctx, user, organizationId)
}

/**
 * Issues tokens for another organization in the caller's session (spec 4.1). Tokens of the current
 * organization stay valid. Throws NotFoundError, ForbiddenError `not_a_member`, and
 * UnauthorizedError if the session has ended meanwhile.
 */
export async function switchOrganization(
  ctx: Ctx,
  parts: AuthParts,
  organizationId: string,
): Promise<SwitchView & TokenPair> {
  const user = ctx.actor.userId === null ? null : findUser(ctx, ctx.actor.userId)
  const session = ctx.actor.sessionId === null ? null : findLiveSession(ctx, ctx.actor.sessionId)
  if (!user || !session)
    throw new UnauthorizedError('This session has ended. Sign in again.', { code: 'session_ended' })
  const identity = requireMaySwitch(ctx, user, organizationId)
  const chain = await newChain(
    ctx,
    parts,
    { sub: user.id, org: organizationId, sid: session.id },
    session,
  )
  transact(ctx.db, (tx) => {
    const now = reauthorizedCtx(ctx)
    const target: Ctx = { ...now, organizationId }
    requireMaySwitch(now, findUser(now, user.id) ?? user, organizationId)
    storeRefreshTokenIn(tx, storable(chain))
    dropSurplusChainsIn(tx, ctx, {
      id: session.id,
      begun: chain.claims.jti,
      callersTokenId: ctx.actor.refreshTokenId,
    })
    touchSessionIn(tx, ctx, session)
    const { name, state } = getOrganization(target)
    if (state === 'moving') return // it can be read, and nothing is written into it
    acceptMembershipIn(tx, target, user.id)
    recordAudit(tx, target, {
      action: 'switched_organization',
      resourceType: 'organization',
      resourceId: organizationId,
      resourceName: name,
    })
  })
  const { id, email, fullName } = user
  const permissions = identity.permissions.map((pair) => {
    const [resource = '', action = ''] = pair.split(':')
    return { resource, action }
  })
  const role = { id: identity.role.id, name: identity.role.name, permissions }
  return {
    user: { id, email, full_name: fullName, organization_id: organizationId, role },
    ...(await pairOf(ctx, parts, identity, chain)),
  }
}
