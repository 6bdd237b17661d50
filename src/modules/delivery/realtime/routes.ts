import { Elysia, t } from 'elysia'

import { ForbiddenError, InvalidError, UnauthorizedError } from '../../../lib/errors'
import { isUuid, normalizeId } from '../../../lib/ids'
import type { Actor } from '../../../infra/actor'
import { isStorageError } from '../../../infra/db/errors'
import { logBounds } from '../../../infra/outbox/relay'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { isOwnOrigin } from '../../../http/own-origin'
import { countRequestOf } from '../../../http/count-request'
import { ClientFrame } from './frames/client/model'
import { EVENT_TYPES, ServerFrame } from './frames/model'
import { answerFrame, type FrameHandler } from './client-frames'
import { resume, type ResumeRequest } from './resume'
import type { SocketConnection, Socket } from './sockets'

/** Query of `/ws`: the access token or ticket, and the position to resume from. */
const SocketQuery = t.Object({
  token: t.Optional(t.String({ maxLength: 8_192 })),
  ticket: t.Optional(t.String({ maxLength: 200 })),
  since: t.Optional(t.String({ maxLength: 20 })),
  log: t.Optional(t.String({ maxLength: 36 })),
})

/** The schemas of the frames, in both directions. */
const SOCKET_FRAMES = { 'x-websocket': { client: ClientFrame, server: ServerFrame } } as object

/** Errors that reject a socket. */
const SOCKET_REFUSALS = [
  '400 upgrade_required',
  '401 unauthorized',
  '401 invalid_token',
  '401 token_expired',
  '401 session_ended',
  '401 membership_ended',
  '401 account_disabled',
  '401 invalid_api_key',
  '401 key_owner_inactive',
  '403 origin_not_allowed',
  '429 rate_limited',
  '429 too_many_sockets',
  '503 unavailable',
] as const

const DESCRIPTION = [
  'Opens a WebSocket. Authenticate with `ticket` (from `POST /api/auth/ws-ticket`, ' +
    'recommended) or `token` (an access token).',
  'API keys connect with a ticket; a key is never part of the URL. The connection ' +
    'receives the events that the key could read over the API: those covered by its ' +
    'permissions and, without `contacts:read_all`, only of contacts that its owner sees without it. ' +
    "It does not receive its owner's notifications. It closes with code 4403 when the key " +
    'stops working. A key can have up to five connections.',
  'The server sends JSON frames `{type, payload, seq, at}`. The types of events are ' +
    `${EVENT_TYPES.join(', ')}. Ignore types that you do not know.`,
  'Reconnect with `since=<highest seq>` to receive missed events in order, then ' +
    '`resumed`; if they are no longer stored, you receive `resync` and must reload over ' +
    'the API. Clients may send `ping`, `hello`, `resume`, `subscribe`, `unsubscribe`, `auth`, ' +
    '`read` and `presence`. A caller may open three connections for every ten requests of its standard ' +
    'rate; beyond that, connecting fails with 429 `rate_limited`.',
  'Invalid frames are answered with type `error` and a `code`: `bad_json`, ' +
    '`unknown_type`, `bad_request` or `rate_limited`; for topics `bad_topic`, `not_found`, ' +
    '`forbidden` or `too_many_topics`; for `resume` `already_resumed`; for `auth` ' +
    '`auth_failed`, `auth_mismatch`, or `forbidden` for API keys.',
].join(' ')

/**
 * Limits of every socket, for the root of the application: the only place Elysia reads them from.
 * Silence in seconds, sizes in bytes.
 */
export const SOCKET_LIMITS = {
  idleTimeout: 60,
  maxPayloadLength: 16 * 1024,
  backpressureLimit: 256 * 1024,
  closeOnBackpressureLimit: true,
  sendPings: true,
  perMessageDeflate: false,
}

/** Close codes used by this server, by Bun and by browsers. Clients may send others. */
const CLOSE_CODES = new Set([
  1000, 1001, 1003, 1005, 1006, 1008, 1009, 1011, 1012, 4400, 4401, 4403, 4408, 4409, 4429,
])

interface Admission {
  actor: Actor
  wish: ResumeRequest | null
}

