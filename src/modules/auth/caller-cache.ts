import type { Deps } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import { rightsVersion } from './table'

/** What was found out about a caller, and when it ends by itself, epoch milliseconds. */
interface Known {
  untilMs: number | null
}

/** Who callers are and what they may do, remembered between their requests. */
export interface Callers {
  /**
   * What `judge` found for this key. It is asked again as soon as anything has changed that rights
   * hang on, whichever process did it.
   */
  known<T extends Known>(key: string, judge: () => T): T
}

/** Callers that are remembered, those seen last: each holds the names of its permissions. */
const MAX_CALLERS = 2_000

const version = compiled((orm) =>
  orm.select({ version: rightsVersion.version }).from(rightsVersion).prepare(),
)

/**
 * A memory of callers that cannot outlive their rights: triggers of the database count up one
 * number with every change of a row that rights hang on, and what was found at another number is
 * not used. Keys say what was judged, each kind in its own words.
 */
export function createCallers(deps: Pick<Deps, 'db' | 'clock'>): Callers {
  const found = new Map<string, { at: number; what: Known }>()
  return {
    known<T extends Known>(key: string, judge: () => T): T {
      // Read before the judgement: what changes in between counts as later.
      const at = version(deps.db).get()?.version
      // Inside of a transaction things are seen that may yet be undone.
      if (at === undefined || deps.db.sqlite.inTransaction) return judge()
      const known = found.get(key)
      if (known) found.delete(key)
      const isGood =
        known?.at === at && (known.what.untilMs === null || known.what.untilMs > deps.clock.nowMs())
      const entry = isGood ? known : { at, what: judge() }
      found.set(key, entry)
      const [oldest] = found.size > MAX_CALLERS ? found.keys() : []
      if (oldest !== undefined) found.delete(oldest)
      return entry.what as T // a key says which kind of thing was judged
    },
  }
}
