import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, LongPageOf, longQuery } from '../../../http/pagination'
import { oneOf } from '../../../lib/fields'
import { MessageView, ThreadItem } from './model'
import { getMessage, getMessageWithRaw } from './queries'
import { readThread } from './thread-around'

/** Query parameters of a list of messages. */
export const messagesQuery = {
  ...longQuery(50),
  before: t.Optional(
    t.String({ format: 'uuid', description: 'Only messages and calls older than this one.' }),
  ),
  after: t.Optional(
    t.String({ format: 'uuid', description: 'Only messages and calls newer than this one.' }),
  ),
  around: t.Optional(
    t.String({
      format: 'uuid',
      description: 'This message or call, and those just before and after it.',
    }),
  ),
  direction: t.Optional(oneOf(['incoming', 'outgoing'])),
  type: t.Optional(
    t.String({ maxLength: 40, description: 'Message type, or `call` for calls only.' }),
  ),
}
const MessagesQuery = t.Object({
  ...messagesQuery,
  account_id: t.Optional(t.String({ format: 'uuid' })),
})

/** A page of messages and calls. */
export const MessageList = Type.Composite(
  [
    LongPageOf(ThreadItem),
    Type.Object({
      has_more: Type.Boolean({
        description: 'Whether there are more messages in the requested direction.',
      }),
      has_more_before: Type.Union([Type.Boolean(), Type.Null()], {
        description: 'With `around`: whether there are older messages. Otherwise `null`.',
      }),
      has_more_after: Type.Union([Type.Boolean(), Type.Null()], {
        description: 'With `around`: whether there are newer messages. Otherwise `null`.',
      }),
    }),
  ],
  { title: 'MessageList' },
)

/** Routes of a contact's messages. */
export const contactMessageRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/contacts', tags: ['Messages'] })
    .use(guard(http))
    .get(
      '/:id/messages',
      ({ ctx, params, query: { page = 1, limit = 50, account_id, ...query } }) =>
        ok(readThread(ctx, params.id, { page, limit, accountId: account_id, ...query })),
      {
        can: 'messages:read',
        params: IdParam,
        query: MessagesQuery,
        response: { 200: Ok(MessageList) },
        detail: {
          operationId: 'listContactMessages',
          summary: "List a contact's messages",
          description:
            'Page 1 holds the most recent messages; items within a page are in chronological ' +
            'order. Calls are listed between the messages, with `type: call`. Does not mark ' +
            'messages as read.',
        },
      },
    )

/** Routes of single messages. */
export const messageRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/messages', tags: ['Messages'] })
    .use(guard(http))
    .get(
      '/:id',
      ({ ctx, params, query }) =>
        ok(
          query.include === 'raw' ? getMessageWithRaw(ctx, params.id) : getMessage(ctx, params.id),
        ),
      {
        can: 'messages:read',
        params: IdParam,
        query: t.Object({
          include: t.Optional(oneOf(['raw'], { description: 'Also requires `accounts:update`.' })),
        }),
        response: { 200: Ok(MessageView) },
        detail: {
          operationId: 'getMessage',
          summary: 'Get a message',
          description:
            'With `include=raw`, also returns the item as received from the platform, if `content` ' +
            'does not contain all of it.',
        },
      },
    )
