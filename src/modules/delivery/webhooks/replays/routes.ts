import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { NewReplay, ReplayPreview, ReplayView, StartedReplay } from '../model'
import { previewReplay, startReplay } from './start'
import { getReplay, stopReplay } from './stop'

const ReplayParams = t.Object({
  id: t.String({ format: 'uuid' }),
  replay_id: t.String({ format: 'uuid' }),
})

/** Sends what failed in a range of time again: first counted, then started, watched and stopped. */
export const replayRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/webhooks', tags: ['Webhooks'] })
    .use(guard(http))
    .post(
      '/:id/replay',
      async ({ ctx, params, body, status }) =>
        status(201, ok(await startReplay(ctx, params.id, body))),
      {
        can: 'webhooks:update',
        isBulk: true,
        refuses: ['409 endpoint_disabled'],
        params: IdParam,
        body: NewReplay,
        response: { 201: Ok(StartedReplay) },
        detail: {
          operationId: 'replayWebhookDeliveries',
          summary: 'Replay deliveries',
          description:
            'Sends the deliveries of a time range again, oldest first, behind new ones: those ' +
            'that failed or were missed, or all. A range is at most seven days and 100,000 ' +
            'deliveries.',
        },
      },
    )
    .post(
      '/:id/replay/preview',
      async ({ ctx, params, body }) => ok(await previewReplay(ctx, params.id, body)),
      {
        can: 'webhooks:read',
        params: IdParam,
        body: NewReplay,
        response: { 200: Ok(ReplayPreview) },
        detail: {
          operationId: 'previewWebhookReplay',
          summary: 'Preview a replay',
          description: 'Returns how many deliveries a replay would send again, and sends nothing.',
        },
      },
    )
    .get(
      '/:id/replays/:replay_id',
      ({ ctx, params }) => ok(getReplay(ctx, params.id, params.replay_id)),
      {
        can: 'webhooks:read',
        params: ReplayParams,
        response: { 200: Ok(ReplayView) },
        detail: {
          operationId: 'getWebhookReplay',
          summary: 'Get a replay',
          description: 'How many of its deliveries are done, and how many failed.',
        },
      },
    )
    .delete(
      '/:id/replays/:replay_id',
      ({ ctx, params }) => ok(stopReplay(ctx, params.id, params.replay_id)),
      {
        can: 'webhooks:update',
        refuses: ['409 wrong_state'],
        params: ReplayParams,
        response: { 200: Ok(ReplayView) },
        detail: {
          operationId: 'stopWebhookReplay',
          summary: 'Stop a replay',
          description: 'Its deliveries that were not sent yet are canceled.',
        },
      },
    )
