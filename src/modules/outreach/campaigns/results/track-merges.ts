import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { changeRecipientIn, findRecipient } from '../state'
import { campaignRecipients } from '../table'
import type { RecipientRow } from '../view'

/** States of recipients to whom a message was or may have been sent. */
const SENT_STATES: ReadonlySet<RecipientRow['status']> = new Set([
  'sending',
  'sent',
  'delivered',
  'read',
  'unknown',
])

/**
 * Moves the recipients of a merged contact to the remaining contact. If both are recipients of one
 * campaign, a pending one is skipped as a duplicate.
 */
export function trackMergeIn(tx: Tx, ctx: Ctx, { from, to }: { from: string; to: string }): void {
  const identity = `c:${to}`
  const rows = tx
    .select()
    .from(campaignRecipients)
    .where(inOrganization(ctx, campaignRecipients, eq(campaignRecipients.contactId, from)))
    .all()
  for (const row of rows) {
    const other = findRecipient(ctx, { campaignId: row.campaignId, identity })
    if (other === null) {
      changeRecipientIn(tx, ctx, row, { contactId: to, identity })
      continue
    }
    const leftOut = { status: 'skipped', skipReason: 'duplicate' } as const
    changeRecipientIn(tx, ctx, row, { contactId: to, ...(row.status === 'pending' ? leftOut : {}) })
    if (other.status === 'pending' && SENT_STATES.has(row.status))
      changeRecipientIn(tx, ctx, other, leftOut)
  }
}
