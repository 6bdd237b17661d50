import { Elysia } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { PreviewRequest, PreviewResult } from './model'
import { previewTurns } from './run'

/** The route that previews the bot. */
export const previewRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/chatbot/preview', tags: ['Chatbot'] })
    .use(guard(http))
    .post('', async ({ ctx, body }) => ok(await previewTurns(ctx, body)), {
      can: 'chatbot:update',
      refuses: ['400 graph_invalid', '400 url_refused'],
      body: PreviewRequest,
      response: { 200: Ok(PreviewResult) },
      detail: {
        operationId: 'previewBot',
        summary: 'Preview the chatbot',
        description:
          'Runs messages through the chatbot without sending or storing anything. The settings, rules ' +
          'and flows are the current ones; `flow_id` or `graph` tries a draft. Delays pass at once. ' +
          'Send `session` of the answer with the next message to continue.',
      },
    })
