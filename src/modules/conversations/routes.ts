import { Elysia, t, type Static } from 'elysia'

import { storedId } from '../../lib/ids'
import { Ok, ok } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http-deps'
import { IdParam, LongPageOf, longQuery } from '../../http/pagination'
import { oneOf } from '../../lib/fields'
import { AssignmentView } from '../contacts/model'
import { assignContact, assignConversation, claimConversation, releaseConversation } from './assign'
import type { ConversationFilter } from './filters'
import {
  ConversationChange,
  ConversationCounts,
  ConversationView,
  NewAssignment,
  NewConversation,
  Snooze,
} from './model'
import { countConversations, getConversation, listConversations } from './queries'
import { changeConversation, openConversation, snoozeConversation } from './change-state'
import { conversations } from './table'

const STATES = conversations.state.enumValues

const filters = {
  state: t.Optional(
    t.String({
      pattern: `^(${STATES.join('|')})(,(${STATES.join('|')}))*$`,
      description: 'One state or several, with commas between.',
    }),
  ),
  account_id: t.Optional(t.String({ format: 'uuid' })),
  assigned_to: t.Optional(
    t.String({
      pattern: '^(me|none|[0-9a-fA-F-]{36})$',
      description: 'A user id, `me` or `none`.',
    }),
  ),
  team_id: t.Optional(t.String({ format: 'uuid' })),
  tags: t.Optional(
    t.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'Ids or names of tags with commas between; the contact carries any of them.',
    }),
  ),
  unread: t.Optional(t.Boolean({ description: 'Only those with unread messages.' })),
  window: t.Optional(
    oneOf(['open', 'closed', 'closing'], {
      description: 'How the 24-hour window stands; closing: it ends in less than two hours.',
    }),
  ),
  search: t.Optional(
    t.String({
      minLength: 1,
      maxLength: 255,
      description:
        'The beginning of one or more words of the contact’s name, or at least two digits of its phone number, in any format.',
    }),
  ),
}
const Filters = t.Object(filters)
const ConversationsQuery = t.Object({
  ...longQuery(),
  ...filters,
  sort: t.Optional(
    oneOf(['last_message_at', 'oldest_unanswered'], {
      description: 'Newest message first (default), or first who waits longest for an answer.',
    }),
  ),
})

const filterOf = (query: Static<typeof Filters>): ConversationFilter => ({
  states:
    query.state === undefined
      ? undefined
      : STATES.filter((each) => query.state?.split(',').includes(each)),
  accountId: query.account_id,
  assignedTo: query.assigned_to === undefined ? undefined : storedId(query.assigned_to),
  teamId: query.team_id,
  tags: query.tags
    ?.split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== ''),
  unread: query.unread,
  window: query.window,
  search: query.search,
})

