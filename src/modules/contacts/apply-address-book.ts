import type { Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { emit } from '../../infra/outbox/events'
import { ContactChanged } from './events'
import { holdersOf, type SenderIds } from './identities'
import { indexContactIn } from './search/index-contact'
import { changeContactIn, contactOfSenderIn, findContact } from './service'

/**
 * Follows the address book of the business phone, in the caller's transaction (inbound contract 9):
 * gives a contact the name the book has for it, or takes that name away (`null`), never one that
 * people gave and never the contact. Who is or was in the book is a contact. Of several entries the
 * newest by the platform's time (`atMs`) counts.
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
      ? contactOfSenderIn(tx, ctx, sender, { accountId, source: 'phone_app', atMs: -1 })
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
