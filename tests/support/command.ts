import { FROM_SOURCE } from './process'

/** What became of one run of the command line. */
export interface CommandResult {
  code: number | null
  out: string
  errors: string
}

/** Runs the program's command line as a process of its own, until it ends. Nothing of our environment is passed on; `input` is what it reads from standard input. */
export async function runCommand(
  args: string[],
  options: { cwd: string; env?: Record<string, string>; input?: string },
): Promise<CommandResult> {
  const { PATH = '/usr/bin:/bin', HOME = options.cwd } = process.env
  const child = Bun.spawn([...FROM_SOURCE, ...args], {
    cwd: options.cwd,
    env: { PATH, HOME, HOST: '127.0.0.1', PORT: '0', ...options.env },
    stdin: options.input === undefined ? 'ignore' : Buffer.from(options.input),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code: child.exitCode, out, errors }
}
