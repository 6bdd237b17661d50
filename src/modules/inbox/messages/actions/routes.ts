import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { cancelMessage } from '../outbound/cancel'
import { MessageFact, messageHistory } from '../history'
import { MessageView, ReactionsView } from '../model'
import { reactToMessage } from '../reactions/send'
import { resendMessage } from '../outbound/resend'
import { SEND_REFUSALS } from '../compose/model'

const NewReaction = Type.Object(
  {
    emoji: Type.String({
      maxLength: 40,
      description: 'One emoji. An empty string removes the reaction.',
    }),
  },
  { title: 'ReactionInput', examples: [{ emoji: '👍' }] },
)

const Resending = Type.Object(
  {
    take: Type.Optional(
      Type.Boolean({ description: 'As in a new message: takes over a thread of someone else.' }),
    ),
  },
  { title: 'Resending', examples: [{ take: false }] },
)

const ReactionParams = t.Object({
  id: t.String({ format: 'uuid' }),
  message_id: t.String({ format: 'uuid' }),
})

/** Routes that resend, cancel and react to messages, and list their events. */
export const messageActionRoutes = (http: Http) =>
  new Elysia({ prefix: '/api', tags: ['Messages'] })
    .use(guard(http))
    .get('/messages/:id/events', ({ ctx, params }) => ok(messageHistory(ctx, params.id)), {
      can: 'messages:read',
      params: IdParam,
      response: { 200: Ok(Type.Object({ items: Type.Array(MessageFact) })) },
      detail: {
        operationId: 'listMessageEvents',
        summary: 'Get the history of a message',
        description:
          'Lists status reports of the platform, calls to the platform, edits and revocations in ' +
          'chronological order.',
      },
    })
    .post(
      '/messages/:id/resend',
      ({ ctx, params, body, status }) =>
        status(201, ok(resendMessage(ctx, params.id, { takesThread: body.take ?? false }))),
      {
        can: 'messages:create',
        refuses: [...SEND_REFUSALS, '409 not_resendable', '409 already_resent'],
        params: IdParam,
        body: Resending,
        response: { 201: Ok(MessageView) },
        detail: {
          operationId: 'resendMessage',
          summary: 'Resend a message',
          description:
            'Sends a failed or `unknown` message again as a new message. `warnings` says if the ' +
            'first one may have arrived. Fails with 409 `not_resendable` for any other status, and ' +
            'with `already_resent` if it was sent again, unless that one failed too.',
        },
      },
    )
    .post('/messages/:id/cancel', ({ ctx, params }) => ok(cancelMessage(ctx, params.id)), {
      can: 'messages:create',
      refuses: ['409 already_sent'],
      params: IdParam,
      response: { 200: Ok(MessageView) },
      detail: {
        operationId: 'cancelMessage',
        summary: 'Cancel a message',
        description:
          'Cancels a message that has not been submitted to the platform; it fails with code ' +
          '`cancelled`. Fails with 409 `already_sent` otherwise.',
      },
    })
    .post(
      '/contacts/:id/messages/:message_id/reaction',
      ({ ctx, params, body }) =>
        ok(reactToMessage(ctx, { contactId: params.id, messageId: params.message_id }, body.emoji)),
      {
        can: 'messages:create',
        refuses: [
          '400 account_inactive',
          '400 contact_blocked',
          '400 not_reactable',
          '400 window_closed',
        ],
        params: ReactionParams,
        body: NewReaction,
        response: { 200: Ok(ReactionsView) },
        detail: {
          operationId: 'sendReaction',
          summary: 'React to a message',
          description:
            'Replaces your previous reaction; an empty `emoji` removes it. If the platform rejects ' +
            'it, the previous reaction is restored and a `message:reaction` event is sent.',
        },
      },
    )
