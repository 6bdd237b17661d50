import { jwt } from '@elysiajs/jwt'
import { SignJWT } from 'jose'

import type { Clock } from '../../../lib/clock'
import { UnauthorizedError } from '../../../lib/errors'
import { sha256Hex } from '../../../lib/hash'
import { deriveKey, type RootKeys } from '../../../lib/secret'

const ISSUER = 'switchboard'
const AUDIENCE = 'switchboard-api'

/** Claims of both token types: user, organization and session. */
export interface TokenClaims {
  /** User ID. */
  sub: string
  /** Organization ID. */
  org: string
  /** Session ID. */
  sid: string
  jti: string
  /** Unix seconds. */
  iat: number
  exp: number
}

/**
 * Returns the `jti` of an access token: the ID of the refresh token issued with it, which
 * identifies the chain, and a unique suffix.
 */
export const accessTokenId = (refreshTokenId: string, ending: string): string =>
  `${refreshTokenId}.${ending}`

/** Returns the ID of the refresh token that was issued with an access token. */
export const refreshTokenIdOf = (jti: string): string => jti.split('.')[0] ?? ''

/**
 * Extra claims of an access token for clients that build menus. The server does not use them for
 * authorization.
 */
export interface MenuClaims {
  role: { id: string; name: string }
  permissions: string[]
}

/**
 * Signs and verifies access and refresh tokens (spec 2.6, 5): HS256, with a separate key per type.
 */
export interface Tokens {
  signAccess(claims: TokenClaims, menu: MenuClaims): Promise<string>
  /** Signs a refresh token. The same claims always give the same token. */
  signRefresh(claims: TokenClaims): Promise<string>
  /** Throws UnauthorizedError `token_expired` or `invalid_token`. */
  readAccess(token: string): Promise<TokenClaims>
  /** Throws UnauthorizedError `token_expired` or `invalid_token`. */
  readRefresh(token: string): Promise<TokenClaims>
}

/** Maximum number of cached verifications, most recently used. */
const MAX_CACHED = 5_000

type Kind = 'access' | 'refresh'
type Verify = (token: string, atMs: number) => Promise<TokenClaims | null>

/**
 * Creates the token service. Its keys are derived from the root keys; the previous root key only
 * verifies.
 */
export function createTokens(roots: RootKeys, clock: Clock): Tokens {
  const keyOf = (root: Buffer, kind: Kind): Uint8Array =>
    new Uint8Array(deriveKey(root, `${kind}-token`))
  const verifiers = (kind: Kind): Verify[] =>
    [roots.current, ...(roots.previous ? [roots.previous] : [])].map((root) =>
      verifier(kind, keyOf(root, kind)),
    )
  const access = verifiers('access')
  const refresh = verifiers('refresh')

  const read = async (token: string, candidates: Verify[]): Promise<TokenClaims> => {
    for (const verify of candidates) {
      const claims = await verify(token, clock.nowMs())
      if (claims) return claims
    }
    // Verified as of time 0, when nothing has expired, so that an expired token is told from an
    // invalid one.
    for (const verify of candidates)
      if (await verify(token, 0))
        throw new UnauthorizedError('The token has expired. Refresh it or sign in again.', {
          code: 'token_expired',
        })
    throw new UnauthorizedError('The token is invalid. Sign in again.', { code: 'invalid_token' })
  }

  return {
    signAccess: (claims, menu) =>
      sign({ ...claims, ...menu }, 'access', keyOf(roots.current, 'access')),
    signRefresh: (claims) => sign({ ...claims }, 'refresh', keyOf(roots.current, 'refresh')),
    readAccess: cachedVerifier((token) => read(token, access), clock),
    readRefresh: (token) => read(token, refresh),
  }
}

/**
 * Returns a reader that verifies each token once and caches its claims by digest until it expires.
 * The result depends only on the token, the keys of this process and the time.
 */
function cachedVerifier(
  prove: (token: string) => Promise<TokenClaims>,
  clock: Clock,
): (token: string) => Promise<TokenClaims> {
  const verified = new Map<string, TokenClaims>()
  return async (token) => {
    const digest = sha256Hex(token)
    const known = verified.get(digest)
    verified.delete(digest)
    const isGood = known !== undefined && known.exp > Math.floor(clock.nowMs() / 1_000)
    const { sub, org, sid, jti, iat, exp } = isGood ? known : await prove(token)
    // keep only the claims that are used
    const claims = isGood ? known : { sub, org, sid, jti, iat, exp }
    verified.set(digest, claims)
    const [oldest] = verified.size > MAX_CACHED ? verified.keys() : []
    if (oldest !== undefined) verified.delete(oldest)
    return claims
  }
}

/** jose signs because the plugin stamps `iat` with the machine's clock; the plugin verifies. */
const sign = (claims: Record<string, unknown>, kind: Kind, key: Uint8Array): Promise<string> =>
  new SignJWT({ iss: ISSUER, aud: AUDIENCE, typ: kind, ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(key)

function verifier(kind: Kind, key: Uint8Array): Verify {
  const { [kind]: token } = jwt({ name: kind, secret: key, alg: 'HS256' }).decorator as Record<
    Kind,
    { verify: (written: string, options: object) => Promise<unknown> }
  >
  return async (written, atMs) => {
    const claims = await token.verify(written, {
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ['sub', 'org', 'sid', 'jti', 'typ', 'iat', 'exp'],
      currentDate: new Date(atMs),
      clockTolerance: 0,
    })
    return isClaims(claims, kind) ? claims : null
  }
}

function isClaims(claims: unknown, kind: Kind): claims is TokenClaims {
  if (typeof claims !== 'object' || claims === null) return false
  const { typ, sub, org, sid, jti, iat, exp } = claims as Record<string, unknown>
  return (
    typ === kind &&
    [sub, org, sid, jti].every((claim) => typeof claim === 'string') &&
    [iat, exp].every((claim) => typeof claim === 'number')
  )
}
