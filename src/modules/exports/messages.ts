import { inArray } from 'drizzle-orm'

import { maskPhone } from '../../lib/phone'
import { amountOf } from '../../lib/money'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { countryOfSender } from '../contacts/numbers'
import { contacts } from '../contacts/table'
import { displayNameOf, type ContactRow } from '../contacts/view'
import { masksNumbers } from '../contacts/visibility'
import type { MessageView } from '../messages/model'
import { messageViews } from '../messages/queries'
import type { ShownMessage } from '../messages/view'
import { defaultCurrency, findPrice, type Cost } from '../prices/lookup'

/** A message with what is told of its contact, the address of its file and what it cost. */
export interface ExportedMessage {
  message: MessageView
  contact: { name: string | null; phone: string | null }
  /** Whole, so that it works from a file too; `null` while there is no file. */
  mediaUrl: string | null
  /** `null` as long as the platform says nothing, and where there is no price for it. */
  cost: Cost | null
}

/** Messages with what a file tells of them; those of deleted contacts are left out. */
export function exportedMessages(ctx: Ctx, rows: ShownMessage[]): ExportedMessage[] {
  const isMasked = masksNumbers(ctx)
  const ids = [...new Set(rows.map(({ contactId }) => contactId))]
  const of =
    ids.length === 0
      ? []
      : ctx.db.orm
          .select()
          .from(contacts)
          .where(inOrganization(ctx, contacts, inArray(contacts.id, ids)))
          .all()
  const byId = new Map(of.filter(({ deletedAtMs }) => deletedAtMs === null).map((row) => [row.id, row]))
  const currency = defaultCurrency(ctx)
  return messageViews(ctx, rows).flatMap((message) => {
    const contact = byId.get(message.contact_id)
    if (!contact) return []
    const number = contact.phoneNumber ?? contact.waId
    const phone = number !== null && isMasked ? maskPhone(number) : number
    const url = message.media?.url ?? null
    return [
      {
        message,
        contact: { name: displayNameOf(contact, isMasked), phone },
        mediaUrl: url === null ? null : `${ctx.settings.baseUrl}${url}`,
        cost: currency === null ? null : costOf(ctx, message, { contact, currency }),
      },
    ]
  })
}

/** What the platform's statuses say a message cost, by the prices of the time it was sent. */
function costOf(ctx: Ctx, message: MessageView, { contact, currency }: { contact: ContactRow; currency: string }): Cost | null {
  const { pricing } = message
  if (typeof pricing?.billable !== 'boolean') return null
  if (!pricing.billable) return { amount: amountOf(0), currency }
  const { waId, phoneNumber, userId, parentUserId } = contact
  const price = findPrice(ctx, {
    country: countryOfSender({ phone: waId ?? phoneNumber, userId, parentUserId })?.toUpperCase() ?? null,
    category: pricing.category ?? '',
    atMs: Date.parse(message.sent_at ?? message.created_at),
    currency,
  })
  return price && { amount: amountOf(price.priceMicros), currency }
}
