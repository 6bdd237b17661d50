import { call } from '../api/client'
import { ApiError } from '../api/error'
import { endSession, refreshSession } from '../api/session'

/** A frame from the server. */
export interface Frame {
  type: string
  payload: Record<string, unknown>
  seq: number | null
  at: string
  replayed?: true
  reply_to?: string
}

/** Whether events arrive. */
export type LineState = 'connecting' | 'live' | 'offline'

/** What the owner of a line wants to know. */
export interface LineEvents {
  onFrame: (frame: Frame) => void
  /** Called when the server cannot tell what was missed: everything must be loaded again. */
  onResync: () => void
  onState: (state: LineState) => void
}

const PING_MS = 20_000
/** Time that the server has to answer a ping. */
const PATIENCE_MS = 10_000
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 30_000
/** Close codes of the server. */
const TOKEN_EXPIRED = 4401
const ACCESS_ENDED = 4403

/**
 * Keeps a socket open for as long as the page lives. Each opening uses a ticket, so no token is in
 * an address. After a break the socket continues behind the last event that was seen. Waits longer
 * after each failure, and tries at once when the network or the person comes back.
 */
export class Line {
  private socket: WebSocket | null = null
  private isOpening = false
  private cursor: number
  private log: string
  private failures = 0
  private retryTimer: ReturnType<typeof setTimeout> | undefined
  private pingTimer: ReturnType<typeof setTimeout> | undefined
  private patienceTimer: ReturnType<typeof setTimeout> | undefined
  private isStopped = false
  /** A ticket that came with the session, for the first opening. */
  private ticket: string | null

  /** Events after `start` arrive, also those from before the socket was open. */
  constructor(
    private readonly events: LineEvents,
    start: { log: string; seq: number; ticket: string | null },
  ) {
    this.cursor = start.seq
    this.log = start.log
    this.ticket = start.ticket
    globalThis.addEventListener('online', this.hurry)
    globalThis.addEventListener('offline', this.lose)
    document.addEventListener('visibilitychange', this.hurry)
  }

  /** Opens the socket if it is not open. Never rejects. */
  async open(): Promise<void> {
    clearTimeout(this.retryTimer)
    if (this.isStopped || this.socket || this.isOpening) return
    this.isOpening = true
    this.events.onState('connecting')
    try {
      const ticket = this.ticket ?? (await call('POST /api/auth/ws-ticket', {})).ticket
      this.ticket = null
      if (!this.isStopped) this.listen(new WebSocket(this.addressOf(ticket)))
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return
      this.retryLater(error instanceof ApiError ? error.more.retryAfterS : null)
    } finally {
      this.isOpening = false
    }
  }

  /** Closes the socket for good. */
  stop(): void {
    this.isStopped = true
    globalThis.removeEventListener('online', this.hurry)
    globalThis.removeEventListener('offline', this.lose)
    document.removeEventListener('visibilitychange', this.hurry)
    this.clearTimers()
    this.socket?.close(1000)
    this.socket = null
  }

  /** Sends a frame. Returns false if no socket is open. */
  send(type: string, payload: Record<string, unknown>): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false
    this.socket.send(JSON.stringify({ type, payload }))
    return true
  }

  private addressOf(ticket: string): URL {
    const address = new URL('/ws', location.href)
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:'
    address.searchParams.set('ticket', ticket)
    address.searchParams.set('since', String(this.cursor))
    address.searchParams.set('log', this.log)
    return address
  }

  private listen(socket: WebSocket): void {
    this.socket = socket
    socket.addEventListener('open', () => {
      if (this.socket === socket) socket.send('{"type":"hello"}')
    })
    socket.addEventListener('message', ({ data }) => {
      if (this.socket === socket) this.take(JSON.parse(String(data)) as Frame, socket)
    })
    socket.addEventListener('close', ({ code }) => {
      if (this.socket === socket) this.closed(code)
    })
  }

  private closed(code: number): void {
    this.socket = null
    this.clearTimers()
    if (code === ACCESS_ENDED) endSession()
    else if (code === TOKEN_EXPIRED)
      refreshSession().then(
        (isSignedIn) => {
          if (isSignedIn) this.retryLater(0)
          else endSession()
        },
        () => {
          this.retryLater(null)
        },
      )
    else this.retryLater(null)
  }

  private take(frame: Frame, socket: WebSocket): void {
    clearTimeout(this.patienceTimer)
    const { type, payload } = frame
    if (type === 'ready') {
      this.failures = 0
      this.log = String(payload['log'])
      this.events.onState('live')
    }
    if (type === 'resync') {
      this.cursor = Number(payload['seq'])
      this.log = String(payload['log'])
      this.events.onResync()
    }
    const head = headOf(frame)
    if (head !== null && head > this.cursor) this.cursor = head
    this.events.onFrame(frame)
    this.schedulePing(socket)
  }

  private schedulePing(socket: WebSocket): void {
    clearTimeout(this.pingTimer)
    this.pingTimer = setTimeout(() => {
      if (socket.readyState !== WebSocket.OPEN) return
      socket.send('{"type":"ping"}')
      this.patienceTimer = setTimeout(this.lose, PATIENCE_MS)
    }, PING_MS)
  }

  private retryLater(afterS: number | null): void {
    if (this.isStopped) return
    this.events.onState('offline')
    const backoff = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** this.failures)
    this.failures += 1
    const waitMs = afterS === null ? backoff * (0.5 + Math.random() / 2) : afterS * 1_000
    clearTimeout(this.retryTimer)
    this.retryTimer = setTimeout(() => {
      this.open().catch(() => undefined)
    }, waitMs)
  }

  private clearTimers(): void {
    clearTimeout(this.retryTimer)
    clearTimeout(this.pingTimer)
    clearTimeout(this.patienceTimer)
  }

  /** A dead connection sends no `close` event, so it is dropped. */
  private readonly lose = (): void => {
    const { socket } = this
    this.socket = null
    this.clearTimers()
    socket?.close()
    this.retryLater(null)
  }

  private readonly hurry = (): void => {
    if (document.visibilityState !== 'visible' || this.socket || !navigator.onLine) return
    this.failures = 0
    this.open().catch(() => undefined)
  }
}

/** Returns the position in the event log that a frame confirms, or `null`. */
function headOf({ type, payload, seq }: Frame): number | null {
  if (seq !== null) return seq
  if (type === 'pong') return Number(payload['seq'])
  return type === 'resumed' ? Number(payload['to']) : null
}
