import { and, ne, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { ConflictError } from '../lib/errors'
import { inOrganization, type Ctx } from './ctx'

/** A table of tenant rows with an id each. */
type Named = SQLiteTable & { organizationId: SQLiteColumn; id: SQLiteColumn }

/** A name, a shortcut or the like that is to be one row's alone. */
export interface UniqueField {
  table: Named
  /** What a row is called, as people read it: `canned response`. */
  thing: string
  /** The field, for the message and the code: `name` makes `name_taken`. */
  field: string
  where: SQL | undefined
  /** The row that may have it. */
  except: string | null
  /** Whether the caller may learn which row has it; otherwise only that one does. */
  isTold?: boolean
}

/**
 * Refuses what another row of the organization has already. Throws ConflictError `<field>_taken`,
 * with the id of that row.
 */
export function requireUnique(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  { table, thing, field, where, except, isTold = true }: UniqueField,
): void {
  const taken = ctx.db.orm
    .select({ id: table.id })
    .from(table)
    .where(
      inOrganization(ctx, table, and(where, except === null ? undefined : ne(table.id, except))),
    )
    .get()
  if (!taken) return
  throw new ConflictError(`A ${thing} with this \`${field}\` already exists.`, {
    code: `${field}_taken`,
    ...(isTold ? { details: { [`${thing.replaceAll(' ', '_')}_id`]: taken.id } } : {}),
  })
}
