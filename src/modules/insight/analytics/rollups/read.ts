import type { SQLQueryBindings } from 'bun:sqlite'

import { uuidToBytes } from '../../../../infra/db/uuid'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { livePart, statementOf, type CountRow, type Reading } from './queries'

/** Returns the rows of a reading, with one query for each unit of periods. */
export function countsOf(ctx: ReadCtx, reading: Reading): CountRow[] {
  const values = [
    uuidToBytes(ctx.organizationId),
    livePart(ctx).part,
    ...reading.where.map(([, value]) => value),
  ]
  const statement = ctx.db.sqlite.query<unknown, SQLQueryBindings[]>(statementOf(reading))
  return reading.plan.spans.flatMap(
    ({ unit, from, before }) => statement.values(unit, from, before, ...values) as CountRow[],
  )
}
