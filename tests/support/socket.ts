import { SERVER_PAYLOADS } from '../../src/modules/delivery/realtime/frames/model'
import { exactCheck, type IsExact } from './exact-schema'

/** A frame as the server sends it. */
export interface Frame {
  type: string
  payload: Record<string, any> // oxlint-disable-line typescript/no-explicit-any -- tests pick fields out of frames and compare them
  seq: number | null
  at: string
  replayed?: true
  reply_to?: string
}

const DEADLINE_MS = 20_000

const EXACT: Record<string, IsExact> = Object.fromEntries(
  Object.entries(SERVER_PAYLOADS).map(([type, payload]) => [type, exactCheck(payload)]),
)

/** A real WebSocket connection that stores received frames and lets a test wait for them. */
export class TestSocket {
  readonly frames: Frame[] = []
  closed: { code: number; reason: string } | null = null
  private readonly waiting = new Set<() => void>()
  /** The first frame that is not exactly what the document says of its type. */
  private undocumented: Frame | null = null

  private constructor(readonly socket: WebSocket) {
    socket.addEventListener('message', (event) => {
      const frame = JSON.parse(String(event.data)) as Frame
      this.frames.push(frame)
      if (EXACT[frame.type]?.(frame.payload) !== true) this.undocumented ??= frame
      this.notice()
    })
    socket.addEventListener('close', (event) => {
      this.closed = { code: event.code, reason: event.reason }
      this.notice()
    })
  }

  /** Opens a socket; rejects when the server refuses the upgrade. */
  static async open(url: string): Promise<TestSocket> {
    const socket = new WebSocket(url)
    const opened = Promise.withResolvers<void>()
    socket.addEventListener('open', () => opened.resolve())
    socket.addEventListener('error', () => opened.reject(new Error('the upgrade was refused')))
    const test = new TestSocket(socket)
    await opened.promise
    return test
  }

  private notice(): void {
    for (const check of this.waiting) check()
  }

  private requireDocumented(): void {
    const frame = this.undocumented
    this.undocumented = null
    if (frame) throw new Error(`a frame is not what is documented: ${JSON.stringify(frame)}`)
  }

  /** Resolves as soon as `holds` is true; rejects after 20 seconds. */
  async until(what: string, holds: () => boolean): Promise<void> {
    if (holds()) return this.requireDocumented()
    const done = Promise.withResolvers<void>()
    const check = (): void => {
      if (holds()) done.resolve()
    }
    this.waiting.add(check)
    const deadline = setTimeout(
      () =>
        done.reject(
          new Error(
            `waited in vain for ${what}; heard ${this.frames.map(({ type }) => type).join(', ') || 'nothing'}`,
          ),
        ),
      DEADLINE_MS,
    )
    try {
      await done.promise
      this.requireDocumented()
    } finally {
      clearTimeout(deadline)
      this.waiting.delete(check)
    }
  }

  /**
   * Returns the first matching frame at or after a position; checks each frame once and waits like
   * `until`.
   */
  async next(what: string, isWanted: (frame: Frame) => boolean, from = 0): Promise<Frame> {
    let at = from
    let found: Frame | undefined
    await this.until(what, () => {
      for (; found === undefined && at < this.frames.length; at += 1) {
        const frame = this.frames[at] as Frame
        if (isWanted(frame)) found = frame
      }
      return found !== undefined
    })
    return found as unknown as Frame
  }

  /** Sends a frame. */
  say(frame: unknown): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  }

  /** Sends a frame and waits for its response. */
  async ask(frame: { type: string; payload?: unknown }): Promise<Frame> {
    const from = this.frames.length
    const id = `ask-${from}-${frame.type}`
    this.say({ ...frame, id })
    return await this.next(`the answer to ${frame.type}`, (heard) => heard.reply_to === id, from)
  }

  /**
   * Everything that was committed before this call has arrived when it resolves: the server sends
   * it before its pong.
   */
  async caughtUp(): Promise<Frame[]> {
    await this.ask({ type: 'ping' })
    return this.events()
  }

  /** Returns the events received so far, without responses to own frames. */
  events(type?: string): Frame[] {
    return this.frames.filter(
      (frame) => frame.seq !== null && (type === undefined || frame.type === type),
    )
  }

  /** Closes the socket and waits until it is closed. */
  async close(): Promise<void> {
    if (this.closed) return
    this.socket.close()
    await this.until('the close', () => this.closed !== null)
  }
}
