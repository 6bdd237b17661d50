import { eq } from 'drizzle-orm'

import { UnauthorizedError } from '../../../lib/errors'
import { isUuid } from '../../../lib/ids'
import type { Actor } from '../../../infra/actor'
import { inOrganization, type Deps } from '../../../infra/ctx'
import { media } from '../../channel/media/table'
import { activeMembershipsOf } from '../memberships/find'
import { messages } from '../../inbox/messages/table'
import { personOf } from './authenticate'
import type { CallerCache } from './caller-cache'
import { readMediaCookie, type MediaClaims } from './media-cookie'

/**
 * Creates the function that returns the user of a media cookie in the organization of a file, which
 * is named by its own ID or that of its message. For an unknown file it is the organization of the
 * sign-in. The function throws UnauthorizedError if the cookie, its session or the membership is
 * not valid.
 */
export function createAuthenticateMedia(
  deps: Deps,
  callers: CallerCache,
): (cookie: string, fileId: string) => Actor {
  return (cookie, fileId) => {
    const claims = readMediaCookie(deps, cookie)
    if (!claims)
      throw new UnauthorizedError('The cookie is invalid. Sign in again.', {
        code: 'invalid_token',
      })
    const { actor } = personOf(deps, callers, {
      sessionId: claims.sid,
      userId: claims.sub,
      organizationId: organizationOf(deps, claims, fileId),
      issuedAtS: claims.iat,
      expiresAtMs: null,
      refreshTokenId: undefined,
    })
    return actor
  }
}

/** Returns the organization of a file among those of the user. */
function organizationOf(deps: Deps, { sub, org }: MediaClaims, fileId: string): string {
  if (!isUuid(fileId)) return org
  const others = activeMembershipsOf(deps, sub).map(({ organizationId }) => organizationId)
  return [org, ...others].find((organizationId) => holds(deps, organizationId, fileId)) ?? org
}

function holds(deps: Deps, organizationId: string, id: string): boolean {
  const scope = { organizationId }
  const { orm } = deps.db
  return (
    orm
      .select({ id: media.id })
      .from(media)
      .where(inOrganization(scope, media, eq(media.id, id)))
      .get() !== undefined ||
    orm
      .select({ id: messages.id })
      .from(messages)
      .where(inOrganization(scope, messages, eq(messages.id, id)))
      .get() !== undefined
  )
}
