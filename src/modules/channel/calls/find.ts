import { and, desc, eq, inArray } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import type { Tx } from '../../../infra/db/transact'
import { callsOf } from '../../inbox/conversations/recount'
import type { CallRow } from './row'
import { calls } from './table'

type Scope = Pick<Ctx, 'db' | 'organizationId'>

const byPlatformId = compiled((orm) =>
  orm
    .select()
    .from(calls)
    .where(
      inOrganization(
        anyScope,
        calls,
        and(
          eq(calls.accountId, place(calls.accountId, 'accountId')),
          eq(calls.waCallId, place(calls.waCallId, 'waCallId')),
        ),
      ),
    )
    .prepare(),
)

/** Returns the call of a phone number with this platform ID, or `null`. */
export const findCallByPlatformId = (
  scope: Scope,
  at: { accountId: string; waCallId: string },
): CallRow | null =>
  byPlatformId(scope.db).get({ organizationId: scope.organizationId, ...at }) ?? null

/** Returns calls by ID. Does not check visibility. */
export function findCalls(scope: Scope, ids: string[]): CallRow[] {
  if (ids.length === 0) return []
  return scope.db.orm
    .select()
    .from(calls)
    .where(inOrganization(scope, calls, inArray(calls.id, ids)))
    .all()
}

/** A contact and one of the organization's phone numbers: the two ends of a conversation. */
export interface CallEnds {
  contactId: string
  accountId: string
}

/** Returns the newest missed call of a customer in a conversation, or `null`. */
export const newestMissedCall = (tx: Tx, ctx: Ctx, at: CallEnds): CallRow | null =>
  tx
    .select()
    .from(calls)
    .where(
      inOrganization(
        ctx,
        calls,
        and(callsOf(at), eq(calls.direction, 'incoming'), eq(calls.state, 'missed')),
      ),
    )
    .orderBy(desc(calls.timestampMs), desc(calls.id))
    .limit(1)
    .get() ?? null
