import { inArray } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import type { Deps } from '../../../infra/ctx'
import { aiContexts } from '../../automation/ai/table'
import { privacyRequests } from '../../data/privacy/table'
import { exports_ } from '../../data/exports/table'
import { imports } from '../../data/imports/table'
import { organizationArchives } from '../../data/organization-archive/table'
import { organizationImports } from '../../data/organization-import/table'
import { organizationBranding } from './branding/table'
import { media } from './table'
import { BATCH } from './expire'

/** Unreferenced files older than this are no longer being written. */
const ORPHAN_AGE_MS = DAY_MS

/** Deletes files on disk that no row refers to. */
export const sweepOrphans = (deps: Deps): Promise<void> =>
  sweepBefore(deps, deps.clock.nowMs() - ORPHAN_AGE_MS)

declare module '../../../infra/ctx' {
  interface Deps {
    /** The sweep for files of an earlier process; `promise` is `null` until it begins. */
    mediaStartSweep: { promise: Promise<void> | null }
  }
}

/**
 * Deletes files that an earlier process wrote and no row names, because it was killed. Sweeps once
 * per process, since this one leaves none, and again after a failure.
 */
export function sweepAfterRestart(deps: Deps): Promise<void> {
  const sweep = deps.mediaStartSweep
  sweep.promise ??= sweepBefore(deps, deps.files.openedAtMs).catch((error: unknown) => {
    sweep.promise = null
    throw error
  })
  return sweep.promise
}

async function sweepBefore(deps: Deps, beforeMs: number): Promise<void> {
  let removed = await deps.files.clearStaged(beforeMs)
  const names: string[] = []
  const flush = async (): Promise<void> => {
    const known = new Set(findNamesInUse(deps, names))
    for (const name of names.filter((found) => !known.has(found))) {
      await deps.files.remove(name)
      removed += 1
    }
    names.length = 0
  }
  for await (const { name, changedAtMs } of deps.files.list()) {
    if (changedAtMs < beforeMs) names.push(name)
    if (names.length >= BATCH) await flush()
  }
  await flush()
  if (removed > 0) deps.log.info({ files: removed }, 'unused files deleted')
}

/** Tables whose rows have files. */
const FILE_TABLES = [
  media,
  imports,
  exports_,
  privacyRequests,
  aiContexts,
  organizationBranding,
  organizationArchives,
]

/** Returns the names in use by rows of any table. */
function findNamesInUse(deps: Deps, names: string[]): (string | null)[] {
  if (names.length === 0) return []
  const archives = deps.db.orm
    .select({ storedAs: organizationImports.archiveFile })
    .from(organizationImports)
    .where(inArray(organizationImports.archiveFile, names))
    .all()
    .map(({ storedAs }) => storedAs)
  const inRows = FILE_TABLES.flatMap((table) =>
    deps.db.orm
      .select({ storedAs: table.storedAs })
      .from(table)
      .where(inArray(table.storedAs, names))
      .all()
      .map(({ storedAs }) => storedAs),
  )
  return [...archives, ...inRows]
}
