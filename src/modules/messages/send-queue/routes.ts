import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { LongPageOf, longQuery } from '../../../http/pagination'
import { oneOf } from '../../../lib/fields'
import { pauseSending } from '../../accounts/pause'
import { cancelWaiting } from '../outbound/cancel'
import {
  CancelRequest,
  CancelView,
  OUTBOX_STAGES,
  OutboxItem,
  OutboxStats,
  PauseRequest,
  PauseView,
} from './model'
import { listOutbox, outboxStats } from './queries'

const OutboxQuery = t.Object({
  ...longQuery(),
  account_id: t.Optional(t.String({ format: 'uuid' })),
  stage: t.Optional(oneOf(OUTBOX_STAGES)),
  contact_id: t.Optional(t.String({ format: 'uuid' })),
  older_than: t.Optional(
    t.String({ format: 'date-time', description: 'Only messages written before.' }),
  ),
})

const timeOf = (written: string | undefined): number | undefined =>
  written === undefined ? undefined : Date.parse(written)

/** What waits to be sent. */
export const outboxRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/outbox', tags: ['Outbox'] })
    .use(guard(http))
    .get(
      '',
      ({
        ctx,
        query: { page = 1, limit = 20, cursor, account_id, stage, contact_id, older_than },
      }) =>
        ok(
          listOutbox(ctx, {
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
          summary: 'What waits to be sent',
          description: 'The oldest first, also what was handed over and has not been answered for.',
        },
      },
    )
    .get('/stats', ({ ctx }) => ok({ accounts: outboxStats(ctx) }), {
      can: 'jobs:read',
      response: { 200: Ok(Type.Object({ accounts: Type.Array(OutboxStats) })) },
      detail: {
        operationId: 'getOutboxStats',
        summary: 'What waits, by number',
        description: 'And how fast each number may send at the moment.',
      },
    })

/** Holding back, letting go and calling off what waits to be sent. */
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
          summary: 'Keep back what a number is to send',
          description:
            'New messages are accepted and wait. A call under way is not cut off. Campaigns of the number are paused and go on when somebody resumes them. Apart from the pauses that errors bring.',
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
          summary: 'Let a number send again',
          description: 'What waited goes out in order, checked once more.',
        },
      },
    )
    .post(
      '/cancel',
      async ({ ctx, body, status }) =>
        status(
          202,
          ok(
            await cancelWaiting(ctx, {
              accountId: body.account_id,
              contactId: body.contact_id,
              olderThanMs: timeOf(body.older_than),
            }),
          ),
        ),
      {
        canBulk: 'jobs:retry',
        body: CancelRequest,
        response: { 202: Ok(CancelView) },
        detail: {
          operationId: 'cancelOutbox',
          summary: 'Call off what a number is to send',
          description:
            'Only what was not handed over yet; each message fails with the code `cancelled`. Counted as a bulk operation.',
        },
      },
    )
