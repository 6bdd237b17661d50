import { ForbiddenError, UnauthorizedError } from '../../../lib/errors'
import type { Actor } from '../../../infra/actor'
import { ctxOf, hasPermission, type Ctx } from '../../../infra/ctx'
import type { Permission } from '../../../infra/permissions'
import { requireActiveKey } from '../api-keys/authenticate'
import { findUser } from '../users/service'
import { actorOf, actorOfKey, identityOf, renewActor } from './authenticate'

/**
 * Returns the context of a request with the caller's current permissions. Used in transactions that
 * start after a wait (password hash, lock). Throws UnauthorizedError if the sign-in, membership or
 * key has ended meanwhile.
 */
export const reauthorizedCtx = (ctx: Ctx): Ctx => ({ ...ctx, actor: renewActor(ctx, ctx.actor) })

/** The requester of background work, as stored in its job. */
export interface RequestedBy {
  userId: string | null
  apiKeyId: string | null
}

/** Returns the requester to store in a job. */
export const requestedByOf = ({ userId, apiKeyId }: Actor): RequestedBy => ({ userId, apiKeyId })

/**
 * Returns the context of background work with the requester's current permissions in the
 * organization (permissions contract 4, rule 12). Throws ForbiddenError `permission_denied` if the
 * requester is gone or lost one of `permissions`.
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
