import type { ServerFrame } from '../../console/api/types.gen'
import { SwitchboardError } from './error'
import { sleep } from './request'
import type { Resync, SwitchboardEvent } from './shapes'

/** How far events were handled: the event log of the server, and the number of the last event. */
export interface Cursor {
  log: string
  seq: number
}

/** Where a cursor survives a restart. */
export interface CursorStore {
  /** Returns the stored cursor; `null` at the first start. */
  load: () => Cursor | null | Promise<Cursor | null>
  save: (cursor: Cursor) => void | Promise<void>
}

/** How to listen. */
export interface ListenOptions {
  /** Where the cursor is stored. Without it, events from before the call are not replayed. */
  cursor?: CursorStore
  /** Topics with further events, such as `contact:<id>`. */
  topics?: string[]
  /** Ends the loop by throwing its reason. */
  signal?: AbortSignal
  /** For runtimes without a global WebSocket, such as Node 20: that of the package `ws`. */
  webSocket?: new (url: string) => Socket
  /** Milliseconds that the first pause before a new connection lasts at most: 5,000. */
  maxPauseMs?: number
}

/** The part of a WebSocket that is used. */
export interface Socket {
  send(text: string): void
  close(): void
  addEventListener(type: 'open' | 'error', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  addEventListener(type: 'close', listener: (event: { code: number }) => void): void
}

/** The answer to a frame of ours that was refused. */
interface Refusal {
  type: 'error'
  reply_to?: string
  payload: { code: string; message: string }
}
type Frame = ServerFrame | Refusal

const OPEN_MS = 30_000
const PING_MS = 30_000
/** A line without a frame for so long is given up. */
const SILENCE_MS = 75_000
const FIRST_PAUSE_MS = 5_000
const MAX_PAUSE_MS = 60_000
/** Frames that wait to be handled. With more the line is closed, and the rest replayed later. */
const MAX_WAITING = 1_000
const SUBSCRIBE = 'subscribe'
const ACCESS_ENDED = 4403
/** Close codes after which the same would happen again. */
const OWN_FAULT = new Set([1003, 1009, 4400])

/** One socket: its frames in order, until it is closed and all of them are taken. */
class Line {
  private readonly waiting: Frame[] = []
  private wake: () => void = () => undefined
  private isClosed = false
  private heardMs = Date.now()
  private readonly timer: ReturnType<typeof setInterval>
  /** Close code; 1006 if there was none. */
  code = 1006

  constructor(
    private readonly socket: Socket,
    greetings: object[],
  ) {
    let isOpen = false
    const beganMs = Date.now()
    this.timer = setInterval(() => {
      const silentMs = Date.now() - this.heardMs
      if (isOpen ? silentMs > SILENCE_MS : Date.now() - beganMs > OPEN_MS) this.close()
      else if (isOpen) this.send({ type: 'ping' })
    }, PING_MS)
    socket.addEventListener('open', () => {
      isOpen = true
      this.heardMs = Date.now()
      for (const frame of greetings) this.send(frame)
    })
    socket.addEventListener('message', ({ data }) => this.take(String(data)))
    socket.addEventListener('error', () => undefined) // a close follows
    socket.addEventListener('close', ({ code }) => {
      this.code = code
      this.end()
    })
  }

  private send(frame: object): void {
    this.socket.send(JSON.stringify(frame))
  }

  private take(text: string): void {
    if (this.isClosed) return
    this.heardMs = Date.now()
    this.waiting.push(JSON.parse(text) as Frame)
    this.wake()
    if (this.waiting.length >= MAX_WAITING) this.close()
  }

  private end(): void {
    this.isClosed = true
    clearInterval(this.timer)
    this.wake()
  }

  close(): void {
    this.end()
    this.socket.close()
  }

