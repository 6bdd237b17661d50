import { ForbiddenError, UnauthorizedError } from '../../lib/errors'
import { ctxOf, hasPermission, type Actor, type Ctx } from '../../infra/ctx'
import type { Permission } from '../../infra/permissions'
import { requireActiveKey } from '../api-keys/authenticate'
import { findUser } from '../users/service'
import { actorOf, actorOfKey, identityOf, renewActor } from './authenticate'

/**
 * The scope of a request with what its caller may do at this moment: for the transaction of a verb
 * that had to wait, for a hash or for a turn, after its credential was judged. Throws
 * UnauthorizedError when the sign-in, the membership or the key has ended meanwhile.
 */
export const reauthorizedCtx = (ctx: Ctx): Ctx => ({ ...ctx, actor: renewActor(ctx, ctx.actor) })

/** Who asked for background work, as its job remembers it. */
export interface RequestedBy {
  userId: string | null
  apiKeyId: string | null
}

/** Who asks now, for a job to remember. */
export const requestedByOf = ({ userId, apiKeyId }: Actor): RequestedBy => ({ userId, apiKeyId })

/**
 * The scope of background work somebody asked for, with what that person or key may do now in the
 * organization (permissions contract 4, rule 12). Throws ForbiddenError `permission_denied` when it
 * is gone or no longer holds one of `permissions`.
 */
export function delegatedCtx(ctx: Ctx, asker: RequestedBy, permissions: Permission[]): Ctx {
  const actor = actorNow(ctx, asker)
  const missing = permissions.find((permission) => !actor || !hasPermission(actor, permission))
  if (!actor || missing !== undefined)
    throw new ForbiddenError(
      `The user who requested this no longer has the permission \`${missing ?? 'required for it'}\`.`,
      {
        code: 'permission_denied',
      },
    )
  return { ...ctxOf(ctx, actor) }
}

function actorNow(ctx: Ctx, { userId, apiKeyId }: RequestedBy): Actor | null {
  try {
    if (apiKeyId !== null)
      return actorOfKey(
        ctx,
        requireActiveKey(ctx, { organizationId: ctx.organizationId, id: apiKeyId }),
      )
    const user = userId === null ? null : findUser(ctx, userId)
    return (
      user &&
      actorOf(identityOf(ctx, user, ctx.organizationId), {
        sessionId: '',
        issuedAtS: 0,
        expiresAtMs: 0,
      })
    )
  } catch (error) {
    if (error instanceof UnauthorizedError) return null
    throw error
  }
}
