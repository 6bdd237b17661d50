import { and, eq, inArray, lte, ne, or, sql, type SQL } from 'drizzle-orm'

import { DAY_MS } from '../../../lib/clock'
import type { Ctx, Deps } from '../../../infra/ctx'
import { emptied } from '../../../infra/db/define-table'
import type { Tx } from '../../../infra/db/transact'
import type { AccountErased } from '../../organization/members/events'
import { isAbout } from './judge'
import type { Conflict } from './model'
import { organizationImports } from './table'

/** How long the list says whose archive was checked, or could not be imported. */
const KEPT_MS = 30 * DAY_MS

const member = (name: 'id' | 'name'): SQL =>
  sql`json_extract(${organizationImports.organization}, ${`$.${name}`})`

/**
 * Forgets what imports say about an organization that was erased: its name, the file, and the people
 * who had an account here. Its ID stays, because other cells ask whether it arrived. Runs inside the
 * caller's transaction.
 */
export const forgetErasedIn = (tx: Tx, { organizationId }: Ctx): void =>
  forgetIn(
    tx,
    and(eq(organizationImports.state, 'completed'), sql`${member('id')} = ${organizationId}`),
  )

/**
 * Removes the conflicts that name a person whose account is erased, in the transaction of the erasure,
 * and counts them.
 */
export function forgetPersonIn(
  tx: Tx,
  _: Ctx,
  erased: NonNullable<typeof AccountErased.payload>,
): void {
  const imports = tx
    .select({ id: organizationImports.id, conflicts: organizationImports.conflicts })
    .from(organizationImports)
    .where(sql`instr(${organizationImports.conflicts}, ${erased.email}) > 0`)
    .all()
  for (const { id, conflicts } of imports) {
    const all = JSON.parse(conflicts) as Conflict[]
    const others = all.filter((conflict) => !isAbout(conflict, erased.email))
    tx.update(organizationImports)
      .set({ conflicts: JSON.stringify(others) })
      .where(eq(organizationImports.id, id))
      .run()
    erased.mentions += all.length - others.length
  }
}

/** Forgets the same of dry runs and of imports that were undone, in the caller's transaction. */
export const forgetOldIn = (tx: Tx, { clock }: Pick<Deps, 'clock'>): void =>
  forgetIn(
    tx,
    and(
      inArray(organizationImports.state, ['failed', 'cancelled']),
      lte(organizationImports.finishedAtMs, clock.nowMs() - KEPT_MS),
      or(ne(organizationImports.conflicts, '[]'), sql`${member('name')} is not null`),
    ),
  )

const forgetIn = (tx: Tx, condition: SQL | undefined): void =>
  tx
    .update(organizationImports)
    .set({
      ...emptied(organizationImports),
      organization: sql`json_object('id', ${member('id')})`,
    })
    .where(condition)
    .run()
