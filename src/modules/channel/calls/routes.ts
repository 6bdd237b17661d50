import { Elysia, t } from 'elysia'

import { oneOf } from '../../../lib/fields'
import { Ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import { okText } from '../../../http/read-answer'
import type { Http } from '../../../http/http-deps'
import { LongPageOf, longQuery } from '../../../http/pagination'
import { CallView } from './model'
import { ListCalls } from './readers'
import { calls } from './table'

const CallsQuery = t.Object({
  ...longQuery(),
  contact_id: t.Optional(t.String({ format: 'uuid' })),
  account_id: t.Optional(t.String({ format: 'uuid' })),
  direction: t.Optional(oneOf(calls.direction.enumValues)),
  state: t.Optional(oneOf(calls.state.enumValues)),
  from: t.Optional(
    t.String({ format: 'date-time', description: 'Only calls that began at this time or later.' }),
  ),
  to: t.Optional(
    t.String({ format: 'date-time', description: 'Only calls that began before this time.' }),
  ),
})

const timeOf = (written: string | undefined): number | undefined =>
  written === undefined ? undefined : Date.parse(written)

export const callRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/calls', tags: ['Calls'] }).use(guard(http)).get(
    '',
    async ({ ctx, query: { page = 1, limit = 20, contact_id, account_id, from, to, ...query } }) =>
      okText(
        await ctx.reads.text(ListCalls, ctx, {
          ...query,
          page,
          limit,
          contactId: contact_id,
          accountId: account_id,
          fromMs: timeOf(from),
          toMs: timeOf(to),
        }),
      ),
    {
      can: 'messages:read',
      query: CallsQuery,
      response: { 200: Ok(LongPageOf(CallView)) },
      detail: {
        operationId: 'listCalls',
        summary: 'List calls',
        description:
          'Lists calls with contacts the caller can see, most recent first. Calls also appear in ' +
          'the messages of their contact and conversation, with `type: call`. The sound of a call ' +
          'never passes through this server.',
      },
    },
  )
