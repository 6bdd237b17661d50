import { Elysia, t } from 'elysia'

import { oneOf } from '../../../../lib/fields'
import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam, LongPageOf, longQuery } from '../../../../http/pagination'
import { okText } from '../../../../http/read-answer'
import { SESSION_STATUSES } from '../engine/table'
import { cancelSession } from './cancel'
import { FlowStart, SessionData, SessionDetails, SessionItem, BotSessionView } from './model'
import { getSession } from './queries'
import { ListSessions } from './readers'
import { getSessionData } from './session-data'
import { startFlow } from './start'

const SessionsQuery = t.Object({
  ...longQuery(),
  status: t.Optional(oneOf([...SESSION_STATUSES])),
  contact_id: t.Optional(t.String({ format: 'uuid' })),
  flow_id: t.Optional(t.String({ format: 'uuid' })),
  account_id: t.Optional(t.String({ format: 'uuid' })),
})

/** Routes for sessions of the bot. */
export const sessionRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/chatbot/sessions', tags: ['Chatbot'] })
    .use(guard(http))
    .get(
      '',
      async ({ ctx, query: { page = 1, limit = 20, contact_id, flow_id, account_id, ...query } }) =>
        okText(
          await ctx.reads.text(ListSessions, ctx, {
            ...query,
            page,
            limit,
            contactId: contact_id,
            flowId: flow_id,
            accountId: account_id,
          }),
        ),
      {
        can: 'chatbot:read',
        query: SessionsQuery,
        response: { 200: Ok(LongPageOf(SessionItem)) },
        detail: {
          operationId: 'listBotSessions',
          summary: 'List sessions',
          description:
            'Lists the sessions of the chatbot with contacts the caller can see, most recent first. ' +
            'A contact has one active session at most on each phone number. `variables` larger than ' +
            '4 KiB are only returned by `GET /api/chatbot/sessions/{id}`.',
        },
      },
    )
    .get('/:id', ({ ctx, params }) => ok(getSession(ctx, params.id)), {
      can: 'chatbot:read',
      params: IdParam,
      response: { 200: Ok(SessionDetails) },
      detail: {
        operationId: 'getBotSession',
        summary: 'Get a session',
        description:
          'Returns a session with its messages and with what the chatbot did, step by step.',
      },
    })
    .post('/:id/cancel', ({ ctx, params }) => ok(cancelSession(ctx, params.id)), {
      can: 'chatbot:delete',
      refuses: ['409 bot_session_ended'],
      params: IdParam,
      response: { 200: Ok(BotSessionView) },
      detail: {
        operationId: 'cancelBotSession',
        summary: 'Cancel a session',
        description: 'Ends an active session without a message. Its conversation is open.',
      },
    })

/** The route that starts a bot flow. */
export const flowStartRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/chatbot/flows', tags: ['Chatbot'] })
    .use(guard(http))
    .post(
      '/:id/start',
      ({ ctx, params, body, status }) => status(201, ok(startFlow(ctx, params.id, body))),
      {
        can: 'messages:create',
        refuses: [
          '400 account_inactive',
          '400 account_required',
          '400 contact_blocked',
          '400 flow_not_published',
          '400 window_closed',
          '409 session_active',
          '409 transfer_active',
        ],
        params: IdParam,
        body: FlowStart,
        response: { 201: Ok(BotSessionView) },
        detail: {
          operationId: 'startBotFlow',
          summary: 'Start a bot flow',
          description:
            'Begins a bot flow with a contact. Its first nodes run at once in the background. Outside ' +
            'the 24-hour window only a flow that sends a template first can start.',
        },
      },
    )

/** The route of what a bot flow has asked a contact. */
export const sessionDataRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/contacts', tags: ['Contacts'] })
    .use(guard(http))
    .get('/:id/session-data', ({ ctx, params }) => ok(getSessionData(ctx, params.id)), {
      can: 'contacts:read',
      params: IdParam,
      response: { 200: Ok(SessionData) },
      detail: {
        operationId: 'getContactSessionData',
        summary: 'Get what a bot flow has asked a contact',
        description:
          'Returns the variables of the bot flow that the contact is in, else of the last one that ' +
          'has ended, and the panel that the flow shows them in. All values are `null` if there was ' +
          'none.',
      },
    })
