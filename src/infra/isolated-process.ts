import { readFileSync } from 'node:fs'

/** How long and how large a process may get, and what it gets to read. */
export interface IsolatedRun {
  /** File that is its standard input. */
  inputPath: string
  timeoutMs: number
  /** Memory for its data at which it is killed, bytes. */
  maxMemoryBytes: number
  signal: AbortSignal
}

/** A process was killed or failed before it said that it was done. */
export class IsolatedProcessError extends Error {
  override readonly name = 'IsolatedProcessError'

  constructor(readonly reason: 'timeout' | 'memory' | 'crashed' | 'aborted') {
    super(`the process ended early: ${reason}`)
  }
}

const POLL_MS = 50

/**
 * Runs a program on a file and yields the lines that it prints. It gets no environment variables, so
 * no secrets, and is killed when it takes too long or too much memory. Throws IsolatedProcessError.
 */
export async function* runIsolated(
  command: readonly string[],
  { inputPath, timeoutMs, maxMemoryBytes, signal }: IsolatedRun,
): AsyncGenerator<string> {
  signal.throwIfAborted()
  let killedFor: IsolatedProcessError['reason'] | null = null
  const child = Bun.spawn([...command], {
    cwd: '/',
    env: {},
    stdin: Bun.file(inputPath),
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const kill = (reason: IsolatedProcessError['reason']): void => {
    killedFor ??= reason
    child.kill('SIGKILL')
  }
  const onAbort = (): void => kill('aborted')
  signal.addEventListener('abort', onAbort)
  const timer = setTimeout(() => kill('timeout'), timeoutMs)
  const poll = setInterval(() => {
    if (takenBytes(child.pid) > maxMemoryBytes) kill('memory')
  }, POLL_MS)
  try {
    yield* linesOf(child.stdout)
    await child.exited
    if (killedFor !== null || child.exitCode !== 0)
      throw new IsolatedProcessError(killedFor ?? 'crashed')
  } finally {
    clearTimeout(timer)
    clearInterval(poll)
    signal.removeEventListener('abort', onAbort)
    child.kill('SIGKILL')
  }
}

/**
 * Returns the memory that a process has taken for its data; 0 if it is gone or the system does not
 * tell. The executable itself does not count.
 */
function takenBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024
  } catch {
    return 0
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
