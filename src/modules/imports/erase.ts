import { and, asc, eq, inArray, isNotNull, isNull, lt, lte, ne, sql } from 'drizzle-orm'

import { DAY_MS } from '../../lib/clock'
import { unescapeFormula } from '../../lib/csv'
import { parsePhone, type CountryCode } from '../../lib/phone'
import {
  acrossOrganizations,
  inOrganization,
  systemCtx,
  type Ctx,
  type Deps,
} from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db/transact'
import { timeIsOver } from '../../infra/jobs/concurrency'
import { userIdOf } from '../../platform/webhook/sender'
import { findRequest } from '../privacy/requests'
import { isSuppressed } from '../contacts/suppression'
import { enqueueFileDeletionIn } from '../media/delete-files'
import { getOrganization } from '../organizations/service'
import type { RowProblem } from './model'
import { changeImportIn, findImport } from './state'
import { imports, importRows } from './table'
import { optionsOf, type ImportRow, type OutcomeRow } from './view'
import { yieldToEventLoop } from '../../infra/event-loop'

/** Rows of a trial can be run for real for so long. */
const ROWS_KEPT_MS = 7 * DAY_MS

/** A report is kept for so long after the import has ended. */
const REPORT_KEPT_MS = 30 * DAY_MS

/** Rows deleted in one transaction. */
const BATCH = 1_000

/** Imports looked at in one run; the rest have their turn in the next one. */
const MAX_IMPORTS = 500

/** How far the forgetting of a contact has come: rows after this one are still to be looked at. */
export interface Forgetting {
  contactId: string
  importId: string
  row: number
}

/**
 * Rows of reports looked at between two looks at the clock, and how long one step takes with all
 * that belongs to it, milliseconds.
 */
const A_FEW = 20
const STEP_MS = 5

/**
 * Takes what reports say of an erased contact out of them, some rows at a time, in the caller's
 * transaction: rows that made or met it, and the numbers and ids of rows that came to no contact.
 * Returns how far it has come, `null` at the end, and how many rows were changed.
 */
export function forgetContactIn(
  tx: Tx,
  ctx: Ctx,
  at: Forgetting,
): { next: Forgetting | null; forgotten: number } {
  const isOver = timeIsOver(STEP_MS)
  const countryOf = countries(ctx)
  let forgotten = 0
  let next = at
  do {
    const rows = tx
      .select()
      .from(importRows)
      .where(
        inOrganization(
          ctx,
          importRows,
          sql`(${importRows.importId}, ${importRows.row}) > (${next.importId}, ${next.row})`,
        ),
      )
      .orderBy(asc(importRows.importId), asc(importRows.row))
      .limit(A_FEW)
      .all()
    for (const about of rows)
      if (forgetInRowIn(tx, ctx, about, { contactId: at.contactId, countryOf })) forgotten += 1
    const last = rows.at(-1)
    if (rows.length < A_FEW || !last) return { next: null, forgotten }
    next = { contactId: at.contactId, importId: last.importId, row: last.row }
  } while (!isOver())
  return { next, forgotten }
}

/**
 * Takes what one row says of an erased contact out of it, in the caller's transaction. Returns
 * whether it said anything.
 */
function forgetInRowIn(
  tx: Tx,
  ctx: Ctx,
  about: OutcomeRow,
  { contactId, countryOf }: { contactId: string; countryOf: ReturnType<typeof countries> },
): boolean {
  const isMet = about.targetId === contactId
  const set = isMet
    ? { targetId: null, identity: null, errors: '[]', former: null }
    : withoutErased(ctx, about, countryOf)
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

/** Whether an import of people that was handed in before somebody was erased has not ended. */
export function isOlderUnderWay(ctx: Ctx, requestId: string): boolean {
  const erasedAtMs = findRequest(ctx, requestId)?.createdAtMs ?? 0
  const isOlder = and(
    isNull(imports.finishedAtMs),
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
 * Takes the rows of trials away that were kept to be run for real, in the transaction of an
 * erasure: they may hold the person. Returns how many files went.
 */
export function dropTrialsIn(tx: Tx, ctx: Ctx): number {
  const kept = tx
    .select({ id: imports.id, storedAs: imports.storedAs })
    .from(imports)
    .where(
      inOrganization(
        ctx,
        imports,
        and(
          isNotNull(imports.storedAs),
          isNotNull(imports.finishedAtMs),
          ne(imports.target, 'tags'),
        ),
      ),
    )
    .limit(MAX_IMPORTS)
    .all()
  for (const { id } of kept) changeImportIn(tx, ctx, id, { storedAs: null })
  enqueueFileDeletionIn(
    tx,
    ctx,
    kept.map(({ storedAs }) => storedAs).filter((name) => name !== null),
  )
  return kept.length
}

/** Of which country numbers of an import are that name none. */
function countries(ctx: Ctx): (importId: string) => CountryCode | undefined {
  const known = new Map<string, CountryCode | undefined>()
  return (importId) => {
    if (!known.has(importId)) {
      const about = findImport(ctx, importId)
      const country =
        (about ? optionsOf(about).defaultCountry : null) ?? getOrganization(ctx).defaultCountry
      // checked when it was set
      known.set(importId, (country ?? undefined) as CountryCode | undefined)
    }
    return known.get(importId)
  }
}

/**
 * What is to be written of a row that came to no contact and yet says the number or id of somebody
 * who was erased; `null` when it says none.
 */
function withoutErased(
  ctx: Ctx,
  { targetId, importId, identity, errors }: OutcomeRow,
  countryOf: ReturnType<typeof countries>,
): Partial<OutcomeRow> | null {
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
    identity: null,
    errors: JSON.stringify(problems.map((problem) => ({ ...problem, value: null }))),
  }
}

/** Deletes rows of an import, a batch at a time. */
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
 * Deletes the rows of trials nobody ran for real within seven days, and reports thirty days after
 * the end.
 */
export async function dropOldRows(deps: Deps): Promise<void> {
  const nowMs = deps.clock.nowMs()
  for (const row of endedBefore(deps, nowMs - ROWS_KEPT_MS, 'file')) {
    const ctx = systemCtx(deps, row.organizationId)
    transact(deps.db, (tx) => void changeImportIn(tx, ctx, row.id, { storedAs: null }))
    if (row.storedAs !== null) await deps.files.remove(row.storedAs)
  }
  for (const row of endedBefore(deps, nowMs - REPORT_KEPT_MS, 'report')) {
    const ctx = systemCtx(deps, row.organizationId)
    await deleteRows(ctx, row.id)
  }
}

/** Imports that ended before that moment and still have the rows of their file, or a report. */
function endedBefore(deps: Deps, beforeMs: number, what: 'file' | 'report'): ImportRow[] {
  const report = sql`exists (select 1 from ${importRows} where ${importRows.organizationId} = ${imports.organizationId} and ${importRows.importId} = ${imports.id})`
  const has = what === 'file' ? isNotNull(imports.storedAs) : report
  return deps.db.orm
    .select()
    .from(imports)
    .where(
      acrossOrganizations(
        'expired reports are found for all organizations at once',
        and(lt(imports.finishedAtMs, beforeMs), has),
      ),
    )
    .limit(MAX_IMPORTS)
    .all()
}
