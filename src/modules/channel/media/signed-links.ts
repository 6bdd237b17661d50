import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { SECOND_MS, isoTime } from '../../../lib/clock'
import { AppError, UnauthorizedError } from '../../../lib/errors'
import type { Actor } from '../../../infra/actor'
import { ctxOf, hasPermission, type Ctx, type Deps } from '../../../infra/ctx'
import { requireActiveKey } from '../../organization/api-keys/authenticate'
import { actorOf, actorOfKey, liveIdentity } from '../../organization/auth/authenticate'
import type { LinkView } from './model'
import { getVisibleMedia } from './queries'
import type { MediaRow } from './view'

/** Sealed content of a link: file, user and expiry. */
const Claims = Type.Object({
  org: Type.String(),
  media: Type.String(),
  user: Type.String(),
  session: Type.Union([Type.String(), Type.Null()]),
  key: Type.Union([Type.String(), Type.Null()]),
  /** Issue time of the credential that created the link, Unix seconds. */
  iat: Type.Integer(),
  untilMs: Type.Integer(),
})

const PURPOSE = 'media-link'
const DEFAULT_TTL_S = 600

/** Path of links, without the token. */
export const LINK_PATH = '/api/media/signed'

/**
 * Creates a link for img and video tags. It ends at its expiry, with the session or key of its
 * creator, or when the creator can no longer see the file. Throws NotFoundError.
 */
export function createLink(ctx: Ctx, id: string, ttlS = DEFAULT_TTL_S): LinkView {
  const row = getVisibleMedia(ctx, id)
  const { actor } = ctx
  const untilMs = ctx.clock.nowMs() + ttlS * SECOND_MS
  const claims: Static<typeof Claims> = {
    org: ctx.organizationId,
    media: row.id,
    user: actor.userId ?? '',
    session: actor.sessionId,
    key: actor.apiKeyId,
    iat: actor.issuedAtS ?? Math.floor(ctx.clock.nowMs() / SECOND_MS),
    untilMs,
  }
  const token = ctx.vault.seal(JSON.stringify(claims), PURPOSE)
  return { url: `${ctx.settings.baseUrl}${LINK_PATH}/${token}`, expires_at: isoTime(untilMs) }
}

const invalidLink = (): UnauthorizedError =>
  new UnauthorizedError(
    'This link is invalid or has expired. Create a new one with `POST ' + '/api/media/{id}/link`.',
    {
      code: 'invalid_link',
    },
  )

/**
 * Returns the file of a link, checked against the current permissions of its creator. Throws
 * UnauthorizedError `invalid_link` and NotFoundError.
 */
export function openLink(deps: Deps, token: string): MediaRow {
  const claims = read(deps, token)
  if (!claims || claims.untilMs <= deps.clock.nowMs()) throw invalidLink()
  const ctx = ctxOf(deps, authenticateLinkOwner(deps, claims))
  if (!hasPermission(ctx.actor, 'messages:read')) throw invalidLink()
  return getVisibleMedia(ctx, claims.media)
}

function read(deps: Deps, token: string): Static<typeof Claims> | null {
  try {
    const claims: unknown = JSON.parse(deps.vault.open(token, PURPOSE))
    return Value.Check(Claims, claims) ? claims : null
  } catch {
    return null
  }
}

/** Returns the creator of a link with current permissions. Throws UnauthorizedError. */
function authenticateLinkOwner(deps: Deps, claims: Static<typeof Claims>): Actor {
  try {
    if (claims.key !== null)
      return actorOfKey(
        deps,
        requireActiveKey(deps, { organizationId: claims.org, id: claims.key }),
      )
    const { identity, session } = liveIdentity(deps, {
      sid: claims.session ?? '',
      sub: claims.user,
      org: claims.org,
      iat: claims.iat,
    })
    return actorOf(identity, {
      sessionId: session.id,
      issuedAtS: claims.iat,
      expiresAtMs: claims.untilMs,
    })
  } catch (error) {
    throw error instanceof AppError && error.httpStatus < 500 ? invalidLink() : error
  }
}
