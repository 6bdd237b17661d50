import { Elysia, t } from 'elysia'

import { oneOf } from '../../../../lib/fields'
import { textOrCsv, wantsCsv } from '../../../../http/csv-response'
import { Ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import { okText } from '../../../../http/read-answer'
import type { Http } from '../../../../http/http-deps'
import { idParam, pageQuery } from '../../../../http/pagination'
import { csvTable } from '../report/csv'
import { formatQuery, granularityQuery, rangeQuery } from '../report/model'
import { AGENT_SORTS, AgentComparison, AgentList, AgentPoint, AgentReport, AgentRow } from './model'
import { CompareAgents, ListAgents, ReadAgentReport } from '../readers'

const DEFAULT_AGENTS = 50

const RANGE =
  'Defaults to the last 30 days. Up to 400 days; an end in the future is replaced by today.'

/** Routes for the figures of the caller. */
export const ownReportRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/me', tags: ['Me'] })
    .use(guard(http))
    .get(
      '/report',
      async ({ ctx, query }) =>
        okText(
          await ctx.reads.text(ReadAgentReport, ctx, { ...query, userId: ctx.actor.userId ?? '' }),
        ),
      {
        can: 'session',
        query: t.Object(rangeQuery),
        response: { 200: Ok(AgentReport) },
        detail: {
          operationId: 'getMyReport',
          summary: 'Get my figures',
          description: `Returns the caller's own row of the report on agents, by day. ${RANGE}`,
        },
      },
    )

/** Routes for the report on agents. */
export const agentRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/analytics/agents', tags: ['Analytics'] })
    .use(guard(http))
    .get(
      '',
      async ({ ctx, query, request }) => {
        const { team_id, sort = 'full_name', page = 1, limit, ...rest } = query
        const isFile = wantsCsv(request)
        const text = await ctx.reads.text(ListAgents, ctx, {
          ...rest,
          teamId: team_id,
          sort,
          order: query.order ?? (sort === 'full_name' ? 'asc' : 'desc'),
          page: isFile ? 1 : page,
          limit: isFile ? Number.MAX_SAFE_INTEGER : (limit ?? DEFAULT_AGENTS),
        })
        return textOrCsv(request, text, 'agents.csv', ({ items }) => csvTable(AgentRow, items))
      },
      {
        can: { permission: 'analytics:read', bulk: 'csv' },
        query: t.Object({
          ...pageQuery(DEFAULT_AGENTS),
          ...rangeQuery,
          team_id: t.Optional(t.String({ format: 'uuid', description: 'Members of this team.' })),
          sort: t.Optional(oneOf(AGENT_SORTS, { default: 'full_name' })),
          order: t.Optional(
            oneOf(['asc', 'desc'], {
              description: 'Sort order. Defaults to `desc`, or `asc` when sorting by name.',
            }),
          ),
          ...formatQuery,
        }),
        response: { 200: Ok(AgentList) },
        detail: {
          operationId: 'listAgentFigures',
          summary: 'Compare the work of all agents',
          description:
            'Returns a row for each member of the organization, or of a team. `summary` has the ' +
            `same figures over all of them, not only over this page. ${RANGE}`,
        },
      },
    )
    .get(
      '/comparison',
      async ({ ctx, query, request }) => {
        const text = await ctx.reads.text(CompareAgents, ctx, query)
        return textOrCsv(request, text, 'agents.csv', ({ agents }) => csvTable(AgentRow, agents))
      },
      {
        can: { permission: 'analytics:read', bulk: 'csv' },
        query: t.Object({
          user_ids: t.String({
            maxLength: 500,
            description: '2 to 10 user IDs, separated by commas.',
          }),
          ...rangeQuery,
          ...formatQuery,
        }),
        response: { 200: Ok(AgentComparison) },
        detail: {
          operationId: 'compareAgents',
          summary: 'Compare some agents',
          description: RANGE,
        },
      },
    )
    .get(
      '/:user_id',
      async ({ ctx, params, query, request }) => {
        const { user_id: userId } = params
        const text = await ctx.reads.text(ReadAgentReport, ctx, { ...query, userId })
        return textOrCsv(request, text, 'agent.csv', ({ timeline }) =>
          csvTable(AgentPoint, timeline),
        )
      },
      {
        can: { permission: 'analytics:read', bulk: 'csv' },
        params: idParam('user_id'),
        query: t.Object({ ...rangeQuery, ...granularityQuery, ...formatQuery }),
        response: { 200: Ok(AgentReport) },
        detail: {
          operationId: 'getAgentFigures',
          summary: 'Get the figures of an agent',
          description:
            'Defaults to the last 30 days. Up to 31 days of hours, 400 days, or ten years of weeks ' +
            'or months; an end in the future is replaced by today.',
        },
      },
    )
