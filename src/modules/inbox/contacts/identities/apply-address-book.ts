import type { Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { ContactChanged } from '../events'
import { holdersOf, type SenderIds } from './identities'
import { indexContactIn } from '../search/index-contact'
import { changeContactIn, findContact } from '../service'
import { findOrCreateSenderIn } from './sender'

/**
 * Applies an address book entry of the business phone (inbound contract 9): sets the contact's
 * name, or removes a name the book had set (`null`). Never changes a name set by a user, and never
 * deletes the contact. Creates missing contacts. The newest entry by platform time (`atMs`) counts.
 * Runs inside the caller's transaction.
 */
export function applyAddressBookNameIn(
  tx: Tx,
  ctx: Ctx,
  ids: SenderIds,
  entry: { name: string | null; accountId: string; atMs: number },
): void {
  const { accountId, atMs } = entry
  const [known] = holdersOf(ctx, ids)
  const sender = { ...ids, profileName: null, username: null }
  const row =
    known === undefined
      ? findOrCreateSenderIn(tx, ctx, sender, { accountId, source: 'phone_app', atMs: -1 })
      : findContact(ctx, known)
  if (!row || (row.bookNamedAtMs !== null && row.bookNamedAtMs >= atMs)) return
  const name = row.name === null || row.name === row.bookName ? entry.name : row.name
  indexContactIn(
    tx,
    ctx,
    changeContactIn(tx, ctx, row.id, { name, bookName: entry.name, bookNamedAtMs: atMs }),
  )
  if (name === row.name || row.deletedAtMs !== null) return
  emit(tx, ctx, ContactChanged, {
    contactId: row.id,
    payload: { contactId: row.id, changed: ['name'], lostBy: [] },
  })
}
