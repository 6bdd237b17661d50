import { PROGRAM } from './process'

/** Result of a command. */
export interface CommandResult {
  code: number | null
  out: string
  errors: string
}

/** How a command is run in a terminal. */
interface TerminalOptions {
  cwd: string
  env: Record<string, string>
  columns: number
  /** For a server: what is done once these words are shown. It is stopped afterwards. */
  once?: { shown: string; act: () => Promise<unknown> }
}

/** Runs the command line in a terminal with this many columns. Returns the displayed lines. */
export async function runInTerminal(args: string[], options: TerminalOptions): Promise<string[]> {
  const { once } = options
  let isActing = false
  const look = (): void => {
    if (once === undefined || isActing || !shown.includes(once.shown)) return
    isActing = true
    const stop = (): void => child.kill('SIGTERM')
    once.act().then(stop, stop)
  }
  const { PATH = '/usr/bin:/bin' } = process.env
  const decoder = new TextDecoder()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let shown = ''
  const child = Bun.spawn([...PROGRAM, ...args], {
    cwd: options.cwd,
    env: { PATH, HOME: options.cwd, ...options.env },
    terminal: {
      cols: options.columns,
      rows: 40,
      data: (_terminal, bytes) => {
        shown += decoder.decode(bytes, { stream: true })
        look()
      },
      exit: () => end(),
    },
  })
  await Promise.all([child.exited, ended])
  child.terminal?.close()
  return shown.split('\r\n').filter((line) => line !== '')
}

/**
 * Runs the command line as a separate process until it ends. None of our environment is passed on;
 * `input` is its standard input.
 */
export const runCommand = (args: string[], options: CommandOptions): Promise<CommandResult> =>
  runProgram(PROGRAM, args, options)

interface CommandOptions {
  cwd: string
  env?: Record<string, string>
  input?: string
}

/** The same with another program. */
export async function runProgram(
  program: string[],
  args: string[],
  options: CommandOptions,
): Promise<CommandResult> {
  const { PATH = '/usr/bin:/bin', HOME = options.cwd } = process.env
  const child = Bun.spawn([...program, ...args], {
    cwd: options.cwd,
    env: { PATH, HOME, HOST: '127.0.0.1', PORT: '0', ...options.env },
    stdin: options.input === undefined ? 'ignore' : Buffer.from(options.input),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code: child.exitCode, out, errors }
}
