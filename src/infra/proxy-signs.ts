import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * One sign: when it was last as it should be, when it last was not (epoch milliseconds), and what
 * was seen then.
 */
export interface ProxySign {
  goodAtMs: number | null
  badAtMs: number | null
  /** How often it was not since it last was. */
  timesBad: number
  seen: string
}

/** What was seen since the server started. */
export type ProxySigns = Record<'trust' | 'forwarding' | 'upgrades' | 'bodies', ProxySign>

/** A client may give up on a body once or twice; so many in a row are the proxy's doing. */
export const SURELY_BAD = 3

const FILE = 'proxy-signs.json'

/**
 * Keeps the signs in the data folder for `doctor`, which runs beside the server. Losing them harms
 * nothing, so a full disk is ignored.
 */
export function saveProxySigns(folder: string | null, signs: ProxySigns): void {
  if (folder === null) return
  const path = join(folder, FILE)
  try {
    writeFileSync(`${path}.new`, JSON.stringify(signs), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  } catch {
    // `doctor` then says what was seen before.
  }
}

/** What the server of a data folder has seen; `null` when it left nothing that can be read. */
export function readProxySigns(folder: string): ProxySigns | null {
  try {
    return JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as ProxySigns
  } catch {
    return null
  }
}
