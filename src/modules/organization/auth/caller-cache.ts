import type { Deps } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { rightsVersion } from './table'

/** A cached caller and its expiry, epoch milliseconds. */
interface CachedCaller {
  untilMs: number | null
}

/** Cache of callers and their permissions between requests. */
export interface CallerCache {
  /**
   * Returns the cached result of `compute` for a key. Calls it again after any change that affects
   * permissions, also by another process.
   */
  known<T extends CachedCaller>(key: string, compute: () => T): T
}

/**
 * Maximum number of cached callers, most recently used. Each entry holds the names of its
 * permissions.
 */
const MAX_CALLERS = 2_000

const version = compiled((orm) =>
  orm.select({ version: rightsVersion.version }).from(rightsVersion).prepare(),
)

/**
 * Creates a cache of callers that is invalidated with their permissions. Database triggers
 * increment one counter on every change of a row that affects permissions, and entries of another
 * counter value are ignored. Keys of different kinds must not collide.
 */
export function createCallerCache(deps: Pick<Deps, 'db' | 'clock'>): CallerCache {
  const found = new Map<string, { at: number; caller: CachedCaller }>()
  return {
    known<T extends CachedCaller>(key: string, compute: () => T): T {
      // Read first, so that a change during `compute` invalidates the entry.
      const at = version(deps.db).get()?.version
      // A transaction can see changes that may still be rolled back.
      if (at === undefined || deps.db.sqlite.inTransaction) return compute()
      const known = found.get(key)
      if (known) found.delete(key)
      const isGood =
        known?.at === at &&
        (known.caller.untilMs === null || known.caller.untilMs > deps.clock.nowMs())
      const entry = isGood ? known : { at, caller: compute() }
      found.set(key, entry)
      const [oldest] = found.size > MAX_CALLERS ? found.keys() : []
      if (oldest !== undefined) found.delete(oldest)
      return entry.caller as T // keys of different kinds do not collide
    },
  }
}
