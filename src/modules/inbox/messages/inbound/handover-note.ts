import { and, between, eq, sql } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { messages } from '../table'
import { plausibleTime } from '../rules'
import { contactOfItemIn } from './contact'
import type { InboundItem, Receipt } from './item'
import { receiveIn } from './receive'

/** Time after which the same words about a thread are new, milliseconds. A thread is idle by then. */
const REPEATED_MS = DAY_MS

/**
 * Stores what the former owner of a thread says about it as a message of the system, in the caller's
 * transaction. The platform can send the same words with a handover and beside messages; they are
 * stored once.
 */
export function receiveHandoverNoteIn(tx: Tx, ctx: Ctx, item: InboundItem): Receipt {
  const { account, message, receivedAtMs } = item
  const { id: contactId } = contactOfItemIn(tx, ctx, item, null)
  const atMs = plausibleTime(message.timestampMs, receivedAtMs)
  const text = sql`json_extract(${messages.raw}, '$.system.body')`
  const told = tx
    .select({ id: messages.id })
    .from(messages)
    .where(
      inOrganization(
        ctx,
        messages,
        and(
          eq(messages.contactId, contactId),
          eq(messages.accountId, account.id),
          between(messages.timestampMs, atMs - REPEATED_MS, atMs),
          sql`${messages.type} = 'system'`,
          sql`${text} = json_extract(${JSON.stringify(message.raw)}, '$.system.body')`,
        ),
      ),
    )
    .limit(1)
    .get()
  return told ? { outcome: 'duplicate' } : receiveIn(tx, ctx, item)
}
