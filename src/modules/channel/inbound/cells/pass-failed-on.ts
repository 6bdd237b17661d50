import { and, asc, gt, inArray } from 'drizzle-orm'

import { sha256Hex } from '../../../../lib/hash'
import { inOrganization, INSTALLATION, systemCtx, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { findOrganization } from '../../../organization/organizations/service'
import { PassFailedOn } from '../jobs'
import { unpackedBody } from '../journal/bodies'
import { deleteChangesIn } from '../journal/erase-organization'
import { writeEventIn, type InboundEventRow } from '../journal/row'
import { insertBodyIn } from '../journal/store-delivery'
import { FRESH } from '../select'
import { countUnroutedIn } from '../stats/hourly'
import { inboundEvents, isNotDone } from '../table'
import { passToIn } from './pass-on'

/** The organization that has moved, its cell, and the last change that was looked at. */
interface Failed {
  organizationId: string
  cell: string
  after: string
}

/**
 * Schedules passing the failed changes of an organization on to the cell to which it moves, in the
 * caller's transaction: they can be processed again only there.
 */
export const passFailedOnSoonIn = (tx: Tx, ctx: Ctx, at: Omit<Failed, 'after'>): void =>
  void enqueue(tx, systemCtx(ctx, INSTALLATION), PassFailedOn, { args: { ...at, after: '' } })

/** Failed changes that are passed on in one transaction. */
const AT_ONCE = 20

/**
 * Lets up to 20 failed changes be passed on, in the caller's transaction, and schedules the next ones.
 * Does nothing if the organization is not in that cell any more.
 */
export function passFailedOnIn(tx: Tx, ctx: Ctx, { organizationId, cell, after }: Failed): void {
  if (findOrganization(ctx, organizationId)?.movedTo !== cell) return
  const rows = tx
    .select()
    .from(inboundEvents)
    .where(
      inOrganization(
        { organizationId },
        inboundEvents,
        and(
          isNotDone,
          inArray(inboundEvents.state, ['failed', 'partial']),
          gt(inboundEvents.id, after),
        ),
      ),
    )
    .orderBy(asc(inboundEvents.id))
    .limit(AT_ONCE)
    .all()
  for (const row of rows) passOneOnIn(tx, ctx, row, cell)
  const last = rows.at(-1)
  if (rows.length === AT_ONCE && last)
    enqueue(tx, ctx, PassFailedOn, { args: { organizationId, cell, after: last.id } })
}

interface Stored {
  entry?: { changes?: unknown[] }[]
}

/**
 * Gives a failed change a body of its own and lets it be passed on. The other cell may have the body in
 * which it came, because of other changes, and takes the same bytes once.
 */
function passOneOnIn(tx: Tx, ctx: Ctx, row: InboundEventRow, cell: string): void {
  const body = unpackedBody(ctx, row.bodyId) as Stored
  const entry = body.entry?.[row.entryIndex]
  const change = entry?.changes?.[row.changeIndex]
  if (change === undefined) return // nothing of it is left
  const { signedBy } = ctx.recentBodies.read(ctx, row.bodyId)
  deleteChangesIn(tx, ctx, [row])
  const bytes = Buffer.from(JSON.stringify({ ...body, entry: [{ ...entry, changes: [change] }] }))
  const bodyId = insertBodyIn(tx, ctx, {
    ...{ bytes, receivedAtMs: row.receivedAtMs, digest: sha256Hex(row.id) },
    ...{ signedBy, cell: '', part: 0 },
  })
  if (bodyId === null) throw new Error(`the change ${row.id} has a body of its own already`)
  const unrouted: InboundEventRow = {
    ...{ ...row, ...FRESH, bodyId, entryIndex: 0, changeIndex: 0 },
    ...{ state: 'unrouted', organizationId: null, accountId: null },
    processedAtMs: ctx.clock.nowMs(),
  }
  writeEventIn(tx, ctx, unrouted)
  countUnroutedIn(tx, ctx, unrouted, 1)
  passToIn(tx, ctx, { bodyId, cell, unknown: ['0 0'], shared: [] })
}
