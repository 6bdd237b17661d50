import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'

import { Ok, ok } from '../../../../../http/envelope'
import { guard } from '../../../../../http/guard'
import type { Http } from '../../../../../http/http-deps'
import { BotFlowView } from '../model'
import { FlowTemplate, FromTemplate } from './model'
import { createFromTemplate, listFlowTemplates } from './service'

/** Routes for bot flows to start from. */
export const flowTemplateRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/chatbot', tags: ['Chatbot'] })
    .use(guard(http))
    .get('/templates', () => ok(listFlowTemplates()), {
      can: 'flows:read',
      response: { 200: Ok(Type.Object({ items: Type.Array(FlowTemplate) })) },
      detail: {
        operationId: 'listBotFlowTemplates',
        summary: 'List flows to start from',
        description: 'Six ready flows whose texts you change: menu, questions, order status, …',
      },
    })
    .post(
      '/flows/from-template',
      async ({ ctx, body, status }) => status(201, ok(await createFromTemplate(ctx, body))),
      {
        can: 'flows:create',
        refuses: ['409 name_taken', '409 limit_reached'],
        body: FromTemplate,
        response: { 201: Ok(BotFlowView) },
        detail: {
          operationId: 'createBotFlowFromTemplate',
          summary: 'Create a bot flow from a template',
          description:
            'The flow is valid and disabled. Change its texts and addresses, then enable it.',
        },
      },
    )
