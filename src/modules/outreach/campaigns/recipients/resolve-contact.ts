import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { holdersOf } from '../../../inbox/contacts/identities/identities'
import { changeRecipientIn, findRecipient } from '../state'
import type { RecipientRow } from '../view'
import { identityOf } from './add'

/**
 * Finds the current contact of a recipient: since the import, a contact with its number or ID may
 * have been created or merged. Returns the contact ID, or `null` if there is none. Skips the
 * recipient as a duplicate if the campaign already has this person. Runs inside the caller's
 * transaction.
 */
export function resolveContactIn(
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
