import { eq } from 'drizzle-orm'

import { NotFoundError } from '../../lib/errors'
import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Permission } from '../../infra/permissions'
import type { Tx } from '../../infra/db/transact'
import { isOwnWork } from '../contacts/visibility'
import type { ExportTable } from './model'
import { exports_ } from './table'
import type { ExportRow } from './view'

/** The export with this id, whoever asks; `null` when there is none. */
export const findExport = (ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): ExportRow | null =>
  ctx.db.orm
    .select()
    .from(exports_)
    .where(inOrganization(ctx, exports_, eq(exports_.id, id)))
    .get() ?? null

/**
 * The export with this id if the caller may see it: its own, or any of them for who sees every
 * contact. Throws NotFoundError.
 */
export function getVisibleExport(ctx: Ctx, id: string): ExportRow {
  const row = findExport(ctx, id)
  if (!row || !isOwnWork(ctx, row)) throw new NotFoundError('Export')
  return row
}

/** Writes fields of an export, in the caller's transaction. */
export function changeExportIn(tx: Tx, ctx: Ctx, id: string, set: Partial<ExportRow>): ExportRow {
  return tx
    .update(exports_)
    .set({ ...set, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, exports_, eq(exports_.id, id)))
    .returning()
    .get()
}

const ALSO: Record<ExportTable, Permission[]> = {
  contacts: [],
  tags: ['tags:read'],
  messages: ['messages:read'],
}

/** What whoever takes a table out must hold. */
export const permissionsFor = (table: ExportTable): Permission[] => [
  'contacts:export',
  ...ALSO[table],
]
