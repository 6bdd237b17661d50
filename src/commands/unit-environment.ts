import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'

import { SECOND_MS } from '../lib/clock'

/** The unit that `operate.md` describes. */
const UNIT = 'switchboard.service'

const TIMEOUT_MS = 5 * SECOND_MS

/**
 * Returns the variables in the environment files of the systemd unit `switchboard`, which only root
 * may read; none if the unit works on another data folder, or if there is no systemd.
 */
export function readUnitEnvironment(dataDir: string): Record<string, string | undefined> {
  const properties = showUnit()
  const [, named] = /^Environment=(?:.*[ "])?DATA_DIR=([^\s"]+)/m.exec(properties) ?? []
  const files = [...properties.matchAll(/^EnvironmentFiles=(.+?)(?: \(ignore_errors=\w+\))?$/gm)]
  const variables = Object.assign({}, ...files.map(([, path = '']) => readFile(path))) as Record<
    string,
    string | undefined
  >
  const folder = variables['DATA_DIR'] ?? named
  return folder !== undefined && resolve(folder) === resolve(dataDir) ? variables : {}
}

function showUnit(): string {
  try {
    const { stdout } = Bun.spawnSync(
      ['systemctl', 'show', UNIT, '--property=Environment', '--property=EnvironmentFiles'],
      { stdout: 'pipe', stderr: 'ignore', timeout: TIMEOUT_MS },
    )
    return stdout.toString()
  } catch {
    return '' // not installed
  }
}

function readFile(path: string): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync(path, 'utf8'))
  } catch {
    return {} // the command then names the secret that it needs
  }
}
