import { and, eq, inArray, lte, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { INSTALLATION, systemCtx, type Ctx, type Deps } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { retryJobIn } from '../../../../infra/jobs/admin-actions'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { jobs } from '../../../../infra/jobs/table'
import type { ReadChange } from '../../../../platform/webhook/body'
import { PassOn, type Passing } from '../jobs'
import { presenceOf } from '../process/route'
import { placeOf } from '../verify-signature'

/**
 * Enqueues passing the changes of a stored body on to the other cells, in the caller's transaction:
 * those of phone numbers and business accounts that are not here, and those that may concern several
 * cells. A body that another cell passed on must not come here. Does nothing without other cells.
 */
export function passOnIn(
  tx: Tx,
  deps: Deps,
  { bodyId, changes }: { bodyId: number; changes: ReadChange[] },
): void {
  const peers = deps.settings.cells?.peers ?? []
  if (peers.length === 0) return
  const unknown: string[] = []
  const shared: string[] = []
  for (const change of changes) {
    const presence = presenceOf(deps, change)
    if (presence === 'elsewhere' || presence === 'partly') unknown.push(placeOf(change))
    if (presence === 'shared') shared.push(placeOf(change))
  }
  if (unknown.length + shared.length === 0) return
  for (const cell of peers) passToIn(tx, deps, { bodyId, cell, unknown, shared })
}

/** Enqueues passing changes of a stored body on to a cell, in the caller's transaction. */
export const passToIn = (tx: Tx, deps: Deps, args: Passing): void =>
  void enqueue(tx, systemCtx(deps, INSTALLATION), PassOn, {
    args,
    uniqueKey: keyOf(args.bodyId, args.cell),
  })

const KEY = 'inbound.pass-on'

/** The key of the job that passes a body on to a cell. */
const keyOf = (bodyId: number, cell: string): string => `${KEY} ${bodyId} ${cell}`

/**
 * Returns the condition that a body still has to be passed on to another cell. Also holds if a job has
 * given up, because a person may retry it.
 */
export function isToBePassedOn(bodyId: SQLiteColumn): SQL {
  const first = sql`${`${KEY} `} || ${bodyId}`
  // '!' is the character after the space.
  const isOfBody = sql`${jobs.uniqueKey} > ${first} || ' ' and ${jobs.uniqueKey} < ${first} || '!'`
  return sql`exists (select 1 from ${jobs} where ${isOfBody} and ${jobs.state} not in ('completed', 'cancelled'))`
}

/** Returns the condition that a job will pass a body on to a cell. */
export const isBeingPassedOn = (bodyId: SQLiteColumn, cell: string): SQL =>
  sql`exists (select 1 from ${jobs} where ${jobs.uniqueKey} = ${`${KEY} `} || ${bodyId} || ${` ${cell}`}
    and ${jobs.state} in ('scheduled', 'available', 'executing', 'retryable'))`

/** Lets jobs that wait to pass bodies on to a cell try again now, in the caller's transaction. */
export function hurryIn(tx: Tx, ctx: Ctx, bodyIds: number[], cell: string): void {
  const keys = bodyIds.map((bodyId) => keyOf(bodyId, cell))
  const waiting = tx
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(inArray(jobs.uniqueKey, keys), inArray(jobs.state, ['scheduled', 'retryable'])))
    .all()
  for (const { id } of waiting) retryJobIn(tx, systemCtx(ctx, INSTALLATION), id)
}

/** Whether a job that began before a moment is still passing something on to a cell. */
export const isPassingOn = ({ db }: Pick<Deps, 'db'>, cell: string, beforeMs: number): boolean =>
  db.orm
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        sql`${jobs.state} = 'executing'`,
        eq(jobs.kind, PassOn.name),
        lte(jobs.attemptedAtMs, beforeMs),
        sql`json_extract(${jobs.args}, '$.cell') = ${cell}`,
      ),
    )
    .limit(1)
    .get() !== undefined
