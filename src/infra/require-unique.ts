import { and, ne, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { ConflictError } from '../lib/errors'
import { inOrganization, type Ctx } from './ctx'

/** A table of tenant rows with an id each. */
type Named = SQLiteTable & { organizationId: SQLiteColumn; id: SQLiteColumn }

/** A field that must be unique in an organization, such as a name or a shortcut. */
export interface UniqueField {
  table: Named
  /** The row's kind as users read it, for example `canned response`. */
  kind: string
  /** The field, for the message and the error code: `name` gives `name_taken`. */
  field: string
  where: SQL | undefined
  /** The row that may have it. */
  except: string | null
  /** Whether the caller may learn which row has the value, or only that one has it. */
  revealsId?: boolean
}

/**
 * Requires that no other row of the organization has the value. Throws ConflictError
 * `<field>_taken` with the ID of that row.
 */
export function requireUnique(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  { table, kind: thing, field, where, except, revealsId: isTold = true }: UniqueField,
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