/** The real-time socket (spec 4.6, 6.2). */
export const realtimeRoutes = (http: Http, handler: FrameHandler) => {
  const admissions = new WeakMap<Request, Admission>()
  const sockets = new WeakMap<object, Socket>()
  const admit = async (
    request: Request,
    query: { token?: string; ticket?: string; since?: string; log?: string },
  ): Promise<Admission> => {
    const actor = await judgeCredential(handler, query)
    requireOwnOrigin(http, request)
    return { actor, wish: wishOf(query) }
  }
  return new Elysia({ tags: ['Realtime'] })
    .use(guard(http))
    .get(
      '/ws',
      (): never => {
        throw new InvalidError('This endpoint is a WebSocket. Connect with a WebSocket client.', {
          code: 'upgrade_required',
        })
      },
      {
        raw: 'authenticates with the token or ticket in the query',
        refuses: SOCKET_REFUSALS,
        query: SocketQuery,
        // Runs before the query is validated, so that the answer reveals nothing about the query.
        async transform({ query, request }) {
          await admit(request, query)
        },
        detail: {
          operationId: 'openWebSocket',
          summary: 'Open a WebSocket',
          description: DESCRIPTION,
          ...SOCKET_FRAMES,
          responses: { 101: { description: 'The WebSocket is open.' } },
        },
      },
    )
    .ws('/ws', {
      raw: 'authenticates with the token or ticket in the query',
      query: SocketQuery,
      async transform({ query, request }) {
        const admission = await admit(request, query)
        countRequestOf(http.limiters, 'sockets', {
          facts: { actor: admission.actor, address: '' },
          headers: {},
        })
        handler.sockets.requireRoom(admission.actor)
        admissions.set(request, admission)
      },
      open(ws) {
        const admission = admissions.get(ws.data.request)
        if (!admission) return ws.raw.close(1011, 'not admitted')
        const socket = handler.sockets.add(lineOf(ws.raw), admission.actor)
        sockets.set(ws.raw, socket)
        return begin(http, handler, socket, admission.wish)
      },
      async message(ws, message) {
        const socket = sockets.get(ws.raw)
        if (!socket) return
        try {
          await answerFrame(handler, socket, message)
        } catch (error) {
          failSocket(http, handler, socket, error)
        }
      },
      // The runtime answers pings; they count as frames because they cost as much.
      ping(ws: object) {
        const socket = sockets.get(ws) // unlike elsewhere, Elysia passes Bun's own socket here
        if (socket) handler.sockets.admitFrame(socket)
      },
      drain(ws) {
        sockets.get(ws.raw)?.whenDrained?.()
      },
      close(ws, code) {
        http.metrics.wsClosed.inc({ code: CLOSE_CODES.has(code) ? String(code) : 'other' })
        const socket = sockets.get(ws.raw)
        if (socket) handler.sockets.remove(socket)
      },
    })
}

/** Starts live events of a new socket, after a replay if it asked to resume. */
function begin(
  http: Http,
  handler: FrameHandler,
  socket: Socket,
  wish: ResumeRequest | null,
): void {
  if (wish) {
    socket.hasResumed = true
    resume(handler, socket, wish).catch((error: unknown) =>
      failSocket(http, handler, socket, error),
    )
    return
  }
  try {
    handler.relay.drain()
    handler.sockets.listen(socket, logBounds(http, socket.actor.organizationId).seq)
  } catch (error) {
    failSocket(http, handler, socket, error)
  }
}

/**
 * Closes a socket after an internal error, so that the client reconnects and resumes without losing
 * events.
 */
function failSocket(http: Http, handler: FrameHandler, socket: Socket, error: unknown): void {
  // Storage failures are logged once elsewhere, not for every socket.
  if (!isStorageError(error))
    http.log.error(
      { error, organization_id: socket.actor.organizationId },
      'WebSocket connection failed',
    )
  handler.sockets.close(socket, [1011, 'internal error'])
}

async function judgeCredential(
  handler: FrameHandler,
  query: { token?: string; ticket?: string },
): Promise<Actor> {
  if (query.token !== undefined && query.ticket !== undefined)
    throw new InvalidError('Send either `token` or `ticket`.', { code: 'invalid_input' })
  if (query.ticket !== undefined) return handler.redeem(query.ticket)
  if (query.token === undefined || query.token === '')
    throw new UnauthorizedError('Send an access token (`?token=…`) or a ticket (`?ticket=…`).')
  return await handler.authenticate(query.token)
}

function requireOwnOrigin(http: Http, request: Request): void {
  if (request.headers.get('origin') !== null && !isOwnOrigin(http.settings, request))
    throw new ForbiddenError('WebSocket connections from this origin are not allowed.', {
      code: 'origin_not_allowed',
    })
}

function wishOf(query: { since?: string; log?: string }): ResumeRequest | null {
  if (query.log !== undefined && !isUuid(query.log))
    throw new InvalidError('`log` must be a UUID.', {
      errors: [{ path: 'query.log', message: 'must be a UUID' }],
    })
  if (query.since === undefined) return null
  const since = /^\d{1,16}$/.test(query.since) ? Number(query.since) : NaN
  if (!Number.isSafeInteger(since))
    throw new InvalidError('`since` must be a whole number from 0.', {
      errors: [{ path: 'query.since', message: 'must be a whole number from 0' }],
    })
  return { since, log: query.log === undefined ? null : normalizeId(query.log) }
}

/** Returns Bun's own socket. Elysia wraps it again for every callback. */
const lineOf = (raw: object): SocketConnection => raw as SocketConnection // Elysia's type of it leaves out methods that Bun's has
