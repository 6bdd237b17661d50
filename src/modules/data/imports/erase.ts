import { and, asc, eq, inArray, isNotNull, isNull, lt, lte, ne, or, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import { unescapeFormula } from '../../../lib/csv'
import { parsePhone, type CountryCode } from '../../../lib/phone'
import { inOrganization, systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { emptied } from '../../../infra/db/define-table'
import { transact, type Tx } from '../../../infra/db/transact'
import { timeIsOver } from '../../../infra/jobs/concurrency'
import { userIdOf } from '../../../platform/webhook/sender'
import { findRequest } from '../privacy/requests'
import { idsOfPerson } from '../../inbox/contacts/erase/erase'
import { isSuppressed } from '../../inbox/contacts/erase/suppression'
import { enqueueFileDeletionIn } from '../../channel/media/delete-files'
import { getOrganization } from '../../organization/organizations/service'
import type { RowProblem } from './model'
import { changeImportIn, findImport } from './state'
import { imports, importRows } from './table'
import { optionsOf, type ImportRow, type OutcomeRow } from './view'
import { yieldToEventLoop } from '../../../infra/event-loop'

/** A dry run can be committed for this long. */
const ROWS_KEPT_MS = 7 * DAY_MS

/** A report is kept for this long after the import has ended. */
const REPORT_KEPT_MS = 30 * DAY_MS

/** Number of rows deleted in one transaction. */
const BATCH = 1_000

/** Number of imports processed in one run. The next run continues with the rest. */
const MAX_IMPORTS = 500

/** Progress in erasing a contact from reports: the rows after this one remain. */
export interface ReportErasure {
  contactId: string
  importId: string
  row: number
}

/**
 * Number of report rows checked between two looks at the clock, and the time budget of one step,
 * milliseconds.
 */
const A_FEW = 20
const STEP_MS = 5

/**
 * Erases a person from a batch of report rows: rows that created or matched the contact or one that
 * was merged into it, and numbers and user IDs in rows without a contact. Runs inside the caller's
 * transaction. Returns where to continue, `null` at the end, and the number of changed rows.
 */
export function eraseContactFromReportsIn(
  tx: Tx,
  ctx: Ctx,
  at: ReportErasure,
): { next: ReportErasure | null; erasedRows: number } {
  const isOver = timeIsOver(STEP_MS)
  const countryOf = countries(ctx)
  const contactIds = idsOfPerson(ctx, at.contactId)
  let erasedRows = 0
  let next = at
  do {
    const rows = tx
      .select()
      .from(importRows)
      .where(
        inOrganization(
          ctx,
          importRows,
          sql`(${importRows.importId}, ${importRows.row}) > (${sql.param(next.importId, importRows.importId)}, ${next.row})`,
        ),
      )
      .orderBy(asc(importRows.importId), asc(importRows.row))
      .limit(A_FEW)
      .all()
    for (const about of rows)
      if (eraseFromRowIn(tx, ctx, about, { contactIds, countryOf })) erasedRows += 1
    const last = rows.at(-1)
    if (rows.length < A_FEW || !last) return { next: null, erasedRows }
    next = { contactId: at.contactId, importId: last.importId, row: last.row }
  } while (!isOver())
  return { next, erasedRows }
}

/**
 * Erases a contact from one report row. Runs inside the caller's transaction. Returns whether the
 * row contained its data.
 */
function eraseFromRowIn(
  tx: Tx,
  ctx: Ctx,
  about: OutcomeRow,
  { contactIds, countryOf }: { contactIds: string[]; countryOf: ReturnType<typeof countries> },
): boolean {
  const isMet = about.targetId !== null && contactIds.includes(about.targetId)
  const set = isMet ? emptied(importRows) : withoutErased(ctx, about, countryOf)
  if (set === null) return false
  tx.update(importRows)
    .set(set)
    .where(
      inOrganization(
        ctx,
        importRows,
        and(eq(importRows.importId, about.importId), eq(importRows.row, about.row)),
      ),
    )
    .run()
  return true
}

/**
 * Reports whether a contact or recipient import that was started before the erasure is still
 * running.
 */
export function isOlderUnderWay(ctx: Ctx, requestId: string): boolean {
  const erasedAtMs = findRequest(ctx, requestId)?.createdAtMs ?? 0
  const isOlder = and(
    isNull(imports.finishedAtMs),
    ne(imports.status, 'draft'),
    isNotNull(imports.storedAs),
    ne(imports.target, 'tags'),
    lte(imports.createdAtMs, erasedAtMs),
  )
  return (
    ctx.db.orm
      .select({ id: imports.id })
      .from(imports)
      .where(inOrganization(ctx, imports, isOlder))
      .limit(1)
      .get() !== undefined
  )
}

/**
 * Deletes the stored rows of drafts and dry runs, which may contain the erased person. Runs inside the
 * transaction of the erasure. Returns the number of files.
 */
export function dropTrialsIn(tx: Tx, ctx: Ctx): number {
  const kept = tx
    .select({ id: imports.id, status: imports.status, storedAs: imports.storedAs })
    .from(imports)
    .where(
      inOrganization(
        ctx,
        imports,
        and(
          isNotNull(imports.storedAs),
          or(isNotNull(imports.finishedAtMs), eq(imports.status, 'draft')),
          ne(imports.target, 'tags'),
        ),
      ),
    )
    .limit(MAX_IMPORTS)
    .all()
  for (const one of kept) changeImportIn(tx, ctx, one.id, withoutFile(ctx, one))
  enqueueFileDeletionIn(
    tx,
    ctx,
    kept.map(({ storedAs }) => storedAs).filter((name) => name !== null),
  )
  return kept.length
}

/** What an import is whose rows are deleted: nobody can go on with a draft. */
const withoutFile = (ctx: Ctx, { status }: Pick<ImportRow, 'status'>): Partial<ImportRow> => ({
  storedAs: null,
  ...(status === 'draft' ? { status: 'cancelled', finishedAtMs: ctx.clock.nowMs() } : {}),
})

/** Returns a function that finds the default country of an import's numbers. */
function countries(ctx: Ctx): (importId: string) => CountryCode | undefined {
  const known = new Map<string, CountryCode | undefined>()
  return (importId) => {
    if (!known.has(importId)) {
      const about = findImport(ctx, importId)
      const country =
        (about ? optionsOf(about).defaultCountry : null) ?? getOrganization(ctx).defaultCountry
      // validated when it was set
      known.set(importId, (country ?? undefined) as CountryCode | undefined)
    }
    return known.get(importId)
  }
}

/**
 * Returns the changed values of a row without a contact that contains the number or user ID of an
 * erased person; `null` if it contains none.
 */
function withoutErased(
  ctx: Ctx,
  { targetId, importId, identity, errors }: OutcomeRow,
  countryOf: ReturnType<typeof countries>,
): ReturnType<typeof emptied<typeof importRows>> | null {
  if (targetId !== null || (identity === null && errors === '[]')) return null
  const isErased = (written: string | null): boolean => {
    if (written === null) return false
    const text = unescapeFormula(written).trim()
    const userId = userIdOf(text)
    return isSuppressed(ctx, {
      phone: parsePhone(text, countryOf(importId)),
      userId,
      parentUserId: null,
    })
  }
  const problems = JSON.parse(errors) as RowProblem[]
  const isNamed = identity !== null && isErased(`+${identity}`)
  if (!isNamed && !isErased(identity) && !problems.some(({ value }) => isErased(value))) return null
  return {
    ...emptied(importRows),
    errors: JSON.stringify(problems.map((problem) => ({ ...problem, value: null }))),
  }
}

/** Deletes the rows of an import in batches. */
export async function deleteRows(ctx: Ctx, importId: string): Promise<void> {
  for (;;) {
    const deleted = transact(ctx.db, (tx) => {
      const rows = tx
        .select({ row: importRows.row })
        .from(importRows)
        .where(inOrganization(ctx, importRows, eq(importRows.importId, importId)))
        .limit(BATCH)
        .all()
        .map(({ row }) => row)
      if (rows.length > 0)
        tx.delete(importRows)
          .where(
            inOrganization(
              ctx,
              importRows,
              and(eq(importRows.importId, importId), inArray(importRows.row, rows)),
            ),
          )
          .run()
      return rows.length
    })
    if (deleted < BATCH) return
    await yieldToEventLoop()
  }
}

/**
 * Deletes the rows of drafts and dry runs that nobody went on with for seven days, and reports thirty
 * days after the import ended.
 */
export async function dropOldRows(deps: Deps): Promise<void> {
  const nowMs = deps.clock.nowMs()
  for (const row of endedBefore(deps, nowMs - ROWS_KEPT_MS, 'file')) {
    const ctx = systemCtx(deps, row.organizationId)
    transact(deps.db, (tx) => void changeImportIn(tx, ctx, row.id, withoutFile(ctx, row)))
    if (row.storedAs !== null) await deps.files.remove(row.storedAs)
  }
  for (const row of endedBefore(deps, nowMs - REPORT_KEPT_MS, 'report')) {
    const ctx = systemCtx(deps, row.organizationId)
    await deleteRows(ctx, row.id)
  }
}

/** Returns imports that ended before a time and still have stored rows, or a report. */
function endedBefore(deps: Deps, beforeMs: number, what: 'file' | 'report'): ImportRow[] {
  const report = sql`exists (select 1 from ${importRows} where ${importRows.organizationId} = ${imports.organizationId} and ${importRows.importId} = ${imports.id})`
  const has = what === 'file' ? isNotNull(imports.storedAs) : report
  const isEnded = lt(imports.finishedAtMs, beforeMs)
  const isLeft = and(eq(imports.status, 'draft'), lt(imports.updatedAtMs, beforeMs))
  return deps.db.orm
    .select()
    .from(imports)
    .where(
      inWorkingOrganizations(
        'expired reports are found for all organizations at once',
        imports,
        and(what === 'file' ? or(isEnded, isLeft) : isEnded, has),
      ),
    )
    .limit(MAX_IMPORTS)
    .all()
}
