import { and, asc, between, eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../infra/ctx'
import { compiled } from '../../infra/db/compiled'
import { uuidPlaceholder } from '../../infra/db/uuid'
import { inSlices } from '../../infra/event-loop'
import { transfersOf } from './find'
import { endedSortKey } from './rules'
import { transfers } from './table'

/** An ended transfer in reports. Times are epoch milliseconds. */
export interface HandledTransfer {
  endedAtMs: number
  transferredAtMs: number
  pickedUpAtMs: number | null
  isBreached: boolean
}

/** Transfers read per query. */
const READ_AT_ONCE = 250

const handled = compiled((orm) =>
  orm
    .select({
      sortKey: transfers.sortKey,
      id: transfers.id,
      endedAtMs: transfers.endedAtMs,
      transferredAtMs: transfers.transferredAtMs,
      pickedUpAtMs: transfers.pickedUpAtMs,
      breachedAtMs: transfers.breachedAtMs,
    })
    .from(transfers)
    .where(
      inOrganization(
        anyScope,
        transfers,
        and(
          eq(transfers.agentId, uuidPlaceholder('userId')),
          between(transfers.sortKey, sql.placeholder('first'), sql.placeholder('last')),
          sql`(${transfers.sortKey}, ${transfers.id}) > (${sql.placeholder('sortKey')}, ${uuidPlaceholder('id')})`,
        ),
      ),
    )
    .orderBy(asc(transfers.sortKey), asc(transfers.id))
    .limit(READ_AT_ONCE)
    .prepare(),
)

/**
 * Returns the transfers that ended in a span while a person had them, newest first. Reads in slices
 * of a few milliseconds. `fromMs` is inclusive, `beforeMs` is not.
 */
export async function handledTransfers(
  ctx: Ctx,
  userId: string,
  { fromMs, beforeMs }: { fromMs: number; beforeMs: number },
): Promise<HandledTransfer[]> {
  const all: HandledTransfer[] = []
  const span = { first: endedSortKey(beforeMs - 1), last: endedSortKey(fromMs) }
  let position = { sortKey: -1, id: '' }
  await inSlices(ctx, () => {
    const rows = handled(ctx.db).all({
      organizationId: ctx.organizationId,
      userId,
      ...span,
      ...position,
    })
    for (const { endedAtMs, transferredAtMs, pickedUpAtMs, breachedAtMs } of rows)
      all.push({
        endedAtMs: endedAtMs ?? 0, // by the range of positions
        transferredAtMs,
        pickedUpAtMs,
        isBreached: breachedAtMs !== null,
      })
    const last = rows.at(-1)
    if (last) position = { sortKey: last.sortKey, id: last.id }
    return rows.length < READ_AT_ONCE
  })
  return all
}

/** Returns the number of active transfers of a person. */
export const activeTransfersOf = (ctx: Ctx, userId: string): number =>
  transfersOf(ctx, userId).length
