import type { LoggedEvent } from '../../infra/outbox/events'
import { eventsAfter, logBounds, type Relay } from '../../infra/outbox/relay'
import { frameText } from './frame-kinds'
import { CLOSE, SLOW_MS, type Socket, type Sockets } from './sockets'
import { changesRightsOf, renderFor } from './topics'

/** What the realtime part of the server is made of. */
export interface Realtime {
  sockets: Sockets
  relay: Relay
  /** Identity of the event log; another one means the database was restored. */
  logId: string
}

/** Where a client wants to go on: after which number, of which log if it knows, and the frame it asked with. */
export interface ResumeWish {
  since: number
  log: string | null
  replyTo?: string | undefined
}

const PAGE = 500

/** More missed events than this are reloaded over the API instead. */
const MOST_REPLAYED = 5_000

/** With this much unsent a replay waits for the socket, bytes. */
const HIGH_WATER_BYTES = 128 * 1024

/**
 * Sends a socket what it missed, oldest first, as its user may see it now, then `resumed`; or `resync` when the log cannot
 * tell. Live events wait meanwhile; those that were sent live before are not repeated.
 */
export function resume(realtime: Realtime, socket: Socket, wish: ResumeWish): Promise<void> {
  socket.replay = replay(realtime, socket, wish).finally(() => {
    socket.replay = null
  })
  return socket.replay
}

async function replay(realtime: Realtime, socket: Socket, wish: ResumeWish): Promise<void> {
  const { sockets, relay } = realtime
  relay.drain()
  const bounds = boundsFor(realtime, socket)
  const refusal = refusalOf(realtime, bounds, wish)
  if (refusal !== null) return resync(realtime, socket, refusal, wish)
  const heardLive = socket.isLive ? { after: socket.liveFrom, upTo: bounds.seq } : { after: 0, upTo: 0 }
  const isMissed = ({ seq }: LoggedEvent): boolean => seq <= heardLive.after || seq > heardLive.upTo
  sockets.hush(socket)

  const missed: string[] = []
  let after = wish.since
  while (after < bounds.seq) {
    // The log goes on being cut off at its old end while it is read.
    if (after + 1 < boundsFor(realtime, socket).oldestSeq) return resync(realtime, socket, 'too_old', wish)
    const page = pageAfter(realtime, socket, after)
    const scope = sockets.scopeOf(socket)
    if (page.some((event) => isMissed(event) && changesRightsOf(scope, event))) return resync(realtime, socket, 'rights_changed', wish)
    missed.push(...framesOf(realtime, socket, page.filter(isMissed)))
    if (missed.length > MOST_REPLAYED) return resync(realtime, socket, 'too_many', wish)
    after = page.at(-1)?.seq ?? bounds.seq
    await nextTurn()
  }
  let count = missed.length
  await sendAll(realtime, socket, missed)
  // What was committed meanwhile follows; the turn that finds nothing more also takes live events up again.
  for (;;) {
    relay.drain()
    const page = pageAfter(realtime, socket, after)
    if (!socket.isOpen) return
    if (page.length === 0) break
    const frames = framesOf(realtime, socket, page)
    after = page.at(-1)?.seq ?? after
    count += frames.length
    await sendAll(realtime, socket, frames)
  }
  reply(realtime, socket, { type: 'resumed', payload: { from: wish.since, to: after, count } }, wish)
  sockets.listen(socket, after)
}

const boundsFor = ({ sockets }: Realtime, socket: Socket): { oldestSeq: number; seq: number } =>
  logBounds(sockets.scopeOf(socket), socket.actor.organizationId)

const pageAfter = ({ sockets }: Realtime, socket: Socket, after: number): LoggedEvent[] =>
  eventsAfter(sockets.scopeOf(socket), socket.actor.organizationId, { after, limit: PAGE })

/** The frames of the events that the socket's user may see now. */
function framesOf({ sockets }: Realtime, socket: Socket, page: LoggedEvent[]): string[] {
  const scope = sockets.scopeOf(socket)
  return page.map((event) => renderFor(scope, event)).filter((text) => text !== null)
}

function refusalOf(realtime: Realtime, bounds: { oldestSeq: number; seq: number }, wish: ResumeWish): string | null {
  if (wish.log !== null && wish.log !== realtime.logId) return 'log_changed'
  if (wish.since > bounds.seq) return 'ahead'
  return wish.since + 1 < bounds.oldestSeq ? 'too_old' : null
}

function resync(realtime: Realtime, socket: Socket, reason: string, wish: ResumeWish): void {
  realtime.relay.drain()
  const { oldestSeq, seq } = boundsFor(realtime, socket)
  reply(realtime, socket, { type: 'resync', payload: { reason, seq, oldest_seq: oldestSeq, log: realtime.logId } }, wish)
  if (!socket.isLive && socket.isOpen) realtime.sockets.listen(socket, seq)
}

function reply(realtime: Realtime, socket: Socket, rendered: { type: string; payload: Record<string, unknown> }, wish: ResumeWish): void {
  if (socket.isOpen)
    socket.line.send(frameText(rendered, { seq: null, atMs: realtime.sockets.scopeOf(socket).clock.nowMs(), replyTo: wish.replyTo }))
}

async function sendAll(realtime: Realtime, socket: Socket, frames: string[]): Promise<void> {
  realtime.sockets.metrics.wsReplayed.inc(frames.length)
  for (const text of frames) {
    if (socket.isOpen && socket.line.getBufferedAmount() > HIGH_WATER_BYTES) await untilDrained(realtime, socket)
    if (!socket.isOpen) return
    socket.line.send(text)
  }
}

/** Waits until a socket has taken most of what was sent; one that takes nothing for too long is closed. */
async function untilDrained({ sockets }: Realtime, socket: Socket): Promise<void> {
  const { clock } = sockets.scopeOf(socket)
  while (socket.isOpen && socket.line.getBufferedAmount() > HIGH_WATER_BYTES) {
    const { promise, resolve } = Promise.withResolvers<'moved' | 'stuck'>()
    const cancel = clock.after(SLOW_MS, () => resolve('stuck'))
    socket.whenDrained = () => resolve('moved')
    const outcome = await promise
    cancel()
    socket.whenDrained = null
    if (outcome === 'stuck') return sockets.close(socket, CLOSE.slow)
  }
  return undefined
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
