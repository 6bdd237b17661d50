import { Type, type Static, type TSchema } from '@sinclair/typebox'

import type { Actor } from '../infra/actor'
import { hasPermission, type Ctx } from '../infra/ctx'
import { yieldToEventLoop } from '../infra/event-loop'
import type { Permission } from '../infra/permissions'

/** A part of what a client shows first. The answer of a sign-in brings all of them along. */
export interface StartPart {
  name: string
  /** The permission of the route that returns the same; `null` if it needs none. */
  needs: Permission | 'super-admin' | null
  schema: TSchema
  read: (ctx: Ctx) => unknown
}

/** Declares a part, of which the route with the same schema returns the present state. */
export const startPart = <S extends TSchema>(part: {
  name: string
  needs?: Permission | 'super-admin'
  schema: S
  read: (ctx: Ctx) => Static<S> | Promise<Static<S>>
}): StartPart => ({ ...part, needs: part.needs ?? null })

/** Returns the schema of all parts. Each is left out for callers who may not read it. */
export const startSchema = (parts: readonly StartPart[]): TSchema =>
  Type.Object(Object.fromEntries(parts.map(({ name, schema }) => [name, Type.Optional(schema)])), {
    title: 'Start',
    description:
      'What a client shows first; what the caller may not read is left out. Each part is what a ' +
      'route returns: `branding` as `GET /api/organizations/branding`, `conversation_counts` as ' +
      '`GET /api/conversations/counts`, `conversations` as the first 25 open ones of ' +
      '`GET /api/conversations`, `custom_actions` as the first 50 active ones, ' +
      '`notifications` as the 20 newest unread ones, `organizations` as ' +
      '`GET /api/me/organizations`, ' +
      '`scheduled_messages` as the next 100 of the caller, `server_attention` as ' +
      '`GET /api/admin/attention`, `socket_ticket` as ' +
      '`POST /api/auth/ws-ticket`, `views` as the first 100 of conversations, and `work` as the ' +
      '20 newest works of the caller that are under way.',
  })

/** Whether the caller may read a part, by the rule of the guard. */
const mayRead = (actor: Actor, needs: StartPart['needs']): boolean =>
  needs === null ||
  (needs === 'super-admin'
    ? actor.isSuperAdmin
    : (actor.organizationDeletesAtMs ?? null) === null
      ? hasPermission(actor, needs)
      : actor.permissions.has(needs))

/**
 * Returns the parts that the caller may read. One that fails is left out and logged: a sign-in does
 * not depend on it, and its route tells the reason.
 */
export async function readStart(
  ctx: Ctx,
  parts: readonly StartPart[],
): Promise<Record<string, unknown>> {
  const start: Record<string, unknown> = {}
  for (const { name, needs, read } of parts) {
    if (!mayRead(ctx.actor, needs)) continue
    try {
      start[name] = await read(ctx)
    } catch (error) {
      ctx.log.error({ error, part: name }, 'a part of a start could not be read')
    }
    await yieldToEventLoop()
  }
  return start
}
