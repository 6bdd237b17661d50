import { ne } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { ConflictError } from '../lib/errors'
import type { Ctx } from './ctx'
import { of, type TenantTable, type Where } from './scoped'

/** A table of tenant rows with an id each. */
type Named = TenantTable & { id: SQLiteColumn }

/** A field that must be unique in an organization, such as a name or a shortcut. */
export interface UniqueField<T extends Named> {
  table: T
  /** The row's kind as users read it, for example `canned response`. */
  kind: string
  /** The field, for the message and the error code: `name` gives `name_taken`. */
  field: string
  where: Where<T>
  /** The row that may have it. */
  except: string | null
  /** Whether the caller may learn which row has the value, or only that one has it. */
  revealsId?: boolean
}

/**
 * Requires that no other row of the organization has the value. Throws ConflictError
 * `<field>_taken` with the ID of that row.
 */
export function requireUnique<T extends Named>(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  { table, kind: thing, field, where, except, revealsId: isTold = true }: UniqueField<T>,
): void {
  const taken = of(ctx, table).find(where, except === null ? undefined : ne(table.id, except))
  if (!taken) return
  throw new ConflictError(`A ${thing} with this \`${field}\` already exists.`, {
    code: `${field}_taken`,
    errors: [{ path: `body.${field}`, message: 'is already in use' }],
    ...(isTold ? { details: { [`${thing.replaceAll(' ', '_')}_id`]: taken['id'] } } : {}),
  })
}
