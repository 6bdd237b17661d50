import { Value } from '@sinclair/typebox/value'

import { normalizeId } from '../../lib/ids'
import type { Actor } from '../../infra/ctx'
import { isoTime } from '../../lib/clock'
import { logBounds } from '../../infra/outbox/relay'
import { masksNumbers, seesAll } from '../contacts/visibility'
import { frameText } from './frames/kind'
import { CLIENT_PAYLOADS } from './frames/model'
import { resume, type Realtime } from './resume'
import { CLOSE, type Socket } from './sockets'
import { readTopics, refusalOfAll } from './subscriptions'

/** Nesting beyond this is nothing a client has to say. */
const DEEPEST = 10
const MAX_ID_LENGTH = 64

interface ClientFrame {
  type: string
  payload: Record<string, unknown>
  id: string | undefined
}

/** What answering a client's frame needs beside the socket. */
export interface FrameHandler extends Realtime {
  authenticate: (token: string) => Promise<Actor>
  /** Uses up a ticket. Throws UnauthorizedError. */
  redeem: (ticket: string) => Actor
}

/**
 * Answers one frame of a client: ping, hello, resume, subscribe, unsubscribe or auth; anything else
 * gets `error` and the socket stays.
 */
export async function answerFrame(
  desk: FrameHandler,
  socket: Socket,
  message: unknown,
): Promise<void> {
  if (message instanceof Uint8Array || message instanceof ArrayBuffer)
    return desk.sockets.close(socket, CLOSE.unsupported)
  const frame = readFrame(message)
  if (!desk.sockets.admitFrame(socket)) {
    const refused = { type: frame?.type ?? null, replyTo: frame?.id }
    return sayError(desk, socket, {
      code: 'rate_limited',
      message: 'Too many frames. Send fewer frames per second.',
      ...refused,
    })
  }
  if (!frame) {
    sayError(desk, socket, {
      code: 'bad_json',
      message: 'A frame must be a JSON object with a `type`.',
      type: null,
    })
    return desk.sockets.countUnreadable(socket)
  }
  switch (frame.type) {
    case 'ping':
      await socket.replay
      return answer(desk, socket, frame, {
        type: 'pong',
        payload: { seq: drainedHead(desk, socket) },
      })
    case 'hello':
      await socket.replay
      return answer(desk, socket, frame, { type: 'ready', payload: readyPayload(desk, socket) })
    case 'resume':
      return await answerResume(desk, socket, frame)
    case 'subscribe':
      return answerSubscribe(desk, socket, frame)
    case 'unsubscribe':
      return answerUnsubscribe(desk, socket, frame)
    case 'auth':
      return await answerAuth(desk, socket, frame)
    default:
      sayError(desk, socket, {
        code: 'unknown_type',
        message: 'The frame type is unknown.',
        type: frame.type,
        replyTo: frame.id,
      })
      return desk.sockets.countUnreadable(socket)
  }
}

/**
 * A frame is a JSON object with a type. Elysia has parsed what begins like JSON, a JSON string too;
 * a text is left as it is only when it is no JSON or begins with white space.
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
  desk: FrameHandler,
  socket: Socket,
  frame: ClientFrame,
  rendered: { type: string; payload: Record<string, unknown> },
): void {
  if (socket.isOpen)
    socket.line.send(
      frameText(rendered, {
        seq: null,
        atMs: desk.sockets.scopeOf(socket).clock.nowMs(),
        replyTo: frame.id,
      }),
    )
}

function sayError(
  desk: FrameHandler,
  socket: Socket,
  what: { code: string; message: string; type: string | null; replyTo?: string | undefined },
): void {
  const { replyTo, ...payload } = what
  if (socket.isOpen)
    socket.line.send(
      frameText(
        { type: 'error', payload },
        { seq: null, atMs: desk.sockets.scopeOf(socket).clock.nowMs(), replyTo },
      ),
    )
}

/** Head of the log; everything up to it has been sent before this returns. */
function drainedHead(desk: FrameHandler, socket: Socket): number {
  desk.relay.drain()
  const scope = desk.sockets.scopeOf(socket)
  return logBounds(scope, scope.organizationId).seq
}

