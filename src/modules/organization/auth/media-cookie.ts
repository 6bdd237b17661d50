import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import type { Deps } from '../../../infra/ctx'

/** Sealed content of the cookie: the sign-in that it stands for. */
const Claims = Type.Object({
  sub: Type.String(),
  org: Type.String(),
  sid: Type.String(),
  /** Issue time of the access token that came with it, Unix seconds. */
  iat: Type.Integer(),
})
export type MediaClaims = Static<typeof Claims>

const PURPOSE = 'media-cookie'

/** Returns the value of the cookie with which a browser may show media files. */
export const sealMediaCookie = (
  deps: Pick<Deps, 'vault'>,
  { sub, org, sid, iat }: MediaClaims,
): string => deps.vault.seal(JSON.stringify({ sub, org, sid, iat }), PURPOSE)

/** Returns the sign-in of a cookie, or `null` if this server did not issue it. */
export function readMediaCookie(deps: Pick<Deps, 'vault'>, value: string): MediaClaims | null {
  try {
    const claims: unknown = JSON.parse(deps.vault.open(value, PURPOSE))
    return Value.Check(Claims, claims) ? claims : null
  } catch {
    return null
  }
}