/** Conversations. */
export const conversationRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/conversations', tags: ['Conversations'] })
    .use(guard(http))
    .get(
      '',
      async ({
        ctx,
        query: { page = 1, limit = 20, cursor, sort = 'last_message_at', ...query },
      }) => ok(await listConversations(ctx, { page, limit, cursor, sort, ...filterOf(query) })),
      {
        can: 'messages:read',
        query: ConversationsQuery,
        response: { 200: Ok(LongPageOf(ConversationView)) },
        detail: {
          operationId: 'listConversations',
          summary: 'List conversations',
          description: 'Of contacts the caller sees. Listing marks nothing as read.',
        },
      },
    )
    .get('/counts', async ({ ctx, query }) => ok(await countConversations(ctx, filterOf(query))), {
      can: 'messages:read',
      query: Filters,
      response: { 200: Ok(ConversationCounts) },
      detail: {
        operationId: 'getConversationCounts',
        summary: 'Count conversations',
        description: 'Of contacts the caller sees, by the filters of the list.',
      },
    })
    .post(
      '',
      ({ ctx, body, status }) => {
        const { conversation, isNew } = openConversation(ctx, body)
        return isNew ? status(201, ok(conversation)) : status(200, ok(conversation))
      },
      {
        can: 'messages:create',
        refuses: ['400 account_inactive', '400 account_required'],
        body: NewConversation,
        response: { 200: Ok(ConversationView), 201: Ok(ConversationView) },
        detail: {
          operationId: 'openConversation',
          summary: 'Open a conversation',
          description:
            'Of a contact with one of our numbers; 200 with the one that exists already. Nothing is sent.',
        },
      },
    )
    .get('/:id', ({ ctx, params }) => ok(getConversation(ctx, params.id)), {
      can: 'messages:read',
      params: IdParam,
      response: { 200: Ok(ConversationView) },
      detail: { operationId: 'getConversation', summary: 'One conversation' },
    })
    .put('/:id', ({ ctx, params, body }) => ok(changeConversation(ctx, params.id, body)), {
      can: 'messages:create',
      params: IdParam,
      body: ConversationChange,
      response: { 200: Ok(ConversationView) },
      detail: {
        operationId: 'updateConversation',
        summary: 'Change state or priority of a conversation',
        description:
          "One that was closed and opens again goes to the contact's owner, if that is an active member.",
      },
    })
    .post(
      '/:id/snooze',
      ({ ctx, params, body }) => ok(snoozeConversation(ctx, params.id, body.until)),
      {
        can: 'messages:create',
        params: IdParam,
        body: Snooze,
        response: { 200: Ok(ConversationView) },
        detail: {
          operationId: 'snoozeConversation',
          summary: 'Put a conversation off',
          description: 'It opens by itself then, or when the customer writes before.',
        },
      },
    )

/**
 * Who has a conversation, and who answers a contact: that lies here because the contact's
 * conversations go with it.
 */
export const assignmentRoutes = (http: Http) =>
  new Elysia({ prefix: '/api', tags: ['Conversations'] })
    .use(guard(http))
    .post('/conversations/:id/claim', ({ ctx, params }) => ok(claimConversation(ctx, params.id)), {
      can: 'transfers:pickup',
      refuses: ['400 not_a_member', '409 already_assigned'],
      params: IdParam,
      response: { 200: Ok(ConversationView) },
      detail: {
        operationId: 'claimConversation',
        summary: 'Take a conversation that nobody has',
        description:
          'Of several who try at the same time one gets it; the others are told its name (409 `already_assigned`).',
      },
    })
    .post(
      '/conversations/:id/release',
      ({ ctx, params }) => ok(releaseConversation(ctx, params.id)),
      {
        can: 'transfers:pickup',
        params: IdParam,
        response: { 200: Ok(ConversationView) },
        detail: {
          operationId: 'releaseConversation',
          summary: 'Give a conversation back',
          description: 'One of somebody else also needs transfers:assign.',
        },
      },
    )
    .put(
      '/conversations/:id/assign',
      ({ ctx, params, body }) => ok(assignConversation(ctx, params.id, body)),
      {
        can: 'transfers:assign',
        refuses: ['400 not_a_member'],
        params: IdParam,
        body: NewAssignment,
        response: { 200: Ok(ConversationView) },
        detail: {
          operationId: 'assignConversation',
          summary: 'Give a conversation to a member',
          description: '`null` takes it from everybody.',
        },
      },
    )
    .put(
      '/contacts/:id/assign',
      ({ ctx, params, body }) => ok(assignContact(ctx, params.id, body)),
      {
        can: 'transfers:assign',
        refuses: ['400 not_a_member'],
        params: IdParam,
        body: NewAssignment,
        response: { 200: Ok(AssignmentView) },
        detail: {
          operationId: 'assignContact',
          summary: 'Give a contact to a member',
          description:
            'Its conversations that are not closed go with it. `null` takes it from everybody.',
          tags: ['Contacts'],
        },
      },
    )
