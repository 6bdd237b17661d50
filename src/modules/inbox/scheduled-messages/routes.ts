import { Elysia, t } from 'elysia'

import { oneOf } from '../../../lib/fields'
import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import type { Ctx } from '../../../infra/ctx'
import { SEND_REFUSALS } from '../messages/compose/model'
import { NewScheduledMessage, ScheduledMessage, ScheduledMessageChanges } from './model'
import { getScheduled, listScheduled, scheduledView } from './queries'
import { sendNow } from './send'
import { cancelScheduled, scheduleMessage, updateScheduled } from './service'
import { SCHEDULED_STATES } from './table'

const ONE = { 200: Ok(ScheduledMessage) }
const REFUSALS = SEND_REFUSALS.filter((refusal) => refusal !== '400 window_closed')

const timeOf = (written: string | undefined): number | undefined =>
  written === undefined ? undefined : Date.parse(written)

/** Routes for scheduled messages. */
export const scheduledRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/scheduled-messages', tags: ['Messages'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, order = 'asc', ...query } }) =>
        ok(
          listScheduled(ctx, {
            page,
            limit,
            order,
            contactId: query.contact_id,
            accountId: query.account_id,
            state: query.state,
            mine: query.mine,
            fromMs: timeOf(query.from),
            toMs: timeOf(query.to),
          }),
        ),
      {
        can: 'messages:create',
        query: t.Object({
          ...pageQuery(),
          contact_id: t.Optional(t.String({ format: 'uuid' })),
          account_id: t.Optional(t.String({ format: 'uuid' })),
          state: t.Optional(oneOf(SCHEDULED_STATES)),
          mine: t.Optional(t.BooleanString({ description: 'If `true`, only your own messages.' })),
          from: t.Optional(
            t.String({
              format: 'date-time',
              description: 'Only messages that are sent at this time or later.',
            }),
          ),
          to: t.Optional(
            t.String({
              format: 'date-time',
              description: 'Only messages that are sent before this time.',
            }),
          ),
          order: t.Optional(
            oneOf(['asc', 'desc'], { description: 'Order by `send_at`. Defaults to `asc`.' }),
          ),
        }),
        response: { 200: Ok(PageOf(ScheduledMessage)) },
        detail: {
          operationId: 'listScheduledMessages',
          summary: 'List scheduled messages',
          description:
            'Lists your own messages; with `contacts:delete`, those of everybody. Ended ones are ' +
            'listed for 7 days.',
        },
      },
    )
    .post('', async ({ ctx, body, status }) => status(201, ok(await scheduleMessage(ctx, body))), {
      can: 'messages:create',
      refuses: [...REFUSALS, '409 limit_reached'],
      body: NewScheduledMessage,
      response: { 201: Ok(ScheduledMessage) },
      detail: {
        operationId: 'scheduleMessage',
        summary: 'Schedule a message',
        description:
          'Validates the message as if it were sent now, except that the 24-hour window may be ' +
          'closed. At its time it is validated again, with your permissions of then, and sent ' +
          'once, within 5 seconds; if that fails, you are notified, and `error` says why. If the ' +
          'server was down for more than an hour after its time, it fails as `missed`. It also ' +
          'fails when the contact is blocked or deleted, or the phone number disconnected. A ' +
          'contact can have 20 waiting messages, an organization 5,000. One-time codes cannot be ' +
          'scheduled.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(scheduledView(ctx, getScheduled(ctx, params.id))), {
      can: 'messages:create',
      params: IdParam,
      response: ONE,
      detail: {
        operationId: 'getScheduledMessage',
        summary: 'Get a scheduled message',
        description: 'With what will be sent, when, and what became of it.',
      },
    })
    .put('/:id', async ({ ctx, params, body }) => ok(await updateScheduled(ctx, params.id, body)), {
      can: 'messages:create',
      unlessChanged: (ctx: Ctx, id: string) => scheduledView(ctx, getScheduled(ctx, id)),
      refuses: [...REFUSALS, '409 not_scheduled'],
      params: IdParam,
      body: ScheduledMessageChanges,
      response: ONE,
      detail: {
        operationId: 'updateScheduledMessage',
        summary: 'Update a scheduled message',
        description: 'It is still sent with the permissions of its author.',
      },
    })
    .delete('/:id', ({ ctx, params }) => ok(cancelScheduled(ctx, params.id)), {
      can: 'messages:create',
      refuses: ['409 not_scheduled'],
      params: IdParam,
      response: ONE,
      detail: {
        operationId: 'cancelScheduledMessage',
        summary: 'Cancel a scheduled message',
        description: 'It stays in the list for 7 days, as `cancelled`.',
      },
    })
    .post('/:id/send-now', ({ ctx, params }) => ok(sendNow(ctx, params.id)), {
      can: 'messages:create',
      refuses: [...SEND_REFUSALS, '409 not_scheduled'],
      params: IdParam,
      response: ONE,
      detail: {
        operationId: 'sendScheduledMessageNow',
        summary: 'Send a scheduled message now',
        description:
          'Sends it as the caller. If it cannot be sent, it stays scheduled. Outside the 24-hour ' +
          'window, `fallback_template` is sent.',
      },
    })
