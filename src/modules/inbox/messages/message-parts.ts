import { and, eq, inArray, isNotNull, type SQL } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { hasIdIn, anyScope, inOrganization } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { compiled } from '../../../infra/db/compiled'
import { campaignSends } from '../../outreach/campaigns/table'
import { contacts } from '../contacts/table'
import { numbersOfContact } from '../contacts/view'
import { findMedia } from '../../channel/media/store'
import { users } from '../../organization/users/table'
import { messages } from './table'
import { messageReactions } from './reactions/table'
import {
  quotedPlatformId,
  type MessageParts,
  type ShownMessage,
  type QuotedMessage,
  type ReactionView,
} from './view'

type Scope = Pick<ReadCtx, 'db' | 'organizationId'>

/** Loads the related data of messages in a few queries. */
export function loadMessageParts(
  scope: Scope,
  rows: ShownMessage[],
): (row: ShownMessage) => MessageParts {
  const quoted = quotedBy(scope, rows)
  const files = new Map(
    findMedia(scope, [
      ...new Set(rows.map(({ mediaId }) => mediaId).filter((id) => id !== null)),
    ]).map((file) => [file.id, file]),
  )
  const reactions = reactionsOf(scope, rows)
  const campaigns = campaignsOf(scope, rows)
  let numbers: Map<string, string[]> | null = null
  return (row) => ({
    quoted: quoted(row),
    media: row.mediaId === null ? null : (files.get(row.mediaId) ?? null),
    reactions: reactions.get(row.id) ?? [],
    campaignId: campaigns.get(row.id) ?? null,
    ownNumbers: () => (numbers ??= numbersBy(scope, rows)).get(row.contactId) ?? [],
  })
}

/** Phone numbers of the messages' contacts. */
function numbersBy(scope: Scope, rows: ShownMessage[]): Map<string, string[]> {
  const of = scope.db.orm
    .select({ id: contacts.id, phoneNumber: contacts.phoneNumber, waId: contacts.waId })
    .from(contacts)
    .where(
      inOrganization(
        scope,
        contacts,
        inArray(contacts.id, [...new Set(rows.map(({ contactId }) => contactId))]),
      ),
    )
    .all()
  return new Map(of.map((contact) => [contact.id, numbersOfContact(contact)]))
}

const QUOTED = { id: messages.id, type: messages.type, preview: messages.preview }

/**
 * Quoted messages, in at most two queries: the linked message, otherwise the one of the same
 * conversation with the quoted platform ID, which may have arrived later.
 */
function quotedBy(scope: Scope, rows: ShownMessage[]): (row: ShownMessage) => QuotedMessage | null {
  const find = (condition: SQL | undefined) =>
    scope.db.orm
      .select({
        ...QUOTED,
        source: messages.source,
        conversationId: messages.conversationId,
        waMessageId: messages.waMessageId,
      })
      .from(messages)
      .where(inOrganization(scope, messages, condition))
      .all()
  const ids = [...new Set(rows.map(({ replyToId }) => replyToId).filter((id) => id !== null))]
  const named = rows.filter((row) => row.replyToId === null && quotedPlatformId(row) !== null)
  const accountIds = [...new Set(named.map(({ accountId }) => accountId))]
  const platformIds = [...new Set(named.map(quotedPlatformId).filter((id) => id !== null))]
  const linked = ids.length === 0 ? [] : find(inArray(messages.id, ids))
  const late =
    named.length === 0
      ? []
      : find(
          and(inArray(messages.accountId, accountIds), inArray(messages.waMessageId, platformIds)),
        )
  const byId = new Map(linked.map((message) => [message.id, message]))
  const byPlace = new Map(
    late.map((message) => [`${message.conversationId} ${message.waMessageId}`, message]),
  )
  return (row) => {
    const found =
      row.replyToId === null
        ? byPlace.get(`${row.conversationId} ${quotedPlatformId(row)}`)
        : byId.get(row.replyToId)
    if (!found) return null
    const { id, type, preview, source } = found
    return { id, type, preview, source }
  }
}

const reactionsTo = compiled((orm) =>
  orm
    .select({ reaction: messageReactions, userName: users.fullName })
    .from(messageReactions)
    .leftJoin(users, eq(users.id, messageReactions.userId))
    .where(
      inOrganization(
        anyScope,
        messageReactions,
        hasIdIn(messageReactions.messageId),
        isNotNull(messageReactions.emoji),
      ),
    )
    .orderBy(messageReactions.timestampMs, messageReactions.reactor, messageReactions.participant)
    .prepare(),
)

/** Campaigns by message. */
function campaignsOf(scope: Scope, rows: ShownMessage[]): Map<string, string> {
  const ids = rows.filter(({ source }) => source === 'campaign').map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const found = scope.db.orm
    .select({ campaignId: campaignSends.campaignId, messageId: campaignSends.messageId })
    .from(campaignSends)
    .where(inOrganization(scope, campaignSends, inArray(campaignSends.messageId, ids)))
    .all()
  return new Map(found.map(({ campaignId, messageId }) => [messageId ?? '', campaignId]))
}

/** Current reactions by message, oldest first. */
function reactionsOf(scope: Scope, rows: ShownMessage[]): Map<string, ReactionView[]> {
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const found = reactionsTo(scope.db).all({
    organizationId: scope.organizationId,
    ids: JSON.stringify(ids),
  })
  const byMessage = Map.groupBy(found, ({ reaction }) => reaction.messageId ?? '')
  return new Map(
    [...byMessage].map(([messageId, reactions]) => [
      messageId,
      reactions.map(({ reaction, userName }) => ({
        emoji: reaction.emoji ?? '',
        by: reaction.reactor,
        user_id: reaction.userId,
        user_name: userName,
        contact_id: reaction.reactor === 'contact' ? reaction.contactId : null,
        at: isoTime(reaction.timestampMs),
      })),
    ]),
  )
}
