import { Elysia, t } from 'elysia'

import { oneOf } from '../../../../lib/fields'
import { textOrCsv } from '../../../../http/csv-response'
import { Ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { csvTable } from '../report/csv'
import {
  accountQuery,
  formatQuery,
  granularityQuery,
  memberQuery,
  rangeQuery,
} from '../report/model'
import { ReadQualityReport } from '../readers'
import { QUALITY_GROUPS, QualityGroup, QualityPoint, QualityReport } from './model'

/** Routes for the report on quality. */
export const qualityRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/analytics', tags: ['Analytics'] }).use(guard(http)).get(
    '/quality',
    async ({ ctx, query, request }) => {
      const { group_by: groupBy, granularity = 'day', format: _, ...filters } = query
      const text = await ctx.reads.text(ReadQualityReport, ctx, {
        ...{ ...filters, granularity, groupBy },
      })
      return textOrCsv(request, text, 'quality.csv', ({ groups, timeline }) =>
        groupBy === undefined ? csvTable(QualityPoint, timeline) : csvTable(QualityGroup, groups),
      )
    },
    {
      can: { permission: 'analytics:read', bulk: 'csv' },
      query: t.Object({
        ...rangeQuery,
        ...accountQuery,
        team_id: t.Optional(
          t.String({ format: 'uuid', description: 'Work of the members of this team.' }),
        ),
        ...memberQuery,
        tag_id: t.Optional(
          t.String({
            format: 'uuid',
            description: 'Work about contacts with this tag, over up to 31 days.',
          }),
        ),
        ...granularityQuery,
        group_by: t.Optional(
          oneOf(QUALITY_GROUPS, { description: 'What `groups` compares; empty without it.' }),
        ),
        ...formatQuery,
      }),
      response: { 200: Ok(QualityReport) },
      detail: {
        operationId: 'getQuality',
        summary: 'Get the quality of service',
        description:
          'Tells how long customers waited for the answer of a person, by when they began to wait, ' +
          'and how transfers were handled, by when they ended. Hours can be compared over the last ' +
          '90 days, tags over up to 31 days of stored messages. Defaults to the last 30 days. Up to ' +
          '31 days of hours, 400 days, or ten years of weeks or months; an end in the future is ' +
          'replaced by today.',
      },
    },
  )
