import { ctxOf, type Ctx, type Deps, type RequestOrigin } from '../../../../infra/ctx'
import { actorOf, liveIdentity } from '../authenticate'
import type { AuthParts } from '../issue-tokens'
import { refreshTokenIdOf } from '../tokens'
import type { MeView } from './model'
import { getMe } from './queries'

/** What an answer with tokens may bring along. */
interface Included {
  me?: MeView
  start?: Record<string, unknown>
}

/**
 * Adds what the request asked to include: the answer of `GET /api/me` for the new access token, and
 * the parts of a start, unless the password must be changed first. Throws UnauthorizedError if the
 * session or the membership has ended meanwhile.
 */
export async function includeWanted<T extends { access_token: string }>(
  deps: Deps,
  issued: T,
  how: {
    parts: AuthParts
    include: ('me' | 'start')[] | undefined
    origin: RequestOrigin
    readStart: (ctx: Ctx) => Promise<Record<string, unknown>>
  },
): Promise<T & Included> {
  const { parts, include = [], origin, readStart } = how
  if (include.length === 0) return issued
  const { sid, sub, org, iat, exp, jti } = await parts.tokens.readAccess(issued.access_token)
  const { identity, session } = liveIdentity(deps, { sid, sub, org, iat })
  const actor = actorOf(identity, {
    sessionId: session.id,
    issuedAtS: iat,
    expiresAtMs: exp * 1_000,
    refreshTokenId: refreshTokenIdOf(jti),
  })
  const ctx = ctxOf(deps, actor, origin)
  // read first, so that events since `me.events` are newer than all of the start
  const me = getMe(ctx)
  return {
    ...issued,
    ...(include.includes('me') ? { me } : {}),
    ...(include.includes('start') && !me.must_change_password
      ? { start: await readStart(ctx) }
      : {}),
  }
}
