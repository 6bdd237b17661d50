import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { HOUR_MS } from '../../../../lib/clock'
import { InvalidError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'

/** Sealed content of a signup token. */
const Claims = Type.Object({
  org: Type.String(),
  user: Type.Union([Type.String(), Type.Null()]),
  key: Type.Union([Type.String(), Type.Null()]),
  accessToken: Type.String(),
  untilMs: Type.Integer(),
})

const PURPOSE = 'signup-token'
const LIFE_MS = HOUR_MS

/**
 * Returns the platform's token encrypted, so that the caller can choose a number and come back. The
 * platform exchanges a code only once. It lives long enough to add a number elsewhere first.
 */
export function sealSignupToken(ctx: Ctx, accessToken: string): string {
  const claims: Static<typeof Claims> = {
    org: ctx.organizationId,
    user: ctx.actor.userId,
    key: ctx.actor.apiKeyId,
    accessToken,
    untilMs: ctx.clock.nowMs() + LIFE_MS,
  }
  return ctx.vault.seal(JSON.stringify(claims), PURPOSE)
}

/** Returns the platform's token of a signup token. Throws InvalidError `signup_token_invalid`. */
export function openSignupToken(ctx: Ctx, token: string): string {
  const claims = read(ctx, token)
  const isValid =
    claims?.org === ctx.organizationId &&
    claims.user === ctx.actor.userId &&
    claims.key === ctx.actor.apiKeyId &&
    claims.untilMs > ctx.clock.nowMs()
  if (isValid) return claims.accessToken
  throw new InvalidError(
    'The signup token is invalid or has expired. Open the signup dialog again.',
    { code: 'signup_token_invalid' },
  )
}

function read({ vault }: Pick<Ctx, 'vault'>, token: string): Static<typeof Claims> | null {
  try {
    const claims: unknown = JSON.parse(vault.open(token, PURPOSE))
    return Value.Check(Claims, claims) ? claims : null
  } catch {
    return null
  }
}
