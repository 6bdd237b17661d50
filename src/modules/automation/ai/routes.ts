import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { aiCompliance } from './compliance'
import { AiCompliance, AiTest, AiTestResult } from './model'
import { tryAiSettings } from './try-settings'
import { UsageReport } from './usage/model'
import { usageReport } from './usage/queries'

const date = (description: string) => t.Optional(t.String({ maxLength: 10, description }))

/** Routes to test the AI settings and to read its usage. */
export const aiRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/chatbot/ai', tags: ['Chatbot'] })
    .use(guard(http))
    .post('/test', async ({ ctx, body }) => ok(await tryAiSettings(ctx, body)), {
      can: 'chatbot:update',
      refuses: ['400 ai_not_configured', '409 ai_budget_exhausted'],
      body: AiTest,
      response: { 200: Ok(AiTestResult) },
      detail: {
        operationId: 'testChatbotAi',
        summary: 'Test the AI settings',
        description:
          'Asks the provider as a customer would, with the purpose, system prompt and contexts, ' +
          'even while `ai_enabled` is `false`. The call counts as usage. Fails with 400 ' +
          '`ai_not_configured`, 409 `ai_budget_exhausted`, and 429 while eight calls of the ' +
          'organization are under way. A provider that fails is a 200 with `success: false`.',
      },
    })
    .get('/usage', ({ ctx, query }) => ok(usageReport(ctx, query)), {
      can: 'analytics:read',
      query: t.Object({
        start_date: date('First local date, `YYYY-MM-DD`. Defaults to 30 days before the last.'),
        end_date: date('Last local date. Defaults to today; up to 366 days in all.'),
      }),
      response: { 200: Ok(UsageReport) },
      detail: {
        operationId: 'getChatbotAiUsage',
        summary: 'Get AI usage',
        description:
          'Returns requests, tokens and cost in the time zone of the organization, and the budget. ' +
          'Tokens are the counts of the provider. A call that was interrupted counts with its ' +
          'estimate.',
      },
    })

/** Routes for auditors. */
export const complianceRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/compliance', tags: ['Chatbot'] })
    .use(guard(http))
    .get('/ai', ({ ctx }) => ok(aiCompliance(ctx)), {
      can: 'settings:read',
      response: { 200: Ok(AiCompliance) },
      detail: {
        operationId: 'getAiCompliance',
        summary: 'Get the AI compliance report',
        description:
          'Returns on one page what the AI is for, what customers are told, where their data goes, ' +
          'how long it is kept, and how they reach a person.',
      },
    })
