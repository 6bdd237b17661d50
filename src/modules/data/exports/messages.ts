import { inArray } from 'drizzle-orm'

import { maskPhone } from '../../../lib/phone'
import { inOrganization } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { contacts } from '../../inbox/contacts/table'
import { displayNameOf } from '../../inbox/contacts/view'
import { masksNumbers } from '../../inbox/contacts/sight/visibility'
import type { MessageView } from '../../inbox/messages/model'
import { messageViews } from '../../inbox/messages/queries'
import type { ShownMessage } from '../../inbox/messages/view'

/** A message with its contact, media URL and cost. */
export interface ExportedMessage {
  message: MessageView
  contact: { name: string | null; phone: string | null }
  /** Absolute URL, so that it works outside the API; `null` without a file. */
  mediaUrl: string | null
  /** `null` until the platform reports the pricing, or if there is no price for it. */
  cost: MessageView['cost']
}

/** Returns messages with their exported values. Leaves out messages of deleted contacts. */
export function exportedMessages(
  ctx: ReadCtx,
  rows: ShownMessage[],
  baseUrl: string,
): ExportedMessage[] {
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
        mediaUrl: url === null ? null : `${baseUrl}${url}`,
        cost: message.cost?.is_estimate === false ? message.cost : null,
      },
    ]
  })
}
