import { eq } from 'drizzle-orm'

import { NotFoundError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Permission } from '../../../infra/permissions'
import type { Tx } from '../../../infra/db/transact'
import { isOwnWork } from '../../inbox/contacts/sight/visibility'
import type { ExportTable } from './model'
import { exports_ } from './table'
import type { ExportRow } from './view'

/** Returns the export with this ID, or `null`. Does not check visibility. */
export const findExport = (ctx: Pick<Ctx, 'db' | 'organizationId'>, id: string): ExportRow | null =>
  ctx.db.orm
    .select()
    .from(exports_)
    .where(inOrganization(ctx, exports_, eq(exports_.id, id)))
    .get() ?? null

/** Returns the export if the caller requested it or sees all contacts. Throws NotFoundError. */
export function getVisibleExport(ctx: Ctx, id: string): ExportRow {
  const row = findExport(ctx, id)
  if (!row || !isOwnWork(ctx, row)) throw new NotFoundError('Export')
  return row
}

/** Updates an export. Runs inside the caller's transaction. */
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

/** Returns the permissions needed to export a table. */
export const permissionsFor = (table: ExportTable): Permission[] => [
  'contacts:export',
  ...ALSO[table],
]
