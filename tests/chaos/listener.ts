import type { Frame } from '../support/socket'

const CATCH_UP_MS = 10_000

/** A line that was shut is called again after so long, milliseconds. */
const REOPENED_AFTER_MS = 50

/**
 * A socket client that comes back after every restart and asks for what it missed, as a console
 * does.
 */
export class Listener {
  /** Numbers of the events heard, in the order they were heard. */
  readonly seqs: number[] = []
  /** Why the server could not tell what was missed; there must be no reason. */
  readonly resyncs: string[] = []
  private socket: WebSocket | null = null
  private url: string | null = null
  private hasResumed = false
  private pongs = 0

  constructor(private readonly token: string) {}

  /** Connects to a server that was just started, and goes on after the last number heard. */
  follow(url: string): void {
    this.close()
    this.url = url
    this.hasResumed = false
    const since = this.seqs.at(-1) ?? 0
    const socket = new WebSocket(
      `${url.replace('http', 'ws')}/ws?token=${this.token}&since=${since}`,
    )
    this.socket = socket
    socket.addEventListener('message', (event) => {
      if (this.socket === socket) this.hear(JSON.parse(String(event.data)) as Frame)
    })
    // A server that was killed is followed when it is back; one that shut the line on us is called
    // again.
    socket.addEventListener('close', (event) => {
      if (this.socket !== socket || event.code === 1006) return
      this.reopened += 1
      setTimeout(() => this.socket === socket && this.follow(url), REOPENED_AFTER_MS)
    })
  }

  /** How often the server shut the line although it lived. */
  reopened = 0

  private hear(frame: Frame): void {
    if (frame.type === 'pong') this.pongs += 1
    if (frame.type === 'resumed') this.hasResumed = true
    if (frame.type === 'resync') this.resyncs.push(String(frame.payload['reason']))
    if (frame.seq !== null) this.seqs.push(frame.seq)
  }

  /**
   * Resolves when everything committed before this call was heard: the server answers a ping after
   * it.
   */
  async catchUp(): Promise<void> {
    const before = this.pongs
    const deadlineMs = performance.now() + CATCH_UP_MS
    let asked: WebSocket | null = null
    while (this.pongs === before) {
      if (performance.now() > deadlineMs) throw new Error('the socket does not answer')
      if (this.socket?.readyState === WebSocket.CLOSED && this.url !== null) this.follow(this.url)
      if (asked !== this.socket && this.hasResumed && this.socket?.readyState === WebSocket.OPEN) {
        asked = this.socket
        asked.send(JSON.stringify({ type: 'ping', payload: {} }))
      }
      await Bun.sleep(5)
    }
  }

  /**
   * Forgets what it heard but for the last number; returns how much that was. For a listener that
   * listens for long.
   */
  forget(): number {
    const heard = Math.max(0, this.seqs.length - 1)
    this.seqs.splice(0, heard)
    return heard
  }

  close(): void {
    const { socket } = this
    this.socket = null
    socket?.close()
  }
}
