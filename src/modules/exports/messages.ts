import { inArray } from 'drizzle-orm'

import { maskPhone } from '../../lib/phone'
import { amountOf } from '../../lib/money'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { countryOfSender } from '../contacts/phone-numbers'
import { contacts } from '../contacts/table'
import { displayNameOf, type ContactRow } from '../contacts/view'
import { masksNumbers } from '../contacts/visibility'
import type { MessageView } from '../messages/model'
import { messageViews } from '../messages/queries'
import type { ShownMessage } from '../messages/view'
import { defaultCurrency, findPrice, priceChanges, type Cost } from '../prices/lookup'

/** A message with its contact, media URL and cost. */
export interface ExportedMessage {
  message: MessageView
  contact: { name: string | null; phone: string | null }
  /** Absolute URL, so that it works outside the API; `null` without a file. */
  mediaUrl: string | null
  /** `null` until the platform reports the pricing, or if there is no price for it. */
  cost: Cost | null
}

/** Returns messages with their exported values. Leaves out messages of deleted contacts. */
export function exportedMessages(ctx: Ctx, rows: ShownMessage[]): ExportedMessage[] {
  const isMasked = masksNumbers(ctx)
  const ids = [...new Set(rows.map(({ contactId }) => contactId))]
  const of = ctx.db.orm
    .select()
    .from(contacts)
    .where(inOrganization(ctx, contacts, inArray(contacts.id, ids)))
    .all()
  const byId = new Map(
    of.filter(({ deletedAtMs }) => deletedAtMs === null).map((row) => [row.id, row]),
  )
  const costs = new Costs(ctx, defaultCurrency(ctx))
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
        cost: costs.of(message, contact),
      },
    ]
  })
}

/**
 * Computes message costs from the platform's statuses and the prices at sending time. Looks up each
 * price once.
 */
class Costs {
  private readonly known = new Map<string, Cost | null>()
  private changes: number[] | null = null

  constructor(
    private readonly ctx: Ctx,
    private readonly currency: string | null,
  ) {}

  of(
    { pricing, sent_at: sentAt, created_at: createdAt }: MessageView,
    contact: ContactRow,
  ): Cost | null {
    const { currency } = this
    if (currency === null || typeof pricing?.billable !== 'boolean') return null
    if (!pricing.billable) return { amount: amountOf(0), currency }
    const { waId, phoneNumber, userId, parentUserId } = contact
    const country =
      countryOfSender({ phone: waId ?? phoneNumber, userId, parentUserId })?.toUpperCase() ?? null
    const asked = {
      country,
      category: pricing.category ?? '',
      atMs: Date.parse(sentAt ?? createdAt),
      currency,
    }
    const key = `${country} ${asked.category} ${this.eraOf(asked.atMs)}`
    const known = this.known.get(key)
    if (known !== undefined) return known
    const price = findPrice(this.ctx, asked)
    const cost = price && { amount: amountOf(price.priceMicros), currency }
    this.known.set(key, cost)
    return cost
  }

  /** Returns the index of the price period of a time. Prices are constant within a period. */
  private eraOf(atMs: number): number {
    this.changes ??= priceChanges(this.ctx)
    return this.changes.findLastIndex((changeMs) => changeMs <= atMs)
  }
}
