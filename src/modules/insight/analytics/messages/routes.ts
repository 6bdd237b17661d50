import { Elysia, t } from 'elysia'

import { oneOf } from '../../../../lib/fields'
import { textOrCsv } from '../../../../http/csv-response'
import { Ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { MESSAGE_SOURCES } from '../../../inbox/messages/table'
import { csvTable } from '../report/csv'
import { accountQuery, formatQuery, granularityQuery, rangeQuery } from '../report/model'
import { MessagePoint, MessageReport } from './model'
import { ReadMessageReport } from '../readers'

export const messageReportRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/analytics', tags: ['Analytics'] }).use(guard(http)).get(
    '/messages',
    async ({ ctx, query, request }) => {
      const { format: _, granularity = 'day', ...filters } = query
      const text = await ctx.reads.text(ReadMessageReport, ctx, { ...filters, granularity })
      return textOrCsv(request, text, 'messages.csv', ({ timeline }) =>
        csvTable(MessagePoint, timeline),
      )
    },
    {
      can: { permission: 'analytics:read', bulk: 'csv' },
      query: t.Object({
        ...rangeQuery,
        ...accountQuery,
        ...granularityQuery,
        direction: t.Optional(oneOf(['incoming', 'outgoing'])),
        source: t.Optional(oneOf(MESSAGE_SOURCES, { description: 'Who sent the messages.' })),
        ...formatQuery,
      }),
      response: { 200: Ok(MessageReport) },
      detail: {
        operationId: 'getMessageReport',
        summary: 'Get the messages of a period',
        description:
          'Delivered, read and failed messages count at the time at which they were sent, so a ' +
          'status that comes three days late changes the figures of three days ago. Tests of ' +
          'templates and system messages count nowhere. Defaults to the last 30 days. Up to 31 ' +
          'days of hours, 400 days, or ten years of weeks or months; an end in the future is ' +
          'replaced by today.',
      },
    },
  )
