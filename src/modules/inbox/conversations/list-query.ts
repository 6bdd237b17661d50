import { Type, type Static } from '@sinclair/typebox'

import { oneOf } from '../../../lib/fields'
import { normalizeId, UUID_PATTERN } from '../../../lib/ids'
import type { ConversationFilter } from './filters'
import { CONVERSATION_STATES } from './table'

/** Query parameters that filter a list of conversations. */
export const conversationFilters = {
  state: Type.Optional(
    Type.String({
      pattern: `^(${CONVERSATION_STATES.join('|')})(,(${CONVERSATION_STATES.join('|')}))*$`,
      description: 'Comma-separated states.',
    }),
  ),
  account_id: Type.Optional(Type.String({ format: 'uuid' })),
  contact_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Only the conversations of this contact: at most one for each phone number.',
    }),
  ),
  assigned_to: Type.Optional(
    Type.String({
      pattern: `^(me|none|${UUID_PATTERN})$`,
      description: 'User ID, `me`, or `none` for unassigned.',
    }),
  ),
  team_id: Type.Optional(Type.String({ format: 'uuid' })),
  tags: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'Comma-separated tag IDs or names. Matches contacts with any of them.',
    }),
  ),
  unread: Type.Optional(Type.Boolean({ description: 'Only conversations with unread messages.' })),
  window: Type.Optional(
    oneOf(['open', 'closed', 'closing'], {
      description: 'State of the 24-hour window. `closing` means it ends in less than two hours.',
    }),
  ),
  waiting: Type.Optional(
    oneOf(['mine'], {
      description: '`mine`: only conversations in a queue from which the caller can take them.',
    }),
  ),
  mentioned: Type.Optional(
    oneOf(['me'], {
      description:
        '`me`: only conversations with contacts in whose notes somebody mentioned the caller in ' +
        'the last 90 days.',
    }),
  ),
  answered_from: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'Only conversations in which a person answered a customer who began to wait at this time ' +
        'or later, as `GET /api/analytics/quality` counts them.',
    }),
  ),
  answered_before: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'The same, for customers who began to wait before this time.',
    }),
  ),
  answered_team_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'The same, for answers of members of this team.' }),
  ),
  answered_user_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'The same, for answers of this member.' }),
  ),
  campaign_id: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'Only conversations with contacts who replied to this campaign. Nothing without ' +
        '`campaigns:read`.',
    }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'The beginning of one or more words of the contact’s name, or at least two digits of its phone number, in any format.',
    }),
  ),
}

/** Query parameter that sorts a list of conversations. */
export const conversationSort = Type.Optional(
  oneOf(['last_message_at', 'oldest_unanswered'], {
    description: 'Most recent message first (default), or longest waiting for a reply first.',
  }),
)

const Filters = Type.Object(conversationFilters)

/** Converts the query parameters of a list of conversations. */
export const conversationFilterOf = (query: Static<typeof Filters>): ConversationFilter => ({
  states:
    query.state === undefined
      ? undefined
      : CONVERSATION_STATES.filter((each) => query.state?.split(',').includes(each)),
  accountId: query.account_id,
  contactId: query.contact_id,
  assignedTo: query.assigned_to === undefined ? undefined : normalizeId(query.assigned_to),
  teamId: query.team_id,
  tags: query.tags
    ?.split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== ''),
  unread: query.unread,
  window: query.window,
  waiting: query.waiting,
  mentioned: query.mentioned,
  campaignId: query.campaign_id,
  answered: answeredOf(query),
  search: query.search,
})

/** Returns the filter of answers, if one of its parameters is given. */
function answeredOf(query: Static<typeof Filters>): ConversationFilter['answered'] {
  const { answered_from: from, answered_before: before } = query
  const { answered_team_id: teamId, answered_user_id: userId } = query
  if ([from, before, teamId, userId].every((one) => one === undefined)) return undefined
  return {
    fromMs: from === undefined ? 0 : Date.parse(from),
    beforeMs: before === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(before),
    teamId,
    userId,
  }
}
