import { rm } from 'node:fs/promises'

import { eq } from 'drizzle-orm'

import { AppError } from '../../../lib/errors'
import { systemCtx, type Deps } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { yieldToEventLoop } from '../../../infra/event-loop'
import { startErasureIn } from '../organization-deletion/start'
import { findOrganization } from '../../organization/organizations/service'
import { findImport } from './queries'
import { inviteSomeIn } from './run/invite'
import { undoPeopleIn } from './run/people'
import { dropScratchIn } from './run/scratch'
import { organizationImports } from './table'
import type { OrganizationImportRow } from './view'

/** How an import that did not complete ends. */
interface End {
  state: 'failed' | 'cancelled'
  /** `{code, message, file, line}`; `null` if it was cancelled. */
  error: unknown
}

/** Returns what the API shows of an error. */
export const shownError = (error: unknown): Record<string, unknown> =>
  error instanceof AppError
    ? { code: error.code, message: error.message, ...error.details }
    : { code: 'internal_error', message: 'The import failed unexpectedly. The log has the reason.' }

/**
 * Ends an import and starts the erasure of what is stored of its organization, in the caller's
 * transaction. `cleanUp` removes the rest. Does nothing to an import that has ended.
 */
export function endImportIn(tx: Tx, deps: Deps, id: string, { state, error }: End): void {
  const row = findImport(deps, id)
  if (!row || row.finishedAtMs !== null) return
  const organizationId = organizationOf(row)
  if (
    (row.state === 'running' || row.state === 'waiting') &&
    organizationId !== null &&
    findOrganization(deps, organizationId)?.state === 'importing'
  )
    startErasureIn(tx, deps, organizationId, { keepsCosts: false })
  tx.update(organizationImports)
    .set({
      ...{ state, keySealed: null, finishedAtMs: deps.clock.nowMs() },
      error: error === null ? null : JSON.stringify(error),
    })
    .where(eq(organizationImports.id, id))
    .run()
}

/**
 * Removes what an import that has ended leaves: its archive, and if it did not complete, the people
 * whom it created. Asks those who have to confirm that they join. If interrupted, it can be called
 * again. Throws UnavailableError if the organization is being moved.
 */
export async function cleanUp(deps: Deps, id: string): Promise<void> {
  const row = findImport(deps, id)
  if (!row || row.finishedAtMs === null) return
  const organizationId = organizationOf(row) ?? ''
  if (row.state !== 'completed')
    while (transact(deps.db, (tx) => undoPeopleIn(tx, deps, { importId: id, organizationId })))
      await yieldToEventLoop()
  else {
    const there = systemCtx(deps, organizationId)
    while (transact(deps.db, (tx) => inviteSomeIn(tx, there, row))) await yieldToEventLoop()
  }
  while (transact(deps.db, (tx) => dropScratchIn(tx, id))) await yieldToEventLoop()
  if (row.moveId !== null && row.archivePath !== null) await rm(row.archivePath, { force: true })
  if (row.archiveFile === null) return
  await deps.files.remove(row.archiveFile)
  transact(deps.db, (tx) =>
    tx
      .update(organizationImports)
      .set({ archiveFile: null })
      .where(eq(organizationImports.id, id))
      .run(),
  )
}

const organizationOf = ({ organization }: OrganizationImportRow): string | null =>
  organization === null ? null : (JSON.parse(organization) as { id: string }).id
