import { and, eq, sql } from 'drizzle-orm'

import { NotFoundError } from '../../../lib/errors'
import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import { isOwnWork } from '../../inbox/contacts/sight/visibility'
import { imports, importRows } from './table'
import type { ImportRow } from './view'
import type { Done, ReadRow } from './importer'

const byId = compiled((orm) =>
  orm
    .select()
    .from(imports)
    .where(inOrganization(anyScope, imports, eq(imports.id, place(imports.id, 'id'))))
    .prepare(),
)

/** Returns the import with this ID, or `null`. Does not check visibility. */
export const findImport = (
  { db, organizationId }: Pick<Ctx, 'db' | 'organizationId'>,
  id: string,
): ImportRow | null => byId(db).get({ organizationId, id }) ?? null

/** Returns the import if the caller started it or sees all contacts. Throws NotFoundError. */
export function getVisibleImport(ctx: Ctx, id: string): ImportRow {
  const row = findImport(ctx, id)
  if (!row || !isOwnWork(ctx, row)) throw new NotFoundError('Import')
  return row
}

/** Updates an import. Runs inside the caller's transaction. */
export function changeImportIn(tx: Tx, ctx: Ctx, id: string, set: Partial<ImportRow>): ImportRow {
  return tx
    .update(imports)
    .set({ ...set, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, imports, eq(imports.id, id)))
    .returning()
    .get()
}

/** Progress of an import. */
type Progress = Pick<
  ImportRow,
  'created' | 'updated' | 'skipped' | 'failed' | 'position' | 'rowsDone'
>

const setProgress = compiled((orm) =>
  orm
    .update(imports)
    .set({
      created: sql`${sql.placeholder('created')}`,
      updated: sql`${sql.placeholder('updated')}`,
      skipped: sql`${sql.placeholder('skipped')}`,
      failed: sql`${sql.placeholder('failed')}`,
      position: sql`${sql.placeholder('position')}`,
      rowsDone: sql`${sql.placeholder('rowsDone')}`,
      updatedAtMs: sql`${sql.placeholder('nowMs')}`,
    })
    .where(inOrganization(anyScope, imports, eq(imports.id, place(imports.id, 'id'))))
    .prepare(),
)

/** Stores the progress of an import. Runs inside the transaction that imported the rows. */
export function noteProgressIn(tx: Tx, ctx: Ctx, id: string, progress: Progress): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  setProgress(ctx.db).run({
    ...progress,
    organizationId: ctx.organizationId,
    id,
    nowMs: ctx.clock.nowMs(),
  })
}

const insertRow = compiled((orm) =>
  orm
    .insert(importRows)
    .values({
      organizationId: sql.placeholder('organizationId'),
      importId: sql.placeholder('importId'),
      row: sql.placeholder('row'),
      outcome: sql.placeholder('outcome'),
      targetId: sql.placeholder('targetId'),
      identity: sql.placeholder('identity'),
      errors: sql.placeholder('errors'),
      former: sql.placeholder('former'),
    })
    .prepare(),
)

/** First words of the problem of a row that repeats an earlier row. */
export const SAME_AS = 'is the same as in row '

const firstWith = compiled((orm) =>
  orm
    .select({ row: importRows.row })
    .from(importRows)
    .where(
      inOrganization(
        anyScope,
        importRows,
        and(
          eq(importRows.importId, place(importRows.importId, 'importId')),
          eq(importRows.identity, sql.placeholder('identity')),
        ),
      ),
    )
    .orderBy(importRows.row)
    .limit(1)
    .prepare(),
)

/** Collects the results of a transaction's rows and writes them together. */
export interface ImportReport {
  /** Returns the earlier row with the same identity, or `null`. */
  rowNaming: (identity: string) => number | null
  /** Records the result of a row. A row without an imported record does not claim its identity. */
  note: (row: ReadRow<unknown>, done: Done) => void
  /** Writes the recorded results. Runs inside the transaction that imported the rows. */
  writeIn: (tx: Tx) => void
}

/** Opens the report of an import for recording results. */
export function openReport(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  importId: string,
): ImportReport {
  const { db, organizationId } = ctx
  const recorded: Record<string, unknown>[] = []
  const named = new Map<string, number>()
  return {
    rowNaming: (identity) =>
      named.get(identity) ?? firstWith(db).get({ organizationId, importId, identity })?.row ?? null,
    note({ row, identity }, done) {
      const isFirst =
        identity !== null &&
        done.outcome !== 'failed' &&
        !done.problems.some(({ message }) => message.startsWith(SAME_AS))
      if (isFirst) named.set(identity, row)
      recorded.push({
        organizationId,
        importId,
        row,
        outcome: done.outcome,
        targetId: done.targetId,
        identity: isFirst ? identity : null,
        errors: JSON.stringify(done.problems),
        former: done.undo === null ? null : JSON.stringify(done.undo),
      })
    },
    writeIn(tx) {
      void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
      for (const values of recorded) insertRow(db).run(values)
    },
  }
}
