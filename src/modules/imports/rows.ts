import { and, eq, sql } from 'drizzle-orm'

import { NotFoundError } from '../../lib/errors'
import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled, type Tx } from '../../infra/db'
import { isOwnWork } from '../contacts/visibility'
import { imports, importRows } from './table'
import type { ImportRow } from './view'
import type { Done, ReadRow } from './work'

/** The import with this id, whoever asks; `null` when there is none. */
export const findImport = (ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): ImportRow | null =>
  ctx.db.orm
    .select()
    .from(imports)
    .where(inOrganization(ctx, imports, eq(imports.id, id)))
    .get() ?? null

/** The import with this id if the caller may see it: its own, or any of them for who sees every contact. Throws NotFoundError. */
export function getVisibleImport(ctx: Ctx, id: string): ImportRow {
  const row = findImport(ctx, id)
  if (!row || !isOwnWork(ctx, row)) throw new NotFoundError('Import')
  return row
}

/** Writes fields of an import, in the caller's transaction. */
export function changeImportIn(tx: Tx, ctx: Ctx, id: string, set: Partial<ImportRow>): ImportRow {
  return tx
    .update(imports)
    .set({ ...set, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, imports, eq(imports.id, id)))
    .returning()
    .get()
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

/** Notes what became of a row, in the transaction in which it did. A row that came to nothing names nothing. */
export function noteRowIn(tx: Tx, ctx: Ctx, importId: string, { row, identity }: ReadRow<unknown>, done: Done): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  const isFirst = done.outcome !== 'failed' && !done.problems.some(({ message }) => message.startsWith(SAME_AS))
  insertRow(ctx.db).run({
    organizationId: ctx.organizationId,
    importId,
    row,
    outcome: done.outcome,
    targetId: done.targetId,
    identity: isFirst ? identity : null,
    errors: JSON.stringify(done.problems),
    former: done.undo === null ? null : JSON.stringify(done.undo),
  })
}

/** How a row begins to be refused that names what an earlier one names. */
export const SAME_AS = 'is the same as in row '

const firstWith = compiled((orm) =>
  orm
    .select({ row: importRows.row })
    .from(importRows)
    .where(
      inOrganization(
        anyScope,
        importRows,
        and(eq(importRows.importId, sql.placeholder('importId')), eq(importRows.identity, sql.placeholder('identity'))),
      ),
    )
    .orderBy(importRows.row)
    .limit(1)
    .prepare(),
)

/** The earlier row of an import that names the same; `null` when none does. */
export const rowNaming = (ctx: Pick<Ctx, 'db' | 'organizationId'>, importId: string, identity: string): number | null =>
  firstWith(ctx.db).get({ organizationId: ctx.organizationId, importId, identity })?.row ?? null
