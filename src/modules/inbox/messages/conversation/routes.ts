import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { getVisibleConversation } from '../../conversations/queries'
import { readThread } from '../thread-around'
import { MessageList, messagesQuery } from '../routes'
import { MessageView } from '../model'
import { NewMessage, SEND_REFUSALS } from '../compose/model'
import { requireAccount } from '../outbound/choose-account'
import { createMessage } from '../outbound/create'
import { JobView } from '../../../../infra/jobs/view'
import { ConversationBulk } from './bulk/model'
import { requestConversationsChange } from './bulk/request'
import { ReadContact, ReadUpTo, UnreadCount } from './model'
import { markContactRead, markConversationRead, markMessageRead } from './mark-read'
import { markConversationUnread } from './mark-unread'
import { sendTyping } from './send-typing-indicator'

const MessagesQuery = t.Object(messagesQuery)

/** Routes that change many conversations. */
export const conversationBulkRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/conversations', tags: ['Conversations'] })
    .use(guard(http))
    .post(
      '/bulk',
      async ({ ctx, body, status }) => status(201, ok(await requestConversationsChange(ctx, body))),
      {
        can: { permission: 'messages:create', bulk: true },
        refuses: [
          '400 not_a_member',
          '400 unknown_tag',
          '403 permission_denied',
          '409 count_changed',
        ],
        body: ConversationBulk,
        response: { 201: Ok(JobView) },
        detail: {
          operationId: 'bulkUpdateConversations',
          summary: 'Update conversations in bulk',
          description:
            'Changes up to 500 conversations by ID, or up to 10,000 that match a filter now, in the ' +
            'background. Each is changed as by its own request, with your permissions at that time, ' +
            'and publishes its usual events. `assigned_to` also requires `transfers:assign`, tags ' +
            'require `contacts:update`. Fails with 409 `count_changed` if the filter matches another ' +
            'number than `expected_count`; `details.count` is the number. At the end you get a ' +
            'notification `bulk_done` with the counts and the first 20 errors.',
        },
      },
    )

export const conversationMessageRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/conversations/:id', tags: ['Conversations'] })
    .use(guard(http))
    .get(
      '/messages',
      ({ ctx, params, query: { page = 1, limit = 50, ...query } }) => {
        const { contactId, accountId } = getVisibleConversation(ctx, params.id)
        return ok(readThread(ctx, contactId, { page, limit, accountId, ...query }))
      },
      {
        can: 'messages:read',
        params: IdParam,
        query: MessagesQuery,
        response: { 200: Ok(MessageList) },
        detail: {
          operationId: 'listConversationMessages',
          summary: 'List messages of a conversation',
          description:
            'Page 1 holds the most recent messages; items within a page are in chronological ' +
            'order. Calls are listed between the messages, with `type: call`. Does not mark ' +
            'messages as read.',
        },
      },
    )
    .post(
      '/messages',
      async ({ ctx, params, body, status }) => {
        const { contactId, accountId } = getVisibleConversation(ctx, params.id)
        if (body.account_id !== undefined) requireAccount(ctx, body.account_id)
        const message = await createMessage(ctx, { contactId }, { ...body, account_id: accountId })
        return status(201, ok(message))
      },
      {
        can: 'messages:create',
        refuses: SEND_REFUSALS,
        params: IdParam,
        body: NewMessage,
        response: { 201: Ok(MessageView) },
        detail: {
          operationId: 'sendConversationMessage',
          summary: 'Send a message in a conversation',
          description:
            "Sends from the conversation's phone number; `account_id` is ignored. Otherwise works " +
            'like sending to the contact.',
        },
      },
    )
    .post('/typing', ({ ctx, params }) => ok({ message: sendTyping(ctx, params.id) }), {
      can: 'messages:create',
      refuses: ['400 window_closed'],
      params: IdParam,
      response: { 200: Ok(MessageAnswer) },
      detail: {
        operationId: 'sendTypingIndicator',
        summary: 'Show a typing indicator',
        description:
          "Sent at most once every 20 seconds, and only if the number's `auto_read_receipt` is " +
          'on, because the platform also marks the latest message as read.',
      },
    })

/** Routes that mark messages as read. */
export const readingRoutes = (http: Http) =>
  new Elysia({ prefix: '/api', tags: ['Conversations'] })
    .use(guard(http))
    .post(
      '/conversations/:id/read',
      ({ ctx, params, body }) => ok(markConversationRead(ctx, params.id, body)),
      {
        can: 'messages:create',
        params: IdParam,
        body: ReadUpTo,
        response: { 200: Ok(UnreadCount) },
        detail: {
          operationId: 'markConversationRead',
          summary: 'Mark a conversation as read',
          description:
            'Marks all messages, or those up to `up_to`. Sends a read receipt to the customer if ' +
            "`send_receipt` is `true`; defaults to the number's `auto_read_receipt`.",
        },
      },
    )
    .post(
      '/conversations/:id/unread',
      ({ ctx, params }) => ok(markConversationUnread(ctx, params.id)),
      {
        can: 'messages:create',
        params: IdParam,
        response: { 200: Ok(UnreadCount) },
        detail: {
          operationId: 'markConversationUnread',
          summary: 'Mark a conversation as unread',
          description: 'Its latest incoming message becomes unread again.',
        },
      },
    )
    .post(
      '/contacts/:id/mark-read',
      ({ ctx, params, body }) => ok(markContactRead(ctx, params.id, body)),
      {
        can: 'messages:create',
        params: IdParam,
        body: ReadContact,
        response: { 200: Ok(UnreadCount) },
        detail: {
          operationId: 'markContactRead',
          summary: "Mark a contact's conversations as read",
          description: 'Marks all conversations, or the one with the given phone number.',
        },
      },
    )
    .put('/messages/:id/read', ({ ctx, params }) => ok(markMessageRead(ctx, params.id)), {
      can: 'messages:create',
      refuses: ['400 not_incoming'],
      params: IdParam,
      response: { 200: Ok(UnreadCount) },
      detail: {
        operationId: 'markMessageRead',
        summary: 'Mark a message as read',
        description:
          'Also marks the messages before it. Sends a read receipt to the customer if the ' +
          "number's `auto_read_receipt` is on. Returns the number of messages still unread in " +
          'the conversation.',
      },
    })
