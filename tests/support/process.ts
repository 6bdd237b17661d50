import { join } from 'node:path'

/**
 * The program as a command: the compiled file in `PROGRAM_UNDER_TEST`, which starts four times
 * faster, otherwise the sources.
 */
export const PROGRAM = process.env['PROGRAM_UNDER_TEST']
  ? [process.env['PROGRAM_UNDER_TEST']]
  : [process.execPath, join(import.meta.dir, '../../src/main.ts')]

/** How a server process is started. */
export interface ProcessOptions {
  /** The program; defaults to `PROGRAM`. */
  command?: string[]
  /** Working folder. */
  cwd: string
  /** The environment besides PATH and HOME; none of ours is passed on. */
  env: Record<string, string>
  /** Arguments of the program; defaults to `serve`. */
  args?: string[]
  /** How long it may take to listen, milliseconds; defaults to 20 seconds. */
  startDeadlineMs?: number
}

const START_DEADLINE_MS = 20_000
const LINES_KEPT = 200_000

/** The real server as a separate process, with its output and exit code. */
export class ServerProcess {
  readonly startedMs = performance.now()
  /** Lines of its standard output. */
  readonly lines: string[] = []
  /** Everything it wrote to standard error. */
  errors = ''
  private readonly waiting = new Set<() => void>()
  private readonly output: Promise<unknown>

  private constructor(
    private readonly child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>,
    private readonly startDeadlineMs = START_DEADLINE_MS,
  ) {
    this.output = Promise.all([
      this.read(child.stdout, (text) => this.keep(text)),
      this.read(child.stderr, (text) => void (this.errors += text)),
    ])
    child.exited.then(
      () => this.notice(),
      () => this.notice(),
    )
  }

  /** Starts the process without waiting. */
  static spawn(options: ProcessOptions): ServerProcess {
    const { PATH = '/usr/bin:/bin', HOME = options.cwd } = process.env
    const child = Bun.spawn([...(options.command ?? PROGRAM), ...(options.args ?? ['serve'])], {
      cwd: options.cwd,
      env: { PATH, HOME, HOST: '127.0.0.1', PORT: '0', METRICS_ADDRESS: '', ...options.env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    return new ServerProcess(child, options.startDeadlineMs)
  }

  /** Starts the process and waits until it listens. */
  static async start(options: ProcessOptions): Promise<ServerProcess> {
    const server = ServerProcess.spawn(options)
    await server.listening()
    return server
  }

  private rest = ''
  private isQuiet = false

  /** Drops all further output. */
  ignoreOutput(): void {
    this.isQuiet = true
  }

  private keep(text: string): void {
    if (this.isQuiet) return
    const parts = (this.rest + text).split('\n')
    this.rest = parts.pop() ?? ''
    if (this.lines.length < LINES_KEPT) this.lines.push(...parts)
    this.notice()
  }

  private async read(
    stream: ReadableStream<Uint8Array>,
    take: (text: string) => void,
  ): Promise<void> {
    const decoder = new TextDecoder()
    for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }))
  }

  private notice(): void {
    for (const check of this.waiting) check()
  }

  /** Waits until `find` returns a value. Rejects if the process ends first, or after 20 seconds. */
  async until<T>(
    what: string,
    find: () => T | undefined,
    withinMs = START_DEADLINE_MS,
  ): Promise<T> {
    const found = find()
    if (found !== undefined) return found
    const done = Promise.withResolvers<T>()
    const check = (): void => {
      const now = find()
      if (now !== undefined) done.resolve(now)
      else if (this.child.exitCode !== null || this.child.signalCode !== null)
        done.reject(new Error(`${what} did not come: ${this.story()}`))
    }
    this.waiting.add(check)
    const deadline = setTimeout(
      () => done.reject(new Error(`${what} did not come in time: ${this.story()}`)),
      withinMs,
    )
    check()
    try {
      return await done.promise
    } finally {
      clearTimeout(deadline)
      this.waiting.delete(check)
    }
  }

  private story(): string {
    return `exit code ${this.child.exitCode}, signal ${this.child.signalCode}\n${this.errors}\n${this.lines.slice(-20).join('\n')}`
  }

  private port: number | null = null

  /** Waits until the server listens. Returns its port. */
  async listening(): Promise<number> {
    const find = (): number | undefined => {
      const line = this.lines.find((text) => text.includes('"msg":"listening"'))
      return line === undefined ? undefined : (JSON.parse(line) as { port: number }).port
    }
    return (this.port ??= await this.until('the line that it listens', find, this.startDeadlineMs))
  }

  /** Where it listens. */
  get url(): string {
    if (this.port === null) throw new Error('the server does not listen yet')
    return `http://127.0.0.1:${this.port}`
  }

  get pid(): number {
    return this.child.pid
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  /** Returns the log lines of these levels; by default `warn` and above. */
  complaints(levels = ['warn', 'error', 'fatal']): string[] {
    return this.lines.filter((line) =>
      levels.some((level) => line.startsWith(`{"level":"${level}"`)),
    )
  }

  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGSTOP' | 'SIGCONT' | 'SIGUSR2'): void {
    this.child.kill(name)
  }

  /** Kills the process like a power cut, and waits until it has ended. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.ended()
  }

  /** Stops the process gracefully. Returns its exit code. */
  async stop(): Promise<number | null> {
    this.signal('SIGTERM')
    return await this.ended()
  }

  /**
   * Waits for the end of the process and its output. Returns its exit code, `null` after a signal.
   */
  async ended(): Promise<number | null> {
    await this.child.exited
    await this.output
    return this.child.exitCode
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isRunning) await this.kill()
  }
}
