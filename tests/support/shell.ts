import { fileURLToPath } from 'node:url'

/** Makes up for a missing curl. */
const CURL = Bun.which('curl')
  ? ''
  : `curl() { '${process.execPath}' '${fileURLToPath(import.meta.resolve('./curl.ts'))}' "$@"; }`

/** Runs a script in a shell that has curl. */
export const bash = (script: string): Bun.Subprocess<'ignore', 'pipe', 'pipe'> =>
  Bun.spawn([Bun.which('bash') ?? 'sh', '-c', `${CURL}\n${script}`], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
