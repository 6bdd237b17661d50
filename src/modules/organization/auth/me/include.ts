import { ctxOf, type Deps, type RequestOrigin } from '../../../../infra/ctx'
import { actorOf, liveIdentity } from '../authenticate'
import type { AuthParts } from '../issue-tokens'
import { refreshTokenIdOf } from '../tokens'
import type { MeView } from './model'
import { getMe } from './queries'

/**
 * Adds the answer of `GET /api/me` for the new access token, if the request asked to include it.
 * Throws UnauthorizedError if the session or the membership has ended meanwhile.
 */
export async function includeMe<T extends { access_token: string }>(
  deps: Deps,
  issued: T,
  how: { parts: AuthParts; include: 'me'[] | undefined; origin: RequestOrigin },
): Promise<T & { me?: MeView }> {
  if (how.include?.includes('me') !== true) return issued
  const { sid, sub, org, iat, exp, jti } = await how.parts.tokens.readAccess(issued.access_token)
  const { identity, session } = liveIdentity(deps, { sid, sub, org, iat })
  const actor = actorOf(identity, {
    sessionId: session.id,
    issuedAtS: iat,
    expiresAtMs: exp * 1_000,
    refreshTokenId: refreshTokenIdOf(jti),
  })
  return { ...issued, me: getMe(ctxOf(deps, actor, how.origin)) }
}