  /** Yields the frames. */
  async *frames(signal?: AbortSignal): AsyncGenerator<Frame> {
    const stop = (): void => this.wake()
    signal?.addEventListener('abort', stop)
    try {
      for (;;) {
        signal?.throwIfAborted()
        const frame = this.waiting.shift()
        if (frame) yield frame
        else if (this.isClosed) return
        else await new Promise<void>((resolve) => (this.wake = resolve))
      }
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }
}

function socketOf(
  url: string,
  ticket: string,
  cursor: Cursor | null,
  own: ListenOptions['webSocket'],
) {
  const Maker = own ?? (globalThis.WebSocket as ListenOptions['webSocket'])
  if (Maker === undefined)
    throw new TypeError('This runtime has no WebSocket: pass `webSocket`, for example of `ws`.')
  const address = new URL(`${url.replace(/\/+$/, '').replace(/^http/, 'ws')}/ws`)
  address.searchParams.set('ticket', ticket)
  if (cursor) {
    address.searchParams.set('since', String(cursor.seq))
    address.searchParams.set('log', cursor.log)
  }
  return new Maker(address.href)
}

/** Returns the frame that says: load what you need. */
const resync = (reason: Resync['payload']['reason'], { log, seq }: Cursor, at: string): Resync => ({
  type: 'resync',
  payload: { reason, log, seq },
  seq: null,
  at,
})

/** What a frame means: the event to hand out, if any, and the cursor after it, if it moves. */
interface Step {
  event?: SwitchboardEvent
  cursor?: Cursor
}

/** Returns what a frame means to who is at this cursor. Throws what the server refused. */
function stepOf(frame: Frame, cursor: Cursor | null): Step {
  switch (frame.type) {
    case 'ready': {
      const { log, seq } = frame.payload
      return cursor
        ? {}
        : { event: resync('first_start', { log, seq }, frame.at), cursor: { log, seq } }
    }
    case 'resync': {
      const { log, seq, reason } = frame.payload
      return { event: resync(reason, { log, seq }, frame.at), cursor: { log, seq } }
    }
    case 'resumed':
      return cursor ? { cursor: { ...cursor, seq: Math.max(cursor.seq, frame.payload.to) } } : {}
    case 'pong':
      return cursor ? { cursor: { ...cursor, seq: Math.max(cursor.seq, frame.payload.seq) } } : {}
    case 'error':
      if (frame.reply_to !== SUBSCRIBE) return {}
      throw new SwitchboardError(frame.payload.code, frame.payload.message)
    case 'subscribed':
    case 'authenticated':
      return {}
    default:
      // What came before the first `ready` is part of what is loaded then.
      if (!cursor || (frame.seq !== null && frame.seq <= cursor.seq)) return {}
      return {
        event: frame,
        ...(frame.seq === null ? {} : { cursor: { log: cursor.log, seq: frame.seq } }),
      }
  }
}

function checked(cursor: Cursor | null): Cursor | null {
  if (cursor === null) return null
  if (typeof cursor.log === 'string' && Number.isSafeInteger(cursor.seq)) return cursor
  throw new TypeError('The stored cursor is none: it needs `log` and `seq`.')
}

/** Yields events of one socket after the other: see `Switchboard.events`. */
export async function* listen(
  url: string,
  ticketOf: () => Promise<string>,
  { cursor: store, topics = [], signal, webSocket, maxPauseMs = FIRST_PAUSE_MS }: ListenOptions,
): AsyncGenerator<SwitchboardEvent> {
  let cursor = checked((await store?.load()) ?? null)
  for (let failures = 0; ;) {
    let line: Line | null = null
    try {
      const ticket = await ticketOf()
      line = new Line(socketOf(url, ticket, cursor, webSocket), [
        ...(cursor ? [] : [{ type: 'hello' }]),
        ...(topics.length > 0 ? [{ type: 'subscribe', id: SUBSCRIBE, payload: { topics } }] : []),
      ])
      for await (const frame of line.frames(signal)) {
        failures = 0
        const { event, cursor: next } = stepOf(frame, cursor)
        if (event) yield event
        if (!next || (next.seq === cursor?.seq && next.log === cursor.log)) continue
        cursor = next
        await store?.save(next)
      }
    } catch (error) {
      if (!(error instanceof SwitchboardError) || !error.isTemporary) throw error
    } finally {
      line?.close()
    }
    signal?.throwIfAborted()
    if (line?.code === ACCESS_ENDED)
      throw new SwitchboardError('access_ended', 'The credential or its owner has lost the access.')
    if (line && OWN_FAULT.has(line.code))
      throw new SwitchboardError('protocol', `The server closed the socket with ${line.code}.`)
    await sleep(Math.random() * Math.min(maxPauseMs * 2 ** failures, MAX_PAUSE_MS), signal)
    failures += 1
  }
}
