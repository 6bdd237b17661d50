import { sql } from 'drizzle-orm'

import type { Deps } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import { inboundEvents } from '../table'

/** A change as stored in the journal. */
export type InboundEventRow = typeof inboundEvents.$inferSelect

const COLUMNS = [
  'id',
  'bodyId',
  'entryIndex',
  'changeIndex',
  'receivedAtMs',
  'field',
  'phoneNumberId',
  'businessId',
  'organizationId',
  'accountId',
  'state',
  'reason',
  'attempts',
  'messages',
  'statuses',
  'errors',
  'other',
  'outcomes',
  'lastError',
  'processedAtMs',
] as const satisfies (keyof InboundEventRow)[]

const insertEvent = compiled((orm) =>
  orm
    .insert(inboundEvents)
    .values(
      Object.fromEntries(COLUMNS.map((column) => [column, sql.placeholder(column)])) as Record<
        (typeof COLUMNS)[number],
        ReturnType<typeof sql.placeholder>
      >,
    )
    .prepare(),
)

/** Inserts the row of a change, in the caller's transaction. */
export function writeEventIn(tx: Tx, deps: Pick<Deps, 'db'>, row: InboundEventRow): void {
  void tx // one connection: the compiled statement runs inside the transaction that `tx` proves to be open
  insertEvent(deps.db).run({ ...row })
}
