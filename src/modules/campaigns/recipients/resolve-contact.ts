import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { holdersOf } from '../../contacts/identities'
import { changeRecipientIn, findRecipient } from '../state'
import type { RecipientRow } from '../view'
import { identityOf } from './add'

/**
 * Finds out who a recipient is now, in the caller's transaction: the contact that goes by its
 * number or id may have come into being, or have become another one, since it was brought in.
 * Returns the contact's id, `null` while there is none; one who is in the campaign already under
 * another name is skipped as a duplicate.
 */
export function settleIdentityIn(
  tx: Tx,
  ctx: Ctx,
  row: RecipientRow,
): { contactId: string | null } | 'duplicate' {
  const contactId =
    row.contactId ??
    holdersOf(ctx, { phone: row.phoneNumber, userId: row.userId, parentUserId: null })[0] ??
    null
  if (contactId === null) return { contactId }
  const identity = identityOf({ ...row, contactId })
  if (identity === row.identity) return { contactId }
  if (findRecipient(ctx, { campaignId: row.campaignId, identity }) !== null) {
    changeRecipientIn(tx, ctx, row, { status: 'skipped', skipReason: 'duplicate' })
    return 'duplicate'
  }
  changeRecipientIn(tx, ctx, row, { contactId, identity })
  return { contactId }
}
