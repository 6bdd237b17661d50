import { Value } from '@sinclair/typebox/value'

import { normalizeId } from '../../../lib/ids'
import type { Actor } from '../../../infra/actor'
import { hasPermission } from '../../../infra/ctx'
import { isoTime } from '../../../lib/clock'
import { logBounds } from '../../../infra/outbox/relay'
import { masksNumbers, seesAll } from '../../inbox/contacts/sight/visibility'
import { frameText } from './frames/kind'
import { CLIENT_PAYLOADS } from './frames/client/model'
import {
  admitPresence,
  readConversation,
  setPresence,
  type Refusal,
} from './presence/client-frames'
import type { Presence } from './presence/presence'
import { listPresence } from './presence/queries'
import { resume, type Realtime } from './resume'
import { CLOSE, type Socket } from './sockets'
import { readTopics, refusalOfAll } from './subscriptions'

/** Maximum nesting depth of a client frame. */
const DEEPEST = 10
const MAX_ID_LENGTH = 64

interface ClientFrame {
  type: string
  payload: Record<string, unknown>
  id: string | undefined
}

/** The services needed to answer client frames. */
export interface FrameHandler extends Realtime {
  authenticate: (token: string) => Promise<Actor>
  /** Redeems a ticket. Throws UnauthorizedError. */
  redeem: (ticket: string) => Actor
  presence: Presence
}

/**
 * Answers one client frame: ping, hello, resume, subscribe, unsubscribe, auth, read or presence.
 * Answers anything else with `error` and keeps the socket open.
 */
export async function answerFrame(
  handler: FrameHandler,
  socket: Socket,
  message: unknown,
): Promise<void> {
  if (message instanceof Uint8Array || message instanceof ArrayBuffer)
    return handler.sockets.close(socket, CLOSE.unsupported)
  const frame = readFrame(message)
  if (!handler.sockets.admitFrame(socket)) {
    const refused = { type: frame?.type ?? null, replyTo: frame?.id }
    return sayError(handler, socket, {
      code: 'rate_limited',
      message: 'Too many frames. Send fewer frames per second.',
      ...refused,
    })
  }
  if (!frame) {
    sayError(handler, socket, {
      code: 'bad_json',
      message: 'A frame must be a JSON object with a `type`.',
      type: null,
    })
    return handler.sockets.countUnreadable(socket)
  }
  switch (frame.type) {
    case 'ping':
      await socket.replay
      return answer(handler, socket, frame, {
        type: 'pong',
        payload: { seq: drainedHead(handler, socket) },
      })
    case 'hello':
      await socket.replay
      return answer(handler, socket, frame, {
        type: 'ready',
        payload: readyPayload(handler, socket),
      })
    case 'resume':
      return await answerResume(handler, socket, frame)
    case 'subscribe':
      return answerSubscribe(handler, socket, frame)
    case 'unsubscribe':
      return answerUnsubscribe(handler, socket, frame)
    case 'auth':
      return await answerAuth(handler, socket, frame)
    case 'read':
      return sayRefusal(
        handler,
        socket,
        frame,
        readConversation(handler.sockets, socket, frame.payload),
      )
    case 'presence':
      return sayRefusal(
        handler,
        socket,
        frame,
        admitPresence(handler.sockets, socket)
          ? setPresence(handler, socket, frame.payload)
          : TOO_MUCH_PRESENCE,
      )
    default:
      sayError(handler, socket, {
        code: 'unknown_type',
        message: 'The frame type is unknown.',
        type: frame.type,
        replyTo: frame.id,
      })
      return handler.sockets.countUnreadable(socket)
  }
}

/**
 * Parses a client frame, a JSON object with a type. Elysia already parses messages that look like
 * JSON, including JSON strings; it passes other text and text with leading white space through
 * unchanged.
 */
