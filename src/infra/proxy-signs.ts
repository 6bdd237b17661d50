import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * One observation about the proxy: when it was last correct and last wrong (epoch milliseconds),
 * and what was observed then.
 */
export interface ProxySign {
  goodAtMs: number | null
  badAtMs: number | null
  /** How often it was not since it last was. */
  timesBad: number
  seen: string
}

/** Observations since the server started. */
export type ProxySigns = Record<'trust' | 'forwarding' | 'upgrades' | 'bodies', ProxySign>

/** A client may give up on a body once or twice; this many in a row are caused by the proxy. */
export const CERTAIN_AFTER = 3

const FILE = 'proxy-signs.json'

/**
 * Saves the observations in the data folder for `doctor`, which runs beside the server. They are
 * not essential, so a full disk is ignored.
 */
export function saveProxySigns(folder: string | null, signs: ProxySigns): void {
  if (folder === null) return
  const path = join(folder, FILE)
  try {
    writeFileSync(`${path}.new`, JSON.stringify(signs), { mode: 0o600 })
    renameSync(`${path}.new`, path)
  } catch {
    // `doctor` then reports earlier observations.
  }
}

/**
 * Returns the observations of the server of a data folder; `null` if there are none or they are
 * unreadable.
 */
export function readProxySigns(folder: string): ProxySigns | null {
  try {
    return JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as ProxySigns
  } catch {
    return null
  }
}
