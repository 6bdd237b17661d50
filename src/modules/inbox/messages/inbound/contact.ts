import { and, eq, gt, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { Tx } from '../../../../infra/db/transact'
import {
  systemChangeOf,
  type SystemChange,
  type UserIdUpdate,
} from '../../../../platform/webhook/system-change'
import type { InboundMessage } from '../../../../platform/webhook/messages'
import type { ContactRow } from '../../contacts/view'
import type { InboundItem } from './item'
import {
  changePhoneNumberIn,
  leavePhoneNumberIn,
  linkedContactOfSenderIn,
  replaceUserIdsIn,
} from '../contact-changes/link'
import { messages } from '../table'
import { holdersOf, type SenderIds } from '../../contacts/identities/identities'
import type { Sender } from '../../contacts/identities/sender'
import { hasSuppressions, isSuppressed } from '../../contacts/erase/suppression'

/** The identifiers by which the customer's contact is found. */
const senderOf = (message: InboundMessage, isNamed: boolean): Sender => ({
  phone: message.from,
  userId: message.userId,
  parentUserId: message.parentUserId,
  profileName: isNamed ? message.profileName : null,
  username: isNamed ? message.username : null,
})

/**
 * Finds or creates the contact of an item, in the caller's transaction. `namedAtMs` is the time of
 * its profile name; `null` takes only IDs, for items whose time does not show which name is newest.
 */
export function contactOfItemIn(
  tx: Tx,
  ctx: Ctx,
  item: InboundItem,
  namedAtMs: number | null,
): ContactRow {
  const accountId = item.account.id
  const contact = linkedContactOfSenderIn(tx, ctx, senderOf(item.message, namedAtMs !== null), {
    accountId,
    source:
      item.isObserved || (item.direction === 'incoming' && !item.isPast) ? 'inbound' : 'phone_app',
    atMs: namedAtMs ?? -1,
  })
  return namedAtMs === null
    ? contact
    : reapplyLaterChangesIn(tx, ctx, contact, { accountId, afterMs: namedAtMs })
}

/**
 * Applies a number or user ID change from a system message, in the caller's transaction (inbound
 * contract 6). Later changes that are already known win.
 */
export function applySystemChangeIn(
  tx: Tx,
  ctx: Ctx,
  contact: ContactRow,
  event: ChangeEvent,
): ContactRow {
  const { accountId, atMs } = event
  const changed = changeIn(tx, ctx, contact, event)
  return reapplyLaterChangesIn(tx, ctx, changed, { accountId, afterMs: atMs })
}

/**
 * Whether these numbers and IDs, and those that a system message gives, belong to nobody but an
 * erased person, who must not become a contact again by a message that the person did not write.
 */
export const isOfErased = (ctx: Ctx, message: InboundMessage, change: SystemChange): boolean =>
  isErased(
    ctx,
    { phone: message.from, userId: message.userId, parentUserId: message.parentUserId },
    {
      phone: change.newPhone,
      userId: change.newUserId,
      parentUserId: change.newParentUserId,
    },
  )

/** A system message's change of a person, when it was told, and the number it was told to. */
interface ChangeEvent {
  change: SystemChange
  accountId: string
  atMs: number
}

function changeIn(
  tx: Tx,
  ctx: Ctx,
  contact: ContactRow,
  { change, accountId, atMs }: ChangeEvent,
): ContactRow {
  if (change.event !== 'number_changed' && change.event !== 'user_id_changed') return contact
  const { newPhone, newUserId: userId, newParentUserId: parentUserId } = change
  // Only a person who has not written since cannot have a later ID or number than these.
  const isNewest = (row: ContactRow): boolean => atMs >= (row.lastInboundAtMs ?? 0)
  // The ID is new because the number is, which the platform tells only if it may (platform
  // documentation: user IDs, August 2026).
  const hasLeftNumber = newPhone === null && userId !== null && isNewest(contact)
  const moved = hasLeftNumber ? leavePhoneNumberIn(tx, ctx, contact) : contact
  const updated =
    newPhone === null ? moved : (changePhoneNumberIn(tx, ctx, contact.id, newPhone) ?? contact)
  if (userId === null && parentUserId === null) return updated
  const previous = {
    userId: isNewest(updated) ? null : change.formerUserId,
    parentUserId: isNewest(updated) ? null : change.formerParentUserId,
  }
  return replaceUserIdsIn(tx, ctx, updated, { userId, parentUserId, previous, accountId }).contact
}

/**
 * Applies a new user ID from a webhook of its own, in the caller's transaction. It has the effect of
 * the system message about the same change, in any order and number: the contact gets the new ID
 * only if it still has the previous one, and keeps both. It creates no contact for an erased person.
 * Returns whether it was applied.
 */
export function applyUserIdUpdateIn(
  tx: Tx,
  ctx: Ctx,
  { sender, userId, parentUserId }: UserIdUpdate,
  accountId: string,
): boolean {
  const { from: phone, ...previous } = sender
  if (isErased(ctx, { phone, ...previous }, { phone: null, userId, parentUserId })) return false
  const isKnown = holdersOf(ctx, { phone: null, ...previous }).length > 0
  const contact = linkedContactOfSenderIn(
    tx,
    ctx,
    { phone, ...previous, profileName: null, username: null },
    { accountId, source: 'inbound', atMs: -1 },
  )
  const { contact: now, isReplaced } = replaceUserIdsIn(tx, ctx, contact, {
    userId,
    parentUserId,
    previous: isKnown ? previous : { userId: null, parentUserId: null },
    accountId,
  })
  if (isReplaced && phone !== null) changePhoneNumberIn(tx, ctx, now.id, phone)
  return true
}

/** Whether these IDs belong to no contact, and some of them to a person who was erased. */
const isErased = (ctx: Ctx, ...ids: SenderIds[]): boolean =>
  ids.every((each) => holdersOf(ctx, each).length === 0) &&
  hasSuppressions(ctx) &&
  ids.some((each) => isSuppressed(ctx, each))

const laterChanges = compiled((orm) =>
  orm
    .select({
      raw: messages.raw,
      timestampMs: messages.timestampMs,
      waMessageId: messages.waMessageId,
    })
    .from(messages)
    .where(
      inOrganization(
        anyScope,
        messages,
        and(
          eq(messages.contactId, place(messages.contactId, 'contactId')),
          gt(messages.timestampMs, sql.placeholder('afterMs')),
          sql`${messages.type} = 'system'`, // bound, SQLite would compile it at each run (`place`)
        ),
      ),
    )
    .prepare(),
)

/** Applies later number and ID changes again, so that they win in any order of arrival. */
function reapplyLaterChangesIn(
  tx: Tx,
  ctx: Ctx,
  contact: ContactRow,
  at: { accountId: string; afterMs: number },
): ContactRow {
  const later = laterChanges(ctx.db).all({
    organizationId: ctx.organizationId,
    contactId: contact.id,
    afterMs: at.afterMs,
  })
  // Sorted here because the result is nearly always empty, and SQLite sets up its sorter before it
  // looks.
  const inOrder = later.toSorted(
    (a, b) =>
      a.timestampMs - b.timestampMs || ((a.waMessageId ?? '') < (b.waMessageId ?? '') ? -1 : 1),
  )
  return inOrder.reduce((row, { raw, timestampMs }) => {
    const change =
      raw === null
        ? null
        : systemChangeOf({ type: 'system', raw: JSON.parse(raw) as InboundMessage['raw'] })
    const event = { accountId: at.accountId, atMs: timestampMs }
    return change === null ? row : changeIn(tx, ctx, row, { change, ...event })
  }, contact)
}