function readFrame(message: unknown): ClientFrame | null {
  const parsed = typeof message === 'string' && /^\s/.test(message) ? tryParse(message) : message
  if (
    typeof parsed !== 'object' ||
    parsed === null ||
    Array.isArray(parsed) ||
    !isWithin(parsed, DEEPEST)
  )
    return null
  const { type, payload, id } = parsed as Record<string, unknown>
  if (typeof type !== 'string' || type === '') return null
  return {
    type: type.slice(0, MAX_ID_LENGTH),
    payload:
      typeof payload === 'object' && payload !== null && !Array.isArray(payload)
        ? (payload as Record<string, unknown>)
        : {},
    id: typeof id === 'string' && id.length >= 1 && id.length <= MAX_ID_LENGTH ? id : undefined,
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

function isWithin(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((inner) => isWithin(inner, depth - 1))
}

function answer(
  handler: FrameHandler,
  socket: Socket,
  frame: ClientFrame,
  rendered: { type: string; payload: Record<string, unknown> },
): void {
  if (socket.isOpen)
    socket.line.send(
      frameText(rendered, {
        seq: null,
        atMs: handler.sockets.scopeOf(socket).clock.nowMs(),
        replyTo: frame.id,
      }),
    )
}

function sayError(
  handler: FrameHandler,
  socket: Socket,
  what: { code: string; message: string; type: string | null; replyTo?: string | undefined },
): void {
  const { replyTo, ...payload } = what
  if (socket.isOpen)
    socket.line.send(
      frameText(
        { type: 'error', payload },
        { seq: null, atMs: handler.sockets.scopeOf(socket).clock.nowMs(), replyTo },
      ),
    )
}

const TOO_MUCH_PRESENCE: Refusal = {
  code: 'rate_limited',
  message: 'Send at most four `presence` frames a second.',
}

/** Answers a frame that has no answer of its own: with an error if it is rejected. */
function sayRefusal(
  handler: FrameHandler,
  socket: Socket,
  frame: ClientFrame,
  refusal: Refusal | null,
): void {
  if (refusal) sayError(handler, socket, { ...refusal, type: frame.type, replyTo: frame.id })
}

/** Returns the head of the event log after sending everything up to it. */
function drainedHead(handler: FrameHandler, socket: Socket): number {
  handler.relay.drain()
  const scope = handler.sockets.scopeOf(socket)
  return logBounds(scope, scope.organizationId).seq
}

function readyPayload(handler: FrameHandler, socket: Socket): Record<string, unknown> {
  const seq = drainedHead(handler, socket)
  const scope = handler.sockets.scopeOf(socket)
  const { actor } = socket
  return {
    connection_id: socket.id,
    user_id: actor.userId,
    api_key_id: actor.apiKeyId,
    organization_id: actor.organizationId,
    log: handler.logId,
    seq,
    oldest_seq: logBounds(scope, scope.organizationId).oldestSeq,
    expires_at: actor.expiresAtMs === null ? null : isoTime(actor.expiresAtMs),
    visibility: seesAll(actor) ? 'all' : 'assigned',
    masked: masksNumbers(scope),
    topics: [...socket.watched],
    presence: hasPermission(actor, 'messages:read')
      ? listPresence(scope, handler.presence).items
      : [],
  }
}

async function answerResume(
  handler: FrameHandler,
  socket: Socket,
  frame: ClientFrame,
): Promise<void> {
  const { payload } = frame
  if (!Value.Check(CLIENT_PAYLOADS.resume, payload))
    return sayError(handler, socket, {
      code: 'bad_request',
      message: '`since` must be a whole number from 0, and `log` a UUID.',
      type: 'resume',
      replyTo: frame.id,
    })
  if (socket.hasResumed)
    return sayError(handler, socket, {
      code: 'already_resumed',
      message: 'A WebSocket connection can resume only once.',
      type: 'resume',
      replyTo: frame.id,
    })
  socket.hasResumed = true
  return await resume(handler, socket, {
    since: payload.since,
    log: typeof payload.log === 'string' ? normalizeId(payload.log) : null,
    replyTo: frame.id,
  })
}

const BAD_TOPIC = {
  code: 'bad_topic',
  message:
    '`topics` must be a list of 1 to 50 items, each contact:<id>, campaign:<id>, dashboard, webhooks or webhooks:<events>.',
}

/** Subscribes a socket to topics: all of them, or none if one is rejected. */
function answerSubscribe(handler: FrameHandler, socket: Socket, frame: ClientFrame): void {
  const wanted = readTopics(frame.payload['topics'])
  const refusal =
    wanted === null
      ? BAD_TOPIC
      : refusalOfAll(handler.sockets.scopeOf(socket), wanted, socket.watched)
  if (refusal) return sayError(handler, socket, { ...refusal, type: frame.type, replyTo: frame.id })
  handler.sockets.watch(socket, [...socket.watched, ...(wanted ?? [])])
  return answer(handler, socket, frame, {
    type: 'subscribed',
    payload: { topics: [...socket.watched] },
  })
}

/** Unsubscribes a socket from topics. Topics that were not subscribed are not an error. */
function answerUnsubscribe(handler: FrameHandler, socket: Socket, frame: ClientFrame): void {
  const ended = readTopics(frame.payload['topics'])
  if (ended === null)
    return sayError(handler, socket, { ...BAD_TOPIC, type: frame.type, replyTo: frame.id })
  handler.sockets.watch(
    socket,
    [...socket.watched].filter((topic) => !ended.includes(topic)),
  )
  return answer(handler, socket, frame, {
    type: 'unsubscribed',
    payload: { topics: [...socket.watched] },
  })
}

async function answerAuth(
  handler: FrameHandler,
  socket: Socket,
  frame: ClientFrame,
): Promise<void> {
  if (socket.actor.apiKeyId !== null)
    return sayError(handler, socket, {
      code: 'forbidden',
      message:
        'A connection with an API key does not accept a token. It stays open as long as the ' +
        'key works.',
      type: 'auth',
      replyTo: frame.id,
    })
  const { payload } = frame
  const actor = Value.Check(CLIENT_PAYLOADS.auth, payload)
    ? await handler.authenticate(payload.token).catch(() => null)
    : null
  if (!actor)
    return sayError(handler, socket, {
      code: 'auth_failed',
      message: 'The token is invalid or has expired.',
      type: 'auth',
      replyTo: frame.id,
    })
  if (actor.userId !== socket.actor.userId || actor.organizationId !== socket.actor.organizationId)
    return sayError(handler, socket, {
      code: 'auth_mismatch',
      message: 'The token belongs to another user or organization.',
      type: 'auth',
      replyTo: frame.id,
    })
  socket.actor = actor
  return answer(handler, socket, frame, {
    type: 'authenticated',
    payload: { expires_at: actor.expiresAtMs === null ? null : isoTime(actor.expiresAtMs) },
  })
}
