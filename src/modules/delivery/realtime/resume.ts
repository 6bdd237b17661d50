import { eventsAfter, eventsOfTypes, logBounds, type Relay } from '../../../infra/outbox/relay'
import { frameText } from './frames/kind'
import { rightsEvents } from './frames/personal'
import type { Replays } from './replays'
import type { Socket, Sockets } from './sockets'
import { changesRightsOf } from './publish'
import { shownAs } from './render-past-event'
import { yieldToEventLoop } from '../../../infra/event-loop'

/** The parts of the realtime server. */
export interface Realtime {
  sockets: Sockets
  relay: Relay
  replays: Replays
  /** ID of the event log. It changes when the database is restored. */
  logId: string
}

/**
 * The position from which a client resumes: event number, log ID if known, and the frame ID of the
 * request.
 */
export interface ResumeRequest {
  since: number
  log: string | null
  replyTo?: string | undefined
}

/** Maximum number of replayed events. Above it, the client reloads over the API. */
const MAX_REPLAYED = 5_000

/** Events scanned in one step while counting those the caller may see. */
const COUNTED_AT_ONCE = 100

/**
 * Replays missed events, oldest first, as the user may see them now, then sends `resumed`. Sends
 * `resync` if the log cannot provide them. Live events wait meanwhile, and events already sent live
 * are not repeated.
 */
export function resume(realtime: Realtime, socket: Socket, wish: ResumeRequest): Promise<void> {
  socket.replay = replay(realtime, socket, wish).finally(() => {
    socket.replay = null
  })
  return socket.replay
}

async function replay(realtime: Realtime, socket: Socket, wish: ResumeRequest): Promise<void> {
  const { sockets, relay, replays } = realtime
  relay.drain()
  const bounds = boundsFor(realtime, socket)
  const refusal = refusalOf(realtime, bounds, wish)
  if (refusal !== null) return resync(realtime, socket, refusal, wish)
  const heardLive = socket.isLive
    ? { after: socket.liveFrom, upTo: bounds.seq }
    : { after: 0, upTo: 0 }
  const isMissed = (seq: number): boolean => seq <= heardLive.after || seq > heardLive.upTo
  sockets.hush(socket)
  const obstacle = await obstacleIn(realtime, socket, {
    after: wish.since,
    upTo: bounds.seq,
    isMissed,
  })
  if (!socket.isOpen) return
  if (obstacle !== null) return resync(realtime, socket, obstacle, wish)
  const missed = {
    socket,
    isMissed,
    after: wish.since,
    count: 0,
    end(how: 'complete' | 'too_old'): void {
      if (how === 'too_old') return resync(realtime, socket, 'too_old', wish)
      reply(
        realtime,
        socket,
        { type: 'resumed', payload: { from: wish.since, to: missed.after, count: missed.count } },
        wish,
      )
      return sockets.listen(socket, missed.after)
    },
  }
  await replays.run(missed)
}

const boundsFor = ({ sockets }: Realtime, socket: Socket): { oldestSeq: number; seq: number } =>
  logBounds(sockets.scopeOf(socket), socket.actor.organizationId)

function refusalOf(
  realtime: Realtime,
  bounds: { oldestSeq: number; seq: number },
  wish: ResumeRequest,
): string | null {
  if (wish.log !== null && wish.log !== realtime.logId) return 'log_changed'
  if (wish.since > bounds.seq) return 'ahead'
  return wish.since + 1 < bounds.oldestSeq ? 'too_old' : null
}

/** A part of the log, and which of its events a socket has not received. */
interface Stretch {
  after: number
  upTo: number
  isMissed: (seq: number) => boolean
}

/** Returns why a part of the log cannot be replayed to a socket, or `null`. Renders nothing. */
async function obstacleIn(
  realtime: Realtime,
  socket: Socket,
  stretch: Stretch,
): Promise<'rights_changed' | 'too_many' | null> {
  const { organizationId } = socket.actor
  const scope = realtime.sockets.scopeOf(socket)
  const isShort = stretch.upTo - stretch.after <= MAX_REPLAYED
  if (!isShort && (await seesTooMany(realtime, socket, stretch))) return 'too_many'
  const types = rightsEvents()
  for (let { after } = stretch; after < stretch.upTo; after += MAX_REPLAYED) {
    if (after > stretch.after) await yieldToEventLoop()
    const upTo = Math.min(stretch.upTo, after + MAX_REPLAYED)
    const changes = eventsOfTypes(scope, organizationId, { after, upTo, types })
    if (changes.some((event) => stretch.isMissed(event.seq) && changesRightsOf(scope, event)))
      return 'rights_changed'
  }
  return null
}

/** Whether a socket may see more missed events than the replay limit. */
async function seesTooMany(realtime: Realtime, socket: Socket, stretch: Stretch): Promise<boolean> {
  const { organizationId } = socket.actor
  const scope = realtime.sockets.scopeOf(socket)
  let count = 0
  for (let { after } = stretch; after < stretch.upTo && socket.isOpen; await yieldToEventLoop()) {
    const page = eventsAfter(scope, organizationId, { after, limit: COUNTED_AT_ONCE })
    for (const event of page) {
      after = event.seq
      const past = { event, texts: new Map(), seers: null }
      if (stretch.isMissed(event.seq) && shownAs(scope, past) !== null) count += 1
    }
    if (count > MAX_REPLAYED) return true
    if (page.length < COUNTED_AT_ONCE) break
  }
  return false
}

function resync(realtime: Realtime, socket: Socket, reason: string, wish: ResumeRequest): void {
  realtime.relay.drain()
  const { oldestSeq, seq } = boundsFor(realtime, socket)
  reply(
    realtime,
    socket,
    { type: 'resync', payload: { reason, seq, oldest_seq: oldestSeq, log: realtime.logId } },
    wish,
  )
  if (!socket.isLive && socket.isOpen) realtime.sockets.listen(socket, seq)
}

function reply(
  realtime: Realtime,
  socket: Socket,
  rendered: { type: string; payload: Record<string, unknown> },
  wish: ResumeRequest,
): void {
  if (socket.isOpen)
    socket.line.send(
      frameText(rendered, {
        seq: null,
        atMs: realtime.sockets.scopeOf(socket).clock.nowMs(),
        replyTo: wish.replyTo,
      }),
    )
}
