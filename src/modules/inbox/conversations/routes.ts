import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, LongPageOf, longQuery } from '../../../http/pagination'
import { okText } from '../../../http/read-answer'
import { PLATFORM_ERRORS } from '../../channel/accounts/platform-errors'
import { AssignmentView } from '../contacts/model'
import { assignContact, assignConversation, claimConversation, releaseConversation } from './assign'
import { controlThread } from './control-thread'
import { conversationFilterOf, conversationFilters, conversationSort } from './list-query'
import {
  ConversationChange,
  ConversationCounts,
  ConversationView,
  NewAssignment,
  NewConversation,
  Snooze,
  ThreadControl,
} from './model'
import { changeConversation, openConversation, snoozeConversation } from './change-state'
import { CountConversations, ListConversations } from './readers'

const Filters = t.Object(conversationFilters)
const ConversationsQuery = t.Object({
  ...longQuery(),
  ...conversationFilters,
  sort: conversationSort,
})

export const conversationRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/conversations', tags: ['Conversations'] })
    .use(guard(http))
    .get(
      '',
      async ({
        ctx,
        query: { page = 1, limit = 20, cursor, sort = 'last_message_at', ...query },
      }) =>
        okText(
          await ctx.reads.text(ListConversations, ctx, {
            page,
            limit,
            cursor,
            sort,
            ...conversationFilterOf(query),
          }),
        ),
      {
        can: 'messages:read',
        query: ConversationsQuery,
        response: { 200: Ok(LongPageOf(ConversationView)) },
        detail: {
          operationId: 'listConversations',
          summary: 'List conversations',
          description:
            'Lists conversations with contacts the caller can see. Does not mark anything as read.',
        },
      },
    )
    .get(
      '/counts',
      async ({ ctx, query }) =>
        okText(await ctx.reads.text(CountConversations, ctx, conversationFilterOf(query))),
      {
        can: 'messages:read',
        query: Filters,
        response: { 200: Ok(ConversationCounts) },
        detail: {
          operationId: 'getConversationCounts',
          summary: 'Count conversations',
          description:
            'Counts conversations with contacts the caller can see. Accepts the filters of the ' +
            'list.',
        },
      },
    )
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
            'Opens a conversation between a contact and one of your phone numbers. Returns 200 ' +
            'with the existing conversation if there is one. Does not send anything.',
        },
      },
    )
    .put('/:id', ({ ctx, params, body }) => ok(changeConversation(ctx, params.id, body)), {
      can: 'messages:create',
      refuses: ['403 permission_denied', '409 transfer_active'],
      params: IdParam,
      body: ConversationChange,
      response: { 200: Ok(ConversationView) },
      detail: {
        operationId: 'updateConversation',
        summary: 'Update a conversation',
        description:
          "Changes state or priority. A reopened conversation is assigned to the contact's owner " +
          'if they are an active member. Closing ends the transfer of its contact, which only the ' +
          'agent of the transfer and holders of `transfers:assign` may do.',
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
          summary: 'Snooze a conversation',
          description:
            'It reopens at `until` or when the customer writes; with `reply` only when the ' +
            'customer writes.',
        },
      },
    )

/**
 * Routes that assign conversations and contacts. A contact's assignment is part of this module
 * because its conversations are assigned with it.
 */
export const assignmentRoutes = (http: Http) =>
  new Elysia({ prefix: '/api', tags: ['Conversations'] })
    .use(guard(http))
    .post('/conversations/:id/claim', ({ ctx, params }) => ok(claimConversation(ctx, params.id)), {
      can: { permission: 'transfers:pickup', people: 'only' },
      refuses: [
        '400 not_a_member',
        '403 not_in_team',
        '403 pickup_disabled',
        '409 already_assigned',
        '409 at_capacity',
      ],
      params: IdParam,
      response: { 200: Ok(ConversationView) },
      detail: {
        operationId: 'claimConversation',
        summary: 'Claim a conversation',
        description:
          'Assigns an unassigned conversation to the caller. If someone else was first, fails ' +
          'with 409 `already_assigned` and their name. If its contact waits for a person, this is ' +
          'the pickup of the transfer.',
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
          summary: 'Release a conversation',
          description:
            "Unassigns the conversation. Releasing someone else's conversation requires " +
            '`transfers:assign`.',
        },
      },
    )
    .post(
      '/conversations/:id/thread',
      async ({ ctx, params, body }) => ok(await controlThread(ctx, params.id, body)),
      {
        can: 'transfers:assign',
        refuses: [
          '400 account_inactive',
          '400 no_address',
          '400 not_escalation_partner',
          ...PLATFORM_ERRORS,
        ],
        params: IdParam,
        body: ThreadControl,
        response: { 200: Ok(ConversationView) },
        detail: {
          operationId: 'controlThread',
          summary: 'Pass, release or take a thread',
          description:
            "Changes who answers the customer on a number that is shared with the platform's own " +
            'agent or another app. A pass fails if the thread is not yours, and if the number has no ' +
            "such responder. If the platform's answer is lost, `thread_owner` is `unknown`; the call " +
            'is not repeated.',
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
          summary: 'Assign a conversation',
          description:
            'Assigns it to an active member, an active team, or both. An omitted field stays as it ' +
            'is; `null` unassigns.',
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
          summary: 'Assign a contact',
          description:
            'Assigns it and its open conversations to an active member, an active team, or both. An ' +
            'omitted field stays as it is; `null` unassigns.',
          tags: ['Contacts'],
        },
      },
    )
