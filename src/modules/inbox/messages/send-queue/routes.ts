import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import { okText } from '../../../../http/read-answer'
import type { Http } from '../../../../http/http-deps'
import { LongPageOf, longQuery } from '../../../../http/pagination'
import { oneOf } from '../../../../lib/fields'
import { pauseSending } from '../../../channel/accounts/pause'
import { cancelPending } from '../outbound/cancel'
import {
  CancelRequest,
  CancelView,
  OUTBOX_STAGES,
  OutboxItem,
  OutboxStats,
  PauseRequest,
  PauseView,
} from './model'
import { outboxStats } from './queries'
import { CountQueued, ListOutbox } from './readers'

const OutboxQuery = t.Object({
  ...longQuery(),
  account_id: t.Optional(t.String({ format: 'uuid' })),
  stage: t.Optional(oneOf(OUTBOX_STAGES)),
  contact_id: t.Optional(t.String({ format: 'uuid' })),
  older_than: t.Optional(
    t.String({ format: 'date-time', description: 'Only messages written before this time.' }),
  ),
})

const timeOf = (written: string | undefined): number | undefined =>
  written === undefined ? undefined : Date.parse(written)

/** Routes that read the send queue. */
export const outboxRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/outbox', tags: ['Outbox'] })
    .use(guard(http))
    .get(
      '',
      async ({
        ctx,
        query: { page = 1, limit = 20, cursor, account_id, stage, contact_id, older_than },
      }) =>
        okText(
          await ctx.reads.text(ListOutbox, ctx, {
            page,
            limit,
            cursor,
            accountId: account_id,
            stage,
            contactId: contact_id,
            olderThanMs: timeOf(older_than),
          }),
        ),
      {
        can: 'jobs:read',
        query: OutboxQuery,
        response: { 200: Ok(LongPageOf(OutboxItem)) },
        detail: {
          operationId: 'listOutbox',
          summary: 'List unsent messages',
          description:
            'Lists messages, oldest first, including those submitted without a response yet.',
        },
      },
    )
    .get(
      '/stats',
      async ({ ctx }) =>
        ok({ accounts: outboxStats(ctx, await ctx.reads.value(CountQueued, ctx, null)) }),
      {
        can: 'jobs:read',
        response: { 200: Ok(Type.Object({ accounts: Type.Array(OutboxStats) })) },
        detail: {
          operationId: 'getOutboxStats',
          summary: 'Get the send queue by number',
          description: 'Includes the current send rate of each phone number.',
        },
      },
    )

/** Routes that pause, resume and cancel sending. */
export const outboxControlRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/outbox', tags: ['Outbox'] })
    .use(guard(http))
    .post(
      '/pause',
      ({ ctx, body }) => {
        pauseSending(ctx, body.account_id, { isPaused: true, reason: body.reason ?? null })
        return ok({ account_id: body.account_id, paused: true })
      },
      {
        can: 'accounts:update',
        body: PauseRequest,
        response: { 200: Ok(PauseView) },
        detail: {
          operationId: 'pauseOutbox',
          summary: 'Pause sending from a number',
          description:
            'New messages are accepted and held. Calls in progress are completed. Campaigns of the ' +
            'number are paused until someone resumes them. Independent of automatic pauses after ' +
            'errors.',
        },
      },
    )
    .post(
      '/resume',
      ({ ctx, body }) => {
        pauseSending(ctx, body.account_id, { isPaused: false, reason: null })
        return ok({ account_id: body.account_id, paused: false })
      },
      {
        can: 'accounts:update',
        body: PauseRequest,
        response: { 200: Ok(PauseView) },
        detail: {
          operationId: 'resumeOutbox',
          summary: 'Resume sending from a number',
          description: 'Sends the held messages in order, after checking them again.',
        },
      },
    )
    .post(
      '/cancel',
      async ({ ctx, body, status }) =>
        status(
          202,
          ok(
            await cancelPending(ctx, {
              accountId: body.account_id,
              contactId: body.contact_id,
              olderThanMs: timeOf(body.older_than),
            }),
          ),
        ),
      {
        can: { permission: 'jobs:retry', bulk: true },
        body: CancelRequest,
        response: { 202: Ok(CancelView) },
        detail: {
          operationId: 'cancelOutbox',
          summary: 'Cancel unsent messages of a number',
          description:
            'Cancels messages that have not been submitted to the platform; each fails with code ' +
            '`cancelled`. Counts as a bulk operation.',
        },
      },
    )