function readyPayload(desk: FrameHandler, socket: Socket): Record<string, unknown> {
  const seq = drainedHead(desk, socket)
  const scope = desk.sockets.scopeOf(socket)
  const { actor } = socket
  return {
    connection_id: socket.id,
    user_id: actor.userId,
    api_key_id: actor.apiKeyId,
    organization_id: actor.organizationId,
    log: desk.logId,
    seq,
    oldest_seq: logBounds(scope, scope.organizationId).oldestSeq,
    expires_at: actor.expiresAtMs === null ? null : isoTime(actor.expiresAtMs),
    visibility: seesAll(actor) ? 'all' : 'assigned',
    masked: masksNumbers(scope),
    topics: [...socket.watched],
  }
}

async function answerResume(desk: FrameHandler, socket: Socket, frame: ClientFrame): Promise<void> {
  const { payload } = frame
  if (!Value.Check(CLIENT_PAYLOADS.resume, payload))
    return sayError(desk, socket, {
      code: 'bad_request',
      message: '`since` must be a whole number from 0, and `log` a UUID.',
      type: 'resume',
      replyTo: frame.id,
    })
  if (socket.hasResumed)
    return sayError(desk, socket, {
      code: 'already_resumed',
      message: 'A WebSocket connection can resume only once.',
      type: 'resume',
      replyTo: frame.id,
    })
  socket.hasResumed = true
  return await resume(desk, socket, {
    since: payload.since,
    log: typeof payload.log === 'string' ? normalizeId(payload.log) : null,
    replyTo: frame.id,
  })
}

const BAD_TOPIC = {
  code: 'bad_topic',
  message: '`topics` must be a list of 1 to 50 items, each contact:<id> or campaign:<id>.',
}

/** Lets a socket watch more, all of what it names or nothing. */
function answerSubscribe(desk: FrameHandler, socket: Socket, frame: ClientFrame): void {
  const wanted = readTopics(frame.payload['topics'])
  const refusal =
    wanted === null ? BAD_TOPIC : refusalOfAll(desk.sockets.scopeOf(socket), wanted, socket.watched)
  if (refusal) return sayError(desk, socket, { ...refusal, type: frame.type, replyTo: frame.id })
  desk.sockets.watch(socket, [...socket.watched, ...(wanted ?? [])])
  return answer(desk, socket, frame, {
    type: 'subscribed',
    payload: { topics: [...socket.watched] },
  })
}

/** Ends watching; what was not watched is no error. */
function answerUnsubscribe(desk: FrameHandler, socket: Socket, frame: ClientFrame): void {
  const ended = readTopics(frame.payload['topics'])
  if (ended === null)
    return sayError(desk, socket, { ...BAD_TOPIC, type: frame.type, replyTo: frame.id })
  desk.sockets.watch(
    socket,
    [...socket.watched].filter((topic) => !ended.includes(topic)),
  )
  return answer(desk, socket, frame, {
    type: 'unsubscribed',
    payload: { topics: [...socket.watched] },
  })
}

async function answerAuth(desk: FrameHandler, socket: Socket, frame: ClientFrame): Promise<void> {
  if (socket.actor.apiKeyId !== null)
    return sayError(desk, socket, {
      code: 'forbidden',
      message:
        'A connection with an API key does not accept a token. It stays open as long as the ' +
        'key works.',
      type: 'auth',
      replyTo: frame.id,
    })
  const { payload } = frame
  const actor = Value.Check(CLIENT_PAYLOADS.auth, payload)
    ? await desk.authenticate(payload.token).catch(() => null)
    : null
  if (!actor)
    return sayError(desk, socket, {
      code: 'auth_failed',
      message: 'The token is invalid or has expired.',
      type: 'auth',
      replyTo: frame.id,
    })
  if (actor.userId !== socket.actor.userId || actor.organizationId !== socket.actor.organizationId)
    return sayError(desk, socket, {
      code: 'auth_mismatch',
      message: 'The token belongs to another user or organization.',
      type: 'auth',
      replyTo: frame.id,
    })
  socket.actor = actor
  return answer(desk, socket, frame, {
    type: 'authenticated',
    payload: { expires_at: actor.expiresAtMs === null ? null : isoTime(actor.expiresAtMs) },
  })
}
