import { Elysia, t } from 'elysia'

import { isoTimeOrNull } from '../../../../lib/clock'
import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { getAccount } from '../../../channel/accounts/queries'
import { BusinessHoursView } from './model'
import { businessHoursAt } from './queries'

export const businessHoursRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/chatbot/hours', tags: ['Chatbot'] }).use(guard(http)).get(
    '',
    ({ ctx, query: { at, account_id: accountId = null } }) => {
      if (accountId !== null) getAccount(ctx, accountId)
      const atMs = at === undefined ? ctx.clock.nowMs() : Date.parse(at)
      const { isOpen, timezone, closesAtMs, opensAtMs } = businessHoursAt(ctx, accountId, atMs)
      return ok({
        open: isOpen,
        timezone,
        closes_at: isoTimeOrNull(closesAtMs),
        opens_at: isoTimeOrNull(opensAtMs),
      })
    },
    {
      can: 'chatbot:read',
      refuses: ['404 not_found'],
      query: t.Object({
        at: t.Optional(
          t.String({ format: 'date-time', description: 'Time to check. Defaults to now.' }),
        ),
        account_id: t.Optional(
          t.String({ format: 'uuid', description: 'A phone number of the organization.' }),
        ),
      }),
      response: { 200: Ok(BusinessHoursView) },
      detail: {
        operationId: 'getBusinessHours',
        summary: 'Check the business hours',
        description:
          'Returns whether it is open at a time, in the time zone of the organization. It is ' +
          'always open while `business_hours_enabled` is false.',
      },
    },
  )
