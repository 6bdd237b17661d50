import { Elysia, t } from 'elysia'

import { textOrCsv } from '../../../../http/csv-response'
import { Ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { csvTable } from '../report/csv'
import { accountQuery, formatQuery, granularityQuery, rangeQuery } from '../report/model'
import { ChatbotPoint, ChatbotReport } from './model'
import { ReadChatbotReport } from '../readers'

export const chatbotReportRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/analytics', tags: ['Analytics'] }).use(guard(http)).get(
    '/chatbot',
    async ({ ctx, query, request }) => {
      const text = await ctx.reads.text(ReadChatbotReport, ctx, query)
      return textOrCsv(request, text, 'chatbot.csv', ({ timeline }) =>
        csvTable(ChatbotPoint, timeline),
      )
    },
    {
      can: { permission: 'analytics:read', bulk: 'csv' },
      query: t.Object({
        ...rangeQuery,
        ...accountQuery,
        flow_id: t.Optional(
          t.String({
            format: 'uuid',
            description: 'Only sessions whose last bot flow it is. `ai_usage` is of all flows.',
          }),
        ),
        ...granularityQuery,
        ...formatQuery,
      }),
      response: { 200: Ok(ChatbotReport) },
      detail: {
        operationId: 'getChatbotFigures',
        summary: 'Get the figures of the chatbot',
        description:
          'A session counts when it began. Previews count nowhere. Defaults to the last 30 days. Up ' +
          'to 31 days of hours, 400 days, or ten years of weeks or months; an end in the future is ' +
          'replaced by today.',
      },
    },
  )
