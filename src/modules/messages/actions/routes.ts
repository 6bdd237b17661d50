import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam } from '../../../http/pagination'
import { cancelMessage } from '../outbound/cancel'
import { MessageFact, messageHistory } from '../history'
import { MessageView, ReactionsView } from '../model'
import { reactToMessage } from '../reactions/send'
import { resendMessage } from '../outbound/resend'
import { SEND_REFUSALS } from '../compose/model'

const NewReaction = Type.Object(
  {
    emoji: Type.String({ maxLength: 40, description: 'One emoji; empty takes the reaction back.' }),
  },
  { title: 'NewReaction', examples: [{ emoji: '👍' }] },
)

const ReactionParams = t.Object({
  id: t.String({ format: 'uuid' }),
  message_id: t.String({ format: 'uuid' }),
})

/** What people do with a message that is there already, and everything that happened to it. */
export const messageActionRoutes = (http: Http) =>
  new Elysia({ prefix: '/api', tags: ['Messages'] })
    .use(guard(http))
    .get('/messages/:id/events', ({ ctx, params }) => ok(messageHistory(ctx, params.id)), {
      can: 'messages:read',
      params: IdParam,
      response: { 200: Ok(Type.Object({ items: Type.Array(MessageFact) })) },
      detail: {
        operationId: 'listMessageEvents',
        summary: 'Everything that happened to a message',
        description:
          'What the platform said of it, our calls, edits and revokes, in order of their times.',
      },
    })
    .post(
      '/messages/:id/resend',
      ({ ctx, params, status }) => status(201, ok(resendMessage(ctx, params.id))),
      {
        can: 'messages:create',
        refuses: [...SEND_REFUSALS, '409 not_resendable'],
        params: IdParam,
        response: { 201: Ok(MessageView) },
        detail: {
          operationId: 'resendMessage',
          summary: 'Send a message once more',
          description:
            'One that failed, or whose outcome is `unknown`, as a new message after all checks. 409 `not_resendable` otherwise. When the first may have arrived, `warnings` says so.',
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
        summary: 'Call a message off',
        description:
          'One that was not handed to the platform yet; it fails with the code `cancelled`. 409 `already_sent` afterwards.',
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
            'There is one reaction of ours to a message; a new one replaces it, an empty emoji takes it back. It shows at once; when the platform refuses it, the former one comes back and `message:reaction` says so.',
        },
      },
    )
