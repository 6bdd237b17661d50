import type { Deps } from './infra/ctx'

/**
 * Lets reads run in threads on the database at `path`. Whatever needs the whole write-ahead log
 * pauses them.
 */
export function readInThreads({ db, reads }: Pick<Deps, 'db' | 'reads'>, path: string): void {
  reads.useThreads(path, () => new Worker(new URL('./read-worker.ts', import.meta.url).href))
  const { checkpoints } = db
  db.checkpoints = {
    duringBulkWrite: () => checkpoints.duringBulkWrite(),
    empty: () => reads.whilePaused(() => checkpoints.empty()),
  }
  db.logFlush.whilePaused = reads.whilePaused
}
