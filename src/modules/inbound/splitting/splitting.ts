import { sql } from 'drizzle-orm'

import { INSTALLATION, systemCtx, type Deps } from '../../../infra/ctx'
import { atEndOf, compiled, type Tx } from '../../../infra/db'
import { enqueue } from '../../../infra/jobs/enqueue'
import type { ReadChange } from '../../../platform/payload'
import { organizationByPhoneId, routeByBusinessId } from '../../accounts/state'
import { countIn } from '../hours'
import { orderKeyOf } from '../items'
import { processJobs } from '../jobs'
import { laneOf } from '../selection'
import { inboundEvents } from '../table'

/** A change of a delivery that is to become a row of its own. */
export interface SplitOff {
  bodyId: string
  receivedAtMs: number
  change: ReadChange
  /** Whose it seems to be. */
  organizationId: string | null
  /** Why nothing is to be made of it; `null` when it is to be worked off. */
  ignoredFor: string | null
}

/** What changes of a lane are about, as metrics tell it. */
const KIND_OF_LANE = { inbound: 'message', 'inbound-status': 'status', 'inbound-account': 'account' } as const

/** Whose a change seems to be, for fairness and for counting only: it is routed when it is worked off. */
export function hintOf(deps: Deps, change: ReadChange): string | null {
  if (change.phoneNumberId !== null) return organizationByPhoneId(deps, change.phoneNumberId)
  const accounts = change.businessId === null || change.field === 'messages' ? [] : routeByBusinessId(deps, change.businessId)
  const [first, ...others] = new Set(accounts.map(({ organizationId }) => organizationId))
  return first !== undefined && others.length === 0 ? first : null
}

/** The lane on which a change is worked off. */
export const laneOfChange = ({ field, value }: ReadChange): ReturnType<typeof laneOf> =>
  laneOf({ field, messages: countOf(value, 'messages'), statuses: countOf(value, 'statuses') })

/** Writes a change of a journaled delivery as a row of its own, in the caller's transaction. Returns its id. */
export function insertEventIn(tx: Tx, deps: Deps, { change, ...what }: SplitOff): string {
  const id = deps.ids.next()
  insertEvent(deps.db).run({
    id,
    bodyId: what.bodyId,
    entryIndex: change.entryIndex,
    changeIndex: change.changeIndex,
    receivedAtMs: what.receivedAtMs,
    field: change.field,
    phoneNumberId: change.phoneNumberId,
    businessId: change.businessId,
    state: what.ignoredFor === null ? 'pending' : 'ignored',
    reason: what.ignoredFor,
  })
  const kind = what.ignoredFor === null ? KIND_OF_LANE[laneOfChange(change)] : 'ignored'
  atEndOf(tx, () => deps.metrics.inboundEvents.inc({ kind }))
  return id
}

/**
 * Writes further changes of a journaled delivery as rows of their own, in the caller's transaction. Whether its signature speaks for them is
 * seen when they are worked off.
 */
export function splitIn(tx: Tx, deps: Deps, delivery: { bodyId: string; receivedAtMs: number; changes: ReadChange[] }): void {
  const { bodyId, receivedAtMs, changes } = delivery
  for (const change of changes) {
    const organizationId = hintOf(deps, change)
    countIn(tx, deps, { organizationId, receivedAtMs, received: 1 })
    const eventId = insertEventIn(tx, deps, { bodyId, receivedAtMs, change, organizationId, ignoredFor: null })
    const serialKey = orderKeyOf(change)
    enqueue(tx, systemCtx(deps, organizationId ?? INSTALLATION), processJobs[laneOfChange(change)], {
      args: { eventId, from: 0 },
      ...(serialKey === null ? {} : { serialKey }),
    })
  }
}

const countOf = (value: unknown, list: 'messages' | 'statuses'): number => {
  const items = (value as Record<string, unknown> | null)?.[list]
  return Array.isArray(items) ? items.length : 0
}

const insertEvent = compiled((orm) =>
  orm
    .insert(inboundEvents)
    .values({
      id: sql.placeholder('id'),
      bodyId: sql.placeholder('bodyId'),
      entryIndex: sql.placeholder('entryIndex'),
      changeIndex: sql.placeholder('changeIndex'),
      receivedAtMs: sql.placeholder('receivedAtMs'),
      field: sql.placeholder('field'),
      phoneNumberId: sql.placeholder('phoneNumberId'),
      businessId: sql.placeholder('businessId'),
      state: sql.placeholder('state'),
      reason: sql.placeholder('reason'),
    })
    .prepare(),
)
