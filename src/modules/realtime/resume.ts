import { eventsAfter, logBounds, type Relay } from '../../infra/outbox/relay'
import { frameText } from './frames'
import type { Socket, Sockets } from './sockets'
import { renderFor } from './topics'

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
 * tell. What was sent live already is not repeated. A socket that does not listen yet listens from the end of the replay on.
 */
export async function resume(realtime: Realtime, socket: Socket, wish: ResumeWish): Promise<void> {
  const { sockets } = realtime
  const scope = sockets.scopeOf(socket)
  const isLive = socket.topics.size > 0
  realtime.relay.drain()
  const bounds = logBounds(scope, scope.organizationId)
  const refusal = refusalOf(realtime, bounds, wish)
  if (refusal !== null) return resync(realtime, socket, refusal, wish)

  const frames: string[] = []
  let after = wish.since
  for (;;) {
    const until = isLive ? socket.liveFrom : logBounds(scope, scope.organizationId).seq
    const page = eventsAfter(scope, scope.organizationId, { after, limit: PAGE }).filter(({ seq }) => seq <= until)
    for (const event of page) {
      const text = renderFor(scope, event)
      if (text !== null) frames.push(text)
    }
    if (frames.length > MOST_REPLAYED) return resync(realtime, socket, 'too_many', wish)
    after = page.at(-1)?.seq ?? after
    if (page.length < PAGE) break
    await nextTurn()
  }
  const count = frames.length
  await sendAll(socket, frames)
  // What was committed while waiting for a slow socket follows now; then, in the same turn, live events take over.
  realtime.relay.drain()
  const rest = isLive ? [] : eventsAfter(scope, scope.organizationId, { after, limit: MOST_REPLAYED })
  const late = rest.map((event) => renderFor(scope, event)).filter((text) => text !== null)
  for (const text of late) socket.line.send(text)
  const to = Math.max(after, rest.at(-1)?.seq ?? 0)
  reply(realtime, socket, { type: 'resumed', payload: { from: wish.since, to, count: count + late.length } }, wish)
  if (!isLive && socket.isOpen) sockets.listen(socket, to)
}

function refusalOf(realtime: Realtime, bounds: { oldestSeq: number; seq: number }, wish: ResumeWish): string | null {
  if (wish.log !== null && wish.log !== realtime.logId) return 'log_changed'
  if (wish.since > bounds.seq) return 'ahead'
  return wish.since + 1 < bounds.oldestSeq ? 'too_old' : null
}

function resync(realtime: Realtime, socket: Socket, reason: string, wish: ResumeWish): void {
  const scope = realtime.sockets.scopeOf(socket)
  realtime.relay.drain()
  const { oldestSeq, seq } = logBounds(scope, scope.organizationId)
  reply(realtime, socket, { type: 'resync', payload: { reason, seq, oldest_seq: oldestSeq, log: realtime.logId } }, wish)
  if (socket.topics.size === 0 && socket.isOpen) realtime.sockets.listen(socket, seq)
}

function reply(realtime: Realtime, socket: Socket, rendered: { type: string; payload: Record<string, unknown> }, wish: ResumeWish): void {
  if (socket.isOpen)
    socket.line.send(frameText(rendered, { seq: null, atMs: realtime.sockets.scopeOf(socket).clock.nowMs(), replyTo: wish.replyTo }))
}

async function sendAll(socket: Socket, frames: string[]): Promise<void> {
  for (const text of frames) {
    while (socket.isOpen && socket.line.getBufferedAmount() > HIGH_WATER_BYTES) await nextTurn()
    if (!socket.isOpen) return
    socket.line.send(text)
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
