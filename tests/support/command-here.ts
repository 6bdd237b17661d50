import { spyOn } from 'bun:test'

import { failureOf, runCommandLine } from '../../src/commands/run'
import type { CommandResult } from './command'

interface Options {
  cwd: string
  env?: Record<string, string>
}

/** The commands so far: they share the working folder and the output of this process. */
let before: Promise<unknown> = Promise.resolve()

/**
 * Runs the command line in this process, one command after the other, which takes a tenth of the
 * time: for what it refuses and tells. What a command does is run as people run it.
 */
export function runHere(args: string[], options: Options): Promise<CommandResult> {
  const run = before.then(() => runAlone(args, options))
  before = run.catch(() => undefined)
  return run
}

async function runAlone(args: string[], { cwd, env = {} }: Options): Promise<CommandResult> {
  const { PATH = '/usr/bin:/bin', HOME = cwd } = process.env
  const own = { folder: process.cwd(), exitCode: process.exitCode }
  const result: CommandResult = { code: 0, out: '', errors: '' }
  using _out = spyOn(process.stdout, 'write').mockImplementation((text) => {
    result.out += String(text)
    return true
  })
  using _errors = spyOn(process.stderr, 'write').mockImplementation((text) => {
    result.errors += String(text)
    return true
  })
  process.exitCode = 0
  process.chdir(cwd)
  try {
    await runCommandLine(args, { PATH, HOME, HOST: '127.0.0.1', PORT: '0', ...env })
    result.code = Number(process.exitCode)
  } catch (error) {
    const { code, text } = failureOf(error)
    result.code = code
    result.errors += text
  } finally {
    process.chdir(own.folder)
    process.exitCode = own.exitCode
  }
  return result
}
