import { and, asc, eq, gt, like, sql } from 'drizzle-orm'

import { acrossOrganizations, inOrganization, systemCtx, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { EncryptedTable } from '../../../infra/keys/encrypted-columns'
import { organizations } from '../../organization/organizations/table'
import { isPending } from './outbound/delivery-state'
import { messages } from './table'
import { reencryptOptions } from './outbound/template-payload'

const BATCH = 100

/**
 * Reencrypts the one-time codes of unsent messages. The position is an organization, and the time
 * and ID of a message.
 */
export const sealedMessages: EncryptedTable = {
  name: 'messages',
  reencryptIn(tx, deps, after) {
    const [current = '', ...place] = after.split(' ')
    const organizationId = current === '' ? nextOrganization(tx, '') : current
    if (organizationId === null) return null
    const beyond = resealSomeIn(tx, systemCtx(deps, organizationId), {
      createdAtMs: Number(place[0] ?? -1),
      id: place[1] ?? '',
    })
    return beyond === null
      ? nextOrganization(tx, organizationId)
      : `${organizationId} ${beyond.createdAtMs} ${beyond.id}`
  },
}

const nextOrganization = (tx: Tx, after: string): string | null =>
  tx
    .select({ id: organizations.id })
    .from(organizations)
    .where(gt(organizations.id, after))
    .orderBy(asc(organizations.id))
    .limit(1)
    .get()?.id ?? null

interface Place {
  createdAtMs: number
  id: string
}

function resealSomeIn(tx: Tx, ctx: Ctx, after: Place): Place | null {
  const { id, createdAtMs, accountId, type, sendOptions } = messages
  const beyond = sql`(${createdAtMs}, ${id}) > (${after.createdAtMs}, ${sql.param(after.id, id)})`
  const rows = tx
    .select({ id, createdAtMs, accountId, type, sendOptions })
    .from(messages)
    .where(inOrganization(ctx, messages, and(isPending, beyond)))
    .orderBy(asc(createdAtMs), asc(id))
    .limit(BATCH)
    .all()
  for (const row of rows) {
    const options = reencryptOptions(ctx, row)
    if (options === row.sendOptions) continue
    tx.update(messages)
      .set({ sendOptions: options })
      .where(inOrganization(ctx, messages, eq(id, row.id)))
      .run()
  }
  return rows.length < BATCH ? null : (rows.at(-1) ?? null)
}

/** Takes the one-time codes out of messages, in the caller's transaction: their key was lost. */
export function forgetLostCodesIn(tx: Tx): void {
  tx.update(messages)
    .set({ sendOptions: sql`json_remove(${messages.sendOptions}, '$.sealed')` })
    .where(
      acrossOrganizations(
        'a lost key takes the codes of all',
        like(messages.sendOptions, '%"sealed"%'),
      ),
    )
    .run()
}
