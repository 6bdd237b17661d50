import { Value } from '@sinclair/typebox/value'

import { SECOND_MS } from '../../../../lib/clock'
import { InvalidError, NotFoundError, UnauthorizedError } from '../../../../lib/errors'
import { isUuid, normalizeId } from '../../../../lib/ids'
import { hasPermission, type Ctx } from '../../../../infra/ctx'
import { getVisibleConversation } from '../../../inbox/conversations/queries'
import { markConversationRead } from '../../../inbox/messages/conversation/mark-read'
import { CLIENT_PAYLOADS } from '../frames/client/model'
import type { Socket, Sockets } from '../sockets'
import type { Presence } from './presence'

/** Why a client frame is rejected. */
export interface Refusal {
  code: 'bad_request' | 'forbidden' | 'not_found' | 'rate_limited'
  message: string
}

/** Presence frames that one socket may send per second. */
const FRAMES_PER_SECOND = 4

/**
 * Runs a frame about a conversation with the current permissions of its sender. Returns why it is
 * rejected, or `null`. A socket whose access has ended is closed.
 */
function run(sockets: Sockets, socket: Socket, work: (ctx: Ctx) => void): Refusal | null {
  try {
    const ctx = sockets.currentScopeOf(socket)
    if (ctx.actor.type !== 'user' || !hasPermission(ctx.actor, 'messages:create'))
      return {
        code: 'forbidden',
        message: 'This requires a user session with the permission `messages:create`.',
      }
    work(ctx)
    return null
  } catch (error) {
    if (error instanceof NotFoundError) return { code: 'not_found', message: error.message }
    if (error instanceof InvalidError) return { code: 'bad_request', message: error.message }
    if (!(error instanceof UnauthorizedError)) throw error
    sockets.review(socket)
    return null
  }
}

/** Marks a conversation as read up to a message, like `POST /api/conversations/{id}/read`. */
export function readConversation(
  sockets: Sockets,
  socket: Socket,
  payload: unknown,
): Refusal | null {
  if (!Value.Check(CLIENT_PAYLOADS.read, payload) || !isUuid(payload.up_to))
    return { code: 'bad_request', message: '`conversation_id` and `up_to` must be UUIDs.' }
  return run(sockets, socket, (ctx) => {
    markConversationRead(ctx, normalizeId(payload.conversation_id), {
      up_to: normalizeId(payload.up_to),
    })
  })
}

/** Records what the user of a socket does in a conversation. Nothing of it reaches the customer. */
export function setPresence(
  { sockets, presence }: { sockets: Sockets; presence: Presence },
  socket: Socket,
  payload: unknown,
): Refusal | null {
  if (!Value.Check(CLIENT_PAYLOADS.presence, payload))
    return {
      code: 'bad_request',
      message: '`conversation_id` must be a UUID, and `doing` viewing, typing or gone.',
    }
  return run(sockets, socket, (ctx) => {
    const { id, contactId } = getVisibleConversation(ctx, normalizeId(payload.conversation_id))
    const { userId, userName } = ctx.actor
    ctx.focusedUsers.record(
      { organizationId: ctx.organizationId, userId: userId ?? '' },
      { isLooking: payload.doing !== 'gone', nowMs: ctx.clock.nowMs() },
    )
    presence.set(
      { organizationId: ctx.organizationId, conversationId: id, contactId },
      {
        socketId: socket.id,
        userId: userId ?? '',
        userName: userName ?? '',
        doing: payload.doing,
      },
    )
  })
}

/** Counts a presence frame. Returns `false` for more than four within a second. */
export function admitPresence(sockets: Sockets, socket: Socket): boolean {
  const nowMs = sockets.scopeOf(socket).clock.nowMs()
  const recent = socket.frames.presence.filter((atMs) => Math.abs(nowMs - atMs) < SECOND_MS)
  const isAdmitted = recent.length < FRAMES_PER_SECOND
  socket.frames.presence = isAdmitted ? [...recent, nowMs] : recent
  return isAdmitted
}
